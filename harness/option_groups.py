"""How help is ordered, by cloup: options in groups, the same in each command; a group of commands knows its names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import click
import cloup

GROUPS: dict[str, tuple[str, ...]] = {
    "What is checked": ("--bounds", "--trace", "--inductive", "--unless-known"),
    "The model checker": ("--with", "--apalache", "--length", "--stack", "--jobs"),
    "The store": (
        "--store",
        "--uri",
        "--jars",
        "--conf",
        "--conf-file",
        "--name",
        "--endpoint-conf",
        "--root",
        "--fault",
    ),
    "What is tried": (
        "--suite",
        "--clause",
        "--op",
        "--explorer",
        "--traces",
        "--committer",
        "--group",
        "--races",
        "--tool",
        "--kept",
    ),
    "How much is tried": ("--effort", "--budget", "--seed", "--resume", "--fail-fast", "--programs", "--unit"),
    "What it is judged by": (
        "--contract",
        "--waivers",
        "--baseline",
        "--count-inherited",
        "--strict-quirks",
        "--below",
    ),
    "How it is driven": (
        "--timeout",
        "--rate",
        "--xmx",
        "--shards",
        "--hadoop",
        "--source-hadoop",
        "--target-hadoop",
        "--via",
    ),
    "What is recorded": ("--format", "--assume", "--in-flight"),
    "Spark": ("--master", "--spark-conf", "--wheels", "--speculate"),
    "What is written": ("--out", "--out-conf", "--out-jars", "--report", "--json", "--itf", "--force"),
    "What CI installs": ("--install", "--index-url"),
}
"""The options of each group, by the name that a user writes."""

FEW = 8
"""Options that a command may list without groups."""
_TITLES = {option: title for title, options in GROUPS.items() for option in options}


class Grouped(cloup.Command):
    """A command whose help lists its options, where they are many, under :data:`GROUPS`; those of none at the end."""

    def __init__(self, *arguments: Any, params: Iterable[click.Parameter] | None = None, **more: Any) -> None:
        """``params`` are given a group each. What a group has is its command's own: cloup keeps it in the group."""
        params = list(params or ())
        groups = {title: cloup.OptionGroup(title) for title in GROUPS}
        many = sum(isinstance(option, click.Option) and not option.hidden for option in params) > FEW
        for option in params if many else ():
            title = next((_TITLES[name] for name in option.opts if name in _TITLES), None)
            if isinstance(option, click.Option) and title is not None:
                option.group = groups[title]  # type: ignore[attr-defined]
        super().__init__(*arguments, params=params, **more)
        self.option_groups.sort(key=[*groups.values()].index)


class Commands(cloup.Group):
    """A group of commands that answers an unknown name with those that there are."""

    def handle_bad_command_name(
        self, bad_name: str, valid_names: list[str], error: click.UsageError
    ) -> click.UsageError:
        """The error with the names, the closest first. ``valid_names`` lacks commands that are not loaded."""
        assert error.ctx is not None
        names = self.list_commands(error.ctx)
        close = difflib.get_close_matches(bad_name, names)
        listed = ", ".join([*close, *(name for name in names if name not in close)])
        return click.UsageError(f"No such command {bad_name!r}; there are: {listed}", error.ctx)
