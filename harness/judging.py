"""Judging stores from start to record: exploring what is planned, minimising, confirming, telling."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from click import ClickException

from fsconform.adapters.stores import retries
from fsconform.engine import recorder
from fsconform.engine.confirm import NOT_PROVEN, Proven, as_met, prove_all
from fsconform.engine.effort import PROVING_SHARE
from fsconform.engine.events import Doing, Listener, saying
from fsconform.engine.exploration import Exploration, Outcome
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.gate import Terms
from fsconform.engine.grammar import Suite
from fsconform.engine.histories.subject import RACES
from fsconform.engine.internal import PASSED
from fsconform.engine.judge import FAILING
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.engine.sifting import Files
from fsconform.engine.slow_calls import Slow
from fsconform.engine.subject import most_common
from fsconform.engine.survey import Survey
from fsconform.engine.waivers import Waived
from fsconform.harness import interrupts, races, real_root
from fsconform.harness.both_layers import seen_below
from fsconform.harness.fleet import INTERRUPTED, Assignment, Down, Fleet, RootPart, Up
from fsconform.harness.lanes import LEAST_SECONDS, Explored, Lanes, Shares, lanes_for
from fsconform.harness.races import Raced, raced
from fsconform.records.gate import by_severity, fails, standing
from fsconform.records.joined import IN_ROOT, joined
from fsconform.records.results import BelowRecord, Divergence, SlowCallsRecord, StoreRecord

__all__ = ["Assignment", "Judged", "judge_all", "judge_store"]


_TRIES = 3
UNPROVEN = "interrupted while minimising: what was found is reported as it was met"
POLL_SECONDS = 0.05
"""How long at most a store that came up waits to be given a lane, and an interrupt that was swallowed to be met."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The record of a store, and the places at which its explorers can be taken up."""

    record: StoreRecord
    places: dict[str, tuple[int, int]]
    interrupted: bool = False


def judge_store(assignment: Assignment, hear: Listener, recoverable: tuple[type[Exception], ...]) -> Judged:
    """Judge one store alone, as :func:`judge_all` does."""
    (judged,) = judge_all((assignment,), hear, recoverable)
    return judged


SoFar = Callable[[list["Judged"]], None]
"""Is given what was found, before anything else is done, when judging is interrupted."""


def _nothing(found: list[Judged]) -> None:
    """What was found so far, which nobody wants to hear of."""


def judge_all(
    assignments: Sequence[Assignment],
    hear: Listener,
    recoverable: tuple[type[Exception], ...],
    interrupted: SoFar = _nothing,
    into: list[Judged] | None = None,
) -> list[Judged]:
    """Judge stores, some of them side by side. What is not judged yet comes up meanwhile.

    If there is a budget it is the sum of theirs: what one leaves of its part is for those that come after it.

    Errors of the ``recoverable`` kinds leave a store unjudged, with the reason in its record. At its end everything
    that was started is stopped, also after an interrupt, which leaves what was found: ``interrupted`` is given it at
    once, and ``into`` has it at the end, whatever is heard meanwhile. An error of ours in one store's exploring or
    recording is kept with that store. Raises SandboxRefused for a sandbox that is not ours.
    """
    fleet = Fleet(assignments, hear, recoverable)
    run = _Run(assignments, fleet, hear, interrupted)
    try:
        run.judge()
    finally:
        fleet.cancel()
        try:
            fleet.close()
        except KeyboardInterrupt:
            interrupts.met()  # threads go on stopping stores while what was found is written
    judged = [] if into is None else into
    with interrupts.held():
        judged += run.so_far()
    return judged


