"""Watching a store: its witnesses and suites are run, and what they say of the options is put together."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconform.app.options import pace_of
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, one_a_claim, prove_all
from fsconform.engine.effort import NOTHING, Effort, Pace
from fsconform.engine.events import Doing, Listener, saying
from fsconform.engine.exploration import GO_ON_LIMIT, Plan, explore
from fsconform.engine.explorers import Explorer, both_modes, from_list
from fsconform.engine.findings import Finding
from fsconform.engine.gate import Terms
from fsconform.engine.grammar import Suite
from fsconform.engine.infer import Evidence, Inference, infer, judged, permitting
from fsconform.engine.internal import sentence
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.observe import Gathered, Watcher, observe
from fsconform.engine.probes import probed, without_probes
from fsconform.engine.protocol import Execution, Store, StoreLost
from fsconform.engine.trial import Trial
from fsconform.engine.waivers import Failing, traits_of
from fsconform.harness import interrupts, plans, promises
from fsconform.harness.problems import Inconclusive
from fsconform.harness.targets import NO_CONTRACT, Target
from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace
from fsconform.specs.generated import PAGES
from fsconform.specs.witness import Witness, witnesses
from fsconform.suites.registry import SUITES

CONFIRMING_ROUNDS = 20
"""Evidence that does not hold gives way to other evidence at most so often."""

Build = Callable[[], Store]


@dataclass(frozen=True, slots=True)
class Inexpressible:
    """A departure that no contract allows, with its smallest program, and why it is waived if it is."""

    finding: Finding
    program: Program
    times: int
    waived: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Inferred:
    """What watching a store gave."""

    store: str
    declared: Contract
    inference: Inference
    inexpressible: tuple[Inexpressible, ...]
    problems: tuple[str, ...]
    programs: int
    operations: int
    interrupted: bool = False

    @property
    def contract(self) -> Contract:
        """The inferred contract: what is undecided, or not judged, stays as it is declared."""
        return Contract(_merged(self.declared, self.inference), f"inferred from {self.store}")

    @property
    def explained(self) -> bool:
        """True if the inferred contract, with the waivers, allows everything that was seen."""
        return not self.inference.conflicts and all(one.waived for one in self.inexpressible)


QUICK = Effort("quick")
"""What is tried beside witnesses and single calls where nothing else is asked for: witnesses decide nearly all."""


@dataclass(frozen=True, slots=True)
class Watching:
    """What a store is tried with. ``whole`` adds the witnesses that no suite has; ``budget`` is a cap in seconds.

    With ``races`` several clients at once say which promises of atomicity it keeps. With ``brief`` it is witnesses and
    single calls, whatever the effort, and violations are left to a run that follows.
    """

    suites: tuple[Suite, ...]
    budget: float | None
    seed: int = 0
    whole: bool = True
    effort: Effort = QUICK
    races: bool = False
    brief: bool = False

    @property
    def races_of(self) -> Effort:
        """How many races are tried: as in the default job, where nothing more is asked for."""
        return Effort() if self.effort.level == QUICK.level else self.effort

    def explorers(self, oracle: Oracle, pace: Pace) -> tuple[Explorer, ...]:
        """The explorers of the suites, with other witnesses before them."""
        amounts = NOTHING if self.brief or self.budget == 0 else self.effort.amounts(pace)
        # No option hangs on how many entries a page has, and making them takes long.
        suites = tuple(
            replace(suite, witnesses=tuple(group for group in suite.witnesses if group != PAGES))
            for suite in self.suites
        )
        found = plans.explorers(suites, oracle, self.seed, plans.Filter(), amounts=amounts)
        if not self.whole:
            return found
        groups = {group for suite in self.suites for group in suite.witnesses}
        # What only suites have that are asked for by name is not tried unasked.
        usual = {group for suite in SUITES.values() if suite.default for group in suite.witnesses}
        named = {group for suite in SUITES.values() for group in suite.witnesses} - usual
        others = [one.program for one in witnesses() if one.group not in groups | named | {PAGES} and not one.root]
        return (from_list("witnesses of no suite", both_modes(others, oracle), whole=True), *found)


def watch(target: Target, build: Build, watching: Watching, hear: Listener) -> Inferred:
    """Run witnesses and suites on a store and infer its contract.

    Raises Inconclusive if nothing could be run, and what ``build`` raises.
    """
    hear(Doing(target.name, "starting"))
    store = build()
    try:
        benches = Benches(store, replace(NO_CONTRACT, quirks=target.contract.quirks), target.shards)
        try:
            return _watched(target, benches, watching, hear)
        finally:
            benches.close()
    finally:
        hear(Doing(target.name, "stopping"))
        store.close()


def _watched(target: Target, benches: Benches, watching: Watching, hear: Listener) -> Inferred:
    names = {without_probes(one.program): one.name for one in witnesses()}
    gathered = Gathered(names, accepted=_accepted(target))
    benches.judge = watcher = Watcher(benches.oracle, gathered)
    benches.open()
    plan = Plan(watching.explorers(benches.oracle, pace_of(target)), watching.budget, target.shards)
    outcome = explore(benches, plan, hear)
    collected, problems = outcome.collected, outcome.problems
    problems += collected.told_losses()
    if gathered.unknown:
        problems.append(f"{gathered.unknown} programs ended in an unknown outcome: they say nothing")
    if not collected.operations:
        raise Inconclusive(f"{target.name}: {'; '.join(problems) or 'no program was executed'}")
    inference = _infer(target, gathered)
    proven: list[Proven] = []
    ended = outcome.interrupted
    if not ended:
        hear(Doing(target.name, "confirming"))
        try:
            inference = _confirmed(target, benches, gathered, inference)
            if not watching.brief:
                contract = Contract(_merged(target.contract, inference), quirks=target.contract.quirks)
                proven = _proven(benches, watcher, contract, hear)
        except StoreLost as error:
            problems.append(f"not confirmed: {error}")
        except KeyboardInterrupt:
            interrupts.met()
            ended = True
            problems.append("interrupted: what was found until then is not all confirmed")
    tried = _raced(target, benches, watching, inference, hear) if watching.races and not ended else None
    if tried is not None:
        inference = replace(inference, decisions={**inference.decisions, **tried.decisions})
        problems += tried.problems
    problems += [sentence(one) for one in benches.internal.all()]
    problems += [f"not shown again: {one.finding.signature}" for one in proven if one.replays and not one.shown]
    return Inferred(
        target.name,
        target.contract,
        inference,
        _waived(target, [one for one in proven if one.shown or not one.replays]),
        tuple(problems),
        collected.programs + (tried.programs if tried else 0),
        collected.operations + (tried.operations if tried else 0),
        ended,
    )


def _raced(
    target: Target, benches: Benches, watching: Watching, inference: Inference, hear: Listener
) -> promises.Promises:
    """What races say of the promises of atomicity."""
    contract = Contract(_merged(target.contract, inference), quirks=target.contract.quirks)
    amounts, tick = watching.races_of.amounts(pace_of(target)), saying(hear, target.name)
    return promises.inferred(benches.store, benches, contract, amounts, watching.seed, watching.budget, tick)


def _accepted(target: Target) -> Callable[[Trace], bool]:
    """Whether what a trace departs by, under the declared contract, is waived."""
    terms = Terms(target.name, target.waivers)
    judge = Judge(Oracle(target.contract))

    def accepted(trace: Trace) -> bool:
        finding = next((one for one in judge.judge(trace).findings if one.verdict in FAILING), None)
        if finding is None:
            return False
        shown = Failing(traits_of(trace.program, trace.events, finding.clause))
        return terms.waiver_of(finding, shown) is not None

    return accepted if target.waivers else lambda trace: False


def _infer(target: Target, gathered: Gathered) -> Inference:
    return infer(gathered.clues.values(), _preferred(target.contract), occasions(gathered))


def _confirmed(target: Target, benches: Benches, gathered: Gathered, inference: Inference) -> Inference:
    """The inference from evidence that holds: a program counts if it shows nothing worse once each step is probed.

    Without that a violation that shows late looks like an option: a file that is lost is taken for one that a store
    lets others be made below. Raises StoreLost.
    """
    sound: set[Program] = set()
    for _ in range(CONFIRMING_ROUNDS):
        used = {one.program for decision in inference.decisions.values() for one in decision.evidence}
        used |= {one.program for conflict in inference.conflicts for one, _ in conflict.programs}
        doubtful = [(key, clue) for key, clue in gathered.clues.items() if clue.program in used - sound]
        if not doubtful:
            break
        oracle = Oracle(Contract(_merged(target.contract, inference), quirks=target.contract.quirks))
        bench = benches.take()
        try:
            # The watcher hears of these trials too: what is worse is among the violations then.
            trials = bench.try_all([probed(oracle, without_probes(clue.program), "each") for _, clue in doubtful])
        finally:
            benches.give_back(bench)
        for (key, clue), trial in zip(doubtful, trials, strict=True):
            trace = trial.execution.trace
            if observe(oracle, trace).ways and not gathered.accepted(trace):
                sound.add(clue.program)
            else:
                gathered.clues.pop(key, None)
        inference = _infer(target, gathered)
    return inference


def _merged(declared: Contract, inference: Inference) -> Mapping[str, OptionValue]:
    return {**declared.declared, **inference.values}


def _preferred(declared: Contract) -> dict[str, bool]:
    return {name: value for name in judged() if isinstance(value := declared.declared.get(name), bool)}


def occasions(gathered: Gathered) -> dict[str, Evidence]:
    """For each option with a value that permits the first witness in which a store could have used it."""
    found: dict[str, Evidence] = {}
    for witness in witnesses():
        for name, value in gathered.occasions.get(without_probes(witness.program), ()):
            decides = any(one.partition("=")[0] == name for one in witness.decides)
            if decides and permitting().get(name) is value and name not in found:
                found[name] = Evidence(witness.program, _clause(witness), witness.name)
    return found


def _clause(witness: Witness) -> str:
    return next((one for one in witness.decides if "=" not in one), "")


def _proven(benches: Benches, watcher: Watcher, contract: Contract, hear: Listener) -> list[Proven]:
    """The violations, minimised and replayed under the contract that explains all else. Raises StoreLost."""
    benches.oracle = Oracle(contract)
    watcher.successor = Judge(benches.oracle)
    collected = Collected()
    bench = benches.take()
    try:
        for trace in watcher.gathered.violations:
            trial = Trial(trace.program, Execution(trace), watcher.successor.judge(trace))
            sample = collected.samples.get(trial.judgement.findings[-1].signature) if trial.judgement.findings else None
            # A second departure may stand behind the first.
            collected.add(trial if sample and sample.count >= GO_ON_LIMIT else bench.go_on(trial), benches.oracle)
    finally:
        benches.give_back(bench)
    failing = {name: one for name, one in collected.samples.items() if one.finding.verdict in FAILING}
    collected.samples = failing
    return prove_all(benches, collected, hear)


def _waived(target: Target, proven: Sequence[Proven]) -> tuple[Inexpressible, ...]:
    failing = {one.finding.signature: one.failing for one in proven}
    waivers = Terms(target.name, target.waivers).applied(failing, complete=False).by_signature
    return tuple(
        Inexpressible(
            one.finding,
            one.program,
            one.count,
            waivers[one.finding.signature].reason if one.finding.signature in waivers else "",
            one.note,
        )
        for one in _folded(proven, waivers)
    )


def _folded(proven: Sequence[Proven], waived: Container[str]) -> list[Proven]:
    """One for each capability that is claimed and not lived up to; what is waived stays for itself."""
    return one_a_claim(replace(one, claim=None) if one.finding.signature in waived else one for one in proven)
