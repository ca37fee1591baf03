"""Confirming: each signature is shrunk to its minimal program and replayed in fresh directories before it is told."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TypeVar

from fsconform.engine import subject
from fsconform.engine.benches import Benches
from fsconform.engine.claims import Claim, Shown, claims, in_words
from fsconform.engine.collect import Collected, Sample, absorbed
from fsconform.engine.events import Confirming, Listener, unheard
from fsconform.engine.fields import wrong_facts
from fsconform.engine.findings import Finding
from fsconform.engine.impact import OTHERS, TIMING
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import Shows, minimise, plain_names, size_of
from fsconform.engine.probes import probed, without_probes
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.engine.subject import REPLAYS, SERIOUSNESS, Verdict
from fsconform.engine.trial import Bench, Trial, shown_alike
from fsconform.engine.waivers import Failing, traits_of
from fsconform.model.core.content import Content, Observed
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Unknown
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, Dir, File, State, walk
from fsconform.model.filesystem.validity import INVALID_CASE, ODD_CASE
from fsconform.records.gate import impact_rank
from fsconform.records.results import DATA_IMPACTS

SIGNATURE_LIMIT = 200
"""Of a store with more signatures than this the less serious rest is reported as it was met, without minimising."""

HANGS = 8
"""Minimising of a signature ends once so many of its candidates have hung: each takes as long as a call may take."""

CUT_SHORT = "not minimised to the end: the budget was used up"
NOT_REPLAYED = "not minimised and not replayed: the budget was used up"
"""Notes of what :func:`prove_all` had no more time for."""

MOST_BUILT = 64
"""A state of more files and directories is not built again to look for a cause."""

LOG_LINES = 20

SYMPTOMS_SHOWN = 5

AS_MET: tuple[Verdict, ...] = ("inconclusive", "waived")
"""What is reported as it was met: a quirk was proved when it was written down, and has a program of its own."""


@dataclass(frozen=True, slots=True)
class Proven(subject.Proven[Finding]):
    """A signature with its minimal program, the trial that shows it and how many of the replays did."""

    trial: Trial | None = None
    cause: str = ""
    """The signature that departs before this one once more is looked at after each step: the same bug."""
    claim: Claim | None = None
    """The capability that is claimed and not lived up to, of which this is a symptom."""
    met_in: Trial | None = None
    """Where no replay showed it: the trial that did while exploring."""

    @property
    def failing(self) -> Failing:
        """What waivers are held against."""
        events = self.trial.execution.trace.events if self.trial is not None else ()
        return Failing(traits_of(self.program, events, self.finding.clause), self.cause)


class _GivenUp(Exception):
    """Minimising was stopped from outside."""


@dataclass(frozen=True, slots=True)
class _Shrunk:
    """A signature as it was met, with its minimal program and the finding that replays are compared with."""

    sample: Sample
    like: Finding
    program: Program
    cut_short: bool = False


class _Time:
    """How long proving may take: candidates are tried in the first half of ``seconds``, replays are made in all."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._begun = seconds, time.monotonic()

    def short(self) -> bool:
        """Whether nothing more is to be tried."""
        return self._seconds is not None and time.monotonic() - self._begun >= self._seconds / 2

    def up(self) -> bool:
        """Whether nothing more is to be replayed."""
        return self._seconds is not None and time.monotonic() - self._begun >= self._seconds

    def goes_on(self) -> None:
        """Raise _GivenUp once the time is up."""
        if self.up():
            raise _GivenUp


