"""Scales and ticks that the plots share. All lengths are pixels of an SVG."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fsconform.reports import words

Scale = Callable[[float], float]
"""From a value to a coordinate."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis; ``below`` is a second line of its label."""

    at: float
    label: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle in which the data are drawn, and the size of the whole picture."""

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float


def linear(most: float, start: float, end: float) -> Scale:
    """A scale from 0 to ``most``, which may be 0."""
    span = most or 1.0
    return lambda value: round(start + (end - start) * min(max(value, 0.0), span) / span, 1)


def logarithmic(least: float, most: float, start: float, end: float) -> Scale:
    """A scale by powers of ten. What lies outside is drawn at the edge."""
    low, span = math.log10(least), math.log10(most / least)
    return lambda value: round(start + (end - start) * (math.log10(min(max(value, least), most)) - low) / span, 1)


def steps(most: float, about: int) -> list[float]:
    """Round numbers from 0 up to ``most``: at least ``about`` of them above 0, and at most thrice as many."""
    if most <= 0:
        return [0.0]
    rough = most / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (5, 2, 1) if power * factor <= rough * 1.001)
    return [step * number for number in range(int(most / step + 1e-9) + 1)]


def whole_steps(most: float, about: int) -> list[float]:
    """As ``steps``, for counts: no fractions."""
    return [value for value in steps(most, about) if value == int(value)]


def decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten that hold some positive values between them, two at least."""
    positive = [value for value in values if value > 0] or [1.0]
    low = 10.0 ** math.floor(math.log10(min(positive)))
    high = 10.0 ** math.ceil(math.log10(max(positive)))
    return low, max(high, low * 10)


def powers(least: float, most: float, at_most: int) -> list[float]:
    """The powers of ten between two of them, both included; every second or third one if there are too many."""
    count = round(math.log10(most / least))
    stride = max(1, math.ceil(count / max(at_most - 1, 1)))
    return [least * 10.0**power for power in range(0, count + 1, stride)]


def axis_time(microseconds: float) -> str:
    """A power of ten of microseconds for an axis: 10 µs, 1 ms, 100 s."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if microseconds >= size * 0.999:
            return f"{microseconds / size:,.0f} {unit}"
    return f"{microseconds * 1e3:,.3g} ns"


def axis_seconds(seconds: float) -> str:
    """A time since the start for an axis: 0, 0.5 s, 20 s, 5 min."""
    if seconds == 0:
        return "0"
    return f"{seconds:g} s" if seconds < 120 else words.duration(seconds).removesuffix(" 0 s")


def spread(times: Iterable[float], start: float, end: float, least: float) -> dict[float, float]:
    """Where moments are drawn between ``start`` and ``end``: as far apart as they are, but ``least`` at the least.

    So no order of two is lost, however short the time between them. Too many for the room reach beyond ``end``.
    """
    moments = sorted(set(times))
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    room, rest = end - start, sum(gaps)
    for gap in sorted(gaps):
        if gap * room >= least * rest:
            break
        room, rest = room - least, rest - gap
    steps = (max(least, gap * room / rest) if rest > 0 else least for gap in gaps)
    return dict(zip(moments, itertools.accumulate(steps, initial=start), strict=False))
