"""The clause matrix: the catalogue by documents, with a cell for each store. No HTML here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsconform.records.results import ClauseRecord, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.divergences import DivergenceView
from fsconform.reports.visible import digest, slug

Outcome = frozenset[tuple[str, str]]
"""What a store did: signatures and verdicts of its divergences; empty where none was seen."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A clause on a store: how often judged, and the worst verdict, with a link to what shows it."""

    judged: int
    verdict: str
    link: str
    others: int = 0
    outcome: Outcome = frozenset()


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """A clause with one cell for each store. ``untestable`` says why no store is judged by it, else it is empty.

    ``parts`` is true where two stores that were judged did not do the same.
    """

    record: ClauseRecord
    id: str
    cells: list[Cell]
    untestable: str = ""
    parts: bool = False

    @property
    def basis(self) -> str:
        """What the clause rests on, in a word; a dash where the record does not say it."""
        return words.BASES.get(self.record.basis, self.record.basis or "\N{EN DASH}")

    @property
    def kinds(self) -> str:
        """The filters that show this row, as names with spaces between."""
        departed = any(cell.outcome for cell in self.cells)
        unjudged = not self.untestable and any(not cell.verdict for cell in self.cells)
        flags = (("parts", self.parts), ("departed", departed), ("unjudged", unjudged))
        return " ".join(name for name, on in flags if on)


@dataclass(frozen=True, slots=True)
class ClauseGroup:
    """The clauses of one document, in the catalogue's order."""

    document: str
    rows: list[ClauseRow]


@dataclass(frozen=True, slots=True)
class Judged:
    """A store with the file name of its page, empty for the page itself, and the divergences that the page shows."""

    record: StoreRecord
    page: str
    divergences: Sequence[DivergenceView]


def catalogue(results: Results) -> list[ClauseRecord]:
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


def clause_anchor(clause: str) -> str:
    """The id of a clause's row: it depends on the clause only."""
    plain = slug(clause)
    return f"c-{plain}" if plain == clause and plain else f"c-{plain}-{digest(clause)}"


def clause_groups(clauses: Iterable[ClauseRecord], stores: Sequence[Judged]) -> list[ClauseGroup]:
    """The catalogue by documents, with a cell for each store."""
    by_store = [_cells(store) for store in stores]
    groups: dict[str, list[ClauseRow]] = {}
    for clause in clauses:
        cells = [cells.get(clause.id, Cell(0, "", "")) for cells in by_store]
        # What was judged nevertheless is not hidden.
        untested = clause.status in ("untestable", "restated") and not any(cell.verdict for cell in cells)
        row = ClauseRow(
            clause,
            clause_anchor(clause.id),
            cells,
            (clause.why or "no reason given") if untested else "",
            len({cell.outcome for cell in cells if cell.verdict}) > 1,
        )
        groups.setdefault(clause.document or "Other clauses", []).append(row)
    return [ClauseGroup(document, rows) for document, rows in groups.items()]


def _cells(store: Judged) -> dict[str, Cell]:
    """The cells of one store by clause. Divergences that the page does not show in full count too."""
    ids = {view.record.signature: view.id for view in store.divergences}
    cells = {clause: Cell(times, "conforms", "") for clause, times in store.record.clauses.items() if times}
    departed: dict[str, list[tuple[str, str]]] = {}
    for one in words.by_severity(store.record.divergences):
        departed.setdefault(one.clause, []).append((one.signature, one.verdict))
    for clause, found in departed.items():
        signature, verdict = found[0]
        link = f"{store.page}#{ids.get(signature, 'divergences')}"
        judged = store.record.clauses.get(clause, 0)
        cells[clause] = Cell(judged, verdict, link, len(found) - 1, frozenset(found))
    return cells
