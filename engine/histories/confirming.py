"""A race that was met, confirmed in two rounds and made small: fewer clients, fewer calls, fewer looks, fixed delays.

What is seen of a race hangs on the moment: each question is asked by many runs of a program, and answered by a count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from fsconform.engine.histories.concurrent import Concurrent, History, Op, Seen
from fsconform.engine.histories.delays import REACH, Delays
from fsconform.engine.histories.judging import Judged
from fsconform.engine.injection import ABORT, Wire

_Row = TypeVar("_Row")

ROUND = 100
"""Runs of a program in each of the two rounds that confirm it."""

TRIES = 40
"""Runs of a program that is smaller, in which the race must be seen again for it to be taken."""

ROUND_OF_KILLS, TRIES_OF_KILLS = 20, 6
"""The same where a client or a daemon is killed each time, and a new process is to be started."""

ROUND_OF_LINKS, TRIES_OF_LINKS = 3, 2
"""The same where a link fails at a request that is counted: nothing hangs on the moment."""

_STEADY = 10
"""Runs for each of the delays that are tried in the end."""

_APART = tuple(REACH * part / 4 for part in range(-4, 5) if part)
"""Those delays, as parts of a call: also so that one begins just after the other."""

_AT_A_TIME = 10
"""Runs that are executed before the first of them is judged."""

SECONDS = 20.0
"""How long a race is made smaller, at most."""


class Clients(Protocol[Op, Seen]):
    """Clients of one store at once."""

    def execute(self, programs: Sequence[Concurrent[Op]]) -> list[History[Op, Seen]]:
        """What came of each program. Raises StoreLost."""
        ...


class Judge(Protocol[Op, Seen]):
    """Gives the verdict on a history."""

    def judge(self, history: History[Op, Seen]) -> Judged:
        """The verdict."""
        ...


@dataclass(frozen=True, slots=True)
class Met(Generic[Op, Seen]):
    """A history with its verdict."""

    history: History[Op, Seen]
    judged: Judged

    @property
    def kind(self) -> tuple[str, tuple[str, ...]]:
        """What must stay the same while it is made smaller: the verdict, and the promises that are broken."""
        return self.judged.verdict, self.judged.options


@dataclass(frozen=True, slots=True)
class Confirmed(Generic[Op, Seen]):
    """A race as it was proved: the smallest program that showed it, and in how many runs of two rounds each did.

    ``alone`` is true if the calls one after another by one client show it as well: then it is no race.
    """

    met: Met[Op, Seen]
    rounds: tuple[tuple[int, int], ...]
    alone: bool = False

    @property
    def shown(self) -> int:
        """Runs that showed it."""
        return sum(shown for shown, _ in self.rounds)

    @property
    def runs(self) -> int:
        """Runs in all."""
        return sum(runs for _, runs in self.rounds)

    @property
    def is_confirmed(self) -> bool:
        """Whether it was seen in two rounds that know nothing of each other."""
        return len(self.rounds) > 1 and all(shown for shown, _ in self.rounds)


class Confirmer(Generic[Op, Seen]):
    """Confirms races on one store, and makes them smaller."""

    def __init__(
        self,
        clients: Clients[Op, Seen],
        judge: Judge[Op, Seen],
        delays: Delays,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients, self._judge, self._delays, self._clock = clients, judge, delays, clock

    def confirm(self, met: Met[Op, Seen]) -> Confirmed[Op, Seen]:
        """What comes of a race that was met. Raises StoreLost."""
        small = self._smallest(met)
        if not small.judged.is_of_several and self._alone(small):
            return Confirmed(small, (), alone=True)
        small = small if small.history.program.is_costly else self._steadiest(small)
        rounds, runs = [], _round_of(small.history.program)
        for _ in range(2):
            seen = self._seen(small.history.program, small, runs)
            rounds.append((len(seen), runs))
            small = seen[0] if seen else small
        return Confirmed(small, tuple(rounds))

    def _smallest(self, met: Met[Op, Seen]) -> Met[Op, Seen]:
        until, progress = self._clock() + SECONDS, True
        tries = _tries_of(met.history.program)
        while progress and self._clock() < until:
            progress = False
            for candidate in smaller(met.history.program):
                if self._clock() > until:
                    break
                # Judging takes long where no order explains a history: the first that shows it is enough.
                seen = next((one for one in self._runs(candidate, tries) if one.kind == met.kind), None)
                if seen is not None:
                    met, progress = seen, True
                    break
        return met

    def _steadiest(self, met: Met[Op, Seen]) -> Met[Op, Seen]:
        """The same with those delays by which it is seen most often: none, its own, or some that lie evenly."""
        program = met.history.program
        moved = [self._delays.apart(program, part) for part in _APART] if len(program.lanes) > 1 else []
        best = met, 0
        for candidate in dict.fromkeys((replace(program, delays=(0,) * len(program.delays)), program, *moved)):
            seen = [one for one in self._judged([candidate] * _STEADY) if one.kind == met.kind]
            if len(seen) > best[1]:
                best = seen[0], len(seen)
        return best[0]

    def _judged(self, programs: Sequence[Concurrent[Op]]) -> Iterator[Met[Op, Seen]]:
        """What comes of each program. Raises StoreLost."""
        return (Met(history, self._judge.judge(history)) for history in self._clients.execute(programs))

    def _seen(self, program: Concurrent[Op], like: Met[Op, Seen], runs: int) -> list[Met[Op, Seen]]:
        """The runs of a program that show the same. Raises StoreLost."""
        return [one for one in self._runs(program, runs) if one.kind == like.kind]

    def _runs(self, program: Concurrent[Op], runs: int) -> Iterator[Met[Op, Seen]]:
        """So many runs of a program, every second one with other delays, judged one by one. Raises StoreLost.

        They are executed few at a time: who has seen enough asks for no more.
        """
        programs = _varied(self._delays, program, runs)
        for first in range(0, runs, _AT_A_TIME):
            yield from self._judged(programs[first : first + _AT_A_TIME])

    def _alone(self, met: Met[Op, Seen]) -> bool:
        """Whether the calls show the same one after another. Raises StoreLost."""
        return any(one.judged.fails for one in self._judged(list(serial(met.history.program))))


def seen_again(
    clients: Clients[Op, Seen],
    judge: Judge[Op, Seen],
    name_of: Callable[[Met[Op, Seen]], str],
    program: Concurrent[Op],
) -> tuple[dict[str, Confirmed[Op, Seen]], int]:
    """The races that two rounds of a program show, known ones too, by what ``name_of`` calls them.

    With them comes how many runs were not judged.

    Raises StoreLost.
    """
    delays, unjudged = Delays(), 0
    runs = _round_of(program)
    found: dict[str, tuple[Met[Op, Seen], list[int]]] = {}
    for turn in range(2):
        histories = clients.execute(_varied(delays, program, runs))
        delays.note(histories)
        for met in (Met(history, judge.judge(history)) for history in histories):
            unjudged += met.judged.verdict in ("unjudged", "inconclusive")
            if met.judged.fails or met.judged.known:
                found.setdefault(name_of(met), (met, [0, 0]))[1][turn] += 1
    confirmed = {
        name: Confirmed(met, tuple((shown, runs) for shown in counts)) for name, (met, counts) in found.items()
    }
    return confirmed, unjudged


def _varied(delays: Delays, program: Concurrent[Op], runs: int) -> list[Concurrent[Op]]:
    """A program so many times, every second one with other delays."""
    return [delays.moved(program, number // 2) if number % 2 else program for number in range(runs)]


def _round_of(program: Concurrent[Op]) -> int:
    """Runs of a program in each of the two rounds that confirm what it shows."""
    if isinstance(program.fault, Wire):
        return ROUND_OF_LINKS
    return ROUND_OF_KILLS if program.is_costly else ROUND


def _tries_of(program: Concurrent[Op]) -> int:
    """Runs of a program that is smaller, in which what was met must be seen again."""
    if isinstance(program.fault, Wire):
        return TRIES_OF_LINKS
    return TRIES_OF_KILLS if program.is_costly else TRIES


def serial(program: Concurrent[Op]) -> Iterator[Concurrent[Op]]:
    """The program's calls by one client, lane after lane: from the first lane to the last, and the other way.

    There are none where a client or a daemon is killed.
    """
    if program.is_costly:
        return
    for lanes in (program.lanes, program.lanes[::-1]):
        yield Concurrent(program.beginning, (tuple(call for lane in lanes for call in lane),), (0,), program.ending)


def smaller(program: Concurrent[Op]) -> Iterator[Concurrent[Op]]:
    """Programs that are smaller in one thing, the most promising first."""
    for ending in _shorter(program.ending):
        yield replace(program, ending=ending)
    # Whether the cleanup of an abort fails once or for ever decides which promise it can break.
    if isinstance(program.fault, Wire) and program.fault.times > 1 and program.fault.request != ABORT:
        yield replace(program, fault=replace(program.fault, times=1))
    if len(program.lanes) > 2:
        for number in range(len(program.lanes) if program.kill is None else len(program.lanes) - 1):
            yield replace(program, lanes=_but(program.lanes, number), delays=_but(program.delays, number))
    for number, lane in enumerate(program.lanes):
        for calls in _shorter(lane):
            if calls:
                yield replace(program, lanes=(*program.lanes[:number], calls, *program.lanes[number + 1 :]))
    for beginning in _shorter(program.beginning):
        yield replace(program, beginning=beginning)


def _shorter(calls: tuple[_Row, ...]) -> Iterator[tuple[_Row, ...]]:
    """Fewer calls: none, each half, and all but one."""
    if calls:
        yield ()
    if len(calls) > 3:
        half = len(calls) // 2
        yield calls[:half]
        yield calls[half:]
    if len(calls) > 1:
        for number in range(len(calls)):
            yield _but(calls, number)


def _but(rows: tuple[_Row, ...], number: int) -> tuple[_Row, ...]:
    return (*rows[:number], *rows[number + 1 :])