def prove_all(
    benches: Benches, collected: Collected, hear: Listener = unheard, seconds: float | None = None
) -> list[Proven]:
    """Minimise and confirm every signature, the most serious first. ``hear`` hears of each as it is being done.

    All sessions work at the same time; but where the store writes logs one replays alone, so that their lines belong to
    the replay. A store that is lost on the way leaves the rest as it was met, with a note that says so; and so does a
    cap in ``seconds``: half of it is for minimising, what is left for replays.
    """
    limit = _Time(seconds)
    merged = _counted(collected.samples)
    order = sorted(merged.values(), key=lambda one: (SERIOUSNESS.index(one.finding.verdict), one.finding.signature))
    fit = {one.finding.signature: one for one in order[:SIGNATURE_LIMIT] if one.finding.verdict not in AS_MET}

    def telling(phase: str, signatures: Mapping[str, object]) -> Callable[[str], None]:
        numbers = itertools.count(1)
        return lambda signature: hear(Confirming(benches.store.name, signature, next(numbers), len(signatures), phase))

    shrunk, lost = _each(
        benches,
        benches.shards,
        fit,
        lambda bench, sample, stop: _shrink(benches, bench, sample, stop, limit),
        "minimising",
        lambda sample: sample.program,
        telling("minimising", fit),
    )
    smallest = {signature: one for signature, one in shrunk.items() if one is not None}
    replayed, lost_then = _each(
        benches,
        1 if benches.store.logs() else benches.shards,
        smallest,
        lambda bench, one, _: _replayed(benches, bench, one, limit),
        "confirming",
        lambda one: one.program,
        telling("confirming", smallest),
    )
    lost = lost or lost_then
    caused, lost_then = _each(
        benches,
        benches.shards,
        replayed,
        lambda bench, one, _: one if limit.up() else _with_cause(benches, bench, one),
        "looking for the cause",
        lambda one: one.program,
        telling("looking for causes", replayed),
    )
    lost = lost or lost_then or (NOT_REPLAYED if limit.short() else "")
    proven: list[Proven] = []
    for number, sample in enumerate(order, 1):
        signature = sample.finding.signature
        if signature in replayed:
            proven.append(caused.get(signature, replayed[signature]))
        elif signature not in shrunk or shrunk[signature] is not None:
            proven.append(as_met(sample, _why_not(sample, number, lost)))
    return _with_claims(benches, _once_each(proven))


def _with_claims(benches: Benches, proven: list[Proven]) -> list[Proven]:
    """Each with the capability of which it is a symptom, if it is of one."""
    shown = [Shown(one.finding, one.program, one.trial) for one in proven if one.trial is not None]
    found: dict[str, Claim] = {}
    with suppress(StoreLost), benches.internal.noting("looking for claims"), benches.lent() as bench:
        found = claims(bench, benches.oracle.contract, shown)
    return [replace(one, claim=found.get(one.finding.signature)) for one in proven]


def one_a_claim(proven: Iterable[Proven]) -> list[Proven]:
    """One for each capability that is not lived up to, its symptoms counted and named; what is of none as it is."""
    found = list(proven)
    for option in dict.fromkeys(one.claim.option for one in found if one.claim is not None):
        own = [one for one in found if one.claim is not None and one.claim.option == option]
        own.sort(key=_plainness)
        if len(own) > 1:
            head = _of_claim(own)
            found = [head if one is own[0] else one for one in found if one not in own[1:]]
    return found


def _plainness(one: Proven) -> tuple[object, ...]:
    """What comes first is told for all: what fails most seriously, then what fewest calls show."""
    return (SERIOUSNESS.index(one.finding.verdict), size_of(one.program), one.finding.signature)


def _of_claim(symptoms: list[Proven]) -> Proven:
    names = {one.finding.signature: one for one in symptoms}
    head = _with_symptoms(symptoms[0], list(names)[1:], names)
    words = in_words([one.claim for one in symptoms if one.claim is not None])
    return replace(head, note=f"{words}; {head.note}")


def _why_not(sample: Sample, number: int, lost: str) -> str:
    """Why a signature is not minimised and replayed."""
    if sample.finding.verdict in AS_MET:
        return ""
    if lost:
        return lost
    if number > SIGNATURE_LIMIT:
        return "too many signatures to minimise all"
    return "not minimised: fsconform met an internal error"


Item = TypeVar("Item")
Result = TypeVar("Result")


def _each(
    benches: Benches,
    sessions: int,
    items: Mapping[str, Item],
    work: Callable[[Bench, Item, threading.Event], Result],
    doing: str,
    programs: Callable[[Item], Program],
    told: Callable[[str], None] = lambda signature: None,
) -> tuple[dict[str, Result], str]:
    """What ``work`` gives for each signature, by so many sessions at a time; and why some are missing."""
    stop = threading.Event()
    results: dict[str, Result] = {}
    lost = ""

    def at_a_bench(item: Item) -> Result:
        if stop.is_set():
            raise _GivenUp
        with benches.lent() as bench:
            return work(bench, item, stop)

    with ThreadPoolExecutor(sessions, thread_name_prefix="proving") as pool:
        try:
            waiting = {pool.submit(at_a_bench, item): signature for signature, item in items.items()}
            for future in as_completed(waiting):
                signature = waiting[future]
                told(signature)
                try:
                    results[signature] = future.result()
                except StoreLost as error:
                    lost = lost or f"not replayed: {error}"
                    stop.set()
                except _GivenUp:
                    pass
                except SandboxRefused:
                    raise
                except Exception as error:  # our own: it costs this signature's proof, and nothing else
                    benches.internal.add(doing, error, programs(items[signature]))
        except BaseException:
            stop.set()
            raise
    return results, lost


