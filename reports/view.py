"""What the pages show, worked out of the records: rows, cells, links. No HTML here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsconform.records.results import (
    ClauseRecord,
    Divergence,
    OptionRecord,
    Results,
    StepRecord,
    StoreRecord,
)
from fsconform.reports import words
from fsconform.reports.contract_xml import PREFIX, set_xml
from fsconform.reports.visible import distinct, divergence_id, page_names, relative_link

IN_FULL = 100
"""Divergences of one store that its page shows in full; a store that breaks everything must not make a giant page."""
STEPS_SHOWN = 60
"""Steps of one program that the page shows."""
_LISTED_ONLY = ("declared", "waived")


@dataclass(frozen=True, slots=True)
class StepView:
    """One row of a sequence table; ``number`` counts from 1, 0 stands for rows left out."""

    number: int
    record: StepRecord | None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class DivergenceView:
    """One divergence on a store's page. ``replay`` is a relative URL or empty."""

    record: Divergence
    id: str
    replay: str
    changes: list[tuple[str, str]]
    steps: list[StepView]
    confirmed: str
    flaky: bool
    program: str
    compact: bool
    clients: bool
    """Whether the sequence table tells who makes each call."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A clause on a store: how often judged, and the worst verdict, with a link to what shows it."""

    judged: int
    verdict: str
    link: str
    others: int = 0


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """A clause with one cell for each store. ``untestable`` says why no store can be judged by it, else it is empty."""

    record: ClauseRecord
    cells: list[Cell]
    untestable: str = ""


@dataclass(frozen=True, slots=True)
class ClauseGroup:
    """The clauses of one document, in the catalogue's order."""

    document: str
    rows: list[ClauseRow]


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


@dataclass(frozen=True, slots=True)
class StoreView:
    """One store: its page and everything on it. ``first`` is the id of the first divergence of each verdict."""

    record: StoreRecord
    page: str
    gate: words.Gate
    counts: dict[str, int]
    divergences: list[DivergenceView]
    rest: list[Divergence]
    first: dict[str, str]
    clauses: list[ClauseGroup]
    judged: int
    untestable: int
    options: list[OptionView]


@dataclass(frozen=True, slots=True)
class RunView:
    """The whole run."""

    results: Results
    stores: list[StoreView]
    clauses: list[ClauseGroup]
    options: list[OptionRow]
    catalogue: int
    """Number of clauses in the catalogue, and of clauses that stores were judged by and it lacks."""


def run_view(results: Results) -> RunView:
    """Everything the index and the stores' pages show."""
    pages = page_names([store.name for store in results.stores])
    catalogue = _catalogue(results)
    views = [_store(store, page, catalogue) for store, page in zip(results.stores, pages, strict=True)]
    return RunView(
        results,
        views,
        clause_groups(catalogue, [(view.record, view.page, view.divergences) for view in views]),
        _option_rows(views),
        len(catalogue),
    )


def _catalogue(results: Results) -> list[ClauseRecord]:
    """The run's clauses, and after them those that a store names and the catalogue lacks."""
    known = {clause.id: clause for clause in results.clauses}
    for store in results.stores:
        for divergence in store.divergences:
            known.setdefault(
                divergence.clause,
                ClauseRecord(divergence.clause, "", divergence.source, divergence.level, divergence.statement),
            )
    for store in results.stores:
        for clause in sorted(store.clauses):
            known.setdefault(clause, ClauseRecord(clause, "", "", "", "not in the catalogue of this run"))
    return list(known.values())


def _store(store: StoreRecord, page: str, catalogue: Sequence[ClauseRecord]) -> StoreView:
    ordered = words.by_severity(store.divergences)
    ids = distinct([divergence_id(one.operation, one.signature) for one in ordered[:IN_FULL]])
    shown = [_divergence(one, name) for one, name in zip(ordered[:IN_FULL], ids, strict=True)]
    first: dict[str, str] = {}
    for view in shown:
        first.setdefault(view.record.verdict, view.id)
    groups = clause_groups(catalogue, [(store, "", shown)])
    return StoreView(
        store,
        page,
        words.gate(store),
        words.verdict_counts(store),
        shown,
        ordered[IN_FULL:],
        first,
        groups,
        sum(store.clauses.get(clause.id, 0) > 0 for clause in catalogue),
        sum(row.untestable != "" for group in groups for row in group.rows),
        [option_view(name, record) for name, record in store.options.items()],
    )


def _divergence(record: Divergence, name: str) -> DivergenceView:
    confirmed, flaky = words.confirmation(record.confirmed)
    changes = [
        (words_of, set_xml(changes))
        for words_of, changes in zip(words.option_changes(record), record.options, strict=True)
    ]
    program = "[\n" + ",\n".join(f"  {json.dumps(step)}" for step in record.program) + "\n]"
    return DivergenceView(
        record,
        name,
        relative_link(record.replay),
        changes,
        step_views(record.sequence),
        confirmed,
        flaky,
        program,
        record.verdict in _LISTED_ONLY,
        words.several_clients(record.sequence),
    )


def step_views(sequence: Sequence[StepRecord]) -> list[StepView]:
    """The rows of a sequence table: all steps; of a long program the first, the last and the marked ones."""
    rows: list[StepView] = []
    left_out = 0
    for number, step in enumerate(sequence, 1):
        near_an_end = number <= STEPS_SHOWN // 2 or number > len(sequence) - STEPS_SHOWN // 2
        if not near_an_end and not step.marked:
            left_out += 1
            continue
        if left_out:
            rows.append(StepView(0, None, left_out))
            left_out = 0
        rows.append(StepView(number, step))
    return rows


def clause_groups(
    catalogue: Iterable[ClauseRecord], stores: Sequence[tuple[StoreRecord, str, Sequence[DivergenceView]]]
) -> list[ClauseGroup]:
    """The catalogue by documents, with a cell for each store, which comes with its page and its divergences."""
    groups: dict[str, list[ClauseRow]] = {}
    for clause in catalogue:
        cells = [_cell(clause.id, *store) for store in stores]
        # What was judged nevertheless is not hidden.
        untested = clause.status == "untestable" and not any(cell.verdict for cell in cells)
        row = ClauseRow(clause, cells, (clause.why or "no reason given") if untested else "")
        groups.setdefault(clause.document or "Other clauses", []).append(row)
    return [ClauseGroup(document, rows) for document, rows in groups.items()]


def _cell(clause: str, store: StoreRecord, page: str, divergences: Sequence[DivergenceView]) -> Cell:
    judged = store.clauses.get(clause, 0)
    # Of those beyond IN_FULL too, but only those on the page can be linked to.
    records = words.by_severity(one for one in store.divergences if one.clause == clause)
    if not records:
        return Cell(judged, "conforms" if judged else "", "")
    ids = {view.record.signature: view.id for view in divergences}
    anchor = ids.get(records[0].signature, "divergences")
    return Cell(judged, records[0].verdict, f"{page}#{anchor}", len(records) - 1)


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


def _option_rows(stores: Sequence[StoreView]) -> list[OptionRow]:
    by_name: dict[str, OptionRecord] = {}
    for store in stores:
        for view in store.options:
            by_name.setdefault(view.name, view.record)
    cells = [{view.name: view for view in store.options} for store in stores]
    return [
        OptionRow(name, record.statement, record.kind, [cell.get(name) for cell in cells])
        for name, record in by_name.items()
    ]
