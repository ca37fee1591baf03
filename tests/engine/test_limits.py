"""Searches for limits: on numbers alone, and on the store in memory behind a session that refuses what is too large."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from fsconform.engine import costs, dimensions
from fsconform.engine.judge import Judge
from fsconform.engine.limits import LONGEST_ERROR, MOST_IDLE, Search, Tried, elided, learned, search
from fsconform.engine.protocol import Execution, Job, StoreLost
from fsconform.engine.survey import Survey
from fsconform.engine.trial import Bench
from fsconform.model.core.outcomes import Raised, Unknown
from fsconform.model.core.paths import show
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Step
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingSession, ProvingStore

REFUSAL = Raised(("java.io.IOException",), "too long")


def ticking(step: float = 0.001) -> Callable[[], float]:
    """A clock that goes on by so much each time it is looked at."""
    numbers = itertools.count()
    return lambda: next(numbers) * step


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 63, 64, 65, 255, 1000])
def test_the_limit_is_found_in_few_attempts(limit: int) -> None:
    asked: list[int] = []

    def attempt(size: int) -> Tried:
        asked.append(size)
        return Tried(size, "no" if size > limit else "")

    found = search(Search(4096), attempt, 1e9, ticking())
    assert (found.known.accepted, found.known.refused, found.note) == (limit, limit + 1, "")
    assert found.attempts == len(asked) == len(set(asked)) <= 2 * 12 and found.known.error == "no"


def test_no_limit_up_to_the_bound() -> None:
    found = search(Search(1000), Tried, 1e9, ticking())
    assert (found.known.accepted, found.known.refused) == (1000, None) and found.attempts == 11


def test_the_time_ends_a_search() -> None:
    """Before an attempt that is likely to take longer than what is left."""
    now = 0.0

    def attempt(size: int) -> Tried:
        nonlocal now
        now += size
        return Tried(size)

    found = search(Search(1 << 20), attempt, 100.0, lambda: now)
    assert found.known.accepted == 32 and now == 63 and found.note == "the time was up"


def test_one_slow_attempt_ends_no_search() -> None:
    now = 0.0

    def attempt(size: int) -> Tried:
        nonlocal now
        now += 40.0 if size == 32 else 0.01
        return Tried(size)

    assert search(Search(1 << 10), attempt, 100.0, lambda: now).known.accepted == 1 << 10


def test_what_is_not_known_ends_a_search() -> None:
    found = search(Search(64), lambda size: Tried(size, undecided="gone" if size == 8 else ""), 1e9, ticking())
    assert found.known.accepted == 4 and found.known.refused is None and found.note == "gone"


def test_sizes_that_can_not_be_tried_end_a_search() -> None:
    """A store whose paths are always two bytes longer than planned has a limit between 10 and 12."""
    found = search(Search(64, first=2), lambda size: Tried(size + size % 2, "no" if size > 10 else ""), 1e9, ticking())
    assert (found.known.accepted, found.known.refused) == (10, 12) and found.attempts < 8 + MOST_IDLE


def test_the_smallest_refused_size_keeps_its_error() -> None:
    known = learned(learned(Search(64), Tried(32, "much too long")), Tried(9, "too long"))
    assert (known.refused, known.error) == (9, "too long")
    assert learned(known, Tried(12, "later")) == known == learned(known, Tried(1, undecided="?"))


def test_errors_are_shortened() -> None:
    assert elided("no " + "n" * 256 + "!") == "no n\u00d7256!"
    assert elided("/t" + f"/{'p' * 63}" * 60 + "/x: too long") == "/t/p\u00d763\u00d760/x: too long"
    long = " ".join(map(str, range(1000)))
    assert len(elided(long)) <= LONGEST_ERROR and elided(long).endswith("999") and "short" in elided("short")


@pytest.mark.parametrize("length", [*range(2, 300), 4096])
def test_long_paths_have_their_length(length: int) -> None:
    path = dimensions.long_path(length)
    assert len(show(path)) == length and all(0 < len(element) <= dimensions.ELEMENT for element in path)


@dataclass
class Narrow:
    """A session of the store in memory that refuses what is larger than its limits."""

    name: int = 10_000
    path: int = 10_000_000
    depth: int = 10_000
    entries: int = 10_000_000
    base: str = ""
    lost_after: int = 10_000_000
    inner: ProvingSession = field(default_factory=lambda: ProvingStore().session())

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job in jobs:
            self.lost_after -= 1
            if self.lost_after < 0:
                raise StoreLost("gone")
            good = list(itertools.takewhile(self._fits, job.program))
            (execution,) = self.inner.execute([replace(job, program=tuple(good))])
            events = list(execution.trace.events)
            if len(good) < len(job.program):
                events.append(replace(events[-1] if events else _event(), outcome=REFUSAL))
            trace = replace(execution.trace, program=job.program, events=tuple(events))
            yield replace(
                execution, trace=trace, base=self.base, requests=tuple((at, {"get": 2}) for at in job.measured)
            )

    def _fits(self, step: Step) -> bool:
        operation = step.operation
        if not isinstance(operation, Mkdirs | Create):
            return True
        number = operation.path[-1].removeprefix("f")
        return (
            max(len(element.encode()) for element in operation.path) <= self.name
            and len(self.base) + len(show(operation.path)) <= self.path
            and self.base.count("/") + len(operation.path) <= self.depth
            and not (number.isdecimal() and int(number) >= self.entries)
        )

    def close(self) -> None:
        self.inner.close()


def _event() -> Event:
    (execution,) = ProvingStore().session().execute([Job((*costs.job(0).program[:1],))])
    return execution.trace.events[0]


def surveyed(session: Narrow, seconds: float = 30.0, clock: Callable[[], float] | None = None) -> Survey:
    found = Survey()
    found.run(Bench(session, Judge(Oracle(Contract()))), seconds, clock=clock or ticking())
    return found


def test_limits_of_a_store_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SIZES", (1, 2, 4))
    found = surveyed(Narrow(name=255, path=1000, depth=40, entries=100, base="/box/p1"))
    limits = {one.dimension: (one.accepted, one.refused) for one in found.limits}
    assert limits == {
        "name of a file": (255, 256),
        "name of a directory": (255, 256),
        "name of a file in characters of four bytes": (63, 64),
        "path of a file": (1000, 1001),
        "depth of a directory": (40, 41),
        "length of a file": (1 << 24, None),
        "entries of a directory": (100, 101),
    }
    assert {one.error for one in found.limits if one.refused} == {
        "create raised IOException: too long",
        "mkdirs raised IOException: too long",
    }
    assert found.notes == [] and not any(one.note for one in found.limits)


def test_a_depth_that_the_length_of_a_path_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SIZES", (1,))
    monkeypatch.setattr(dimensions, "LENGTH", replace(dimensions.LENGTH, bound=16))
    found = surveyed(Narrow(path=101, base="/b", entries=5))
    depth = next(one for one in found.limits if one.dimension == dimensions.DEPTH.name)
    assert (depth.accepted, depth.refused) == (50, 51)
    assert depth.note == "its path has 102 bytes: as many as a path may have"


def test_costs_are_medians_with_their_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SIZES", (1, 2, 4, 8))
    bench = Bench(Narrow(), Judge(Oracle(Contract())))
    curves, note = costs.measured(bench.execute, 1e9, ticking())
    assert [one.operation for one in curves] == ["listStatus", "getContentSummary", "rename", "delete, recursive"]
    assert note == "" and all([one.entries for one in curve.points] == [1, 2, 4, 8] for curve in curves)
    assert all(one.requests == {"get": 2} and one.microseconds > 0 for curve in curves for one in curve.points)
    assert [curve.points[0].samples for curve in curves] == [15, 15, 15, 5]


def test_costs_end_with_the_time() -> None:
    bench = Bench(Narrow(), Judge(Oracle(Contract())))
    curves, note = costs.measured(bench.execute, -1.0, ticking(10.0))
    assert curves == [] and note == "the time was up before 1 entries"


def test_calls_that_fail_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoRenames(ProvingStore):
        def make(self) -> FullStore:
            store = super().make()
            store.rename = lambda src, dst: False  # type: ignore[method-assign]
            return store

    monkeypatch.setattr(costs, "SIZES", (1, 2))
    bench = Bench(NoRenames().session(), Judge(Oracle(Contract())))
    curves, _ = costs.measured(bench.execute, 1e9, ticking())
    assert [one.operation for one in curves] == ["listStatus", "getContentSummary"]


def test_a_survey_says_that_its_time_was_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = surveyed(Narrow(name=255, path=1000, depth=40, entries=100), 1.0, ticking(0.1))
    assert found.costs == [] and found.notes[0] == "cost curves: the time was up before 1 entries"


def test_a_store_that_is_lost_keeps_what_was_found() -> None:
    found = surveyed(Narrow(name=255, lost_after=30))
    assert found.limits[0].refused == 256 and len(found.limits) < 7 and found.costs == []
    assert found.notes[-1].endswith("gone")


def test_what_is_not_answered_is_no_limit() -> None:
    (execution,) = ProvingStore().session().execute([Job(dimensions.NAME.program(3, ""))])
    assert dimensions.NAME.tried(3, "", execution) == Tried(3)
    events = (replace(execution.trace.events[0], outcome=Unknown("time-out")), *execution.trace.events[1:])
    silent = replace(execution, trace=replace(execution.trace, events=events))
    assert dimensions.NAME.tried(3, "", silent) == Tried(3, undecided="create of 3: unknown: time-out")
    lost = replace(execution, lost="the worker is gone")
    assert dimensions.NAME.tried(3, "", lost) == Tried(3, undecided="3: the worker is gone")
    begun = replace(execution, trace=replace(execution.trace, events=execution.trace.events[:1]))
    assert dimensions.NAME.tried(3, "", begun) == Tried(3, undecided="3: the program was not executed whole")


def test_a_name_that_is_kept_otherwise_is_refused() -> None:
    """A store that says nothing and cuts the name."""
    (execution,) = ProvingStore().session().execute([Job(dimensions.NAME.program(3, ""))])
    assert dimensions.NAME.tried(4, "", execution).refused.startswith("listStatus returned")
