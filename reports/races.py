"""Races of a store: the matrix of pairs of calls, how long changes stayed unseen, and all in a line. No HTML here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsconform.records.results import RACE_OUTCOMES, RacePair, RacesRecord, StaleRecord
from fsconform.reports import words

OUTCOMES = {
    "never met": ("never met", "not once were both under way at the same time: nothing is known"),
    "not judged": ("not judged", "what was seen could not be judged: nothing is known"),
    "atomic": ("atomic", "all that was seen is what one order of whole calls leaves"),
    "seen half-done": ("half-done", "a state between before and after was seen"),
    "stale": ("stale", "a client did not see what a call had done that had returned"),
    "lost update": ("lost update", "what is there afterwards is what no order of the two leaves"),
    "wrongly refused": ("refused", "an error, or false, that is due in no order"),
    "both won": ("both won", "both succeeded where only one can"),
}
"""Each outcome of a pair as the matrix has it, and what it means."""
assert tuple(OUTCOMES) == RACE_OUTCOMES
UNKNOWN = ("never met", "not judged")
"""Outcomes of which nothing is known, whatever the verdict."""

GROUPS_AT_MOST = 10
ROWS_AT_MOST = 30
COLUMNS_AT_MOST = 30
STALE_AT_MOST = 200
NOTES_AT_MOST = 50
LINKS_AT_MOST = 3
"""Divergences that one cell links to."""


@dataclass(frozen=True, slots=True)
class RaceCell:
    """A pair in the matrix. ``links`` are the URLs of the divergences that show it, ``more`` are not linked."""

    pair: RacePair
    links: list[str]
    more: int

    @property
    def known(self) -> bool:
        """Whether it says anything of the store."""
        return self.pair.outcome not in UNKNOWN

    @property
    def outcome(self) -> str:
        """The outcome in a word or two; one that this version does not know as it is."""
        return OUTCOMES.get(self.pair.outcome, (self.pair.outcome, ""))[0]


@dataclass(frozen=True, slots=True)
class RaceMatrix:
    """A table of pairs: the calls of the rows beside those of the columns; None for a pair that was not planned."""

    caption: str
    columns: list[str]
    rows: list[tuple[str, list[RaceCell | None]]]


@dataclass(frozen=True, slots=True)
class Watched:
    """How long a change stayed unseen, with the URLs of what shows it."""

    record: StaleRecord
    links: list[str]
    more: int


@dataclass(frozen=True, slots=True)
class RacesView:
    """All races of a store. ``left_out`` are pairs and ``unseen_left_out`` watches that are not shown."""

    record: RacesRecord
    head: str
    matrices: list[RaceMatrix]
    left_out: int
    stale: list[Watched]
    fresh: list[Watched]
    stale_left_out: int
    notes: list[str]
    notes_left_out: int
    key: list[tuple[str, str]]
    """The outcomes that occur, with what each means."""


def races_view(record: RacesRecord | None, ids: Mapping[str, str]) -> RacesView | None:
    """What a page shows of a store's races; ``ids`` are those of the divergences on it, by signature."""
    if record is None:
        return None
    groups = list(dict.fromkeys(pair.group for pair in record.pairs))
    matrices = [
        matrix
        for group in groups[:GROUPS_AT_MOST]
        for matrix in _matrices(group, [pair for pair in record.pairs if pair.group == group], ids)
    ]
    shown = sum(cell is not None for matrix in matrices for _, cells in matrix.rows for cell in cells)
    watched = sorted(record.freshness, key=lambda one: (not one.stale, words.rank(one.verdict), -one.milliseconds))
    rows = [Watched(one, *_links(one.signatures, ids)) for one in watched[:STALE_AT_MOST]]
    met = {pair.outcome for pair in record.pairs}
    return RacesView(
        record,
        head(record),
        matrices,
        len(record.pairs) - shown,
        [row for row in rows if row.record.stale],
        [row for row in rows if not row.record.stale],
        len(watched) - len(rows),
        record.notes[:NOTES_AT_MOST],
        len(record.notes[NOTES_AT_MOST:]),
        [(short, meaning) for name, (short, meaning) in OUTCOMES.items() if name in met],
    )