class _Run:
    """The stores under way."""

    def __init__(self, assignments: Sequence[Assignment], fleet: Fleet, hear: Listener, interrupted: SoFar) -> None:
        self._assignments, self._fleet, self._interrupted = assignments, fleet, interrupted
        self._heard, self._hear = hear, interrupts.meeting(hear)
        budgets = [one.budget for one in assignments if one.budget is not None]
        count = lanes_for(len(assignments))
        self._shares = Shares(sum(budgets) if budgets else None, len(assignments), count)
        self._lanes = Lanes(count, self._shares)
        self._explored: list[Explored] = []
        """Stores that are not recorded yet."""
        self._judged: dict[str, Judged] = {}

    def so_far(self) -> list[Judged]:
        """A record of each store: what was found of it, or that nothing was, as all was interrupted."""
        under_way = {one.assignment.name: (one, exploration) for one, exploration in self._lanes.under_way()}
        under_way |= {one.up.assignment.name: (one.up, one.exploration) for one in self._explored}
        found = []
        for one in self._assignments:
            if one.name in self._judged:
                found.append(self._judged[one.name])
            elif one.name in under_way:
                found.append(_as_met(*under_way[one.name]))
            else:
                found.append(_unjudged(Down(one, INTERRUPTED, 0.0, interrupted=True)))
        return found

    def judge(self) -> None:
        """Judge all; after an interrupt those that had begun.

        Stores are explored in threads of their own. Minimised and confirmed is in this one, which is interrupted.
        """
        try:
            while self._go_on():
                interrupts.meet()
        except KeyboardInterrupt:
            interrupts.met()
            with contextlib.suppress(Exception):  # what is wrong is told at the end
                self._interrupted(self.so_far())
            self._fleet.cancel()
            self._explored += self._lanes.stop()
            for one in self._explored:
                if one.error is not None or not one.exploration.complete:
                    one.exploration.interrupt()
                self._judged[one.up.assignment.name] = self._end(one.up, one.exploration, interrupted=True)
        finally:
            self._lanes.stop()

    def _go_on(self) -> bool:
        """Record a store that was explored, or wait for one; False at the end."""
        self._admit(self._fleet.arrived())
        with interrupts.held():
            found = self._lanes.take(POLL_SECONDS)
            if found is not None:
                self._explored.append(found)
        if found is not None:
            if found.error is not None:
                _note(found)
            judged = self._end(found.up, found.exploration, interrupted=False)
            self._judged[found.up.assignment.name] = judged
            self._explored.remove(found)
            if judged.interrupted:
                raise KeyboardInterrupt
        return found is not None or self._lanes.busy or self._fleet.to_come > 0

    def _admit(self, arrived: list[Up | Down]) -> None:
        for one in arrived:
            if isinstance(one, Up):
                ground = Files(one.benches, one.plan.terms, partial(_of_slow_calls, one, self._heard))
                self._lanes.give(one, Exploration(ground, one.plan, self._heard))
            else:
                self._shares.without_one()
                self._judged[one.assignment.name] = _unjudged(one)

    def _end(self, up: Up, exploration: Exploration, interrupted: bool) -> Judged:
        """Minimise, confirm and record what was found, there and in the real root; the store is being stopped then."""
        judged = self._kept(up, exploration, interrupted)
        if up.assignment.on_root is not None and not judged.interrupted and not _stops(up.assignment, judged.record):
            judged = self._with_root(up, up.assignment.on_root, judged)
        self._fleet.take_down(up)
        return judged

    def _kept(self, up: Up, exploration: Exploration, interrupted: bool) -> Judged:
        """Minimise, confirm and record what was found; as it was met, where an error of ours keeps that from being."""
        try:
            return self._proved(up, exploration, interrupted)
        except PASSED:
            raise
        except Exception as error:
            up.benches.internal.add("recording", error)
            exploration.outcome.interrupted = interrupted
            return _as_met(up, exploration)

    def _with_root(self, up: Up, part: RootPart, judged: Judged) -> Judged:
        """The same store with what is judged in its real root: no other session is open then."""
        name, explorers = up.assignment.name, part.explorers(up.benches.oracle)
        if all(one.planned == 0 for one in explorers):
            return judged
        self._heard(Doing(name, "going on in the real root"))
        try:
            up.benches.close()
            budget = up.assignment.budget
            left = max(LEAST_SECONDS, budget - judged.record.seconds) if budget else budget
            below = real_root.bring_up(up, part, explorers, left)
        except (StoreLost, SandboxRefused) as error:
            problems = [*judged.record.problems, f"{IN_ROOT}{error}"]
            return replace(judged, record=replace(judged.record, problems=problems))
        try:
            exploration = Exploration(Files(below.benches, below.plan.terms), below.plan, self._hear)
            outcome = exploration.to_its_end()
            if outcome.interrupted:
                interrupts.met()
            if not (up.assignment.complete or outcome.interrupted or outcome.collected.programs or outcome.problems):
                return judged  # of what was asked for nothing plays there
            there = self._proved(below, exploration, outcome.interrupted, connector=False)
        finally:
            below.benches.close()
        return with_root(judged, there)

    def _proved(self, up: Up, exploration: Exploration, interrupted: bool, connector: bool = True) -> Judged:
        """Minimise, confirm and record what was found. What is below a ``connector`` is looked at where it departs."""
        outcome, started = exploration.close(), time.monotonic()
        noting = up.benches.internal.noting
        proven = _unproven(outcome)
        if not interrupted:
            share = PROVING_SHARE * up.assignment.budget if up.assignment.budget else None
            try:
                with noting("minimising"):
                    proven = prove_all(up.benches, outcome.collected, self._hear, share)
            except KeyboardInterrupt:
                interrupted = True
            interrupts.met()
        if interrupted and not outcome.interrupted:
            outcome.interrupted = True
            outcome.problems.append(UNPROVEN)
        found: Raced | None = None
        if connector and not self._has_failed(up, outcome, proven):
            with noting("trying races"):
                found = raced(up, outcome, self._hear)
        waived = _waived(up, outcome, proven, found)
        below: Mapping[str, BelowRecord] = {}
        if connector and not outcome.interrupted:
            with noting("looking at the store below"):
                below = self._below(up, proven, waived)
        survey = Survey()
        with noting("searching for limits"):
            survey = surveyed(up, outcome, self._hear)
        outcome.seconds += time.monotonic() - started
        return _recorded(up, outcome, proven, survey, waived, below, found)

    def _has_failed(self, up: Up, outcome: Outcome, proven: list[Proven]) -> bool:
        """Whether judging is to stop at what was found so far."""
        if not up.assignment.fail_fast:
            return False
        accepted = _waived(up, outcome, proven, None).by_signature
        return any(one.finding.failing and one.finding.signature not in accepted for one in proven)

    def _below(self, up: Up, proven: list[Proven], waived: Waived) -> Mapping[str, BelowRecord]:
        """The store below a connector, while what fails the gate is shown; or all that departs, where that is asked."""
        serious = [one for one in proven if one.finding.verdict in FAILING]
        chosen = [one for one in serious if up.assignment.below or one.finding.signature not in waived.by_signature]
        with contextlib.suppress(KeyboardInterrupt):
            return seen_below(up.store, up.benches.lent, chosen, self._hear)
        interrupts.met()
        return {}


