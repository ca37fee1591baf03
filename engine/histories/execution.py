"""Concurrent programs, executed by a session for each client: they meet on a board, and each performs its lane.

The lanes of threads are performed by the first session alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

from fsconform.engine.histories.concurrent import Calls, Concurrent, History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.protocol import Execution, HasWorker, Job, Killable, Meeting, Session, Threads
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.programs import Event, Program, Step

BEGINNING, ENDING = -1, -2
"""In place of a lane's number in :attr:`History.places`."""

OpenBoard = Callable[[], AbstractContextManager[str]]
"""Gives the path of a new board, such as ``adapters.meeting.board``."""


class Clients:
    """Sessions on one store, one for each client; the first of them makes beginnings and looks afterwards."""

    def __init__(self, sessions: Sequence[Session], board: OpenBoard) -> None:
        self._sessions, self._board = tuple(sessions), board

    def execute(self, programs: Sequence[Concurrent]) -> list[History]:
        """What came of each program. A client that was lost costs its program.

        Raises ValueError for more lanes than there are sessions, StoreLost if the store is gone.
        """
        found = iter(self._by_clients([program for program in programs if not program.threads]))
        by_threads = iter(self._by_threads([program for program in programs if program.threads]))
        return [next(by_threads if program.threads else found) for program in programs]

    def _by_threads(self, programs: Sequence[Concurrent]) -> list[History]:
        """Raises StoreLost."""
        shares = self._sessions[0].execute([_job_of_threads(program) for program in programs]) if programs else ()
        return [_history_of_threads(program, part) for program, part in zip(programs, shares, strict=True)]

    def _by_clients(self, programs: Sequence[Concurrent]) -> list[History]:
        """Raises ValueError and StoreLost."""
        if any(len(program.lanes) > len(self._sessions) for program in programs):
            raise ValueError("a program has more lanes than there are sessions")
        if not programs:
            return []
        if not all(self._can_be_killed(program) for program in programs):
            return [
                next(iter(self._by_clients([program])))
                if self._can_be_killed(program)
                else History(program, (), (), "a client of this store can't be killed in the middle of a call")
                for program in programs
            ]
        alone = all(isinstance(session, HasWorker) for session in self._sessions)
        with self._board() as board, ThreadPoolExecutor(len(self._sessions), "client") as threads:
            waiting = [
                threads.submit(_all, session, list(_jobs(programs, board, seat, alone)))
                for seat, session in enumerate(self._sessions)
            ]
            shares = [one.result() for one in waiting]
        return [_history(program, parts) for program, *parts in zip(programs, *shares, strict=True)]

    def _can_be_killed(self, program: Concurrent) -> bool:
        """Whether the client that is to be killed, if there is one, can be."""
        session = self._sessions[len(program.lanes) - 1]
        return program.kill is None or (isinstance(session, Killable) and session.killable)


def _all(session: Session, jobs: Sequence[Job]) -> list[Execution | None]:
    """What came of a client's share of each program; None where it has none."""
    wanted = iter(session.execute([job for job in jobs if job.meeting is not None]))
    return [next(wanted) if job.meeting is not None else None for job in jobs]


def _jobs(programs: Sequence[Concurrent], board: str, seat: int, alone: bool) -> Iterator[Job]:
    for number, program in enumerate(programs):
        if seat >= len(program.lanes):
            yield Job(())
            continue
        lane = _steps(program.lanes[seat], seat)
        before = _steps(program.beginning, 0) if not seat else ()
        after = _steps(program.ending, 0) if not seat else ()
        first, last = len(before), len(before) + len(lane)
        kill = program.kill if seat == len(program.lanes) - 1 else None
        meeting = Meeting(board, len(program.lanes), seat, number, first, last, program.delays[seat], alone, kill)
        yield Job((*before, *lane, *after), meeting=meeting)


def _job_of_threads(program: Concurrent) -> Job:
    within = tuple(call for lane in program.lanes for call in lane)
    threads = Threads(len(program.beginning), tuple(map(len, program.lanes)), program.delays)
    return Job(_steps((*program.beginning, *within, *program.ending), 0), threads=threads)


def _history_of_threads(program: Concurrent, part: Execution) -> History:
    if part.lost:
        return History(program, (), (), part.lost)
    lanes = [lane for lane, calls in enumerate(program.lanes) for _ in calls]
    places = [BEGINNING] * len(program.beginning) + lanes + [ENDING] * len(program.ending)
    found = [
        (_observed(max(place, 0), step.operation, event), place)
        for step, event, place in zip(part.trace.program, part.trace.events, places, strict=False)
    ]
    return _in_order(program, found)


def _steps(calls: Calls, client: int) -> Program:
    return tuple(Step(operation, client) for operation in calls)


def _history(program: Concurrent, parts: Sequence[Execution | None]) -> History:
    found: list[tuple[Observed, int]] = []
    for seat, part in enumerate(parts[: len(program.lanes)]):
        assert part is not None
        events, first = part.trace.events, len(program.beginning) if not seat else 0
        last = first + len(program.lanes[seat])
        broken = bool(events) and isinstance(events[-1].outcome, Unknown)
        if part.lost and not broken:
            return History(program, (), (), part.lost)
        if not part.killed and program.kill is not None and seat == len(program.lanes) - 1:
            return History(program, (), (), part.lost or "the client that was to be killed lived on")
        for number, (step, event) in enumerate(zip(part.trace.program, events, strict=False)):
            place = BEGINNING if number < first else ENDING if number >= last else seat
            found.append((_observed(seat, step.operation, event), place))
    return _in_order(program, found)


def _observed(client: int, operation: Operation, event: Event) -> Observed:
    unheard = isinstance(event.outcome, Unknown)
    return Call(client, operation, event.outcome, event.invoked, None if unheard else event.returned)


def _in_order(program: Concurrent, found: list[tuple[Observed, int]]) -> History:
    found.sort(key=lambda one: one[0].invoked)
    return History(program, tuple(call for call, _ in found), tuple(place for _, place in found))
