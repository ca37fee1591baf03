"""Concurrent programs, executed by a session for each client: they meet on a board, and each performs its lane.

The lanes of threads are performed by the first session alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

from fsconform.engine.histories.concurrent import Calls, Concurrent, History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.injection import Away, InjectedFault, Medium, Wire
from fsconform.engine.protocol import Execution, HasWorker, Job, Killable, Meeting, Session, Threads
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.programs import Event, Program, Step
from fsconform.model.filesystem.stream_scripts import error_of

ANSWERS = frozenset(
    ancestry(name)[0]
    for name in (
        "FileNotFoundException",
        "FileAlreadyExistsException",
        "ParentNotDirectoryException",
        "PathIsNotEmptyDirectoryException",
        "PathIsDirectoryException",
        "PathExistsException",
        "PathNotFoundException",
    )
)
"""Errors that say what is there, and not that nobody could be asked."""

_IO_ERROR = ancestry("IOException")[0]

BEGINNING, ENDING = -1, -2
"""In place of a lane's number in :attr:`History.places`."""

OpenBoard = Callable[[], AbstractContextManager[str]]
"""Gives the path of a new board, such as ``adapters.meeting.board``."""


class Injecting(Protocol):
    """Injects faults behind a store, as one who takes part in a meeting."""

    def injects(self, fault: InjectedFault) -> bool:
        """Whether a fault can be injected."""
        ...

    def inject(self, meeting: Meeting, fault: InjectedFault, goes_on: Callable[[], bool]) -> Away | None:
        """Inject a fault at the meeting's moment, and wait until the store serves; None if the others were not there.

        ``goes_on`` says whether they are still to come. Raises StoreLost if the store does not come back.
        """
        ...


class Clients:
    """Sessions on one store, one for each client; the first of them makes beginnings and looks afterwards."""

    def __init__(self, sessions: Sequence[Session], board: OpenBoard, injecting: Injecting | None = None) -> None:
        """``injecting`` injects faults behind the store; without it programs that have one are not executed."""
        self._sessions, self._board, self._injecting = tuple(sessions), board, injecting

    def execute(self, programs: Sequence[Concurrent]) -> list[History]:
        """What came of each program. A client that was lost costs its program.

        Raises ValueError for more lanes than there are sessions, StoreLost if the store is gone.
        """
        lacks = [self._lacks(program) for program in programs]
        able = [program for program, lack in zip(programs, lacks, strict=True) if not lack]
        found = iter(self._by_clients([program for program in able if not program.threads]))
        by_threads = iter(self._by_threads([program for program in able if program.threads]))
        return [
            History(program, (), (), lack) if lack else next(by_threads if program.threads else found)
            for program, lack in zip(programs, lacks, strict=True)
        ]

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
        alone = all(isinstance(session, HasWorker) for session in self._sessions)
        with self._board() as board, ThreadPoolExecutor(len(self._sessions) + 1, "client") as threads:
            turn = Turn()
            faults = threads.submit(self._inject_all, programs, board, turn)
            waiting = [
                threads.submit(_all, session, list(_jobs(programs, board, seat, alone)), turn, leads=not seat)
                for seat, session in enumerate(self._sessions)
            ]
            try:
                ended = wait(waiting, return_when=FIRST_EXCEPTION).done
            except BaseException:
                turn.stop()
                raise
            if any(one.exception() for one in ended):
                # The threads are waited for: nobody is to begin another of what may be many programs.
                turn.stop()
            shares = [one.result() for one in waiting]
            away = faults.result()
        return [history_of(program, parts, gone) for program, gone, *parts in zip(programs, away, *shares, strict=True)]

    def _inject_all(self, programs: Sequence[Concurrent], board: str, turn: Turn) -> list[Away | None]:
        """Take part in each program that has a fault; from and to when it was there. Raises StoreLost.

        Those before it take as long as they take: its turn comes when the leading client is through with them.
        """
        found: list[Away | None] = []
        for number, program in enumerate(programs):
            if program.fault is None or self._injecting is None or not turn.comes(number):
                found.append(None)
                continue
            seats = len(program.lanes) + 1
            meeting = Meeting(board, seats, seats - 1, number, 0, 1, program.fault.delay)
            found.append(self._injecting.inject(meeting, program.fault, turn.goes_on))
        return found

    def _lacks(self, program: Concurrent) -> str:
        """What a program asks for that can't be done with this store; empty for nothing."""
        if program.kill is not None and len(program.lanes) <= len(self._sessions):
            victim = self._sessions[len(program.lanes) - 1]
            if not isinstance(victim, Killable) or not victim.killable:
                return "a client of this store can't be killed in the middle of a call"
        if program.fault is not None and (self._injecting is None or not self._injecting.injects(program.fault)):
            return f"behind this store there is no {program.fault.part} of the harness's own"
        return ""


