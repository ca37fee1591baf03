"""A store as it is explored, whatever the subject: who executes and judges programs, and what is added up of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from fsconform.engine.collect import Collected, Curve
from fsconform.engine.trial import Trial
from fsconform.model.filesystem.programs import Step

if TYPE_CHECKING:
    from typing_extensions import TypeVar as Defaulting

    # A filesystem where nothing else is said.
    Part = Defaulting("Part", default=Step)
    Got = Defaulting("Got", default=Trial)
    Whole = Defaulting("Whole", default=Collected)
else:
    Part, Got, Whole = TypeVar("Part"), TypeVar("Got"), TypeVar("Whole")

Asked = TypeVar("Asked", contravariant=True)
Given = TypeVar("Given")


class Bench(Protocol[Asked, Given]):
    """Where programs are tried, by one thread at a time."""

    def tries(self, programs: Sequence[tuple[Asked, ...]]) -> Generator[Given, None, None]:
        """Execute and judge programs, one by one. Raises StoreLost."""
        ...

    def go_on(self, trial: Given) -> Given:
        """Execute a program that departs again, and judge it to its end. Raises StoreLost."""
        ...


class Ground(ABC, Generic[Part, Got, Whole]):
    """A store that is explored. But for ``lent`` one thread calls it."""

    def __init__(self, name: str, collected: Whole) -> None:
        """Nothing is tried yet."""
        self.name, self.collected = name, collected
        self.failed = ""
        """The first signature that was confirmed to fail the gate."""

    @abstractmethod
    def lent(self) -> AbstractContextManager[Bench[Part, Got]]:
        """A bench for a while. Raises StoreLost or SandboxRefused."""

    @abstractmethod
    def add(self, trial: Got) -> tuple[int, int]:
        """Collect what was tried: its operations that were judged, and how often the store asked to try again."""

    @abstractmethod
    def standing(self) -> tuple[int, int, int]:
        """The operations so far, and how many signatures are accepted and would fail."""

    def again(self, trial: Got) -> str:
        """The signature for whose sake a program is to be judged to its end; empty where it was."""
        return ""

    def confirm(self) -> None:
        """See whether something that was met fails the gate for certain. Raises StoreLost."""

    def fault(self, doing: str, error: Exception) -> None:
        """Keep an error of ours. Raises it where it is not kept."""
        raise error

    def grown(self, curve: Curve, seconds: float) -> None:
        """Note how coverage stands after so many seconds."""