def _counted(samples: dict[str, Sample]) -> dict[str, Sample]:
    into = absorbed(samples)
    counts = {name: sample.count for name, sample in samples.items() if name not in into}
    for name, wider in into.items():
        while wider in into:
            wider = into[wider]
        counts[wider] += samples[name].count
    return {name: replace(samples[name], count=count) for name, count in counts.items()}


NOT_PROVEN = "not minimised and not replayed"


def as_met(sample: Sample, note: str) -> Proven:
    """A signature as it was met, neither minimised nor replayed, for the reason in ``note``."""
    return Proven(sample.finding, sample.program, sample.count, note=note, met_in=sample.trial)


def prove(benches: Benches, bench: Bench, sample: Sample) -> Proven | None:
    """Minimise and replay one signature; None if it shows only after another departure. Raises StoreLost."""
    unlimited = _Time(None)
    shrunk = _shrink(benches, bench, sample, threading.Event(), unlimited)
    return _with_cause(benches, bench, _replayed(benches, bench, shrunk, unlimited)) if shrunk is not None else None


def _shrink(benches: Benches, bench: Bench, sample: Sample, stop: threading.Event, limit: _Time) -> _Shrunk | None:
    like = sample.finding
    allowed: frozenset[str] | None = None
    hung, cut_short = 0, False
    limit.goes_on()

    def tried(programs: Sequence[Program], show: Callable[[Trial], bool]) -> list[bool]:
        """Which candidates show it; those behind one that hung too much are not tried, and do not."""
        nonlocal hung
        if stop.is_set():
            raise _GivenUp
        trials = []
        with closing(bench.tries(programs)) as tries:
            for trial in tries:
                trials.append(trial)
                hung += _hung(trial)
                if hung >= HANGS:
                    break
        return [*map(show, trials), *[False] * (len(programs) - len(trials))]

    def shows_it(trial: Trial, alone: bool) -> bool:
        """True if it is there and meets no failed precondition beside those that the first trial met."""
        nonlocal allowed
        found = shown_alike(trial.judgement, like, alone)
        if found is not None and not keeps_impact(found, like):
            # Without a look nobody can tell what became of the data.
            trial = bench.go_on(trial)
            found = shown_alike(trial.judgement, like, alone)
        if found is None or not keeps_impact(found, like):
            return False
        cases = trial.cases(benches.oracle, found)
        allowed = cases if allowed is None else allowed
        return cases <= allowed

    def shows(programs: Sequence[Program]) -> list[bool]:
        return tried(programs, lambda trial: shows_it(trial, True))

    def shows_at_all(programs: Sequence[Program]) -> list[bool]:
        return tried(programs, lambda trial: shows_it(bench.go_on(trial), False))

    def minimal(program: Program, shows: Shows) -> Program:
        def spared(programs: Sequence[Program]) -> list[bool]:
            nonlocal cut_short
            cut_short = cut_short or limit.short()
            return shows(programs) if hung < HANGS and not cut_short else [False] * len(programs)

        return minimise(benches.oracle, program, like, spared)

    program = sample.program
    general = _without_names(like)
    if general is not None:
        # An odd name that plays no part does not belong in the signature.
        plain = plain_names(program)
        (trial,) = bench.try_all([plain])
        if shown_alike(trial.judgement, general) is not None:
            like, program = general, plain
    if not sample.finding.first:
        program = minimal(program, shows_at_all)
        if not shows([program])[0]:
            if cut_short:
                raise _GivenUp
            return None
    program = minimal(program, shows)
    return _Shrunk(sample, like, program, cut_short)


def _hung(trial: Trial) -> bool:
    outcomes = [event.outcome for event in trial.execution.trace.events[-1:]]
    return any(type(outcome) is Unknown and outcome.hung for outcome in outcomes)


