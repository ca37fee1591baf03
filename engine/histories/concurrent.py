"""Concurrent programs and what came of them: plain data, with a JSON form that replay files share.

A concurrent program has a beginning, made by one client alone; a lane of calls for each client, all begun at once, or a
little later each; and looks at the store afterwards, by one client alone again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.engine.histories.linearizability import Call
from fsconform.model.core.operation import Operation, brief
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.programs import decode_operation, encode_operation

MOST_CLIENTS = 16
MOST_DELAY = 10_000_000_000
"""Nanoseconds."""

Calls = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Concurrent:
    """A concurrent program. ``delays`` are nanoseconds from the common start to the first call of each lane."""

    beginning: Calls
    lanes: tuple[Calls, ...]
    delays: tuple[int, ...]
    ending: Calls = ()

    def __post_init__(self) -> None:
        """Raises ValueError for a program that can't be meant."""
        if not 1 <= len(self.lanes) <= MOST_CLIENTS or len(self.delays) != len(self.lanes):
            raise ValueError(f"a concurrent program has 1 to {MOST_CLIENTS} lanes, and a delay for each")
        if any(type(delay) is not int or not 0 <= delay <= MOST_DELAY for delay in self.delays):
            raise ValueError(f"a delay is a number of nanoseconds from 0 to {MOST_DELAY}")

    @property
    def size(self) -> tuple[int, int, int]:
        """Lanes, calls in them, and calls in all: what minimising lowers, in this order."""
        within = sum(map(len, self.lanes))
        return len(self.lanes), within, within + len(self.beginning) + len(self.ending)


Observed = Call[Operation, Outcome]


@dataclass(frozen=True, slots=True)
class History:
    """What came of a concurrent program: its calls with their times, those of the beginning first.

    ``places`` says of each call to which part it belongs: -1 the beginning, -2 the ending, else the number of its lane.
    ``lost`` says why the clients did not meet, or were lost; then the calls are none.
    """

    program: Concurrent
    calls: tuple[Observed, ...]
    places: tuple[int, ...]
    lost: str = ""

    @property
    def rows(self) -> Iterator[tuple[Observed, int]]:
        """Each call with the part that it belongs to."""
        return zip(self.calls, self.places, strict=True)

    @property
    def overlaps(self) -> bool:
        """Whether calls of two lanes were under way at once."""
        within = [call for call, place in self.rows if place >= 0]
        return any(
            one.client != other.client and one.invoked < _end(other) and other.invoked < _end(one)
            for number, one in enumerate(within)
            for other in within[number + 1 :]
        )


def _end(call: Observed) -> int:
    return MOST_TIME if call.returned is None else call.returned


MOST_TIME = 1 << 62


def encode(program: Concurrent) -> dict[str, Any]:
    """A concurrent program as a JSON object."""
    return {
        "beginning": [encode_operation(one) for one in program.beginning],
        "lanes": [[encode_operation(one) for one in lane] for lane in program.lanes],
        "delays": list(program.delays),
        "ending": [encode_operation(one) for one in program.ending],
    }


def decode(row: Any) -> Concurrent:
    """The inverse of :func:`encode`. Raises ValueError naming what is wrong."""
    if not isinstance(row, Mapping) or set(row) != {"beginning", "lanes", "delays", "ending"}:
        raise ValueError(f"not a concurrent program: {brief(row)}")
    lanes, delays = row["lanes"], row["delays"]
    if not isinstance(lanes, list) or not isinstance(delays, list):
        raise ValueError("lanes and delays are lists")
    return Concurrent(
        _calls("beginning", row["beginning"]),
        tuple(_calls(f"lane {number}", lane) for number, lane in enumerate(lanes, 1)),
        tuple(delays),
        _calls("ending", row["ending"]),
    )


def _calls(name: str, rows: Any) -> Calls:
    if not isinstance(rows, list):
        raise ValueError(f"{name} is no list of calls")
    try:
        return tuple(map(decode_operation, rows))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
