"""A divergence as a person reads it where an item failed: what is wrong, what to declare, how to see it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from fsconform.harness.reproducers import pytest_command
from fsconform.records.results import Change, Divergence, StepRecord
from fsconform.reports.histories import confirmation
from fsconform.reports.history_text import drawing, legend
from fsconform.reports.visible import visible
from fsconform.reports.words import call_text, several_clients, tags

IN_FULL = 5
"""Divergences of one item that are told in full; of the others only the signature."""
STEPS_TOLD = 30
"""Steps of a program that are told, beside those that depart."""
WIDEST = 60
"""Characters of a column of the program's table; what is longer is not cut, but may leave its column."""


class Told(str):
    """A text in place of a traceback. ``reprcrash`` is where pytest looks for the message of a report."""

    reprcrash: Crash


class Crash:
    """The one line that stands for a failure in summaries and in JUnit XML."""

    def __init__(self, message: str, path: str = "", lineno: int = 0) -> None:
        self.message, self.path, self.lineno = message, path, lineno

    def __str__(self) -> str:
        return self.message


def told(text: str, headline: str) -> Told:
    """The text of a failure with its headline."""
    found = Told(text)
    found.reprcrash = Crash(headline)
    return found


def is_text(longrepr: object) -> TypeGuard[str]:
    """Whether the text of a report is one that has no headline yet."""
    return isinstance(longrepr, str) and not isinstance(longrepr, Told)


def headline(divergences: Sequence[Divergence]) -> str:
    """Verdict and signature of the first of some divergences, and how many more there are."""
    more = f" (and {len(divergences) - 1} more)" if len(divergences) > 1 else ""
    return visible(f"{divergences[0].verdict}: {divergences[0].signature}") + more


def tell(divergences: Sequence[Divergence], store: str, home: str) -> str:
    """Divergences of a store in plain text; ``home`` is the folder of the run with the files that reproduce them."""
    parts = ["\n".join(_one(one, store, home)) for one in divergences[:IN_FULL]]
    if len(divergences) > IN_FULL:
        rest = [f"  {visible(f'{one.verdict}: {one.signature}')}" for one in divergences[IN_FULL:]]
        parts.append("\n".join([f"and {len(rest)} more:", *rest]))
    return "\n\n".join(parts)


def tell_again(divergences: Sequence[Divergence], item: str) -> str:
    """Divergences that an earlier item of the same process told in full."""
    rows = []
    for one in divergences[:IN_FULL]:
        rows += [visible(f"{one.verdict}: {one.signature}"), f"  clause    {one.clause} ({one.level})"]
        rows += [f"  reproduce {visible(one.reproducer)}"]
    return "\n".join([*rows, f"  It is told in full by {item}."])


def _one(divergence: Divergence, store: str, home: str) -> list[str]:
    rows = [
        f"{divergence.verdict}: {divergence.signature}",
        "",
        f"  store     {store}",
        f"  clause    {divergence.clause} ({divergence.level}): {divergence.statement}",
        *([f"  source    {divergence.source}"] if divergence.source else []),
        f"  expected  {divergence.expected}",
        f"  observed  {divergence.observed}",
        f"  replays   {confirmation(divergence)[0]}",
        *([f"  note      {divergence.note}"] if divergence.note else []),
        "",
    ]
    rows = [visible(row) for row in rows]
    history = divergence.history
    rows += [*(_table(divergence.sequence) if history is None else [*drawing(history), *legend(history)]), ""]
    rows += [*_declaring(divergence), ""]
    if divergence.reproducer:
        rows.append(f"  reproduce {visible(divergence.reproducer)}")
    if divergence.test:
        command = pytest_command(f"{home}/{divergence.test}", divergence.reproducer)
        rows.append(f"            {visible(command)}")
    return rows


def _table(sequence: Iterable[StepRecord]) -> list[str]:
    steps = list(sequence)
    clients = several_clients(steps)
    cells, left_out = [("", "#", "call", "expected", "observed")], 0
    for number, step in enumerate(steps, 1):
        if number > STEPS_TOLD and not step.marked:
            left_out += 1
            continue
        call = call_text(step, clients) + "".join(f" ({tag})" for tag in tags(step))
        cells.append((">" if step.marked else "", str(number), call, step.expected, step.observed))
    widths = [min(WIDEST, max(len(visible(row[column])) for row in cells)) for column in range(4)]
    rows = [
        "  "
        + "  ".join(
            visible(cell).rjust(width) if column == 1 else visible(cell).ljust(width)
            for column, (cell, width) in enumerate(zip(row, (*widths, 0), strict=True))
        ).rstrip()
        for row in cells
    ]
    return [*rows, f"        and {left_out} more"] if left_out else rows


def _declaring(divergence: Divergence) -> list[str]:
    if not divergence.options:
        return ["  No option of the contract allows it: mend the store, or accept it by a waiver."]
    rows = ["  If it is meant, the contract XML declares it:"]
    for number, changes in enumerate(divergence.options):
        rows += ["  or:"] if number else []
        rows += [f"    {visible(line)}" for change in changes for line in _xml(change)]
    return rows


def _xml(change: Change) -> list[str]:
    return change.xml.strip("\n").splitlines()
