"""A store that answers nonsense, to try the harness itself with: whatever a store answers, the harness must judge it.

Programs are executed on the store in memory, and what it answered is changed before anybody sees it. ``typed`` answers
have the type that the call returns, with wrong values in it: a directory among its own children, entries twice or of
other places, negative lengths, other errors. The others may be anything at all, also what breaks the session protocol.
Each answer follows from the seed and the number of the program, so that what was found can be found again.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, cast

from fsconform.engine.protocol import Execution, Job, Observation, Snapshot
from fsconform.model.core.outcomes import (
    Data,
    Fact,
    Facts,
    NotExpressible,
    Outcome,
    Raised,
    Returned,
    Status,
    Unknown,
)
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.programs import Event, Trace
from fsconform.proving.session import ProvingSession, ProvingStore
from fsconform.proving.store import ANCESTRY

EIGHTHS = 8
CHANGED = 3
"""Of eight answers, how many are changed: what is not lets a program come further."""

KEPT_FACTS = 64
"""Values of one fact that are kept, to be answered at another time."""

NUMBERS = (0, 1, -1, 2, 7, 511, 1024, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**200, -(2**200))
NAMES = ("", ".", "..", "a", "b", "A", "a:b", "a/b", "\u00e9", "\ud800", "\x00", "x" * 300, "missing", "/", "done")
TEXTS = (*NAMES, "raised java.io.IOException", "java.io.IOException", "0", "-1", "[]", "a=b", "true", "user", "rwx")

CLASSES: tuple[Any, ...] = ((), ("",), (None,), [], "java.io.IOException", None, ("no.such.Class",))
"""What may stand where an error's classes are expected."""


class NonsenseStore:
    """The store; fulfils engine.protocol.Store."""

    def __init__(self, seed: int = 0, typed: bool = True) -> None:
        self._seed, self._typed = seed, typed
        self._sessions = 0

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return "nonsense"

    @property
    def uri(self) -> str:
        """Where the store is: a form only, as it lives in this process."""
        return "nonsense:///"

    @property
    def versions(self) -> dict[str, str]:
        """The version of Python."""
        return {"python": platform.python_version()}

    def session(self) -> NonsenseSession:
        """A session with answers of its own."""
        self._sessions += 1
        return NonsenseSession(f"{self._seed}/{self._sessions}", self._typed)

    def logs(self) -> tuple[str, ...]:
        """Nothing: the store has no logs."""
        return ()

    def close(self) -> None:
        """Nothing to stop."""