def _of_slow_calls(up: Up, hear: Listener, slow: Slow) -> None:
    """Says at once that calls last so long that their client may be retrying, and what to do about it."""
    name = up.assignment.name
    hear(
        Doing(
            name, f"{slow.calls} calls of {slow.operation} lasted long, one of them {slow.seconds:.0f} s: {_advice(up)}"
        )
    )


def _advice(up: Up) -> str:
    return retries.advice(up.store.uri.partition(":")[0])


def _note(found: Explored) -> None:
    """Keep an error of ours that ended a store's exploring with the store. Raises what is none."""
    error = found.error
    if not isinstance(error, Exception) or isinstance(error, (*PASSED, ClickException)):
        assert error is not None
        raise error
    found.up.benches.internal.add("exploring", error)
    found.exploration.outcome.problems.append("exploring ended by an internal error: what was found is reported")


def _as_met(up: Up, exploration: Exploration) -> Judged:
    """The record of what was found so far, not minimised; at least that it was being judged."""
    outcome = exploration.outcome
    for _ in range(_TRIES):  # threads may be adding to it
        with contextlib.suppress(Exception):
            return _recorded(up, outcome, _unproven(outcome), Survey(), Waived({}, ()), {})
    record = _unjudged(Down(up.assignment, "what was found could not be recorded", up.seconds, up.store.uri)).record
    internal = recorder.internal_errors(up.assignment.name, up.benches.internal.all(), up.assignment.reproducer)
    return Judged(replace(record, internal_errors=internal), {}, outcome.interrupted)


def _stops(assignment: Assignment, record: StoreRecord) -> bool:
    """True where judging is to stop at what was found."""
    return assignment.fail_fast and bool(standing(record).failing)


def with_root(judged: Judged, there: Judged) -> Judged:
    """What was judged of a store, with what was judged in its real root."""
    places = judged.places | {f"{IN_ROOT}{name}": at for name, at in there.places.items()}
    return Judged(joined(judged.record, there.record), places, there.interrupted)


def _waived(up: Up, outcome: Outcome, proven: list[Proven], found: Raced | None) -> Waived:
    terms = Terms(up.assignment.name, up.assignment.waivers)
    failing = recorder.failing_of(Filesystem(up.benches.oracle), proven)
    failing |= recorder.failing_of(RACES, found.proven) if found is not None else {}
    return terms.applied(failing, _is_complete(up, outcome))


def _is_complete(up: Up, outcome: Outcome) -> bool:
    return up.assignment.complete and not (outcome.problems or outcome.stopped_for or outcome.cut_off)


def _unproven(outcome: Outcome) -> list[Proven]:
    return [as_met(sample, NOT_PROVEN) for sample in outcome.collected.samples.values()]


