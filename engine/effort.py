"""How much is tried of a store: programs for each explorer, fixed before anything is run.

The same seed and effort give the same programs, verdicts and counts on a fast and on a slow machine. How much fits is
decided by what a store is, its *pace*, which is declared and never measured. Pure arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from fsconform.engine.grammar import Suite

Level = Literal["quick", "normal", "deep"]
LEVELS: tuple[Level, ...] = get_args(Level)

DEFAULT_EFFORT: Level = "normal"

DEFAULT_BUDGET: float | None = None
"""The cap on a run's time in seconds where none is given: there is none. Code, help and documents take it from here."""

NO_BUDGET = "none"
"""How no cap is written in records and in help."""

EFFORT_HELP = f"How much is tried: {', '.join(LEVELS)}, or N random programs a store."
BUDGET_HELP = "Cap on exploring's time, shared by all stores; 0 tries witnesses and single calls alone."

PROVING_SHARE = 0.25
"""Minimising and confirming may take so much of the budget on top of it. Without a budget nothing bounds them."""

Pace = Literal["fast", "reference", "slow"]
"""What a store can be asked for: some 200 calls a second or more; the same, and it decides where documents are silent;
or a service far away, such as an object store."""


SHORT = frozenset(("witnesses", "ladders", "enumeration"))
"""Explorers of short programs: those that decide clauses and options, and the short enumerations."""

VARIED = frozenset(("witnesses",))
"""Explorers whose programs the variations give again, with probes at their end."""


USUAL_WIRES, USUAL_DRAWN_WIRES = 28, 6
"""Programs in which the network fails, where nobody asked for them by name: a third of a second each."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """Programs of one store, for each kind of explorer; None for all there are.

    ``longer`` is for enumerations of three operations and more. ``machines`` are shared by the state machines of all
    suites that are run, each of which gets at least ``least`` of them. Witnesses and single calls are not limited.
    Explorers of the kinds in ``both`` give each program with probes after each step, and once more with probes at its
    end only; those in ``each`` after each step only; others give it in one of the two ways by turns. Witnesses that
    build directories of thousands, as long as a page and longer, are ``large``. ``races`` are pairs of calls made at
    once, ``watches`` changes that another client watches, ``streams`` are in the hands of several,
    ``drawn`` are programs of several calls by several clients; in ``kills`` a client is killed,
    in ``crashes`` a daemon behind the store, and in ``outages`` a machine loses its power. Each of those takes seconds:
    where nobody asked for them by name there are ``usual_kills``, ``usual_crashes`` and ``usual_outages``.
    In ``spoilt`` the medium fails on which a machine keeps what it stores: where that is asked for by name.
    In ``wires`` the network fails, in ``silences`` so that it takes time-outs, in ``drawn_wires`` by chance.
    """

    variations: int | None
    ladders: int | None
    pairs: int | None
    longer: int
    traces: int | None
    machines: int
    least: int = 50
    both: frozenset[str] = frozenset()
    each: frozenset[str] = frozenset()
    large: bool = True
    races: int = 0
    watches: int = 0
    streams: int = 0
    drawn: int = 0
    kills: int = 0
    crashes: int = 0
    outages: int = 0
    usual_kills: int = 0
    usual_crashes: int = 0
    usual_outages: int = 0
    spoilt: int = 0
    wires: int = 0
    silences: int = 0
    drawn_wires: int = 0

    @property
    def usual(self) -> Amounts:
        """What is tried where no suite is asked for by name."""
        return replace(
            self,
            kills=self.usual_kills,
            crashes=self.usual_crashes,
            outages=self.usual_outages,
            spoilt=0,
            wires=min(self.wires, USUAL_WIRES),
            silences=0,
            drawn_wires=min(self.drawn_wires, USUAL_DRAWN_WIRES),
        )


_QUICK = Amounts(
    variations=200,
    ladders=60,
    pairs=200,
    longer=0,
    traces=40,
    machines=160,
    least=10,
    large=False,
    races=160,
    watches=40,
    streams=60,
    drawn=60,
    kills=12,
    crashes=2,
    usual_kills=4,
    usual_crashes=1,
    outages=4,
    usual_outages=1,
    spoilt=8,
    wires=8,
)
_NORMAL = Amounts(
    variations=None,
    ladders=None,
    pairs=None,
    longer=0,
    traces=None,
    machines=2000,
    each=VARIED,
    races=1589,
    watches=168,
    streams=712,
    drawn=600,
    kills=36,
    crashes=14,
    usual_kills=12,
    usual_crashes=2,
    outages=20,
    usual_outages=4,
    spoilt=40,
    wires=100,
    silences=4,
    drawn_wires=40,
)
_DEEP = Amounts(
    variations=None,
    ladders=None,
    pairs=None,
    longer=4000,
    traces=None,
    machines=6000,
    least=100,
    both=SHORT,
    races=8056,
    watches=2096,
    streams=2848,
    drawn=6000,
    kills=720,
    crashes=140,
    usual_kills=36,
    usual_crashes=14,
    outages=400,
    usual_outages=20,
    spoilt=400,
    wires=1000,
    silences=100,
    drawn_wires=740,
)

AMOUNTS: dict[tuple[Level, Pace], Amounts] = {
    ("quick", "fast"): _QUICK,
    ("quick", "reference"): _QUICK,
    ("quick", "slow"): replace(
        _QUICK, variations=100, ladders=30, pairs=60, traces=20, races=60, watches=15, streams=20, drawn=20
    ),
    ("normal", "fast"): _NORMAL,
    ("normal", "reference"): replace(_NORMAL, machines=3000, streams=178, drawn=300, outages=10, usual_outages=2),
    ("normal", "slow"): replace(
        _NORMAL,
        variations=2000,
        pairs=60,
        traces=100,
        machines=1000,
        each=frozenset(),
        races=176,
        watches=90,
        streams=89,
        drawn=60,
    ),
    ("deep", "fast"): _DEEP,
    ("deep", "reference"): replace(
        _DEEP, machines=8000, watches=1048, streams=1424, drawn=4000, kills=1000, crashes=200, outages=200
    ),
    ("deep", "slow"): replace(
        _DEEP,
        variations=4000,
        pairs=1500,
        longer=500,
        machines=3000,
        races=2014,
        watches=524,
        streams=356,
        drawn=400,
        kills=500,
        crashes=100,
        outages=100,
        drawn_wires=200,
    ),
}
"""The plan: what a level of effort asks of a store of a pace."""

NOTHING = Amounts(0, 0, 0, 0, 0, 0, least=0, both=SHORT)
"""Nothing beside what is run whole: what a budget of 0 leaves."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What was asked for: a level, and the programs of the state machines if it was a number that was asked for."""

    level: Level = DEFAULT_EFFORT
    programs: int | None = None

    def __str__(self) -> str:
        """As a person writes it."""
        return self.level if self.programs is None else str(self.programs)

    def amounts(self, pace: Pace) -> Amounts:
        """What a store of a pace is tried with. A number stands for the state machines alone."""
        found = AMOUNTS[self.level, pace]
        return found if self.programs is None else replace(found, machines=self.programs, drawn=self.programs)


