"""From what all items gave to the record of a store, as a run of ``fsconform run`` has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from fsconform.app.pytesting.messages import COUNTS, PieceResult, Proof, RacesFound
from fsconform.app.pytesting.stores import OpenStore
from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.collect import LATENCY_SAMPLES, Collected
from fsconform.engine.confirm import Proven, as_met, prove_all
from fsconform.engine.exploration import Covered
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.gate import Terms
from fsconform.engine.internal import InternalErrors
from fsconform.harness.races import in_order, together
from fsconform.harness.targets import Target
from fsconform.records.gate import by_severity
from fsconform.records.results import QuirkRecord, StoreRecord


@dataclass(slots=True)
class Merged:
    """All that the items of a store gave. ``times`` are when they began and ended, ``processes`` what ran them."""

    collected: Collected = field(default_factory=Collected)
    covered: dict[str, Covered] = field(default_factory=dict)
    proofs: dict[str, Proof] = field(default_factory=dict)
    problems: dict[str, None] = field(default_factory=dict)
    pieces: set[str] = field(default_factory=set)
    replayed: int = 0
    inconclusive: list[str] = field(default_factory=list)
    nanoseconds: int = 0
    times: list[tuple[float, float]] = field(default_factory=list)
    processes: set[str] = field(default_factory=set)
    internal: InternalErrors = field(default_factory=InternalErrors)
    cut_off: bool = False
    races: list[RacesFound] = field(default_factory=list)

    def add(self, result: PieceResult) -> None:
        """Add what one item gave."""
        merge(self.collected, result.collected)
        self.internal.merge(result.internal)
        self.proofs |= result.proofs
        self.problems |= dict.fromkeys(result.problems)
        self.nanoseconds += result.nanoseconds
        self.cut_off = self.cut_off or result.cut_off
        self.races += [result.races] if result.races is not None else []
        self.inconclusive += [result.inconclusive] if result.inconclusive else []
        if result.piece:
            self.pieces.add(result.piece)
        else:
            self.replayed += 1
        if result.covered is not None:
            self._cover(result.title, result.covered)

    def _cover(self, title: str, covered: Covered) -> None:
        whole = self.covered.get(title)
        if whole is None:
            self.covered[title] = replace(covered, name=title)
            return
        whole.programs += covered.programs
        whole.operations += covered.operations
        whole.seconds += covered.seconds
        whole.ended = whole.ended and covered.ended
        if whole.bound is not None and covered.bound is not None:
            whole.bound += covered.bound
        if whole.planned is not None and covered.planned is not None:
            whole.planned += covered.planned

    @property
    def seconds(self) -> float:
        """The time in which at least one item of the store was run."""
        total, until = 0.0, float("-inf")
        for begun, ended in sorted(self.times):
            total += max(0.0, ended - max(begun, until))
            until = max(until, ended)
        return total


def merge(into: Collected, other: Collected) -> None:
    """Add what was collected elsewhere."""
    for name in COUNTS:
        setattr(into, name, getattr(into, name) + getattr(other, name))
    into.clauses.update(other.clauses)
    into.used.update(other.used)
    into.losses.update(other.losses)
    into.lost_in |= other.lost_in
    for operation, times in other.latencies.items():
        kept = into.latencies[operation]
        kept += times[: LATENCY_SAMPLES - len(kept)]
    for name, sample in other.samples.items():
        if name in into.samples:
            into.samples[name].offer(sample.finding, sample.program, sample.met)
            into.samples[name].count += sample.count - 1
        else:
            into.samples[name] = sample


def prove(benches: Benches, merged: Merged, told: Callable[[str], None], seconds: float | None = None) -> list[Proven]:
    """Minimise and confirm what the items met, one signature a bug. What can't be replayed has the items' own proof.

    It takes at most so many ``seconds``; None for no cap.
    """
    if merged.collected.samples:
        told(f"minimising and confirming {len(merged.collected.samples)} signatures")
    proven: list[Proven] | None = None
    with benches.internal.noting("minimising"):
        proven = prove_all(benches, merged.collected, seconds=seconds)
    merged.internal.merge(benches.internal.drain())
    if proven is None:
        return unproven(merged, "not minimised: fsconform met an internal error")
    return _with_proofs(proven, merged)


def unproven(merged: Merged, note: str) -> list[Proven]:
    """What the items met as they met it."""
    samples = merged.collected.samples.values()
    return _with_proofs([as_met(one, note) for one in samples], merged)


def _with_proofs(proven: Iterable[Proven], merged: Merged) -> list[Proven]:
    found = []
    for one in proven:
        proof = merged.proofs.get(one.finding.signature)
        if proof is not None and not one.replays:
            one = replace(one, shown=proof.shown, replays=proof.replays)
        found.append(one)
    return found


def record(
    opened: OpenStore, merged: Merged, proven: list[Proven], complete: bool, effort_named: bool = False
) -> StoreRecord:
    """The record of a store that was judged. Unused waivers are a problem of a ``complete`` session only.

    What a budget cut off is a problem where the effort was asked for by name.
    """
    target, collected, subject = opened.target, merged.collected, Filesystem(opened.benches.oracle)
    cut_off = recorder.cut_off(merged.covered.values() if merged.cut_off else (), proven)
    cut_off += [left for one in merged.races for left in one.cut_off]
    if cut_off and effort_named:
        merged.problems[f"the budget cut off what the effort asks for: {'; '.join(cut_off)}"] = None
    complete = complete and not merged.problems and not cut_off
    waived = recorder.waived_of(subject, Terms(target.name, target.waivers), proven, complete)
    records = recorder.divergences(subject, target.name, proven, waived, opened.command, merged.internal)
    records = by_severity([*records, *(one for found in merged.races for one in found.divergences)])
    lost = collected.told_losses(waived.by_signature)
    if collected.throttled_out:
        lost.append(f"throttled: {collected.throttled_out} programs could not be judged")
    quirks, strict = opened.benches.oracle.quirks, opened.order.strict_quirks and complete
    return replace(
        recorder.store_record(
            subject,
            target.name,
            target.contract,
            target.statement,
            collected,
            proven,
            records,
            waived,
            quirks,
            strict,
            _known(merged.races),
        ),
        uri=opened.store.uri,
        seconds=round(merged.seconds, 3),
        store_seconds=round(merged.nanoseconds / 1e9, 3),
        explorers=recorder.explorers(merged.covered.values(), merged.cut_off),
        latencies=recorder.latencies(collected.latencies),
        versions=opened.store.versions,
        problems=[*merged.problems, *merged.inconclusive, *lost],
        sessions=len(merged.processes),
        starting_seconds=round(opened.starting_seconds, 3),
        # Of sessions in several processes it is not known when they were in a call at the same time.
        store_wall_seconds=round(merged.nanoseconds / 1e9, 3) if len(merged.processes) == 1 else 0.0,
        cut_off=cut_off,
        races=in_order(together([one.record for one in merged.races])) if merged.races else None,
        internal_errors=recorder.internal_errors(target.name, merged.internal.all(), opened.command),
    )


def _known(found: Iterable[RacesFound]) -> list[QuirkRecord]:
    """The known races of a store, each with how many programs of all suites needed it."""
    known: dict[str, QuirkRecord] = {}
    for one in (race for each in found for race in each.known):
        before = known.get(one.id)
        known[one.id] = one if before is None else replace(one, needed=one.needed + before.needed)
    return list(known.values())


def unreached(target: Target, merged: Merged, problem: str) -> StoreRecord:
    """The record of a store that could not be judged."""
    problems = dict.fromkeys([problem, *merged.problems])
    record = recorder.empty_record(target.name, target.contract.source, target.statement, problems)
    return replace(record, internal_errors=recorder.internal_errors(target.name, merged.internal.all(), ""))
