"""Concurrent programs of requests: a thread with a client of its own for each lane, all of which meet on a board."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from fsconform.adapters.meeting import NotMet, Round
from fsconform.adapters.s3.calls import Away
from fsconform.adapters.s3.session import S3Session
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.protocol import Meeting
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.operations import Request

Program = Concurrent[Request]
_Row = tuple[Call[Request, Answer], int]


class ObjectClients:
    """Clients of one object store. The first is the session's own: it makes beginnings and looks afterwards.

    Each client names versions, uploads and ETags by what it knows: what the store told it, and what it told the first
    one before all began. ``others`` have boto3's methods; ``open_board`` gives a board, as ``adapters.meeting.board``.
    """

    def __init__(
        self, first: S3Session, others: Sequence[Any], open_board: Callable[[], AbstractContextManager[str]]
    ) -> None:
        self._first, self._others, self._open_board = first, tuple(others), open_board

    def execute(self, programs: Sequence[Program]) -> list[History[Request, Answer]]:
        """What came of each program, each in a fresh place.

        Raises ValueError for more lanes than there are clients, StoreLost if the store is gone.
        """
        if any(len(program.lanes) > 1 + len(self._others) for program in programs):
            raise ValueError("a program has more lanes than there are clients")
        if not programs:
            return []
        # One thread more than there are others: none may wait for one that hangs in an earlier program.
        with self._open_board() as board, ThreadPoolExecutor(1 + len(self._others), "client") as threads:
            return [self._one(board, threads, number, program) for number, program in enumerate(programs)]

    def _one(self, board: str, threads: ThreadPoolExecutor, number: int, program: Program) -> History[Request, Answer]:
        if program.kill is not None or program.fault is not None:
            return History(
                program, (), (), "clients of requests are threads, and none of them or of the store is killed"
            )
        rows: list[_Row] = []
        lost: list[str] = []

        def play(away: Away) -> bool:
            rows.extend(self._steps(away, program.beginning, 0, BEGINNING))
            if not _known(rows):
                return False
            handles = away.handles
            places = [away, *(replace(away, client=one, handles=handles.copy()) for one in self._others)]
            parts = [
                Round(Meeting(board, len(program.lanes), seat, number, 0, 1, delay))
                for seat, delay in enumerate(program.delays)
            ]
            waiting = [
                threads.submit(self._lane, parts[seat], places[seat], lane, seat)
                for seat, lane in enumerate(program.lanes)
                if seat
            ]
            shares: list[list[_Row]] = []
            try:
                shares.append(self._lane(parts[0], away, program.lanes[0], 0))
            except NotMet as error:
                lost.append(str(error))
            for one in waiting:
                try:
                    shares.append(one.result())
                except NotMet as error:
                    lost.append(str(error))
            for share in shares:
                rows.extend(share)
            if not lost and _known(rows):
                rows.extend(self._steps(away, program.ending, 0, ENDING))
            begun = len(handles.uploads)
            for place in places[1 : len(program.lanes)]:
                # They are aborted with the place.
                handles.uploads += [one for one in place.handles.uploads if one not in handles.uploads[:begun]]
            return not lost and _known(rows)

        everything = (*program.beginning, *(one for lane in program.lanes for one in lane), *program.ending)
        versioned = ops.needs_bucket(everything)
        if versioned and not self._first.has_buckets:
            return History(program, (), (), "versioning is a bucket's own, and programs play below a prefix")
        self._first.place(versioned, play)
        if lost:
            return History(program, (), (), lost[0])
        rows.sort(key=lambda row: row[0].invoked)
        return History(program, tuple(call for call, _ in rows), tuple(place for _, place in rows))

    def _lane(self, part: Round, away: Away, lane: ops.Program, seat: int) -> list[_Row]:
        """A client's share of what is done at once. Raises NotMet."""
        if part.leads:
            part.announce("")
        part.begin()
        part.start()
        try:
            return self._steps(away, lane, seat, seat)
        finally:
            part.end()

    def _steps(self, away: Away, program: ops.Program, client: int, place: int) -> list[_Row]:
        """Requests of a client, one after another, up to the first one of which nobody knows what the store did."""
        rows: list[_Row] = []
        for request in program:
            invoked = time.monotonic_ns()
            answer = self._first.ask(away, request)
            returned = None if isinstance(answer, Unknown) else time.monotonic_ns()
            rows.append((Call(client, request, answer, invoked, returned), place))
            if returned is None:
                break
        return rows


def _known(rows: Sequence[_Row]) -> bool:
    return not any(isinstance(call.outcome, Unknown) for call, _ in rows)
