"""The suite of races: pairs of calls at once, each on a small set of beginnings, begun together or a little apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, islice, product
from random import Random

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.matrix import Row
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.crashes import crashes
from fsconform.suites.drawn_races import drawn_races
from fsconform.suites.medium import spoilages
from fsconform.suites.power import outages
from fsconform.suites.race_rows import Pair
from fsconform.suites.stream_races import stream_races
from fsconform.suites.wires import LinkFailure, drawn_wires, wires

A, B, C, D = ("a",), ("b",), ("c",), ("d",)
_OLD, _NEW, _OTHER = content.of(1, 3), content.of(2, 5), content.of(3, 7)

BEGINNINGS: dict[str, Calls] = {
    "nothing": (),
    "a file": (Create(A, _OLD, False),),
    "two files": (Create(A, _OLD, False), Create(B, _OTHER, False)),
    "an empty directory": (Mkdirs(A),),
    "a tree": (Create((*A, "f"), _OLD, False), Create((*A, "s", "g"), _OTHER, False), Mkdirs((*A, "s", "e"))),
    "a tree and a directory": (Create((*A, "f"), _OLD, False), Create((*A, "s", "g"), _OTHER, False), Mkdirs(B)),
    "two trees": (Create((*A, "f"), _OLD, False), Create((*B, "g"), _OTHER, False)),
}
"""What is there before the lanes begin, by what a reader calls it."""

CHANGING: dict[str, Operation] = {
    "create": Create(A, _NEW, False),
    "create over": Create(A, _NEW, True),
    "create below": Create((*A, "h"), _NEW, False),
    "mkdirs": Mkdirs(A),
    "mkdirs deep": Mkdirs((*A, "s", "t")),
    "delete": Delete(A, False),
    "delete all": Delete(A, True),
    "rename away": Rename(A, D),
    "rename to b": Rename(A, B),
    "rename here": Rename(B, A),
    "rename within": Rename((*A, "f"), (*A, "s", "f")),
    "append": Append(A, _NEW),
}
"""Calls that change, by what a reader calls them."""

LOOKING: dict[str, Operation] = {
    "status": GetFileStatus(A),
    "status below": GetFileStatus((*A, "f")),
    "status there": GetFileStatus(D),
    "read": Open(A),
    "read below": Open((*A, "f")),
    "list": ListStatus(A),
    "list root": ListStatus(()),
    "read moved": Open((*A, "b", "g")),
}
"""Calls that look, by what a reader calls them."""

WITH_OPTIONS: dict[str, Operation] = {
    "rename with options": RenameWith(A, D, False),
    "rename with options over": RenameWith(A, B, True),
}
"""Renames with options, by what a reader calls them."""

_BESIDE_OPTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "a file": tuple(("rename with options", look) for look in ("status", "status there", "read", "list root")),
    "two files": tuple(("rename with options over", look) for look in ("status over", "read over", "list root")),
    "a tree": tuple(("rename with options", look) for look in ("status", "status below", "list root")),
}
"""What others look at beside them: a pair of them is none of these, as what remains of both is judged of rename."""

_OVER: dict[str, Operation] = {"status over": GetFileStatus(B), "read over": Open(B)}

_OF_TWO_TREES = (
    "create below",
    "delete all",
    "rename away",
    "rename to b",
    "rename here",
    "status below",
    "list",
    "list root",
    "read moved",
)
"""The calls that are made where there are two trees: those that a rename into a directory with children bears on."""


def changing(beginning: str) -> list[str]:
    """The changing calls that are made on a beginning."""
    return [name for name in CHANGING if beginning != "two trees" or name in _OF_TWO_TREES]


def looking(beginning: str) -> list[str]:
    """The looking calls that are made on a beginning."""
    of_two = beginning == "two trees"
    return [name for name in LOOKING if (name in _OF_TWO_TREES if of_two else name != "read moved")]


ENDING: Calls = (
    ListStatus(()),
    GetFileStatus(A),
    ListStatus(A),
    Open(A),
    GetFileStatus((*A, "h")),
    GetFileStatus((*A, "s", "t")),
    GetFileStatus(B),
    ListStatus(D),
    Open(B),
)
"""The looks at the store once all lanes are done."""


_CALLS: dict[str, Operation] = CHANGING | LOOKING | WITH_OPTIONS | _OVER

LOOKS = 24
"""How often a client looks while another one changes something: before, meanwhile, and afterwards."""


@dataclass(frozen=True, slots=True)
class Cell(Pair):
    """A cell of the matrix: two calls that begin at once."""

    @property
    def program(self) -> Concurrent:
        """The cell as a program."""
        return Concurrent(BEGINNINGS[self.beginning], ((_CALLS[self.first],), (_CALLS[self.second],)), (0, 0), ENDING)


@dataclass(frozen=True, slots=True)
class Watch(Pair):
    """What another client sees of the first call, a change: it makes the second, a look, again and again."""

    @property
    def watches(self) -> bool:
        """It looks again and again."""
        return True

    @property
    def program(self) -> Concurrent:
        """The watch as a program whose lanes begin at once."""
        lanes = ((_CALLS[self.first],), (_CALLS[self.second],) * LOOKS)
        return Concurrent(BEGINNINGS[self.beginning], lanes, (0, 0))


EVERY_CHANGE, NO_CHANGE = 4, 8
"""In one of so many rounds a cell comes whose calls change something, and one of which neither does."""

_APPENDING = Oracle(Contract({"supports-append": True}))


@cache
def comes_every(cell: Cell) -> int:
    """In one of how many rounds a cell comes: in each if the order of its two calls bears on what they do.

    That is what a store may get wrong. Of the others those come more often that change something.
    """
    beginning: State | None = EMPTY
    for call in BEGINNINGS[cell.beginning]:
        beginning = _after(beginning, call)
    first, second = _CALLS[cell.first], _CALLS[cell.second]
    ahead, behind = _after(beginning, first), _after(beginning, second)
    bears = any(
        before is None or after is None or _APPENDING.situation(before, call) is not _APPENDING.situation(after, call)
        for before, after, call in ((beginning, ahead, second), (beginning, behind, first))
    )
    if bears or _after(ahead, second) != _after(behind, first):
        return 1
    return NO_CHANGE if ahead == beginning == behind else EVERY_CHANGE


def _after(state: State | None, call: Operation) -> State | None:
    return None if state is None else _APPENDING.predicted(state, call)


def _round_of_cells(rows: list[Row], number: int) -> list[Row]:
    """The cells that come in a round, those first whose order bears on what is done."""
    every: dict[Row, int] = {row: comes_every(row) for row in rows if isinstance(row, Cell)}
    coming = [row for row, times in every.items() if number % times == (times - 1 if times == NO_CHANGE else 0)]
    return sorted(coming, key=every.__getitem__)


def _all(rows: list[Row], number: int) -> list[Row]:
    return rows


def watches() -> Iterator[Watch]:
    """Every changing call, watched by every looking one, on every beginning that has them."""
    for beginning in BEGINNINGS:
        for change, look in product(changing(beginning), looking(beginning)):
            yield Watch(beginning, change, look)
    for beginning, pairs in _BESIDE_OPTIONS.items():
        yield from (Watch(beginning, change, look) for change, look in pairs)


def cells() -> Iterator[Cell]:
    """Every pair of changing calls, and each changing beside each looking one, on every beginning that has them."""
    for beginning in BEGINNINGS:
        names = changing(beginning)
        for number, first in enumerate(names):
            for second in (*names[number:], *looking(beginning)):
                yield Cell(beginning, first, second)


@dataclass(frozen=True, slots=True)
class RaceSuite:
    """A suite of concurrent programs. ``source`` gives its rows for a contract, and all of them for None.

    One whose programs are ``drawn``, for a contract and by a seed, has no end of them, and no rows beside.
    ``chosen`` gives those of its rows that come in a round; in some round each comes.
    """

    name: str
    statement: str
    source: Callable[[Contract | None], Iterator[Row]]
    drawn: Callable[[Contract, int], Iterator[Row]] | None = None
    chosen: Callable[[list[Row], int], list[Row]] = _all

    def rows(self, contract: Contract | None = None) -> Iterator[Row]:
        """What is tried in one round of a store with a contract; all rows for None."""
        return self.source(contract)


RACES = RaceSuite(
    "races",
    "pairs of calls made by two clients at once, on a small set of beginnings",
    lambda contract: cells(),
    chosen=_round_of_cells,
)
FRESHNESS = RaceSuite(
    "freshness", "what another client sees of a change, looked at again and again", lambda contract: watches()
)
STREAM_RACES = RaceSuite(
    "stream-races", "streams that clients write while others look or write, and that threads share", stream_races
)

DRAWN_RACES = RaceSuite(
    "drawn-races",
    "programs that the state machine of the core draws, their last calls made by two or three clients at once",
    lambda contract: iter(()),
    drawn_races,
)

CRASHES = RaceSuite(
    "crash", "a client is killed in a call or once it returned, and another looks at what is left", crashes
)

POWER = RaceSuite(
    "power",
    "a machine loses its power in a call or once it returned, and another client looks at what is left",
    outages,
)

MEDIUM = RaceSuite(
    "medium",
    "a disk is full, takes no changes or gives a byte otherwise than written, and another client looks afterwards",
    spoilages,
)

WIRE = RaceSuite("wire", "the network fails while a client makes calls, and another looks at what is there", wires)

RACE_SUITES: dict[str, RaceSuite] = {
    suite.name: suite for suite in (RACES, FRESHNESS, STREAM_RACES, DRAWN_RACES, CRASHES, POWER, MEDIUM, WIRE)
}
"""The suites of concurrent programs, by name: of each the effort says how many programs are tried."""

OF_CLIENTS: dict[str, RaceSuite] = {name: suite for name, suite in RACE_SUITES.items() if suite is not WIRE}
"""Those that ask for nothing but clients of a store, wherever these are: links are put before it by its own harness."""


DELAYS = 8
"""By so many rounds' delays the lanes of drawn programs are moved against each other, one after another."""


