"""How scripts for a stream are drawn: each about one thing that an option may bear on, at the edges of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsconform.model.filesystem.output.stream_capabilities import UNKNOWN_CAPABILITY

if TYPE_CHECKING:
    from random import Random

EDGES = (0, 1, 7, 511, 512, 4095, 4096, 4097, 65535, 65536)
"""Places and sizes in bytes at the edges of buffers."""

MOST_ACTIONS = 6
CLAIMS = ("in:readbytebuffer", "in:preadbytebuffer", "in:readahead", UNKNOWN_CAPABILITY)
Line = Callable[["Random", int], str]


def _place(dice: Random, length: int) -> int:
    """A place in a file, often near its end or an edge."""
    return min(length, dice.choice((*EDGES, length // 2, max(length - 1, 0), length)))


def _size(dice: Random, length: int) -> int:
    return dice.choice((1, 3, 10, 512, 5000, length + 1))


def _range(dice: Random, length: int) -> tuple[int, int]:
    start = _place(dice, length)
    return start, min(_size(dice, length), length - start)


def _fully(dice: Random, length: int) -> str:
    return "readFully {} {}".format(*_range(dice, length))


def _vectored(dice: Random, length: int) -> str:
    """Ranges within the file that do not overlap, in any order; of a file without bytes one that is empty."""
    marks = sorted(dice.sample(range(length + 1), min(2 * dice.randint(1, 3), length + 1)))
    found = [f"{first}+{last - first}" for first, last in zip(marks[::2], marks[1::2], strict=False)]
    dice.shuffle(found)
    return " ".join(("vectored", *(found or ["0+0"])))


def _within(dice: Random, length: int) -> str:
    return f"seek {min(_place(dice, length), max(length - 1, 0))}"


def _buffered(dice: Random, length: int) -> str:
    size, offset = _size(dice, length), dice.choice((0, 1, 5))
    return f"read {size} at {offset} in {size + offset + dice.choice((0, 3))}"


_PLAIN: tuple[Line, ...] = (
    lambda dice, length: "read",
    lambda dice, length: f"read {_size(dice, length)}",
    lambda dice, length: "read 0",
    lambda dice, length: "drain",
    lambda dice, length: "getPos",
    lambda dice, length: f"pread {_place(dice, length)} {_size(dice, length)}",
    lambda dice, length: f"newSource {_place(dice, length)}",
    lambda dice, length: f"skip {_size(dice, length)}",
    lambda dice, length: "available",
    lambda dice, length: f"readahead {dice.choice((0, 1, 65536))}",
    lambda dice, length: f"{dice.choice(('bytebuffer', 'bytebuffer direct'))} {_size(dice, length)}",
    lambda dice, length: f"preadbuffer {_place(dice, length)} {_size(dice, length)}",
    _buffered,
    _within,
    _within,
    _fully,
    _fully,
    _vectored,
)

_ODD: tuple[Line, ...] = (
    lambda dice, length: "read 3 at 2 in 4",
    lambda dice, length: f"pread {dice.choice((-1, -4096))} 3",
    lambda dice, length: f"readFully {length} 1",
    lambda dice, length: f"fill 0 {length + 1}",
    lambda dice, length: f"seek {dice.choice((-1, -4097))}",
    lambda dice, length: f"seek {length + dice.choice((1, 5000))}",
    lambda dice, length: "unbuffer",
    lambda dice, length: "capability in:unbuffer",
    lambda dice, length: f"capability {dice.choice(CLAIMS)}",
    lambda dice, length: "bytebuffer 0",
    lambda dice, length: f"vectored {max(length - 1, 0)}+2",
    lambda dice, length: "vectored 0+5 3+5",
    lambda dice, length: f"{_fully(dice, length)} & {_fully(dice, length)} & from 0 5",
    lambda dice, length: f"{_fully(dice, length)} & {_fully(dice, length)}",
    lambda dice, length: f"{_vectored(dice, length)} / {_fully(dice, length)}",
    lambda dice, length: f"{_vectored(dice, length)} / {_vectored(dice, length)}",
    lambda dice, length: "close",
)


def any_script(dice: Random, length: int) -> tuple[str, ...]:
    """A script for a file of so many bytes that is read at once."""
    script = [dice.choice(_PLAIN)(dice, length) for _ in range(dice.randint(1, MOST_ACTIONS))]
    if dice.random() < 0.5:
        script.insert(dice.randint(0, len(script)), dice.choice(_ODD)(dice, length))
    return tuple(script)


_CERTAIN: tuple[Line, ...] = (
    lambda dice, length: "read",
    lambda dice, length: "drain",
    lambda dice, length: "getPos",
    _within,
    _fully,
)
"""Actions that leave a stream where its script tells."""

_LEADING: tuple[Line, ...] = (
    *_CERTAIN,
    *_CERTAIN,
    lambda dice, length: f"read {_size(dice, length)}",
    lambda dice, length: f"pread {_place(dice, length)} {_size(dice, length)}",
    lambda dice, length: f"bytebuffer {_size(dice, length)}",
    lambda dice, length: f"preadbuffer {_place(dice, length)} {_size(dice, length)}",
    lambda dice, length: _vectored(dice, length) if length else "drain",
)
"""What is done with streams that stay open; what is odd is for those that are read at once."""


def leading_script(dice: Random, length: int) -> tuple[str, ...]:
    """A script that leaves its stream, more often than not, where it tells itself."""
    return tuple(dice.choice(_LEADING)(dice, length) for _ in range(dice.randint(1, 4)))
