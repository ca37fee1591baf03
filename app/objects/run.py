"""Judging object stores: their programs within a budget, what departs shrunk and replayed, and the records."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fsconform.adapters.stores.site import Setup
from fsconform.app import interrupts, layers
from fsconform.app.console import Live
from fsconform.app.judging import Judged
from fsconform.app.objects.plan import ObjectPlan, Target
from fsconform.app.objects.stores import RECOVERABLE, Up
from fsconform.app.reproducers import replay_line
from fsconform.engine.effort import Effort, object_programs
from fsconform.engine.layers.findings import ORDER
from fsconform.engine.layers.record import Place, layer_record
from fsconform.engine.objects.confirm import Collected, Proven, attempt, folded, prove
from fsconform.engine.objects.describe import TELLING
from fsconform.engine.protocol import StoreLost
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects.operations import Program, decode
from fsconform.records.results import ClauseRecord, StoreRecord
from fsconform.specs.objects import object_clauses
from fsconform.suites.s3_objects import S3_OBJECTS, Group

LOSSES = 10
"""So many answers may be unknown before a store is given up."""

SUITE = S3_OBJECTS.name

EARLIER = "earlier findings"
"""The group of the programs of an earlier run's divergences."""

Programs = tuple[Program, ...]

INTERRUPTED = "interrupted: what was found is reported as it was met"


def clause_records() -> list[ClauseRecord]:
    """The rows of the clauses that objects are judged by."""
    return layers.clause_records(object_clauses())


def clause_text(clause: str) -> tuple[str, str, str]:
    """Level, statement and source of a clause."""
    return layers.text_of(object_clauses()[clause])


def judge(
    plan: ObjectPlan,
    live: Live,
    setup_of: Callable[[str], Setup],
    home: Path,
    effort: Effort | None,
    budget: float | None,
    seed: int,
    fault: str,
    places: Mapping[str, Mapping[str, tuple[int, int]]] | None = None,
    earlier: Mapping[str, Sequence[Program]] | None = None,
) -> list[Judged]:
    """Judge all stores of a plan, with an ``effort`` if one was asked for; ``budget`` caps each one's time in seconds.

    ``places`` and ``earlier`` are an earlier run's, by the stores' names: how far it came in each group, and the
    programs of its divergences, which are tried first.
    """
    places, earlier = places or {}, earlier or {}
    judged: list[Judged] = []
    for target in plan.targets:
        live.say(target.name, "starting")
        begun = time.monotonic()
        try:
            store = target.bring_up(setup_of(target.name))
        except RECOVERABLE as error:
            place = Place(target.name, "", target.statement, target.contract)
            record = layer_record(TELLING, place, Collected(), (), clause_text, (), "", [str(error)], complete=False)
            judged.append(Judged(record, {}))
            continue
        try:
            run = _Run(plan, target, store, live, effort, budget, seed, places.get(target.name, {}))
            record = run.judge(
                time.monotonic() - begun, _replay_command(home, target, fault), earlier.get(target.name, ())
            )
            judged.append(Judged(record, run.places, run.interrupted))
            if run.interrupted:
                break
        finally:
            live.say(target.name, "stopping")
            store.close()
    return judged


