"""Confirming: each signature is shrunk to its minimal program and replayed in fresh directories before it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from fsconform.engine.collect import Collected, Sample, absorbed
from fsconform.engine.findings import Finding, Verdict
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import minimise, plain_names, size_of
from fsconform.engine.probes import probed, without_probes
from fsconform.engine.protocol import StoreLost
from fsconform.engine.run import Benches
from fsconform.engine.trial import Bench, Trial, shown_alike
from fsconform.model.programs import Program
from fsconform.model.validity import INVALID_CASE, ODD_CASE

REPLAYS = 3
"""A finding is told as confirmed if all of so many replays in fresh directories show it."""

SIGNATURE_LIMIT = 200
"""Of a store with more signatures than this the less serious rest is reported as it was met, without minimising."""

LOG_LINES = 20

SYMPTOMS_SHOWN = 5

SERIOUSNESS: tuple[Verdict, ...] = (
    "violation",
    "declared-false",
    "undeclared",
    "deviation",
    "inconclusive",
    "declared",
)


@dataclass(frozen=True, slots=True)
class Proven:
    """A signature with its minimal program, the trial that shows it and how many of the replays did."""

    finding: Finding
    program: Program
    count: int
    shown: int
    replays: int
    trial: Trial | None
    logs: tuple[str, ...] = ()
    note: str = ""
    cause: str = ""
    """The signature that departs before this one once the same program is probed after each step: the same bug."""

    @property
    def confirmed(self) -> str:
        """As ``3/3``; empty if it was not replayed."""
        return f"{self.shown}/{self.replays}" if self.replays else ""


def prove_all(benches: Benches, collected: Collected, told: Callable[[str, int, int], None]) -> list[Proven]:
    """Minimise and confirm every signature, the most serious first. ``told`` hears of each: signature, number, of all.

    A store that is lost on the way leaves the rest as it was met, with a note that says so.
    """
    merged = _counted(collected.samples)
    order = sorted(merged.values(), key=lambda one: (SERIOUSNESS.index(one.finding.verdict), one.finding.signature))
    proven: list[Proven] = []
    lost = ""
    for number, sample in enumerate(order, 1):
        told(sample.finding.signature, number, len(order))
        if lost or number > SIGNATURE_LIMIT or sample.finding.verdict == "inconclusive":
            reason = lost or ("too many signatures to minimise all" if number > SIGNATURE_LIMIT else "")
            proven.append(_as_met(sample, reason))
            continue
        try:
            bench = benches.take()
            try:
                one = prove(benches, bench, sample)
            finally:
                benches.give_back(bench)
        except StoreLost as error:
            lost = f"not replayed: {error}"
            proven.append(_as_met(sample, lost))
            continue
        if one is not None:
            proven.append(one)
    return _once_each(proven)


def _counted(samples: dict[str, Sample]) -> dict[str, Sample]:
    into = absorbed(samples)
    counts = {name: sample.count for name, sample in samples.items() if name not in into}
    for name, wider in into.items():
        while wider in into:
            wider = into[wider]
        counts[wider] += samples[name].count
    return {name: Sample(samples[name].finding, samples[name].program, count) for name, count in counts.items()}


def _as_met(sample: Sample, note: str) -> Proven:
    return Proven(sample.finding, sample.program, sample.count, 0, 0, None, note=note)


def prove(benches: Benches, bench: Bench, sample: Sample) -> Proven | None:
    """Minimise and replay one signature; None if it shows only after another departure. Raises StoreLost."""
    like = sample.finding

    def shows(programs: Sequence[Program]) -> list[bool]:
        return [shown_alike(trial.judgement, like) is not None for trial in bench.try_all(programs)]

    def shows_at_all(programs: Sequence[Program]) -> list[bool]:
        trials = [bench.go_on(trial) for trial in bench.try_all(programs)]
        return [shown_alike(trial.judgement, like, alone=False) is not None for trial in trials]

    program = sample.program
    general = _without_names(like)
    if general is not None:
        plain = plain_names(program)
        (trial,) = bench.try_all([plain])
        if shown_alike(trial.judgement, general) is not None:
            like, program = general, plain
    if not sample.finding.first:
        program = minimise(benches.oracle, program, like, shows_at_all)
        if not shows([program])[0]:
            return None
    program = minimise(benches.oracle, program, like, shows)
    before = _log_sizes(benches.store.logs())
    trials = bench.try_all([program] * REPLAYS, stacks=True)
    found = [(trial, finding) for trial in trials if (finding := shown_alike(trial.judgement, like)) is not None]
    logs = _new_lines(before)
    if not found:
        return Proven(
            sample.finding,
            program,
            sample.count,
            0,
            REPLAYS,
            None,
            logs,
            "flaky: it was met while exploring, and no replay in a fresh directory showed it",
        )
    trial, finding = found[0]
    note = "" if len(found) == REPLAYS else "flaky: not every replay in a fresh directory showed it"
    cause = _cause(benches, bench, program, finding.signature) if finding.verdict in FAILING else ""
    return Proven(finding, program, sample.count, len(found), REPLAYS, trial, logs, note, cause)


def _without_names(finding: Finding) -> Finding | None:
    """The finding as it would be with plain names, if its names are odd; None if they are plain, or invalid."""
    if ODD_CASE.name not in finding.roles or INVALID_CASE.name in finding.roles:
        return None
    return replace(finding, roles=finding.roles - {ODD_CASE.name})


def _cause(benches: Benches, bench: Bench, program: Program, signature: str) -> str:
    """A later divergence counts only in a program without the earlier one: look whether one is here."""
    (trial,) = bench.try_all([probed(benches.oracle, without_probes(program), "each")])
    first = next((finding for finding in trial.judgement.findings if finding.verdict in FAILING), None)
    return first.signature if first is not None and first.signature != signature else ""


def _once_each(proven: list[Proven]) -> list[Proven]:
    """One bug is one signature: symptoms are counted with their cause, special places with the general one."""
    by_signature: dict[str, Proven] = {}
    for one in proven:
        other = by_signature.get(one.finding.signature)
        if other is None:
            by_signature[one.finding.signature] = one
        else:
            smaller = min(one, other, key=lambda each: (-each.shown, size_of(each.program)))
            by_signature[one.finding.signature] = replace(smaller, count=one.count + other.count)
    into = absorbed({name: Sample(one.finding, one.program, one.count) for name, one in by_signature.items()})
    for name, one in by_signature.items():
        cause = by_signature.get(one.cause)
        if cause is not None and size_of(cause.program) <= size_of(one.program):
            into[name] = one.cause
    symptoms: dict[str, list[str]] = {}
    for name in by_signature:
        root, passed = name, {name}
        while root in into and into[root] not in passed:
            root = into[root]
            passed.add(root)
        if root != name and root not in into:
            symptoms.setdefault(root, []).append(name)
    hidden = {name for names in symptoms.values() for name in names}
    return [
        _with_symptoms(one, symptoms.get(name, []), by_signature)
        for name, one in by_signature.items()
        if name not in hidden
    ]


def _with_symptoms(one: Proven, names: list[str], by_signature: dict[str, Proven]) -> Proven:
    if not names:
        return one
    shown = sorted(names)[:SYMPTOMS_SHOWN]
    if len(names) > SYMPTOMS_SHOWN:
        shown.append(f"and {len(names) - SYMPTOMS_SHOWN} more")
    note = f"{one.note} also shows as: {'; '.join(shown)}".strip()
    return replace(one, count=one.count + sum(by_signature[name].count for name in names), note=note)


def _log_sizes(logs: Iterable[str]) -> dict[str, int]:
    sizes = {}
    for name in logs:
        try:
            sizes[name] = FilePath(name).stat().st_size
        except OSError:
            sizes[name] = 0
    return sizes


def _new_lines(before: dict[str, int]) -> tuple[str, ...]:
    lines: list[str] = []
    for name, size in before.items():
        try:
            with FilePath(name).open("rb") as log:
                log.seek(size)
                text = log.read(1 << 16).decode("utf-8", "replace")
        except OSError:
            continue
        lines.extend(f"{FilePath(name).name}: {line}" for line in text.splitlines()[-LOG_LINES:])
    return tuple(lines[-LOG_LINES:])