def faulty_part_of(row: Row) -> str:
    """The part behind the store that a row injects a fault into; empty if it asks for clients alone."""
    return row.program.fault.part if row.program.fault is not None else ""


def of_clients(row: Row) -> bool:
    """Whether a row asks for clients alone."""
    return not faulty_part_of(row)


def planned(
    suite: RaceSuite,
    programs: int,
    seed: int,
    contract: Contract | None = None,
    of: Callable[[Row], bool] = of_clients,
) -> tuple[tuple[Row, int], ...]:
    """So many rows with the numbers of their rounds: of each those that come in it, in an order drawn by the seed.

    Each pair comes once before any comes again on another beginning. All of the suite are the rows of a store with the
    contract, and of those the ones that ``of`` takes. What is drawn has no rounds: its lanes are moved against each
    other by turns.
    """
    if suite.drawn is not None:
        programs_drawn = islice(suite.drawn(contract or Contract({}), seed), programs)
        return tuple((row, number % DELAYS) for number, row in enumerate(programs_drawn))
    rows = [row for row in suite.rows(contract) if of(row)]
    found: list[tuple[Row, int]] = []
    for number in count() if rows else ():
        if len(found) >= programs:
            break
        Random(f"{suite.name} {seed} {number}").shuffle(rows)
        found += [(row, number) for row in _by_turns(suite.chosen(rows, number))]
    return tuple(found[:programs])


def failing_links(
    contract: Contract, seed: int, links: Collection[str], quick: int, slow: int, drawn: int
) -> tuple[tuple[Row, int], ...]:
    """Rows of links that fail: so many that are ``quick``, that take time-outs, and that are ``drawn`` by chance.

    No row of the first two comes twice.
    """

    def of(is_slow: bool) -> Callable[[Row], bool]:
        return lambda row: isinstance(row, LinkFailure) and row.is_slow is is_slow and row.fault.part in links

    systematic = (*planned(WIRE, quick, seed, contract, of(False)), *planned(WIRE, slow, seed, contract, of(True)))
    by_chance = islice(drawn_wires(contract, seed, links), drawn)
    return *(one for one in systematic if not one[1]), *((row, 0) for row in by_chance)


def _by_turns(rows: list[Row]) -> list[Row]:
    """The rows, of each pair the first before the second of any; else as they stand."""
    met: Counter[tuple[str, str]] = Counter()
    turns = []
    for row in rows:
        turns.append(met[row.pair])
        met[row.pair] += 1
    return [row for _, row in sorted(zip(turns, rows, strict=True), key=lambda one: one[0])]
