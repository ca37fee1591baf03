"""Concurrent programs and what came of them: plain data, with a JSON form that replay files share.

A concurrent program has a beginning, made by one client alone; a lane of calls for each client, all begun at once, or a
little later each; and looks at the store afterwards, by one client alone again. The last lane's client may be killed in
its last call, or once that has returned: what others find then is looked at afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from typing import Literal as Choice

from fsconform.engine import injection
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.injection import MACHINE, MOST_DELAY, Away, InjectedFault, PowerLoss
from fsconform.engine.protocol import MOST_LANES, RETURNED
from fsconform.model.core.operation import Operation, brief
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.programs import decode_operation, encode_operation

if TYPE_CHECKING:
    from typing_extensions import TypeVar as Defaulting

    # Calls of a filesystem where nothing else is said.
    Op = Defaulting("Op", bound=Operation, default=Operation)
    Seen = Defaulting("Seen", default=Outcome)
else:
    Op, Seen = TypeVar("Op"), TypeVar("Seen")

MOST_CLIENTS = MOST_LANES

Calls = tuple[Operation, ...]

Kill = int | Choice["returned"] | None
"""When a client is killed: nanoseconds after its last call began, or once that has returned; None if it is not."""


@dataclass(frozen=True, slots=True)
class Concurrent(Generic[Op]):
    """A concurrent program. ``delays`` are nanoseconds from the common start to the first call of each lane.

    Each lane is that of a client of its own, or with ``threads`` that of one of a client's threads: all of them then
    have one FileSystem, and the streams that are open. With ``kill`` the client of the last lane is killed by SIGKILL
    in the last of its calls, or once that has returned; the first client is never killed. With ``fault`` something
    behind the store fails meanwhile, and serves again when the looks afterwards begin.
    """

    beginning: tuple[Op, ...]
    lanes: tuple[tuple[Op, ...], ...]
    delays: tuple[int, ...]
    ending: tuple[Op, ...] = ()
    threads: bool = False
    kill: Kill = None
    fault: InjectedFault | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for a program that can't be meant."""
        if not 1 <= len(self.lanes) <= MOST_CLIENTS or len(self.delays) != len(self.lanes):
            raise ValueError(f"a concurrent program has 1 to {MOST_CLIENTS} lanes, and a delay for each")
        if any(type(delay) is not int or not 0 <= delay <= MOST_DELAY for delay in self.delays):
            raise ValueError(f"a delay is a number of nanoseconds from 0 to {MOST_DELAY}")
        beside = self.fault is not None and self.fault.BESIDE_KILLS
        if self.fault is not None and (self.threads or (self.kill is not None and not beside)):
            raise ValueError("a fault is injected beside clients of which each has a lane of its own and lives on")
        if isinstance(self.fault, PowerLoss):
            if self.fault.part == MACHINE and (self.kill is None or len(self.lanes) != 2 or self.lanes[0]):
                raise ValueError("with the power of its machine the one client that makes calls ends")
            if self.kill is not None and not self.fault.returned:
                raise ValueError("where a client ends as well, the power is lost once all lanes have returned")
        if self.kill is None:
            return
        if self.kill != RETURNED and (type(self.kill) is not int or not 0 <= self.kill <= MOST_DELAY):
            raise ValueError(f"a client is killed after 0 to {MOST_DELAY} nanoseconds, or once its call has {RETURNED}")
        if self.threads or len(self.lanes) < 2 or not self.lanes[-1]:
            raise ValueError("the client that is killed has a lane of its own with a call, beside another client's")

    @property
    def is_costly(self) -> bool:
        """Whether a process is killed each time, or a fault injected, and what it took is to be mended."""
        return self.kill is not None or self.fault is not None

    @property
    def size(self) -> tuple[int, int, int]:
        """Lanes, calls in them, and calls in all: what minimising lowers, in this order."""
        within = sum(map(len, self.lanes))
        return len(self.lanes), within, within + len(self.beginning) + len(self.ending)


Observed = Call[Operation, Outcome]


@dataclass(frozen=True, slots=True)
class History(Generic[Op, Seen]):
    """What came of a concurrent program: its calls with their times, those of the beginning first.

    ``places`` says of each call to which part it belongs: -1 the beginning, -2 the ending, else the number of its lane.
    ``lost`` says why the clients did not meet, or were lost; then the calls are none. ``away`` is from when to when
    the fault was there.
    """

    program: Concurrent[Op]
    calls: tuple[Call[Op, Seen], ...]
    places: tuple[int, ...]
    lost: str = ""
    away: Away | None = None

    @property
    def rows(self) -> Iterator[tuple[Call[Op, Seen], int]]:
        """Each call with the part that it belongs to."""
        return zip(self.calls, self.places, strict=True)

    @property
    def overlaps(self) -> bool:
        """Whether calls of two lanes were under way at once.

        Of a client that was killed: whether it was in a call; of a fault: whether calls were under way meanwhile.
        """
        if self.program.kill is not None:
            return any(call.returned is None for call, place in self.rows if place >= 0)
        within = [call for call, place in self.rows if place >= 0]
        if self.away is not None:
            return any(call.invoked < self.away.ended and self.away.began < _end(call) for call in within)
        return any(
            one.client != other.client and one.invoked < _end(other) and other.invoked < _end(one)
            for number, one in enumerate(within)
            for other in within[number + 1 :]
        )


def _end(call: Call[Any, Any]) -> int:
    return MOST_TIME if call.returned is None else call.returned


MOST_TIME = 1 << 62


def encode(program: Concurrent[Op], encoded: Callable[[Op], dict[str, Any]] = encode_operation) -> dict[str, Any]:
    """A concurrent program as a JSON object; ``encoded`` gives a call as one."""
    return {
        "beginning": [encoded(one) for one in program.beginning],
        "lanes": [[encoded(one) for one in lane] for lane in program.lanes],
        "delays": list(program.delays),
        "ending": [encoded(one) for one in program.ending],
        **({"threads": True} if program.threads else {}),
        **({"kill": program.kill} if program.kill is not None else {}),
        **(injection.encode(program.fault) if program.fault is not None else {}),
    }


def decode(row: Any, decoded: Callable[[Any], Any] = decode_operation) -> Concurrent[Any]:
    """The inverse of :func:`encode`. Raises ValueError naming what is wrong."""
    if not isinstance(row, Mapping) or set(row) - {"threads", "kill", *injection.KINDS} != {
        "beginning",
        "lanes",
        "delays",
        "ending",
    }:
        raise ValueError(f"not a concurrent program: {brief(row)}")
    if not isinstance(row.get("threads", False), bool):
        raise ValueError("threads is true or false")
    lanes, delays = row["lanes"], row["delays"]
    if not isinstance(lanes, list) or not isinstance(delays, list):
        raise ValueError("lanes and delays are lists")
    return Concurrent(
        _calls("beginning", row["beginning"], decoded),
        tuple(_calls(f"lane {number}", lane, decoded) for number, lane in enumerate(lanes, 1)),
        tuple(delays),
        _calls("ending", row["ending"], decoded),
        row.get("threads", False),
        row.get("kill"),
        injection.decode(row),
    )


def _calls(name: str, rows: Any, decoded: Callable[[Any], Any]) -> tuple[Any, ...]:
    if not isinstance(rows, list):
        raise ValueError(f"{name} is no list of calls")
    try:
        return tuple(map(decoded, rows))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