def _replayed(benches: Benches, bench: Bench, shrunk: _Shrunk, limit: _Time) -> Proven:
    limit.goes_on()
    sample, program = shrunk.sample, shrunk.program
    before = _log_sizes(benches.store.logs())
    trials = [_looked(bench, trial, shrunk.like) for trial in bench.try_all([program] * REPLAYS, stacks=True)]
    found = [
        (trial, finding)
        for trial in trials
        if (finding := shown_alike(trial.judgement, shrunk.like)) is not None and keeps_impact(finding, shrunk.like)
    ]
    logs = _new_lines(before)
    if not found:
        note = "flaky: it was met while exploring, and no replay in a fresh directory showed it"
        return Proven(sample.finding, program, sample.count, 0, REPLAYS, logs=logs, note=note, met_in=sample.trial)
    trial, finding = found[0]
    note = CUT_SHORT if shrunk.cut_short else ""
    if len(found) < REPLAYS:
        note = "flaky: not every replay in a fresh directory showed it"
    return Proven(finding, program, sample.count, len(found), REPLAYS, trial, logs=logs, note=note)


def keeps_impact(found: Finding, like: Finding) -> bool:
    """Whether a finding harms data as another does: that an empty file is gone is not the loss of bytes."""
    return like.impact not in DATA_IMPACTS or found.impact == like.impact


def _looked(bench: Bench, trial: Trial, like: Finding) -> Trial:
    """The trial, with a look at the store where only that shows what became of the data."""
    found = shown_alike(trial.judgement, like)
    return trial if found is None or keeps_impact(found, like) else bench.go_on(trial)


def _with_cause(benches: Benches, bench: Bench, one: Proven) -> Proven:
    if one.trial is None or one.finding.verdict not in FAILING:
        return one
    return replace(one, cause=_cause(benches, bench, one))


def _without_names(finding: Finding) -> Finding | None:
    """The finding as it would be with plain names, if its names are odd; None if they are plain, or invalid."""
    if ODD_CASE.name not in finding.roles or INVALID_CASE.name in finding.roles:
        return None
    return replace(finding, roles=finding.roles - {ODD_CASE.name})


def _cause(benches: Benches, bench: Bench, one: Proven) -> str:
    """The earlier divergence by which one is explained; empty if there is none.

    A later divergence counts only in a program without the earlier one: look whether one is here. All there is is
    looked at after each beginning of the program; within it only what a step touches; and after its last call files
    are read first. One that is found explains the later one only if nothing fails any more once judging goes on
    from what the store shows after it: two bugs may meet in one program. And it harms no less than what it explains.
    """
    program, of, oracle = one.program, one.finding, benches.oracle
    own = without_probes(program)
    if not own:
        return ""
    places = [number for number, step in enumerate(program) if not step.probe]
    looked = [(probed(oracle, own[:length], "end"), program[places[length] :]) for length in range(1, len(own))]
    shown = program[places[-1] + 1 :]
    ways = [*looked, (probed(oracle, own, "each"), shown), (_losses_first(probed(oracle, own, "end")), shown)]
    for (beginning, _), trial in zip(ways, bench.try_all([(*early, *late) for early, late in ways]), strict=True):
        first = _first_failing(trial)
        if first is not None and first.noticed < len(beginning) and _may_explain(first, of):
            judged = bench.go_on(trial).judgement
            later = [found for found in judged.findings if found.verdict in FAILING][1:]
            if not later and len(judged.states) > len(trial.program):
                return first.signature
    return _left_by_refusal(bench, [(*early, *late) for early, late in looked], of) or _shown_anyway(bench, oracle, one)


def _first_failing(trial: Trial) -> Finding | None:
    return next((found for found in trial.judgement.findings if found.verdict in FAILING), None)


def _may_explain(cause: Finding, of: Finding) -> bool:
    """Whether a finding is another one than that which it is to explain, and harms no less."""
    return cause.signature != of.signature and not _is_same(cause, of) and _harms_no_less(cause, of)


def _harms_no_less(cause: Finding, of: Finding) -> bool:
    """Whether a finding is as bad for who uses the store as another: a bug is never told as one of lesser impact.

    What nobody wrote there and what is visible for too long are one thing, by whether the path stood there before. That
    a refused call left something breaks no clause by itself: it may explain all but harm to data.
    """
    if cause.precondition and cause.verdict == "deviation" and of.impact not in DATA_IMPACTS:
        return True
    one, other = (OTHERS if found.impact == TIMING else found.impact for found in (cause, of))
    return impact_rank(one) <= impact_rank(other)


def _losses_first(program: Program) -> Program:
    """A program whose probes at the end begin with those that read."""
    calls = without_probes(program)
    probes = [step for step in program if step.probe]
    return (*calls, *sorted(probes, key=lambda step: not isinstance(step.operation, Open)))


