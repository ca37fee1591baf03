"""Exit codes of the commands on directory markers: those of the commands of Hadoop that they re-create."""

from __future__ import annotations

from typing import Any

import click

OK, FAILED, INTERRUPTED, USAGE, REFUSED, NOT_FOUND, UNACCEPTABLE, UNREACHABLE = 0, 1, 3, 42, 43, 44, 46, 53
LACKS = 255
"""What a shell sees of -1: a path lacks a capability."""


class Ended(click.ClickException):
    """The command ends with a code, for the reason that the text says."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        vars(self)["exit_code"] = code  # click declares it for a class as a whole


class OwnUsage(click.Command):
    """A command whose usage errors have the code that the document gives them."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """What click does. Raises click.UsageError with the code."""
        try:
            return super().make_context(*arguments, **more)
        except click.UsageError as error:
            vars(error)["exit_code"] = USAGE
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """What click does. Raises click.UsageError with the code."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            vars(error)["exit_code"] = USAGE
            raise


class OwnUsageGroup(OwnUsage, click.Group):
    """A group of such commands, which also takes Hadoop's way to name them: ``markers -audit URI``."""

    command_class = OwnUsage

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command that ``-audit`` or ``-clean`` names in front."""
        if args and args[0] not in self.commands:
            named = [one.lstrip("-") for one in args if one in ("-audit", "--audit", "-clean", "--clean")]
            if len(named) > 1:
                raise click.UsageError("exactly one of -audit and -clean", ctx)
            if named:
                rest = [one for one in args if one not in ("-audit", "--audit", "-clean", "--clean")]
                args = [named[0], *rest]
        return super().parse_args(ctx, args)
