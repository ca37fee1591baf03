"""How a command ends when something is wrong: exit codes, and hints at what was meant.

The codes themselves, and what leads to which, are those of ``records.gate``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

import click

from fsconform.adapters.java import NoJava
from fsconform.engine.protocol import SandboxRefused
from fsconform.harness.option_groups import Grouped
from fsconform.records.gate import DIVERGENCES, INCONCLUSIVE, OK, USAGE
from fsconform.reports.escaping import line, lines
from fsconform.reports.visible import visible
from fsconform.specs.contract_xml import closest

__all__ = [
    "DIVERGENCES",
    "INCONCLUSIVE",
    "OK",
    "USAGE",
    "Inconclusive",
    "ManyValues",
    "Problem",
    "check_alone",
    "ended",
    "known",
]


LONGEST = 20_000
"""Characters of the text of an error."""


class Problem(click.ClickException):
    """Usage or configuration that can't be used: the text says what and how to mend it. Exit code 2.

    It may hold what others wrote: it is told on one line, with escapes.
    """

    exit_code = USAGE

    def format_message(self) -> str:
        """The text as it is printed."""
        return line(visible(self.message, LONGEST))


class Inconclusive(click.ClickException):
    """Nothing could be judged: the text says why, and which log tells more. Exit code 3.

    It may hold lines of logs: those after the first are indented, so that none can pass for one of ours.
    """

    exit_code = INCONCLUSIVE

    def format_message(self) -> str:
        """The text as it is printed."""
        first, *more = self.message[:LONGEST].split("\n")
        return lines("\n".join((line(first), *(f"    {line(one)}" for one in more))))


def ended(error: Exception, text: str = "") -> click.ClickException:
    """How a command ends after an error of what it was to drive: 2 where it is the user's to mend, else 3.

    ``text`` is told instead of the error's own.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, NoJava | SandboxRefused):
            return Problem(text or str(error))
        cause = cause.__cause__
    return Inconclusive(text or str(error))


class ManyValues(Grouped):
    """A command whose repeatable options take several values after one name, as a shell expands a glob."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the name of a repeatable option before each further value of it."""
        return super().parse_args(ctx, self.spread(args))

    def spread(self, args: list[str]) -> list[str]:
        """The arguments with the name of a repeatable option before each value of it."""
        repeatable = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and parameter.multiple
            for name in parameter.opts
        }
        spread: list[str] = []
        current, values = "", 0
        for argument in args:
            if argument.startswith("-"):
                current, values = (argument if argument in repeatable else ""), 0
            elif current:
                values += 1
                if values > 1:
                    spread.append(current)
            spread.append(argument)
        return spread


def check_alone(what: str, options: Mapping[str, object]) -> None:
    """Raise Problem for an option that is given, and means nothing where ``what`` is judged."""
    for name, value in options.items():
        if value:
            raise Problem(f"{name} is not for {what}: leave it out")


LISTED = 40
"""Names that an error lists."""
_LONGEST_NAME = 200
"""Characters of a name that are compared with others: a longer one is close to none."""


def known(kind: str, name: str, names: Iterable[str]) -> str:
    """The name itself if it is one of the names. Raises Problem with what there is otherwise, close names first."""
    names = tuple(names)
    if name not in names:
        hint = closest(name, names)
        told = hint if hint.endswith("?") else ""
        raise Problem(f"no {kind} {name!r}{told}{';' if not told else ''} there are: {listed(name, names)}")
    return name


def listed(name: str, names: Sequence[str]) -> str:
    """Names in a row: those that hold ``name``, then the others, the closest first; of many the first."""
    given = name[:_LONGEST_NAME]
    compared = difflib.SequenceMatcher(b=given, autojunk=False)

    def distance(other: str) -> tuple[bool, float]:
        compared.set_seq1(other)
        return not given or given not in other, -compared.ratio()

    ordered = sorted(names, key=distance)
    more = f", and {len(ordered) - LISTED:,} more" if len(ordered) > LISTED else ""
    return (", ".join(ordered[:LISTED]) or "none") + more