class NonsenseSession:
    """Executes programs and changes what came back; fulfils engine.protocol.Session. Not safe for threads."""

    def __init__(self, seed: str, typed: bool) -> None:
        self._seed = seed
        self._inner: ProvingSession = ProvingStore().session()
        self._answers = WellTyped() if typed else IllTyped()
        self._typed = typed
        self._programs = 0

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, and give executions in which much is wrong."""
        for job, execution in zip(jobs, self._inner.execute(jobs), strict=True):
            self._programs += 1
            dice = Random(f"{self._seed}/{self._programs}")
            self._answers.dice = dice
            events = tuple(
                self._answers.event(step.operation, event) if dice.randrange(EIGHTHS) < CHANGED else event
                for step, event in zip(job.program, execution.trace.events, strict=True)
            )
            snapshots = tuple((number, self._answers.snapshot(one)) for number, one in execution.snapshots)
            changed = replace(execution, trace=Trace(job.program, events), snapshots=snapshots)
            yield changed if self._typed else self._answers.execution(changed)

    def close(self) -> None:
        """Forget everything."""
        self._inner.close()


class WellTyped:
    """Answers of the right type."""

    def __init__(self) -> None:
        self.dice = Random(0)
        self._values: dict[type, Any] = {}
        self._facts: dict[tuple[str, str], list[Fact]] = {}
        self._paths: list[Path] = [(), ("a",), ("a", "b"), ("zz",)]

    def event(self, operation: object, event: Event) -> Event:
        """The event with another outcome."""
        return replace(event, outcome=self._outcome(type(operation), event.outcome))

    def execution(self, execution: Execution) -> Execution:
        """The execution as it is: its form is right."""
        return execution

    def snapshot(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with some entries wrong, missing, twice or of other places; consistent or not."""
        entries = list(snapshot.entries)
        for _ in range(self.dice.randrange(3)):
            change = self.dice.randrange(4)
            if change == 0:
                path = self._path()
                entries.append(Observation(self._status(Status(path, False, 1)), None, None))
            elif entries:
                at = self.dice.randrange(len(entries))
                if change == 1:
                    del entries[at]
                elif change == 2:
                    entries.append(entries[at])
                else:
                    one = entries[at]
                    data = None if one.data is None else self._data(one.data)
                    entries[at] = Observation(self._status(one.listed), one.status, data)
        return Snapshot(tuple(entries), self.dice.random() < 0.7, "")

    def _outcome(self, kind: type, outcome: Outcome) -> Outcome:
        chance = self.dice.randrange(40)
        if chance == 0:
            return Unknown("no answer", hung=self.dice.random() < 0.5)
        if chance == 1:
            return NotExpressible("there is no such call")
        if chance < 12:
            return self._raised()
        if isinstance(outcome, Returned):
            self._values[kind] = outcome.value
            return Returned(self._value(outcome.value))
        return Returned(self._value(self._values[kind])) if kind in self._values else self._raised()

    def _raised(self) -> Raised:
        return Raised(self.dice.choice(list(ANCESTRY.values())), self.dice.choice(TEXTS), "")

    def _value(self, value: Any) -> Any:
        if isinstance(value, bool):
            return self.dice.random() < 0.5
        if isinstance(value, Data):
            return self._data(value)
        if isinstance(value, Status):
            return self._status(value)
        if isinstance(value, Facts):
            return self._of_facts(value)
        if isinstance(value, tuple):
            return self._listing(value)
        return None

    def _number(self, value: int) -> int:
        return self.dice.choice((value, value + 1, value - 1, -value, 2 * value, self.dice.choice(NUMBERS)))

    def _data(self, data: Data) -> Data:
        digest = self.dice.choice((data.digest, "0" * 64, self.dice.randbytes(32).hex()))
        return Data(self._number(data.length), digest)

    def _path(self, path: Path = ()) -> Path:
        if len(self._paths) < KEPT_FACTS:
            self._paths.append(path)
        else:
            self._paths[self.dice.randrange(KEPT_FACTS)] = path
        name = self.dice.choice(NAMES)
        return self.dice.choice(
            (
                path,
                (),
                path[:-1],
                path[1:],
                (*path, name),
                (*path[:-1], name),
                path + path,
                self.dice.choice(self._paths),
            )
        )

    def _status(self, status: Status) -> Status:
        is_dir = status.is_dir if self.dice.random() < 0.7 else not status.is_dir
        length = status.length if self.dice.random() < 0.6 else self._number(status.length)
        block = status.block_size if self.dice.random() < 0.8 else self._number(status.block_size)
        path = status.path if self.dice.random() < 0.6 else self._path(status.path)
        return Status(path, is_dir, length, block)

    def _listing(self, listed: tuple[Status, ...]) -> tuple[Status, ...]:
        entries = list(listed)
        for _ in range(1 + self.dice.randrange(3)):
            change = self.dice.randrange(6)
            if change == 0:
                above = entries[0].path[:-1] if entries else self.dice.choice(self._paths)
                entries.insert(0, Status(above, True, 0))  # the directory among its own children
            elif change == 1:
                entries.append(self._status(Status(self._path(), self.dice.random() < 0.5, 0)))
            elif not entries:
                continue
            elif change == 2:
                entries.append(self.dice.choice(entries))
            elif change == 3:
                del entries[self.dice.randrange(len(entries))]
            elif change == 4:
                entries.reverse()
            else:
                at = self.dice.randrange(len(entries))
                entries[at] = self._status(entries[at])
        return tuple(entries)

    def _of_facts(self, value: Facts) -> Facts:
        for name, fact in value.items:
            seen = self._facts.setdefault((value.kind, name), [])
            if len(seen) < KEPT_FACTS:
                seen.append(fact)
        return Facts(value.kind, tuple((name, self._fact(value.kind, name, fact)) for name, fact in value.items))

    def _fact(self, kind: str, name: str, fact: Fact) -> Fact:
        chance = self.dice.randrange(4)
        if chance == 0:
            return fact
        if chance == 1:
            return self.dice.choice(self._facts[kind, name])
        if isinstance(fact, bool):
            return not fact
        if isinstance(fact, int):
            return self._number(fact)
        if isinstance(fact, str):
            return self._text(fact)
        if isinstance(fact, tuple):
            texts = [one if self.dice.random() < 0.7 else self._text(one) for one in fact]
            if self.dice.random() < 0.4:
                return tuple(texts)
            self.dice.shuffle(texts)
            more = (self.dice.choice(TEXTS), *texts[: self.dice.randrange(3)])
            return tuple(texts) + more if self.dice.random() < 0.5 else tuple(texts[1:])
        return fact

    def _text(self, text: str) -> str:
        """Another text, or the same one with other numbers or digits in it."""
        other = (text + "x", text[:-1], text * 2, text.swapcase(), self.dice.choice(TEXTS))
        numbered = re.sub("[0-9]+", lambda _: str(self.dice.choice(NUMBERS)), text, count=1)
        return self.dice.choice((*other, numbered, re.sub("[0-9a-f]", self.dice.choice("0f-x "), text, count=2)))


