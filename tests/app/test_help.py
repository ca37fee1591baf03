"""The help of each command: none is without a text, and none of its options."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness.option_groups import FEW, GROUPS, Grouped

MOST_OF_A_GROUP = 10
OF_NO_GROUP = {"--config", "--help"}
"""Options that any command may list after its groups."""


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """A command, or those of a group and of its groups, by what a user writes."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for part in command.list_commands(context):
            found = command.get_command(context, part)
            assert found is not None
            yield from commands(found, f"{name} {part}")


EVERY = dict(commands(main, "fsconform"))


def mute(command: click.Command) -> list[str]:
    """The options of a command that say nothing of themselves."""
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return [one.opts[0] for one in options if not one.help]


@pytest.mark.parametrize("name", EVERY)
def test_commands_and_options_have_a_text(name: str) -> None:
    assert EVERY[name].help
    assert mute(EVERY[name]) == []


def test_an_option_without_a_text_is_found() -> None:
    assert mute(click.Command("x", params=[click.Option(["--a"]), click.Option(["--b"], help="B.")])) == ["--a"]


def options(command: click.Command) -> list[click.Option]:
    """The options that a command lists in its help."""
    return [one for one in command.params if isinstance(one, click.Option) and not one.hidden]


def astray(command: click.Command) -> list[str]:
    """The options of a command with many that its help lists in no group."""
    if len(options(command)) <= FEW:
        return []
    placed = {one.opts[0] for group in getattr(command, "option_groups", ()) for one in group}
    return [one.opts[0] for one in options(command) if not {one.opts[0]} & (placed | OF_NO_GROUP)]


@pytest.mark.parametrize("name", EVERY)
def test_many_options_are_listed_in_groups(name: str) -> None:
    assert astray(EVERY[name]) == []
    assert all(len(group) <= MOST_OF_A_GROUP for group in getattr(EVERY[name], "option_groups", ()))


def test_help_has_each_option_of_many_once_and_under_its_title() -> None:
    text = CliRunner().invoke(main, ["run", "--help"]).output
    sections = dict(re.findall(r"^(\S.*):\n((?:  .*\n|\n)+)", text, re.MULTILINE))
    for title, names in GROUPS.items():
        for name in names:
            here = name in {one.opts[0] for one in options(EVERY["fsconform run"])}
            found = [one for one, listed in sections.items() if re.search(rf"^  {name}\b(?!-)", listed, re.MULTILINE)]
            assert found == ([title] if here else []), name


@pytest.mark.parametrize("kind", [click.Command, Grouped])
def test_an_option_without_a_group_is_found(kind: type[click.Command]) -> None:
    made = kind("x", params=[click.Option([f"--{letter}"], help="X.") for letter in "abcdefghi"])
    assert astray(made) == [f"--{letter}" for letter in "abcdefghi"]


def test_groups_name_options_that_there_are() -> None:
    there = {name for command in EVERY.values() for one in options(command) for name in one.opts}
    assert {name for names in GROUPS.values() for name in names} - there == set()


def test_the_help_of_fsconform_lists_each_command_once() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    commands_there = main.list_commands(click.Context(main))
    assert sorted(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE)) == sorted(commands_there)


@pytest.mark.parametrize(
    ("words", "there"), [(["rnu"], "run"), (["contract", "infr"], "infer"), (["spec", "x"], "coverage")]
)
def test_an_unknown_command_is_answered_with_those_there_are(words: list[str], there: str) -> None:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert re.search(rf"No such command '{words[-1]}'; there are:.* {there}\b", done.output)
