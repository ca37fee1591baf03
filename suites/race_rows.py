"""What the rows of suites of races share: what is tried of two calls, or of lanes of calls, on a beginning."""

from __future__ import annotations

from dataclasses import dataclass


class Once:
    """A row whose calls are made once, and whose pair stands in the suite's own table."""

    __slots__ = ()

    @property
    def watches(self) -> bool:
        """No client looks again and again."""
        return False

    @property
    def group(self) -> str:
        """The suite has one table."""
        return ""


@dataclass(frozen=True, slots=True)
class Pair(Once):
    """A beginning and two calls, by their names in the tables of a suite."""

    beginning: str
    first: str
    second: str

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the two calls."""
        return self.first, self.second
