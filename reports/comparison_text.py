"""The comparison of two runs in a terminal: what fails anew first, then store by store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fsconform.records.comparison import Changed, Comparison, OptionMove, Sight, StoreComparison
from fsconform.records.results import FAILING
from fsconform.reports import comparison_words as words
from fsconform.reports.text import STYLES
from fsconform.reports.visible import visible
from fsconform.reports.words import plural

Row = TypeVar("Row")

LISTED = 40
"""Rows of one kind of one store that are shown; the JSON has them all."""
STEPS_SHOWN = 8
"""Calls of one program that are shown."""


def show(comparison: Comparison, console: Console, everything: bool = True) -> None:
    """Print the comparison: what is new, and with ``everything`` the rest too.

    Text that came from a store is printed with control characters as escapes.
    """
    _line(console, f"before  run {comparison.before.id}, {comparison.before.started}")
    _line(console, f"after   run {comparison.after.id}, {comparison.after.started}")
    for one in comparison.versions:
        _line(console, f"{one.name}: {one.before or 'not recorded'} -> {one.after or 'not recorded'}", "dim")
    if not comparison.stores:
        _line(console, "No store was judged in either run.", "magenta")
        return
    console.print(_table(comparison))
    for store in comparison.stores:
        (_store if everything else _new)(store, console)
    console.print()
    _line(console, words.counts(comparison), "bold")
    _line(console, words.outcome(comparison), "bold red" if comparison.fails else "bold")


def _table(comparison: Comparison) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("store", overflow="fold")
    for heading in ("fail anew", "new", "gone", "changed", "options", "clauses"):
        table.add_column(heading, justify="right", no_wrap=True)
    for store in comparison.stores:
        failing = len(store.failing) + len(store.waiver_problems)
        numbers = (len(store.new), len(store.gone), len(store.changed), len(store.options))
        table.add_row(
            Text(visible(store.name), "bold"),
            Text(f"{failing:,}", "bold red" if failing else "green"),
            *(f"{number:,}" for number in numbers),
            f"+{len(store.clauses_new):,} -{len(store.clauses_gone):,}",
        )
    return table


def _new(store: StoreComparison, console: Console) -> None:
    """What is new of a store, and what failed with another verdict before."""
    _unjudged(store, console)
    for sight in _some(store.new, "new", store, console):
        _sight("new", sight, store, console, with_calls=sight.verdict in FAILING)
    for change in store.changed:
        if change.signature in store.failing:
            _changed(change, store, console)


def _unjudged(store: StoreComparison, console: Console) -> None:
    for problem in (*store.unjudged, *store.in_part[:LISTED]):
        _line(console, f"{store.name}: {problem}", "magenta")
    for problem in store.waiver_problems:
        _line(console, f"{store.name}: waiver: {problem}", "bold red")


def _store(store: StoreComparison, console: Console) -> None:
    _unjudged(store, console)
    for one in store.versions:
        _line(
            console, f"{store.name}: {one.name}: {one.before or 'not recorded'} -> {one.after or 'not recorded'}", "dim"
        )
    for sight in _some(store.new, "new", store, console):
        _sight("new", sight, store, console, with_calls=sight.verdict in FAILING)
    for change in _some(store.changed, "changed", store, console):
        _changed(change, store, console)
    for sight in _some(store.gone, "gone", store, console):
        _sight("gone", sight, store, console)
    for move in _some(store.options, "options", store, console):
        _option(move, store, console)
    for heading, clauses in (("newly judged", store.clauses_new), ("no more judged", store.clauses_gone)):
        for clause in _some(clauses, heading, store, console):
            _line(console, f"{store.name}: {heading}: {clause}", "dim")


def _some(rows: Sequence[Row], heading: str, store: StoreComparison, console: Console) -> Sequence[Row]:
    if len(rows) > LISTED:
        _line(console, f"{store.name}: {heading}: {len(rows):,}, of which the first {LISTED} follow")
    return rows[:LISTED]


def _sight(how: str, sight: Sight, store: StoreComparison, console: Console, with_calls: bool = False) -> None:
    unsaid = "" if sight.judged_in_other else "; the other run did not judge this clause"
    text = f": {how}: {visible(sight.verdict)}: {visible(sight.signature)} ({visible(sight.clause)}{unsaid})"
    _print(console, Text.assemble((visible(store.name), "bold"), (text, STYLES.get(sight.verdict, ""))))
    if with_calls:
        _calls(sight, console)


def _changed(change: Changed, store: StoreComparison, console: Console) -> None:
    parts = [
        f"{name} {visible(old) or 'none'} -> {visible(new) or 'none'}" for name, old, new in words.changes_of(change)
    ]
    text = f": changed: {visible(change.signature)}: {'; '.join(parts)}"
    anew = change.signature in store.failing
    _print(console, Text.assemble((visible(store.name), "bold"), (text, "bold red" if anew else "")))
    if "program" in change.what:
        _calls(change.after, console)


def _calls(sight: Sight, console: Console) -> None:
    for number, call in enumerate(sight.calls[:STEPS_SHOWN], 1):
        _line(console, f"    {number:>2}  {call}")
    if len(sight.calls) > STEPS_SHOWN:
        _line(console, f"        and {plural(len(sight.calls) - STEPS_SHOWN, 'step')} more")


def _option(move: OptionMove, store: StoreComparison, console: Console) -> None:
    parts = [f"{name} {old} -> {new}" for name, old, new in words.moves_of(move)]
    _line(console, f"{store.name}: option {move.option}: {'; '.join(parts)}")


def _line(console: Console, text: str, style: str = "") -> None:
    _print(console, Text(visible(text), style))


def _print(console: Console, text: Text) -> None:
    console.print(text, soft_wrap=True, highlight=False)
