"""How coverage grew over a run: a curve of few points, thinned out as it grows."""

from __future__ import annotations

from fsconform.engine.collect import Collected
from fsconform.records.results import Point

MOST_POINTS = 100


class Curve:
    """At most MOST_POINTS points, in order of time; where there would be more, every other one is dropped."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._apart = 0.0

    def add(self, seconds: float, collected: Collected) -> None:
        """Add where a store stands after so many seconds, unless the last point is too near."""
        if self.points and seconds < self.points[-1].seconds + self._apart:
            return
        if len(self.points) >= MOST_POINTS - 1:
            self.points = self.points[1::2]
            self._apart = 2 * max(self._apart, seconds / MOST_POINTS / 2)
        self.points.append(point(seconds, collected))

    def ended(self, seconds: float, collected: Collected) -> list[Point]:
        """The points with the end of the run as the last one; none if nothing was run."""
        if not collected.programs:
            return []
        last = point(seconds, collected)
        return [*(one for one in self.points if one.seconds < last.seconds), last]


def point(seconds: float, collected: Collected) -> Point:
    """Where a store stands after so many seconds."""
    return Point(
        round(seconds, 3),
        collected.operations,
        len(collected.clauses),
        len(collected.situations),
        len(collected.samples),
    )
