"""Programs in which the network fails: one client is behind links that fail, the other reaches the store as ever."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from fsconform.adapters.meeting import NotMet, Round
from fsconform.engine.histories import confirming
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.execution import Clients, OpenBoard
from fsconform.engine.injection import Away, HasNetwork, InjectedFault, Network, Wire
from fsconform.engine.protocol import Meeting, Session, Store
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome

AnyClients = confirming.Clients[Operation, Outcome]


class Outage:
    """Lets a link fail while the lanes of a program are under way, from the first call of the lanes on."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def injects(self, fault: InjectedFault) -> bool:
        """Whether there is such a link, and it can fail so."""
        return isinstance(fault, Wire) and self._network.injects(fault)

    def inject(self, meeting: Meeting, fault: InjectedFault, goes_on: Callable[[], bool]) -> Away | None:
        """From and to when it could happen, nothing in between if it did not; None if the others were not there.

        Raises StoreLost.
        """
        assert isinstance(fault, Wire)

        def beat() -> None:
            if not goes_on():
                raise NotMet("the others do not come any more")

        place = Round(meeting, beat)
        try:
            # A client that went by the links and hung is started anew: that is not to meet the fault.
            place.gathered()
        except NotMet:
            return None
        began = time.monotonic_ns()
        self._network.arm(fault)
        met = False
        try:
            with contextlib.suppress(NotMet):
                place.begin()
                place.all_done()
        finally:
            try:
                met = self._network.disarm()
            finally:
                place.end()
        ended = time.monotonic_ns()
        began = began if met else ended
        return Away(began, ended, began)


class Wired:
    """Clients of a store: programs in which a link fails are performed by one that goes by the links, and by another.

    The links are brought up when the first such program comes, and are taken down at the end.
    """

    def __init__(self, clients: AnyClients, leader: Session, store: Store, board: OpenBoard) -> None:
        """``clients`` perform all other programs; ``leader`` is the session of the first of them."""
        self._clients, self._leader, self._store, self._board = clients, leader, store, board
        self._stack = contextlib.ExitStack()
        self._behind: Clients | None = None

    def execute(self, programs: Sequence[Concurrent]) -> list[History]:
        """What came of each program. Raises ValueError and StoreLost."""
        able = [self._is_wired(program) for program in programs]
        others = iter(self._clients.execute([one for one, wired in zip(programs, able, strict=True) if not wired]))
        wired = [one for one, wired in zip(programs, able, strict=True) if wired]
        found = iter(self._of_links().execute(wired) if wired else ())
        return [next(found if wired else others) for wired in able]

    def _is_wired(self, program: Concurrent) -> bool:
        fault = program.fault
        return isinstance(fault, Wire) and isinstance(self._store, HasNetwork) and self._store.fails_on(fault)

    def _of_links(self) -> Clients:
        """Raises StoreLost."""
        if self._behind is None:
            assert isinstance(self._store, HasNetwork)
            network = self._stack.enter_context(self._store.network())
            self._behind = Clients([self._leader, network.session()], self._board, Outage(network))
        return self._behind

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