class Turn:
    """Which program the leading client is at, and whether it goes on."""

    def __init__(self) -> None:
        self._number, self._ended, self._stopped = 0, False, False
        self._changed = threading.Condition()

    def reach(self, number: int) -> None:
        """Say that a program is begun."""
        with self._changed:
            self._number = max(self._number, number)
            self._changed.notify_all()

    def end(self) -> None:
        """Say that no more programs are begun."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Say that nobody is to begin another program."""
        self._stopped = True
        self.end()

    @property
    def is_stopped(self) -> bool:
        """Whether nobody is to begin another program."""
        return self._stopped

    def goes_on(self) -> bool:
        """Whether more programs are begun."""
        return not self._ended

    def comes(self, number: int) -> bool:
        """Wait until a program is begun; False if it never will be, or the leading client is through with all."""
        with self._changed:
            self._changed.wait_for(lambda: self._number >= number or self._ended)
            return not self._ended


def _all(session: Session, jobs: Sequence[Job], turn: Turn, leads: bool) -> list[Execution | None]:
    """What came of a client's share of each program; None where it has none. Fewer if the turn is stopped."""
    found: list[Execution | None] = []
    try:
        with contextlib.closing(_executed(session, jobs)) as wanted:
            for number, share in enumerate(wanted, 1):
                found.append(share)
                if leads:
                    turn.reach(number)
                if turn.is_stopped:
                    break
    finally:
        if leads:
            turn.end()
    return found


def _executed(session: Session, jobs: Sequence[Job]) -> Generator[Execution | None, None, None]:
    """What comes of jobs, one after the other: None for those without a meeting. Given up early it stops the batch."""
    wanted = session.execute([job for job in jobs if job.meeting is not None])
    try:
        for job in jobs:
            yield next(wanted) if job.meeting is not None else None
    finally:
        if isinstance(wanted, Generator):
            wanted.close()


def _jobs(programs: Sequence[Concurrent], board: str, seat: int, alone: bool) -> Iterator[Job]:
    for number, program in enumerate(programs):
        if seat >= len(program.lanes):
            yield Job(())
            continue
        lane = _steps(program.lanes[seat], seat)
        before = _steps(program.beginning, 0) if not seat else ()
        after = _steps(program.ending, 0) if not seat else ()
        first, last = len(before), len(before) + len(lane)
        unsteady = isinstance(program.fault, Wire)
        kill = program.kill if seat == len(program.lanes) - 1 else None
        disturbed = program.fault is not None
        seats = len(program.lanes) + disturbed
        meeting = Meeting(
            board, seats, seat, number, first, last, program.delays[seat], alone, kill, disturbed, unsteady
        )
        yield Job((*before, *lane, *after), stacks=program.is_costly, meeting=meeting)


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


def history_of(program: Concurrent, parts: Sequence[Execution | None], away: Away | None = None) -> History:
    if program.fault is not None and away is None:
        return History(program, (), (), "the clients did not meet with the one who injects the fault")
    found: list[tuple[Observed, int]] = []
    refuses = isinstance(program.fault, Medium) and not program.fault.is_flip
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
            is_first = away is not None and (
                (number == 0 and not isinstance(program.fault, Medium))
                if event.invoked <= away.ended
                else all(earlier.invoked < away.gone for earlier in events[:number])
            )
            found.append((_unsettled(_observed(seat, step.operation, event), away, is_first, refuses), place))
    return replace(_in_order(program, found), away=away)


def _unsettled(call: Observed, away: Away | None, is_first: bool, refuses: bool) -> Observed:
    """The call; as one of which nobody heard if it failed for want of a daemon, which may have done all the same.

    So may the first that a client makes once the daemon is back, or before: by the connection that it had to one that
    an earlier program killed. An error that says something of the store, as that a file is missing, is an answer; but
    not of a change that a medium ``refuses``: there Java has FileNotFoundException for a file that can't be created.
    """
    classes = error_classes(call.outcome)
    if away is None or not classes or call.returned is None:
        return call
    if not is_first and (call.returned < away.began or call.invoked > away.ended):
        return call
    if ANSWERS & {*classes} and not (refuses and call.operation.MUTATES and call.invoked <= away.ended):
        return call
    if _IO_ERROR not in classes:
        return call
    return replace(call, returned=None)


def error_classes(outcome: Outcome) -> tuple[str, ...]:
    """The classes of the error that a call raised, or of the one that it returned as its answer; none for no error."""
    if isinstance(outcome, Raised):
        return outcome.classes
    if isinstance(outcome, Returned) and isinstance(outcome.value, Facts):
        # A stream that reads has an answer for each action; one of several says nothing of the others.
        single = len(outcome.value.items) == 1
        error = error_of(str(outcome.value.items[0][1] if single else outcome.value.get("answer")))
        return ancestry(error[1]) if error is not None else ()
    return ()


def _observed(client: int, operation: Operation, event: Event) -> Observed:
    unheard = isinstance(event.outcome, Unknown)
    return Call(client, operation, event.outcome, event.invoked, None if unheard else event.returned)


def _in_order(program: Concurrent, found: list[tuple[Observed, int]]) -> History:
    found.sort(key=lambda one: one[0].invoked)
    return History(program, tuple(call for call, _ in found), tuple(place for _, place in found))
