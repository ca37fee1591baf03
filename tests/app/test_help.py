"""The help of each command: none is without a text, and none of its options."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from fsconform.app.main import main


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