def effort_of(text: str) -> Effort:
    """The effort that a text names: a level, or a number of programs. Raises ValueError."""
    for level in LEVELS:
        if text == level:
            return Effort(level)
    if text.isascii() and text.isdigit():
        return Effort(programs=int(text))
    raise ValueError(f"{text!r} is none of {', '.join(LEVELS)}, and no number of programs")


def machine_programs(suites: Sequence[Suite], amounts: Amounts) -> dict[str, int]:
    """For each suite the programs of its state machine: at least ``least``, and by its number of operations.

    Suites that have a store of their own, or take long, have no more than the least. Where not even that is there for
    all, what there is is dealt out evenly.
    """
    few = [suite for suite in suites if suite.root or suite.trial or suite.alone]
    many = [suite for suite in suites if suite not in few]
    if amounts.machines < amounts.least * len(suites):
        return {
            suite.name: amounts.machines * (place + 1) // len(suites) - amounts.machines * place // len(suites)
            for place, suite in enumerate(suites)
        }
    found = {suite.name: amounts.least for suite in suites}
    rest, sizes = amounts.machines - amounts.least * len(suites), [len(suite.grammar.kinds) for suite in many]
    done = 0
    for suite, size in zip(many, sizes, strict=True):
        found[suite.name] += rest * (done + size) // sum(sizes) - rest * done // sum(sizes)
        done += size
    return found


OBJECT_PROGRAMS: dict[Level, int] = {"quick": 1000, "normal": 10_000, "deep": 60_000}
"""Programs of requests that an object store is tried with beside what is run whole."""


def object_programs(effort: Effort) -> int:
    """Programs of requests for an object store, shared by the groups of them that are not run whole."""
    return OBJECT_PROGRAMS[effort.level] if effort.programs is None else effort.programs


OBJECT_RACES: dict[Level, int] = {"quick": 200, "normal": 1600, "deep": 16_000}
"""Concurrent programs of requests that an object store is tried with: 1,600 are about one of each."""


def object_races(effort: Effort) -> int:
    """Concurrent programs of requests for an object store: of a number of programs that was asked for a tenth."""
    return OBJECT_RACES[effort.level] if effort.programs is None else effort.programs // 10


def budget_text(budget: float | None) -> str:
    """A cap as it stands in records and in help."""
    return NO_BUDGET if budget is None else f"{budget:g} s"
