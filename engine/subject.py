"""What is judged, and what all that is judged has in common: findings, proofs, what was collected, and how it is told.

A subject is the filesystem, the objects in a store that speaks S3, or the datasets that Spark's writers leave.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from typing import Literal as Choice

from fsconform.engine.waivers import Accepting, Failing
from fsconform.model.core.option import Literal, Option
from fsconform.records.gate import effect
from fsconform.records.results import StepRecord
from fsconform.specs.catalogue import Clause

Verdict = Choice[
    "conforms", "declared", "declared-false", "undeclared", "violation", "deviation", "waived", "inconclusive"
]

SERIOUSNESS: tuple[Verdict, ...] = (
    "violation",
    "declared-false",
    "undeclared",
    "waived",
    "deviation",
    "inconclusive",
    "declared",
)
"""Verdicts of findings in the order in which they are proved, most serious first."""

REPLAYS = 3
"""A finding is told as confirmed if all of so many replays in fresh places show it."""

LOSSES_TOLD = 5
"""Ways to lose a program that are told of one store."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One departure, at a step that is numbered from 0. ``changes`` are all smallest sets of options that allow it."""

    signature: str
    verdict: Verdict
    clause: str
    level: str
    step: int
    operation: str
    expected: str
    observed: str
    changes: tuple[tuple[Literal, ...], ...] = ()
    message: str = ""
    stack: str = ""
    impact: str = ""
    """What it means for who uses the store: one of ``records.results.IMPACTS``; empty if it was not derived."""
    quirk: str = ""
    """The id of the known bug of the store that explains it; empty if none does."""
    precondition: str = ""
    """The clause by which a call was refused that yet changed something; empty where none was."""

    @property
    def failing(self) -> bool:
        """Whether it fails the gate, as far as it is known without waivers and replays."""
        return effect(self.verdict) == "fails"

    @property
    def waivable(self) -> bool:
        """Whether a waiver may accept it."""
        return self.failing


F = TypeVar("F", bound=Finding)


@dataclass(frozen=True, slots=True)
class Proven(Generic[F]):
    """A signature with the program that shows it, how often it was met, was replayed, and how often that showed it."""

    finding: F
    program: tuple[Any, ...]
    count: int
    shown: int = 0
    replays: int = 0
    _: KW_ONLY
    note: str = ""
    logs: tuple[str, ...] = ()

    @property
    def confirmed(self) -> str:
        """As ``3/3``; empty if it was not replayed."""
        return f"{self.shown}/{self.replays}" if self.replays else ""


class Counted(Protocol):
    """A signature as it was met."""

    @property
    def count(self) -> int:
        """How often it was seen."""
        ...


S = TypeVar("S", bound=Counted)


@dataclass(slots=True)
class Collected(Generic[S]):
    """What judging one store gave so far, whatever the subject."""

    samples: dict[str, S] = field(default_factory=dict)
    """Each signature as it was met."""
    programs: int = 0
    operations: int = 0
    probes: int = 0
    clauses: Counter[str] = field(default_factory=Counter)
    used: Counter[tuple[tuple[str, bool], str]] = field(default_factory=Counter)
    """How often an option value was needed, with the clause it bears on."""
    losses: Counter[str] = field(default_factory=Counter)
    lost_in: dict[str, str] = field(default_factory=dict)
    """Of a loss in a call of a program the signature that tells of that call."""

    def losses_beside(self, accepted: Container[str] = ()) -> Counter[str]:
        """The losses but for those in a call whose signature was accepted by hand."""
        return Counter({why: n for why, n in self.losses.items() if self.lost_in.get(why, "") not in accepted})

    def told_losses(self, accepted: Container[str] = ()) -> list[str]:
        """The most frequent of these losses, each as a sentence."""
        return [f"lost {n} times: {why}" for why, n in most_common(self.losses_beside(accepted), LOSSES_TOLD)]


def most_common(counts: Counter[str], number: int) -> list[tuple[str, int]]:
    """The most frequent ones; of equals those whose text comes first, not those that were counted first."""
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:number]


class Declaring(Protocol):
    """A contract: the options that it declares, and where it comes from."""

    @property
    def declared(self) -> Mapping[str, Any]:
        """The value of each option that is declared."""
        ...

    @property
    def source(self) -> str:
        """Where it comes from."""
        ...


P = TypeVar("P", bound=Proven[Any], contravariant=True)


class Subject(ABC, Generic[P]):
    """What is judged, as far as it is told: :mod:`recorder` makes the records of all subjects."""

    @abstractmethod
    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""

    @abstractmethod
    def encode(self, program: tuple[Any, ...]) -> list[dict[str, Any]]:
        """A program as replay files have it."""

    @abstractmethod
    def sequence(self, proven: P) -> list[StepRecord]:
        """The steps of a program: what was expected of each, what was observed, and what it changed."""

    @abstractmethod
    def failing(self, proven: P) -> Failing:
        """What waivers are held against."""

    @abstractmethod
    def options(self, collected: Any, proven: Iterable[Any]) -> Iterable[tuple[str, Option, object, str]]:
        """The contract's options, each with the value that the store's behaviour shows, and the evidence for that."""

    def size(self, program: tuple[Any, ...]) -> int:
        """How many steps a program has, without those that only look or build its place."""
        return len(program)

    def area(self, finding: Any) -> str:
        """The heading under which a finding is grouped."""
        return str(finding.operation)

    def known(self, finding: Any) -> Accepting | None:
        """The known bug of the store that a finding is; None if it is none."""
        return None

    def clause(self, name: str) -> Clause:
        """A row of the catalogue; one without words for a clause that it does not have."""
        return self.clauses().get(name) or Clause(name, "", "", "", "", "", basis="")
