"""What the pages of the atlas show, worked out of its entries, the catalogue and the findings. No HTML here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fsconform.records.atlas import Departure, Entry, Option, order_of
from fsconform.records.findings import Finding
from fsconform.records.profiles import Profile
from fsconform.records.profiles.fitting import Fit, fit, newest
from fsconform.records.results import SEVERITY, ClauseRecord
from fsconform.reports.visible import distinct, divergence_id, page_names


@dataclass(frozen=True, slots=True)
class Shown:
    """A divergence on the page of its entry, under the anchor ``id``."""

    departure: Departure
    id: str
    page: str

    @property
    def link(self) -> str:
        """From the root of the site."""
        return f"{self.page}#{self.id}"


@dataclass(frozen=True, slots=True)
class Cell:
    """An entry at one clause: how often it was judged, the most serious verdict (empty: not judged), what shows it."""

    judged: int
    verdict: str
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One entry with its page."""

    entry: Entry
    page: str
    shown: tuple[Shown, ...]

    @property
    def name(self) -> str:
        """Store and release."""
        return f"{self.entry.store}, {self.entry.release}"

    @property
    def counts(self) -> dict[str, int]:
        """Clauses by their verdict, the most serious first."""
        counts = dict.fromkeys(SEVERITY, 0)
        for standing in self.entry.clauses.values():
            counts[standing.verdict] += 1
        return {verdict: number for verdict, number in counts.items() if number}


@dataclass(frozen=True, slots=True)
class Row:
    """A clause with a cell for each column."""

    record: ClauseRecord
    page: str
    cells: tuple[Cell, ...]

    @property
    def parts(self) -> bool:
        """Whether two entries that were judged by it have different verdicts."""
        return len({cell.verdict for cell in self.cells if cell.verdict}) > 1