class _Run:
    """One object store."""

    def __init__(
        self,
        plan: ObjectPlan,
        target: Target,
        store: Up,
        live: Live,
        effort: Effort | None,
        budget: float | None,
        seed: int,
        places: Mapping[str, tuple[int, int]],
    ) -> None:
        self._plan, self._target, self._store, self._live = plan, target, store, live
        self._effort, self._budget, self._seed = effort, budget, seed
        self._cut_off: list[str] = []
        self._collected: Collected = Collected()
        self.interrupted = False
        self.places = dict(places)
        """How far each group came that is not run whole: the number of its next program, and how many were executed."""

    def judge(self, starting: float, reproducer: str, earlier: Sequence[Program]) -> StoreRecord:
        """Run the suite, after the programs of ``earlier`` divergences; shrink and replay what fails; the record."""
        proven: list[Proven] = []
        problems: list[str] = []
        try:
            for program in earlier:
                interrupts.meet()
                self._try(EARLIER, program)
            self._programs()
            proven = self._prove()
        except KeyboardInterrupt:
            interrupts.met()
            self.interrupted = True
            problems.append(INTERRUPTED)
            proven = [Proven(one.finding, one.tried, one.count) for one in self._collected.samples.values()]
        except StoreLost as error:
            problems.append(str(error))
            proven = [Proven(one.finding, one.tried, one.count) for one in self._collected.samples.values()]
        if not self._collected.programs and not problems:
            problems.append("no program was executed")
        place = Place(
            self._target.name,
            self._store.uri,
            self._target.statement,
            self._target.contract,
            self._store.versions,
            1,
            starting,
        )
        if self._cut_off and self._effort is not None:
            problems.append(f"the budget cut off what the effort asks for: {'; '.join(self._cut_off)}")
        complete = not self._plan.groups and not self._cut_off and not problems and not self._collected.lost
        waivers = self._target.waivers
        self._collected.skipped.clear()  # steps that named what the store did not tell of; the rest was judged
        record = layer_record(
            TELLING, place, self._collected, proven, clause_text, waivers, reproducer, problems, complete
        )
        left = self._store.session.left
        record = replace(record, cut_off=self._cut_off)
        return replace(record, survey_notes=[f"{times} places were left: {reason}" for reason, times in left.items()])

    def _programs(self) -> None:
        groups = [one for one in S3_OBJECTS.groups if not self._plan.groups or one.name in self._plan.groups]
        others = [one for one in groups if not one.whole]
        capped = time.monotonic() + self._budget if self._budget else None
        for group in groups:
            if group.whole:
                self._group(group, None, capped)
        if self._budget == 0:
            return
        programs = object_programs(self._effort or Effort())
        for number, group in enumerate(others):
            quota = programs * (number + 1) // len(others) - programs * number // len(others)
            self._group(group, quota, capped)

    def _group(self, group: Group, quota: int | None, deadline: float | None) -> None:
        """Run a group, or so many of its programs, from where an earlier run stopped, until the deadline."""
        before = 0 if quota is None else self.places.get(group.name, (0, 0))[0]
        ended, place = "complete", before
        self._collected.before[group.name] = before
        self._collected.by_group.setdefault(group.name, [0, 0, 0.0])
        try:
            for program in itertools.islice(group.programs(self._seed), before, None):
                if quota is not None and place >= quota:
                    ended = "as planned"
                    break
                if deadline is not None and time.monotonic() >= deadline:
                    ended = "stopped by the budget"
                    planned = f"{group.bound or 'its'} programs" if quota is None else f"{quota} programs"
                    self._cut_off.append(f"{group.name}: {place} of {planned} were run")
                    break
                interrupts.meet()
                if place % 16 == 0:
                    self._live.counted(self._target.name, group.name, place + 1, quota or group.bound or place + 1)
                self._try(group.name, program)
                place += 1
        finally:
            if quota is not None:
                self.places[group.name] = (place, place)
        self._collected.bounds[group.name] = (group.bound, ended)

    def _try(self, group: str, program: Program) -> None:
        begun = time.monotonic()
        tried = attempt(self._store.session, program, self._target.contract)
        if tried.seen and isinstance(tried.seen[-1], Unknown):
            self._collected.lost[tried.seen[-1].reason] += 1
            if self._collected.lost.total() >= LOSSES:
                raise StoreLost(f"{LOSSES} answers were unknown, and the store is given up: {tried.seen[-1].reason}")
        self._collected.take(group, tried, time.monotonic() - begun)

    def _prove(self) -> list[Proven]:
        proven: list[Proven] = []
        samples = sorted(
            folded(self._collected.samples).values(),
            key=lambda one: (ORDER.index(one.finding.verdict), one.finding.signature),
        )
        for number, one in enumerate(samples, 1):
            interrupts.meet()
            if not one.finding.failing:
                proven.append(Proven(one.finding, one.tried, one.count))
                continue
            self._live.proving(self._target.name, one.finding.signature, number, len(samples))
            proven.append(prove(self._store.session, one.finding, one.tried, one.count, self._target.contract))
        return proven


def decoded(rows: Iterable[Any]) -> Program:
    """A recorded program. Raises ValueError or KeyError."""
    return tuple(map(decode, rows))


def _replay_command(home: Path, target: Target, fault: str) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    words = [
        *(target.own.options() if target.own else ("--store", target.name)),
        *(("--fault", fault) if fault else ()),
    ]
    return replay_line(home, words)
