"""One store as one process of a session uses it: pieces are explored, what fails is proven and told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

from fsconform.adapters.stores.site import Say, Setup
from fsconform.app.pytesting.messages import Handed, PieceResult, Proof, RacesFound
from fsconform.app.pytesting.options import Order
from fsconform.app.pytesting.pieces import Piece, RacePiece
from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.collect import NAMED, Sample, absorbed
from fsconform.engine.confirm import Proven, as_met, prove
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.findings import Finding, signature
from fsconform.engine.gate import Terms
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.subject import RACES
from fsconform.engine.internal import sentence
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.protocol import SandboxRefused, Store, StoreLost
from fsconform.engine.replayed import of_trial, to_its_end
from fsconform.engine.subject import SERIOUSNESS
from fsconform.engine.trial import Bench
from fsconform.engine.waivers import NOTHING_KNOWN, Failing, Waived, reason_of
from fsconform.harness import races
from fsconform.harness.folder import save_reproducers
from fsconform.harness.presets import PRESETS, custom_connection
from fsconform.harness.races import Raced
from fsconform.harness.replaying import of_races
from fsconform.harness.reproducers import named, replay_command
from fsconform.harness.scrubbing import hidden
from fsconform.harness.sites import RECOVERABLE, connect, owned
from fsconform.harness.targets import Target, with_inherited
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.records.gate import fails
from fsconform.records.results import Divergence

DOUBTS_TOLD = 3

PROVEN_AT_MOST = 20
"""Signatures of one item that are minimised; of a store with more the rest is told as it was met."""


@dataclass(slots=True)
class Verdict:
    """What an item ends with: divergences that nothing excuses, or why nothing can be said; and what it gave."""

    result: PieceResult
    divergences: list[Divergence] = field(default_factory=list)
    inconclusive: str = ""


class OpenStore:
    """A store with its session; ``home`` is the folder of the run, ``shown`` the same as a person would write it.

    ``command`` is the line that replays a divergence, with ``{replay}`` for the file. ``order`` has the gate's options.
    """

    def __init__(self, target: Target, store: Store, home: Path, shown: str, command: str, order: Order) -> None:
        self.target, self.store, self.home, self.shown, self.command = target, store, home, shown, command
        self.order = order
        self.benches = Benches(store, target.contract, 1)
        self.terms = Terms(target.name, target.waivers)
        self.lost = ""
        self.starting_seconds = 0.0
        self._proven: dict[str, Proven | None] = {}
        self._written: set[str] = set()

    def open(self) -> None:
        """Open the session. Raises StoreLost or SandboxRefused."""
        self.benches.give_back(self.benches.take())
        if self.target.custom is not None and not self.order.count_inherited:
            self.benches.judge_by(with_inherited(self.target.contract, self.store))

    def close(self) -> None:
        """Close the session, and the store. May be called twice."""
        try:
            self.benches.close()
        finally:
            self.store.close()

    def judge(self, piece: Piece, seconds: float | None, interrupted: Callable[[PieceResult], None]) -> Verdict:
        """Explore a piece, for at most so many seconds: None for no cap, 0 for nothing but what is run whole.

        Where it is interrupted, ``interrupted`` is given what there is so far, and KeyboardInterrupt is raised. Raises
        SandboxRefused.
        """
        result = PieceResult(self.target.name, piece.key, piece.title)
        verdict = Verdict(result)
        if self.lost:
            result.problems.append(self.lost)
            verdict.inconclusive = self.lost
            return verdict
        before = self.benches.store_nanoseconds
        try:
            outcome = explore(self.benches, Plan((piece.explorer,), seconds))
            result.collected, result.covered = outcome.collected, next(iter(outcome.covered), None)
            result.cut_off = outcome.cut_off
            if outcome.interrupted:
                raise KeyboardInterrupt
            self._conclude(verdict, outcome)
        except KeyboardInterrupt:
            interrupted(result)
            raise
        finally:
            result.nanoseconds = self.benches.store_nanoseconds - before
            result.internal = self.benches.internal.drain()
        if result.internal and not verdict.inconclusive:
            verdict.inconclusive = sentence(result.internal[0])
        return verdict

    def judge_races(self, piece: RacePiece, interrupted: Callable[[PieceResult], None]) -> Verdict:
        """Try a suite of races, make small what no order explains, and confirm it in two rounds; as :meth:`judge`.

        Raises SandboxRefused.
        """
        result = PieceResult(self.target.name, piece.key, piece.title)
        verdict = Verdict(result)
        if self.lost:
            result.problems.append(self.lost)
            verdict.inconclusive = self.lost
        if self.lost or piece.plan is None:
            return verdict
        before = self.benches.store_nanoseconds
        stopped = False
        with self.benches.internal.noting("trying races"):
            found, stopped = races.tried(self.benches, self.store, piece.plan, lambda doing: None, result.problems)
            if found is not None:
                verdict.divergences = self._found_of(found, result)
        result.nanoseconds = self.benches.store_nanoseconds - before
        result.internal = self.benches.internal.drain()
        if result.internal:
            verdict.inconclusive = sentence(result.internal[0])
        if stopped:
            interrupted(result)
            raise KeyboardInterrupt
        if result.problems:
            self.lost = verdict.inconclusive = result.problems[0]
        return verdict

    def _found_of(self, found: Raced, result: PieceResult) -> list[Divergence]:
        """Keep what was found of races in a result; what of it fails, with its files in the folder of the run."""
        store, oracle, proven = self.target.name, self.benches.oracle, found.proven
        races.count(found.matrix, result.collected)
        waived = recorder.waived_of(RACES, self.terms, proven, complete=False)
        told = races.divergences(RACES, store, oracle.contract, proven, waived, self.command, found.clients)
        left = races.left_of(found.exploration)
        record = races.record(found.exploration, found.clients)
        result.races = RacesFound(record, told, races.known(oracle, found), left)
        marked = self.order.baseline.marked_of(store, told) if self.order.baseline else told
        failing = [named(one, store) for one in marked if one.verdict in FAILING and fails(one)]
        for one in failing:
            save_reproducers(self.home, store, hidden(one), self.target.contract.declared, oracle.quirks.names)
        return failing

    def replay(self, program: Program | Concurrent, wanted: str, contract: Contract) -> Verdict:
        """Execute a program once under a contract: the divergence with the wanted signature, or all that fail.

        A concurrent program is executed in two rounds. Raises StoreLost or SandboxRefused.
        """
        if isinstance(program, Concurrent):
            return self._replay_race(program, wanted, contract)
        oracle = Oracle(contract)
        mine, internal = self.benches.take(), self.benches.internal
        try:
            bench = Bench(mine.session, Judge(oracle), internal=internal)
            (trial,) = bench.try_all([program], stacks=True)
            trial = to_its_end(bench, trial, wanted, self.terms)
        finally:
            self.benches.give_back(mine)
        verdict = Verdict(PieceResult(self.target.name, internal=internal.drain()))
        verdict.result.inconclusive = verdict.inconclusive = trial.execution.lost
        if verdict.result.internal and not verdict.inconclusive:
            verdict.inconclusive = sentence(verdict.result.internal[0])
        replayed = of_trial(trial, wanted, self.terms)
        note = f"a waiver accepts it: {reason_of(replayed.waiver)}" if replayed.waiver is not None else ""
        shown = [replayed.wanted] if replayed.wanted is not None else replayed.others
        proven = [Proven(one, program, 1, 1, 1, trial, note=note) for one in shown]
        if not proven and replayed.unknown and not verdict.inconclusive:
            verdict.result.inconclusive = verdict.inconclusive = f"{wanted}: {replayed.unknown}"
        none = Waived({}, ())
        verdict.divergences = recorder.divergences(Filesystem(oracle), self.target.name, proven, none, "")
        return verdict

    def _replay_race(self, program: Concurrent, wanted: str, contract: Contract) -> Verdict:
        """As :meth:`replay`. Raises StoreLost or SandboxRefused."""
        verdict = Verdict(PieceResult(self.target.name))
        with self.benches.lent() as bench:
            clients = races.clients_are([bench.session])
        seen, unjudged = races.seen_again(self.store, contract, program)
        replayed = of_races(seen, wanted, unjudged, self.terms)
        names = [replayed.wanted] if replayed.wanted is not None else replayed.others
        signatures = [one.signature for one in names]
        shown = [one for one in seen if one.finding.signature in signatures]
        if replayed.waiver is not None:
            shown = [replace(one, note=f"a waiver accepts it: {reason_of(replayed.waiver)}") for one in shown]
        if not shown and replayed.unknown:
            verdict.result.inconclusive = verdict.inconclusive = f"{wanted}: {replayed.unknown}"
        none = Waived({}, ())
        verdict.divergences = races.divergences(RACES, self.target.name, contract, shown, none, "", clients)
        return verdict

    def _conclude(self, verdict: Verdict, outcome: Outcome) -> None:
        verdict.result.problems += outcome.problems
        met = [one.finding for one in outcome.collected.samples.values()]
        accepted = {one.signature for one in met if one.waivable and self._excused(one)}
        doubts = [f"lost: {why}" for why in outcome.collected.losses_beside(accepted)]
        if outcome.collected.throttled_out:
            doubts.append(f"throttled: {outcome.collected.throttled_out} programs could not be judged")
        doubts += [one.signature for one in met if one.verdict == "inconclusive" and one.signature not in accepted]
        found = self._prove(verdict.result)
        baseline = self.order.baseline
        marked = baseline.marked_of(self.target.name, found) if baseline else found
        verdict.divergences = [one for one in marked if one.verdict in FAILING and fails(one)]
        doubts += [f"{one.signature}: {one.note}" for one in found if one.verdict == "inconclusive"]
        if outcome.problems:
            self.lost = outcome.problems[0]
            doubts = [self.lost]
        verdict.inconclusive = "; ".join(doubts[:DOUBTS_TOLD])

    def _prove(self, result: PieceResult) -> list[Divergence]:
        """The failing signatures of a piece that no waiver excuses, minimised and replayed: the most serious first."""
        samples = result.collected.samples
        special = absorbed(samples)
        failing = [one for name, one in samples.items() if one.finding.verdict in FAILING and name not in special]
        failing.sort(key=lambda one: (SERIOUSNESS.index(one.finding.verdict), one.finding.signature))
        found: dict[str, Proven] = {}
        fresh = 0
        for sample in failing:
            name = sample.finding.signature
            if self._excused(sample.finding):
                continue
            if name not in self._proven:
                fresh += 1
                self._proven[name] = self._prove_one(sample, fresh)
            proven = self._proven[name]
            if proven is None:  # it shows only after another departure
                del samples[name]
                continue
            self._keep(result, name, proven)
            if not self._excused(proven.finding, proven.failing):
                found.setdefault(proven.finding.signature, proven)
        # Of a bug and its symptom the symptom is not told beside it; two may each be taken for the other's.
        causes = [one for one in found.values() if one.cause not in found]
        return [self._divergence(one) for one in causes or found.values()]

    def _prove_one(self, sample: Sample, number: int) -> Proven | None:
        note = "too many signatures to minimise all" if number > PROVEN_AT_MOST else self.lost
        if not note:
            try:
                bench = self.benches.take()
                try:
                    return prove(self.benches, bench, sample)
                finally:
                    self.benches.give_back(bench)
            except StoreLost as error:
                note = self.lost = f"not replayed: {error}"
            except SandboxRefused:
                raise
            except Exception as error:  # our own: it costs this signature's proof, and nothing else
                self.benches.internal.add("minimising", error, sample.program)
                note = "not minimised: fsconform met an internal error"
        return as_met(sample, note)

    def _keep(self, result: PieceResult, met: str, proven: Proven) -> None:
        """Put the smaller program in the place of the one that was met: whoever proves it again has less to do."""
        if not proven.shown:
            return
        samples, name = result.collected.samples, proven.finding.signature
        count = samples.pop(met).count
        count += samples[name].count if name in samples else 0
        samples[name] = Sample(proven.finding, proven.program, count)
        result.proofs[name] = Proof(proven.shown, proven.replays)

    def _excused(self, finding: Finding, failing: Failing = NOTHING_KNOWN) -> bool:
        """Whether a waiver accepts the finding, its cause, or the more general violation of which it is a case.

        ``failing`` is of its smallest program, once that is known.
        """
        signatures = (finding.signature, *(_wider(finding) if finding.verdict == "violation" else ()))
        told = dict.fromkeys(signatures, failing)
        return bool(self.terms.applied(told, complete=False).by_signature)

    def _divergence(self, proven: Proven) -> Divergence:
        """The record of what was proven, with its files in the folder of the run."""
        none = Waived({}, ())
        oracle, store = self.benches.oracle, self.target.name
        internal = self.benches.internal
        (record,) = recorder.divergences(Filesystem(oracle), store, [proven], none, self.command, internal)
        if record.signature not in self._written:
            self._written.add(record.signature)
            save_reproducers(self.home, store, hidden(record), self.target.contract.declared, oracle.quirks.names)
        return named(record, store)


def _wider(finding: Finding) -> Iterator[str]:
    """The signatures of which the violation is a special case; engine.collect.absorbed says what that is."""
    special = sorted(finding.roles - NAMED)
    for number in range(1, len(special) + 1):
        for left_out in combinations(special, number):
            roles = finding.roles.difference(left_out)
            yield signature(finding.operation, roles, finding.observed_kind, finding.after)


class Unreachable(Exception):
    """A store that can't be judged in this session; the text says why."""


