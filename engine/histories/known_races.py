"""Known races of stores: known bugs that show only beside what another client does, as steps that calls may take.

A quirk says which outcome a call of one client may have. What hangs on another client's call between two parts of a
call is a step more: the store looks, and acts later on what it saw. A history that an order explains only with such
steps shows the known race and no other.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.small_steps import Way
from fsconform.engine.injection import InjectedFault, Medium, Wire
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.quirks import Impact
from fsconform.records.results import RaceOutcome


@dataclass(frozen=True, slots=True, eq=False)
class KnownRace:
    """A known race of a store.

    ``id`` is STORE/NAME, ``title`` what the store does, in a sentence; ``clause`` the clause it breaks; ``reason`` why
    it happens, ``link`` its finding, ``expires`` the last day on which it is accepted. ``program`` shows it now and
    then, and ``outcome`` is what it shows. ``steps`` has the operations that are concerned, each with the steps that
    it may take beside those of every store.
    """

    id: str
    title: str
    clause: str
    impact: Impact
    outcome: RaceOutcome
    reason: str
    link: str
    expires: datetime.date
    program: Concurrent[Operation]
    steps: Mapping[type[Operation], Way]
    forgets: Callable[[History], Collection[int]] | None = None
    """Of what a loss of power may undo: the calls of a history that the store forgets, as if nobody had heard of them.

    None of a race that needs no loss of power; one that has it shows nowhere else, and has no steps.
    """

    disturbed: type[InjectedFault] | None = None
    """The kind of fault that must be injected for it to show; None of one that shows without."""

    faults: frozenset[str] = frozenset()
    """Names of faults of that kind, one of which must be injected (LINK_FAULTS, MEDIUM_FAULTS); empty for any of it."""

    by_itself: bool = False
    """Whether one call shows it whatever the order: one of these operations that breaks the clause by itself.

    Then they take no steps beside those of every store.
    """

    errors: frozenset[str] = frozenset()
    """Simple names of the exceptions, one of which that call raises; empty for whatever it does."""

    def accepts(self, fault: InjectedFault | None) -> bool:
        """Whether it may show in a program with this fault."""
        if self.disturbed is not None and not isinstance(fault, self.disturbed):
            return False
        return not self.faults or (isinstance(fault, Wire | Medium) and fault.fault in self.faults)

    @property
    def occasional(self) -> bool:
        """Whether it hangs on the moment, as all races do."""
        return True

    @property
    def store(self) -> str:
        """The name of the store that has it."""
        return self.id.partition("/")[0]

    @property
    def signature(self) -> str:
        """The text by which a report names it: one cause, whatever calls showed it."""
        return f"{self.id}: {self.title}"