@dataclass(frozen=True, slots=True)
class Change:
    """What changed at one clause from a release of a store to the next one in the atlas."""

    before: Column
    after: Column
    row: Row
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Group:
    """Clauses with a page of their own: those of a document, or of an operation."""

    name: str
    page: str
    rows: tuple[Row, ...]
    shown: tuple[tuple[Column, Shown], ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def judged(self) -> int:
        """The clauses that at least one entry was judged by."""
        return sum(any(cell.verdict for cell in row.cells) for row in self.rows)

    @property
    def parted(self) -> int:
        """The clauses at which entries do not have the same verdict."""
        return sum(row.parts for row in self.rows)


@dataclass(frozen=True, slots=True)
class OptionRow:
    """A contract option with its value at each column; None where the entry does not speak of it."""

    name: str
    page: str
    statement: str
    values: tuple[Option | None, ...]
    shown: tuple[tuple[Column, Shown], ...]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding, and the divergences of the entries that belong to it."""

    finding: Finding
    page: str
    shown: tuple[tuple[Column, Shown], ...]


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application with its answer for the last release of each Hadoop filesystem in the atlas."""

    profile: Profile
    page: str
    fits: tuple[Fit, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of yes or no, as the value of a contract option answers it; ``page`` is that of the option."""

    text: str
    page: str
    yes: tuple[Column, ...]
    no: tuple[Column, ...]
    unknown: tuple[Column, ...]


ASKED = {
    "fs.contract.fsconform.hdfs-timestamps": "Which stores keep the modification time of a file that is renamed?",
    "fs.contract.supports-atomic-rename": "Whose rename is atomic?",
    "fs.contract.rename-overwrites-dest": "Whose rename of a file replaces a file at its destination?",
    "fs.contract.supports-hsync": "Whose hsync keeps its promise?",
    "fs.contract.supports-append": "Which stores append?",
    "fs.contract.create-visibility-delayed": "Where is a file that is being written not seen before it is closed?",
}
"""What is asked most, by the option whose value answers it."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """All of the site."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    documents: tuple[Group, ...]
    operations: tuple[Group, ...]
    options: tuple[OptionRow, ...]
    findings: tuple[FindingRow, ...]
    changes: tuple[Change, ...]
    applications: tuple[ApplicationRow, ...]
    suites: Mapping[str, tuple[str, ...]]
    """The suites that judge a clause, of clauses that only some suites judge."""

    @property
    def entry_pages(self) -> dict[str, str]:
        """The pages of the entries by id."""
        return {column.entry.id: column.page for column in self.columns}

    @property
    def compared(self) -> tuple[tuple[Column, Column], ...]:
        """The neighbouring releases of stores."""
        return tuple(_neighbours(self.columns))

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked most, answered by what was observed, or else declared."""
        rows = {row.name: row for row in self.options}
        return tuple(_question(text, rows[name], self.columns) for name, text in ASKED.items() if name in rows)

    @property
    def row_pages(self) -> dict[str, str]:
        """The pages of the clauses by id."""
        return {row.record.id: row.page for row in self.rows}

    @property
    def finding_pages(self) -> dict[str, str]:
        """The pages of the findings by id."""
        return {row.finding.id: row.page for row in self.findings}


def pages_of(folder: str, names: Sequence[str]) -> list[str]:
    """A page for each name, from the root of the site."""
    return [f"{folder}/{page}" for page in page_names(names)]


def atlas_of(
    entries: Iterable[Entry],
    clauses: Iterable[ClauseRecord],
    findings: Mapping[str, Finding],
    profiles: Iterable[Profile] = (),
    suites: Mapping[str, tuple[str, ...]] | None = None,
) -> Atlas:
    """The atlas of some entries. Clauses that entries name and the catalogue lacks have rows too.

    ``suites`` are those that judge a clause, of clauses that only some suites judge.
    """
    ordered = sorted(entries, key=order_of)
    columns = tuple(map(_column, ordered, pages_of("stores", [entry.id for entry in ordered])))
    known = {clause.id: clause for clause in clauses}
    for entry in ordered:
        for name in entry.clauses:
            known.setdefault(name, ClauseRecord(name, "", "", "", "not in the catalogue of this version"))
    rows = _rows(list(known.values()), columns)
    changes = tuple(_changes(rows, columns))
    return Atlas(
        columns,
        rows,
        _groups("documents", rows, columns, {row.record.id: (row.record.document or "Other clauses",) for row in rows}),
        _operations(rows, columns, changes),
        _options(columns),
        _findings(columns, findings),
        changes,
        _applications(profiles, ordered, findings),
        suites or {},
    )


def _applications(
    profiles: Iterable[Profile], entries: Sequence[Entry], findings: Mapping[str, Finding]
) -> tuple[ApplicationRow, ...]:
    known = list(profiles)
    filesystems = [entry for entry in newest(entries) if entry.versions.get("filesystem")]
    pages = pages_of("applications", [profile.id for profile in known])
    return tuple(
        ApplicationRow(profile, page, tuple(fit(profile, entry, entries, findings) for entry in filesystems))
        for profile, page in zip(known, pages, strict=True)
    )


def _question(text: str, row: OptionRow, columns: Sequence[Column]) -> Question:
    by_value: dict[bool | None, list[Column]] = {True: [], False: [], None: []}
    for column, option in zip(columns, row.values, strict=True):
        if option is not None:
            value = option.declared if option.observed is None else option.observed
            by_value[value if isinstance(value, bool) else None].append(column)
    return Question(text, row.page, *(tuple(by_value[value]) for value in (True, False, None)))


def _column(entry: Entry, page: str) -> Column:
    ids = distinct([divergence_id(part.operation, part.signature) for part in entry.departures])
    return Column(entry, page, tuple(Shown(part, name, page) for part, name in zip(entry.departures, ids, strict=True)))


def _rows(clauses: Sequence[ClauseRecord], columns: Sequence[Column]) -> tuple[Row, ...]:
    cells = [_cells(column) for column in columns]
    pages = pages_of("clauses", [clause.id for clause in clauses])
    nothing = Cell(0, "")
    return tuple(
        Row(clause, page, tuple(of_column.get(clause.id, nothing) for of_column in cells))
        for clause, page in zip(clauses, pages, strict=True)
    )


def _cells(column: Column) -> dict[str, Cell]:
    by_clause: dict[str, list[Shown]] = {}
    for shown in column.shown:
        by_clause.setdefault(shown.departure.clause, []).append(shown)
    return {
        clause: Cell(standing.judged, standing.verdict, tuple(by_clause.get(clause, ())))
        for clause, standing in column.entry.clauses.items()
    }


def _groups(
    folder: str, rows: Sequence[Row], columns: Sequence[Column], named: Mapping[str, Sequence[str]]
) -> tuple[Group, ...]:
    """Groups by name, in the order in which their first clauses stand; ``named`` has the groups of each clause."""
    inside: dict[str, list[Row]] = {}
    for row in rows:
        for name in named[row.record.id]:
            inside.setdefault(name, []).append(row)
    return tuple(
        Group(name, page, tuple(inside[name]))
        for name, page in zip(inside, pages_of(folder, list(inside)), strict=True)
    )


def operation_of(clause: str) -> str:
    """The operation that a clause's id speaks of; empty where it speaks of none: ``document.operation.kind.what``."""
    parts = clause.split(".")
    return parts[1] if len(parts) > 2 else ""


def _operations(rows: Sequence[Row], columns: Sequence[Column], changes: Sequence[Change]) -> tuple[Group, ...]:
    shown: dict[str, list[tuple[Column, Shown]]] = {}
    for column in columns:
        for part in column.shown:
            shown.setdefault(part.departure.operation or "no operation", []).append((column, part))
    inside: dict[str, list[Row]] = {}
    for row in rows:
        spoken = {operation_of(row.record.id), *(part.departure.operation for cell in row.cells for part in cell.shown)}
        for name in sorted(spoken - {""}):
            inside.setdefault(name, []).append(row)
    names = sorted({*shown, *inside}, key=lambda name: (name.lower(), name))
    pages_inside = {name: {row.page for row in inside.get(name, ())} for name in names}
    return tuple(
        Group(
            name,
            page,
            tuple(inside.get(name, ())),
            tuple(shown.get(name, ())),
            tuple(change for change in changes if change.row.page in pages_inside[name]),
        )
        for name, page in zip(names, pages_of("operations", names), strict=True)
    )


def _options(columns: Sequence[Column]) -> tuple[OptionRow, ...]:
    statements: dict[str, str] = {}
    for column in columns:
        for name, option in column.entry.options.items():
            statements[name] = option.statement or statements.get(name, "")
    shown: dict[str, list[tuple[Column, Shown]]] = {}
    for column in columns:
        for part in column.shown:
            for name in {value.partition("=")[0] for values in part.departure.options for value in values}:
                shown.setdefault(name, []).append((column, part))
    names = sorted(statements)
    return tuple(
        OptionRow(
            name,
            page,
            statements[name],
            tuple(column.entry.options.get(name) for column in columns),
            tuple(shown.get(name, ())),
        )
        for name, page in zip(names, pages_of("options", names), strict=True)
    )


def _findings(columns: Sequence[Column], findings: Mapping[str, Finding]) -> tuple[FindingRow, ...]:
    shown: dict[str, list[tuple[Column, Shown]]] = {}
    for column in columns:
        for part in column.shown:
            shown.setdefault(part.departure.finding, []).append((column, part))
    names = sorted(findings)
    return tuple(
        FindingRow(findings[name], page, tuple(shown.get(name, ())))
        for name, page in zip(names, pages_of("findings", [name.replace("/", "-") for name in names]), strict=True)
    )


def _neighbours(columns: Sequence[Column]) -> Iterable[tuple[Column, Column]]:
    """Each two neighbouring releases of one store."""
    return (pair for pair in itertools.pairwise(columns) if pair[0].entry.store == pair[1].entry.store)


def _changes(rows: Sequence[Row], columns: Sequence[Column]) -> Iterable[Change]:
    """What differs between neighbouring releases of a store at clauses that both were judged by."""
    places = {column.page: number for number, column in enumerate(columns)}
    for before, after in ((places[one.page], places[other.page]) for one, other in _neighbours(columns)):
        for row in rows:
            was, now = row.cells[before], row.cells[after]
            signatures = [{one.departure.signature for one in cell.shown} for cell in (was, now)]
            if was.verdict and now.verdict and (was.verdict != now.verdict or signatures[0] != signatures[1]):
                yield Change(columns[before], columns[after], row, was.verdict, now.verdict)