class OpenStores:
    """The stores of an order by name. ``shown`` is the folder of the run as a person would write it."""

    def __init__(self, order: Order, home: Path, shown: str) -> None:
        self.order, self.home, self.shown = order, home, shown
        self.handed: dict[str, Handed] = {}
        self._opened: dict[str, OpenStore] = {}

    def bring_up(self, target: Target, say: Say) -> None:
        """Start what a store needs and open a session, or note why that can't be done. Raises SandboxRefused."""
        setup = self.order.setup(self.home, say)
        started = time.monotonic()
        try:
            if target.custom is not None:
                site = custom_connection(target.name, target.custom)
            else:
                preset = PRESETS[target.name]
                site = preset.bring_up(preset, setup)
            self.handed[target.name] = Handed(site.connection)
            opened = self._keep_open(target, owned(site, setup))
            opened.open()
            opened.starting_seconds = time.monotonic() - started
        except RECOVERABLE as error:
            self.handed[target.name] = Handed(None, str(error))

    def connect(self, target: Target, handed: Handed) -> None:
        """Connect to a store that the controller brought up, or note why that can't be done."""
        self.handed[target.name] = handed
        if handed.connection is None:
            return
        setup: Setup = self.order.setup(self.home, lambda text: None)
        try:
            self._keep_open(target, connect(handed.connection, setup))
        except RECOVERABLE as error:
            self.handed[target.name] = Handed(None, str(error))

    def _keep_open(self, target: Target, store: Store) -> OpenStore:
        command = replay_command(
            Path(self.shown), target.name, target.custom, self.order.fault, self.order.root, self.order.profile
        )
        opened = self._opened[target.name] = OpenStore(target, store, self.home, self.shown, command, self.order)
        return opened

    def opened(self, name: str) -> OpenStore:
        """A store that is open. Raises Unreachable."""
        handed = self.handed.get(name)
        if handed is None or handed.problem or name not in self._opened:
            raise Unreachable(handed.problem if handed is not None else "the store was not started")
        return self._opened[name]

    def close(self) -> None:
        """Close all sessions and take everything down. May be called twice."""
        while self._opened:
            self._opened.popitem()[1].close()