def _recorded(
    up: Up,
    outcome: Outcome,
    proven: list[Proven],
    survey: Survey,
    waived: Waived,
    below: Mapping[str, BelowRecord],
    found: Raced | None = None,
) -> Judged:
    assignment, benches, collected = up.assignment, up.benches, outcome.collected
    subject, command = Filesystem(benches.oracle), assignment.reproducer
    records = recorder.divergences(subject, assignment.name, proven, waived, command, benches.internal)
    records = [replace(one, below=below.get(one.signature)) for one in records]
    every: list[Any] = [*proven]
    if found is not None:
        races.count(found.matrix, collected)
        records = by_severity([*records, *_races(up, found, waived)])
        every += found.proven
    baseline = assignment.baseline
    records = baseline.marked_of(assignment.name, records) if baseline else records
    problems = list(outcome.problems)
    cut_off = recorder.cut_off(outcome.covered if outcome.cut_off else (), proven)
    if found is not None and not outcome.interrupted:
        cut_off += races.left_of(found.exploration)
    if cut_off and assignment.effort_named:
        problems.append(f"the budget cut off what the effort asks for: {'; '.join(cut_off)}")
    if not collected.programs and not problems:
        problems.append("no program was executed: nothing of the chosen suites passes the filters")
    problems += collected.told_losses(waived.by_signature)
    if outcome.stopped_for and not any(map(fails, records)):
        problems.append(f"exploring was stopped for {outcome.stopped_for!r}, which does not fail in the end")
    if collected.throttled_out:
        reasons = ", ".join(reason for reason, _ in most_common(benches.throttled, 3))
        problems.append(
            f"throttled {benches.throttled.total()} times ({reasons}): {collected.throttled_out} programs could not be "
            "judged"
        )
    strict = assignment.strict_quirks and _is_complete(up, outcome)
    record = replace(
        recorder.store_record(
            subject,
            assignment.name,
            assignment.contract,
            assignment.statement,
            collected,
            every,
            records,
            waived,
            benches.oracle.quirks,
            strict,
            races.known(benches.oracle, found),
        ),
        uri=up.store.uri,
        seconds=round(outcome.seconds, 3),
        store_seconds=round(benches.store_nanoseconds / 1e9, 3),
        explorers=recorder.explorers(outcome.covered, outcome.cut_off),
        latencies=recorder.latencies(collected.latencies),
        versions=up.store.versions,
        problems=problems,
        sessions=benches.sessions,
        starting_seconds=round(up.seconds, 3),
        store_wall_seconds=round(benches.busy.nanoseconds / 1e9, 3),
        coverage=outcome.curve.ended(outcome.seconds, collected),
        limits=survey.limits,
        costs=survey.costs,
        survey_notes=survey.notes,
        slow_calls=[
            SlowCallsRecord(one.operation, one.calls, round(one.seconds, 1), _advice(up))
            for one in collected.slow.all()
        ],
        cut_off=cut_off,
        races=races.in_order(races.record(found.exploration, found.clients)) if found is not None else None,
        internal_errors=recorder.internal_errors(assignment.name, benches.internal.all(), command),
    )
    places = {one.name: (one.place, one.programs) for one in outcome.covered}
    return Judged(baseline.marked(record) if baseline else record, places, outcome.interrupted)


def _races(up: Up, found: Raced, waived: Waived) -> list[Divergence]:
    assignment = up.assignment
    told = assignment.name, up.benches.oracle.contract, found.proven, waived, assignment.reproducer, found.clients
    return races.divergences(RACES, *told)


def _unjudged(down: Down) -> Judged:
    assignment = down.assignment
    record = recorder.empty_record(assignment.name, assignment.contract.source, assignment.statement, [down.reason])
    record = replace(record, uri=down.uri, starting_seconds=round(down.seconds, 3))
    return Judged(record, {}, down.interrupted)


SURVEY_SHARE = 2 / 3
"""The part of the budget that goes into the search, where a suite asks for it: the rest is for judging."""


SURVEY_SECONDS = 60.0
"""The search's time for each store where there is no budget: it measures, and has no end of its own."""


def shares(budget: float | None, suites: Sequence[Suite]) -> tuple[float | None, float]:
    """Seconds for exploring, None for no cap, and seconds for the search."""
    searched = any(suite.limits for suite in suites)
    if budget is None:
        return None, SURVEY_SECONDS if searched else 0.0
    part = SURVEY_SHARE if searched else 0.0
    return budget * (1 - part), budget * part


def surveyed(up: Up, outcome: Outcome, hear: Listener) -> Survey:
    """What is found within the time that the store's assignment gives. An interrupt ends it and is told in ``outcome``.

    A store that is lost on the way is no failure of the run: it was judged before.
    """
    found = Survey()
    if up.assignment.survey <= 0 or outcome.interrupted:
        return found
    try:
        bench = up.benches.take()
        try:
            found.run(bench, up.assignment.survey, saying(hear, up.assignment.name))
        finally:
            up.benches.give_back(bench)
    except StoreLost as error:
        found.notes.append(str(error))
    except KeyboardInterrupt:
        interrupts.met()
        outcome.interrupted = True
        outcome.problems.append("interrupted while limits were searched for: those found until then are reported")
    return found