def _matrices(group: str, pairs: Sequence[RacePair], ids: Mapping[str, str]) -> list[RaceMatrix]:
    """The tables of the pairs of a group, of which no name is that of single calls."""
    firsts = list(dict.fromkeys(pair.first for pair in pairs))
    seconds = list(dict.fromkeys(pair.second for pair in pairs))
    among, both = set(firsts), set(firsts) & set(seconds)
    # With the columns in the order of the rows, what is empty is the half below the diagonal.
    begun = f"{group[:1].upper()}{group[1:]}: what the rows do" if group else "The calls of the rows"
    tables = (
        (f"{begun} among themselves", [one for one in firsts if one in both]),
        (f"{begun} beside others", [one for one in seconds if one not in among]),
    )
    return [_matrix(caption, firsts, columns, pairs, ids) for caption, columns in tables if columns]


def _matrix(
    caption: str, firsts: Sequence[str], columns: Sequence[str], pairs: Sequence[RacePair], ids: Mapping[str, str]
) -> RaceMatrix:
    found = {(pair.first, pair.second): pair for pair in pairs}
    columns = columns[:COLUMNS_AT_MOST]
    rows: list[tuple[str, list[RaceCell | None]]] = []
    for first in firsts:
        pairs_of_row = [found.get((first, second)) for second in columns]
        if any(pairs_of_row):
            rows.append((first, [None if pair is None else _cell(pair, ids) for pair in pairs_of_row]))
    return RaceMatrix(caption, list(columns), rows[:ROWS_AT_MOST])


def _cell(pair: RacePair, ids: Mapping[str, str]) -> RaceCell:
    return RaceCell(pair, *_links(pair.signatures, ids))


def _links(signatures: Sequence[str], ids: Mapping[str, str]) -> tuple[list[str], int]:
    """Links to what a page shows in full, and how many more there are."""
    links = [f"#{ids[one]}" for one in signatures if one in ids][:LINKS_AT_MOST]
    if signatures and not links:
        return ["#divergences"], len(signatures) - 1
    return links, len(signatures) - len(links)


def head(record: RacesRecord) -> str:
    """What was tried, in a sentence."""
    programs = words.plural(record.programs, "program")
    if record.programs != record.planned:
        programs = f"{record.programs:,} of {words.plural(record.planned, 'planned program')}"
    clients = f"; the clients were {record.clients}" if record.clients else ""
    return (
        f"{programs}, with {words.plural(record.calls, 'call')} at once, in "
        f"{words.duration(record.seconds)}; in {record.overlaps:,} of them calls of two clients overlapped{clients}."
    )


def line(record: RacesRecord) -> str:
    """What was tried, and what was seen that is not atomic, the worst first, in one line."""
    begun = "" if record.programs == record.planned else f"{record.programs:,} of "
    said = [begun + words.plural(record.planned, "program"), words.plural(record.overlaps, "overlap")]
    seen = Counter((pair.outcome, "" if pair.outcome in UNKNOWN else pair.verdict) for pair in record.pairs)
    atomic = seen.pop(("atomic", "conforms"), 0)
    order = list(RACE_OUTCOMES)
    for (outcome, verdict), number in sorted(
        seen.items(), key=lambda one: (-order.index(one[0][0]) if one[0][0] in order else 0, words.rank(one[0][1]))
    ):
        said.append(f"{words.plural(number, 'pair')} {outcome}" + (f" ({verdict})" if verdict else ""))
    if atomic:
        said.append(f"{words.plural(atomic, 'pair')} atomic")
    late = [one for one in record.freshness if one.stale]
    if late:
        worst = max(late, key=lambda one: one.milliseconds)
        said.append(
            f"{words.plural(len(late), 'change')} seen late, up to {words.moment(worst.milliseconds * 1000)} "
            f"({min((one.verdict for one in late), key=words.rank)})"
        )
    return ", ".join(said)
