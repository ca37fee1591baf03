"""Contract options: what a store declares against what its behaviour shows. No HTML here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import OptionRecord
from fsconform.reports import words
from fsconform.reports.contract_xml import PREFIX


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option on one store, ``name`` without Hadoop's prefix. ``state`` is conflict, differs, agrees or unseen."""

    name: str
    record: OptionRecord
    state: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option with one view for each store, None where the store's record lacks it."""

    name: str
    statement: str
    kind: str
    cells: list[OptionView | None]


def option_view(name: str, record: OptionRecord) -> OptionView:
    """An option with what comparing its declared and its observed value says."""
    if record.observed is None:
        state = "unseen"
    elif record.observed == "conflict":
        state = "conflict"
    else:
        declared = record.default if record.declared is None else record.declared
        same = words.value_text(declared) == words.value_text(record.observed)
        # A permission that was not made use of contradicts nothing.
        unused = record.kind == "permits" and declared is True and record.observed is False
        state = "agrees" if same or unused else "differs"
    return OptionView(name.removeprefix(PREFIX), record, state)


def option_rows(stores: Sequence[Sequence[OptionView]]) -> list[OptionRow]:
    """All options of some stores, in the order in which they are first met."""
    by_name: dict[str, OptionRecord] = {}
    for views in stores:
        for view in views:
            by_name.setdefault(view.name, view.record)
    cells = [{view.name: view for view in views} for views in stores]
    return [
        OptionRow(name, record.statement, record.kind, [cell.get(name) for cell in cells])
        for name, record in by_name.items()
    ]
