"""Concurrent programs, executed by a session for each client: they meet on a board, and each performs its lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

from fsconform.engine.histories.concurrent import Calls, Concurrent, History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.protocol import Execution, Job, Meeting, Session
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.programs import Program, Step

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
        if any(len(program.lanes) > len(self._sessions) for program in programs):
            raise ValueError("a program has more lanes than there are sessions")
        if not programs:
            return []
        with self._board() as board, ThreadPoolExecutor(len(self._sessions), "client") as threads:
            waiting = [
                threads.submit(_all, session, list(_jobs(programs, board, seat)))
                for seat, session in enumerate(self._sessions)
            ]
            shares = [one.result() for one in waiting]
        return [_history(program, parts) for program, *parts in zip(programs, *shares, strict=True)]


def _all(session: Session, jobs: Sequence[Job]) -> list[Execution | None]:
    """What came of a client's share of each program; None where it has none."""
    wanted = iter(session.execute([job for job in jobs if job.meeting is not None]))
    return [next(wanted) if job.meeting is not None else None for job in jobs]


def _jobs(programs: Sequence[Concurrent], board: str, seat: int) -> Iterator[Job]:
    for number, program in enumerate(programs):
        if seat >= len(program.lanes):
            yield Job(())
            continue
        lane = _steps(program.lanes[seat], seat)
        before = _steps(program.beginning, 0) if not seat else ()
        after = _steps(program.ending, 0) if not seat else ()
        first, last = len(before), len(before) + len(lane)
        meeting = Meeting(board, len(program.lanes), seat, number, first, last, program.delays[seat])
        yield Job((*before, *lane, *after), meeting=meeting)


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
        for number, (step, event) in enumerate(zip(part.trace.program, events, strict=False)):
            place = BEGINNING if number < first else ENDING if number >= last else seat
            unheard = isinstance(event.outcome, Unknown)
            call = Call(seat, step.operation, event.outcome, event.invoked, None if unheard else event.returned)
            found.append((call, place))
    found.sort(key=lambda one: one[0].invoked)
    return History(program, tuple(call for call, _ in found), tuple(place for _, place in found))