class Odd:
    """An object that no adapter should give: it can't be compared, hashed, or counted as true."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError("not to be compared")

    def __bool__(self) -> bool:
        raise ValueError("neither true nor false")


class IllTyped(WellTyped):
    """Answers of any type, in executions of any form."""

    def event(self, operation: object, event: Event) -> Event:
        """The event with an outcome of any type, or something that is no event."""
        chance = self.dice.randrange(20)
        if chance == 0:
            return cast(Event, self._junk())
        if chance == 1:
            return Event(event.outcome, self._junk(), self._junk())
        if chance < 6:
            return super().event(operation, event)
        return replace(event, outcome=self._anything(type(operation), event.outcome))

    def execution(self, execution: Execution) -> Execution:
        """The execution with fields of any type, now and then."""
        chance = self.dice.randrange(30)
        if chance == 0:
            return cast(Execution, self._junk())
        if chance == 1:
            return replace(execution, trace=self._junk())
        if chance == 2:
            return replace(execution, trace=Trace(execution.trace.program, self._junk()))
        if chance == 3:
            events = execution.trace.events
            return replace(execution, trace=Trace(execution.trace.program, events[:-1] or events * 2))
        if chance == 4:
            return replace(execution, store_nanoseconds=self._junk(), housekeeping=self._junk())
        if chance == 5:
            return replace(execution, snapshots=self._junk(), throttled=self._junk(), lost=self._junk())
        return execution

    def snapshot(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot of any form."""
        chance = self.dice.randrange(6)
        if chance == 0:
            return cast(Snapshot, self._junk())
        if chance == 1:
            return Snapshot(self._junk(), self._junk(), self._junk())
        if chance == 2:
            return Snapshot((Observation(self._junk(), self._junk(), self._junk()), *snapshot.entries), True)
        if chance == 3:
            return Snapshot(tuple(replace(one, data=None) for one in snapshot.entries), True)
        return super().snapshot(snapshot)

    def _anything(self, kind: type, outcome: Outcome) -> Any:
        made: tuple[Callable[[], Any], ...] = (
            self._junk,
            lambda: Returned(self._junk()),
            lambda: Returned(self._junk()),
            lambda: Returned(Status(self._junk(), self._junk(), self._junk(), self._junk())),
            lambda: Returned(Data(self._junk(), self._junk())),
            lambda: Returned((Status((), True, 0), self._junk())),
            lambda: Returned(self._other_facts(kind)),
            lambda: Returned(self._broken_facts(outcome)),
            lambda: Returned(self._broken_facts(outcome)),
            lambda: Raised(self.dice.choice(CLASSES)),
            lambda: Raised(self._raised().classes, self._junk(), self._junk()),
            lambda: Unknown(self._junk(), self._junk()),
            lambda: NotExpressible(self._junk()),
        )
        return self.dice.choice(made)()

    def _other_facts(self, kind: type) -> Facts:
        others = [one for own, one in self._values.items() if own is not kind and isinstance(one, Facts)]
        return self.dice.choice(others) if others else Facts("nothing known", ())

    def _broken_facts(self, outcome: Outcome) -> Facts:
        value = outcome.value if isinstance(outcome, Returned) else None
        if not isinstance(value, Facts):
            return Facts(self._junk(), self._junk())
        items: list[Any] = [(name, self._junk() if self.dice.random() < 0.5 else fact) for name, fact in value.items]
        if items and self.dice.random() < 0.5:
            del items[self.dice.randrange(len(items))]
        if self.dice.random() < 0.1:
            items.append(self._junk())
        return Facts(value.kind, tuple(items))

    def _junk(self) -> Any:
        return self.dice.choice(
            (
                *(None, True, False, 0, -1, 2**70, 1.5, float("nan"), float("inf"), 1j),
                *("", "a", "\ud800", b"", b"\xff", (), [], {}, set(), [1], (1,), (None,), (("a",),), ((),)),
                *({"a": 1}, {"a"}, object(), object, len, Odd(), Odd, Status((), True, 0), Data(-1, "")),
                *(Facts("", ()), Status(("a",), False, -1), ValueError("an error"), range(3), iter(()), ...),
            )
        )