def _shown_anyway(bench: Bench, oracle: Oracle, one: Proven) -> str:
    """The divergence of a store that answers wrongly wherever it is asked; empty if the calls before play a part.

    The state that was due before the departing step is built by nothing but mkdirs and create. Where the store gives
    that step the same wrong answer then, and shows the same all over afterwards, the calls that came before left
    what they should: what departs first there is the cause.
    """
    step = one.finding.noticed
    states = one.trial.judgement.states if one.trial is not None else []
    if one.finding.step != step or step >= len(states):
        return ""
    departing, asked = one.program[step], one.finding
    if any(other.client for other in one.program[: step + 1]):
        return ""
    for built in _built(oracle, states[step]):
        looks = tuple(
            other for other in probed(oracle, (*built, replace(departing, probe=False)), "end") if other.probe
        )
        ours, theirs = bench.try_all([(*one.program[:step], departing, *looks), (*built, departing, *looks)])
        first = _first_failing(theirs)
        if first is None or first.noticed != len(built) or not _may_explain(first, asked):
            continue
        if (first.operation, first.observed_kind) != (asked.operation, asked.observed_kind):
            continue
        shown, anyway = _answers(oracle, ours, step), _answers(oracle, theirs, len(built))
        if len(shown) == 1 + len(looks) and shown == anyway:
            return first.signature
    return ""


def _built(oracle: Oracle, state: State) -> list[Program]:
    """The calls that make the directories and files of a state, without attributes: the fewest, and one for each.

    Both are left out where such calls do not lead there.
    """
    nodes = list(itertools.islice(walk(state), 1, MOST_BUILT + 2))
    if len(nodes) > MOST_BUILT:
        return []
    calls: list[Step] = []
    fewest: list[Step] = []
    for path, node in nodes:
        if isinstance(node, File):
            if any(isinstance(part, Observed) for part in node.content):
                return []
            calls.append(Step(Create(path, node.content, overwrite=False)))
        elif isinstance(node, Dir):
            calls.append(Step(Mkdirs(path)))
        else:
            return []
        fewest += [] if isinstance(node, Dir) and node.children else calls[-1:]
    wanted = _plain(state)
    return [tuple(made) for made in (fewest, calls) if _plain(_led_to(oracle, made)) == wanted]


def _led_to(oracle: Oracle, calls: Iterable[Step]) -> State | None:
    state: State | None = EMPTY
    for step in calls:
        state = oracle.predicted(state, step.operation) if state is not None else None
    return state


def _plain(state: State | None) -> dict[Path, Content | None] | None:
    """The paths of a state, with the bytes of files; None where the state is not known."""
    if state is None:
        return None
    return {path: node.content if isinstance(node, File) else None for path, node in walk(state)}


def _answers(oracle: Oracle, trial: Trial, start: int) -> list[object]:
    """What the steps from one on gave, listings in any order; of the first, whose state is known, what is wrong."""
    outcomes: list[Outcome] = [event.outcome for event in trial.execution.trace.events[start:]]
    found = [_comparable(one) for one in outcomes]
    states = trial.judgement.states
    if found and start < len(states):
        wrong = wrong_facts(oracle, states[start], trial.program[start].operation, outcomes[0])
        if wrong.facts:
            found[0] = wrong.observed()
    return found


def _comparable(outcome: Outcome) -> object:
    if isinstance(outcome, Raised):
        return outcome.classes
    if isinstance(outcome, Returned) and isinstance(outcome.value, tuple):
        return sorted(outcome.value, key=repr)
    return outcome


def _left_by_refusal(bench: Bench, programs: Sequence[Program], of: Finding) -> str:
    """The refused call that left something, where all that follows is right by what it left; empty if there is none.

    That a refused call changed something may break no clause that binds. Nobody looked at the time, and so a later
    answer seems to break one; judged from what the store shows after the refusal it does not. ``programs`` look at all
    there is after one of their steps.
    """
    for trial in bench.try_all(programs):
        judged = bench.go_on(trial).judgement
        left = [one for one in judged.findings if one.precondition and one.verdict == "deviation"]
        refusals = [one for one in left if _harms_no_less(one, of)]
        to_the_end = len(judged.states) > len(trial.program)
        if refusals and to_the_end and not any(one.verdict in FAILING for one in judged.findings):
            return refusals[0].signature
    return ""


def _is_same(one: Finding, other: Finding) -> bool:
    """Whether two findings differ in no more than what a look showed of the data."""
    core = (one.operation, one.roles, one.observed_kind, one.after)
    return core == (other.operation, other.roles, other.observed_kind, other.after)


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
        if cause is None or not _harms_no_less(cause.finding, one.finding):
            continue
        if size_of(cause.program) <= size_of(one.program):
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
