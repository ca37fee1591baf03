"""What judging a layer beside the filesystem's own needs: departures from clauses, and contracts that permit some.

Such a layer is not called through the FileSystem interface: the datasets that jobs write above it, the objects of the
store below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from fsconform.model.core.option import Option


@dataclass(frozen=True, slots=True)
class Breach:
    """One departure. Any one of the ``options``, where it is declared, permits it; none does where there are none.

    ``symptom`` has no names and no numbers in it. ``should`` marks a clause that need not be followed. ``who`` stands
    for the step in the signature where the departure does not hang on what kind of step it was.
    """

    clause: str
    symptom: str
    expected: str
    observed: str
    options: tuple[str, ...] = ()
    should: bool = False
    who: str = ""


@dataclass(slots=True)
class Judged:
    """What was judged of a step, collected rule by rule."""

    clauses: list[str] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    def judged(self, *clauses: str) -> None:
        """Clauses that the step was held against."""
        self.clauses += clauses

    def breach(
        self,
        clause: str,
        symptom: str,
        expected: str,
        observed: str,
        options: tuple[str, ...] = (),
        should: bool = False,
        who: str = "",
    ) -> None:
        """Note a departure from a clause, which counts as judged."""
        self.clauses.append(clause)
        self.breaches.append(Breach(clause, symptom, expected, observed, options, should, who))


@dataclass(frozen=True, slots=True)
class LayerContract:
    """The departures that are declared; all others are not. Raises ValueError for one that is no option."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {}

    declared: Mapping[str, bool] = field(default_factory=dict)
    source: str = "no contract: no departure at all"

    def __post_init__(self) -> None:
        if unknown := set(self.declared) - set(self.OPTIONS):
            raise ValueError(f"no such contract option: {', '.join(sorted(unknown))[:200]}")

    def permits(self, option: str) -> bool:
        """Whether the departure is declared. Raises KeyError for a name that is no option."""
        return bool(self.declared.get(option, self.OPTIONS[option].default))
