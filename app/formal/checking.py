"""Running the checks of the TLA+ modules, and saying of each whether it came out as it must."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from fsconform.adapters.checkers import apalache, tlc
from fsconform.adapters.checkers.process import Outcome, State
from fsconform.adapters.checkers.tools import Apalache, Tlc
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.formal import crashes, equality, namespace, pipelines, writers
from fsconform.engine.formal.equality import MARK, Equality, Reading, compare, sources
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.specs import formal
from fsconform.specs.formal import Check

ROOT = "MC"
CHECK_SECONDS = 900.0
"""How long one check may take before it counts as timed out."""

OPTIONS: Mapping[str, Mapping[str, str]] = {
    "Crash": crashes.CONSTANTS,
    "Namespace": namespace.CONSTANTS,
    "ObjectStore": namespace.CONSTANTS,
    "OutputStream": writers.CONSTANTS,
    "Pipeline": {},
    "SmallSteps": namespace.CONSTANTS,
}
"""For each module its constants that are options of the contract."""

READINGS: Mapping[str, Reading] = {"Namespace": equality.NAMESPACE, "OutputStream": writers.READING}
"""How each module that is compared with the reference model corresponds to it."""

_END = ""
"""What is put into the queue of lines behind the last one."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that was run. ``wrong`` says what did not come out as it must; ``doubts`` why nothing can be said."""

    check: Check
    outcome: Outcome
    wrong: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    equality: Equality | None = None

    @property
    def right(self) -> bool:
        """True if all came out as it must."""
        return not self.wrong and not self.doubts


@dataclass(slots=True)
class Sum:
    """What was compared with the reference model, over all checks."""

    contracts: dict[str, None] = field(default_factory=dict)
    modules: dict[str, None] = field(default_factory=dict)
    states: int = 0
    transitions: int = 0
    differences: int = 0

    def add(self, checked: Checked) -> None:
        """Add what one check compared."""
        if checked.equality is not None:
            self.contracts[checked.check.contract or "no options"] = None
            self.modules[checked.check.module] = None
            self.states += checked.equality.states
            self.transitions += checked.equality.transitions
            self.differences += checked.equality.differences

    def __str__(self) -> str:
        return (
            f"{self.transitions:,} transitions of {', '.join(self.modules)} from {self.states:,} states under "
            f"{len(self.contracts)} contracts ({', '.join(self.contracts)}): {self.differences:,} differences between "
            "module and model"
        )


def contract_of(check: Check) -> Contract:
    """The contract under which a check's module and the model are compared."""
    shipped = load_shipped(check.contract) if check.contract else Contract()
    return formal.contract_of(check, shipped, OPTIONS[check.module])


def options_of(check: Check) -> dict[str, bool]:
    """The constants that its contract gives to a check's module."""
    contract = contract_of(check)
    return {name: bool(contract.value(option)) for name, option in OPTIONS[check.module].items()}


def bounds_of(check: Check) -> namespace.Bounds | writers.Bounds:
    """The finite model of a check of a module that is compared."""
    constants = check.constants
    chunks, length = _strings(constants["Chunks"]), int(constants["MaxLength"])
    if check.module == "OutputStream":
        return writers.Bounds(chunks, length)
    return namespace.Bounds(_strings(constants["Names"]), int(constants["MaxDepth"]), chunks, length)


def _strings(value: str) -> tuple[str, ...]:
    return tuple(one.strip().strip('"') for one in value.strip("{}").split(",") if one.strip())


def run_check(tool: Tlc, check: Check, texts: Mapping[str, str], seconds: float = CHECK_SECONDS) -> Checked:
    """Run one check with TLC. ``texts`` are the modules. Raises OSError."""
    if check.goals:
        return _reached(check, goal_traces(tool, seconds))
    more = ("INVARIANT Emit",) if check.equality else ()
    configuration = formal.configuration(check, options_of(check), *more)
    if check.equality and check.module == "Pipeline":
        return _against_blocks(tool, check, texts, seconds)
    modules = {**texts, ROOT: formal.root_module(ROOT, check, formal.EMIT[check.module] if check.equality else "")}
    if not check.equality:
        outcome = tlc.check(tool, modules, ROOT, configuration, seconds)
        return _judged(check, outcome, None)
    lines: queue.Queue[str] = queue.Queue(maxsize=64)
    stop = threading.Event()

    def hear(line: str) -> None:
        while line.startswith(MARK) and not stop.is_set():
            try:
                lines.put(line, timeout=1.0)
                return
            except queue.Full:
                continue

    with ThreadPoolExecutor(1, thread_name_prefix="tlc") as pool:
        running = pool.submit(tlc.check, tool, modules, ROOT, configuration, seconds, hear=hear)
        running.add_done_callback(lambda _: lines.put(_END))
        try:
            reading = READINGS[check.module]
            found = sources(iter(lines.get, _END), reading.source)
            compared = compare(found, Oracle(contract_of(check)), bounds_of(check), reading)
        except BaseException:
            stop.set()
            for _ in _drained(lines, lambda: running.done()):
                pass
            raise
        return _judged(check, running.result(), compared)


def _against_blocks(tool: Tlc, check: Check, texts: Mapping[str, str], seconds: float) -> Checked:
    """Run a check of the pipeline, and hold the graph of its steps beside the model of blocks. Raises OSError."""
    outcome, graph = pipeline_graph(tool, check, texts, seconds)
    if outcome.ending != "passed":
        return _judged(check, outcome, None)
    found = pipelines.compare(graph, _strings(check.constants["Nodes"]), int(check.constants["MaxLength"]))
    told = found.differences[: equality.DIFFERENCES_KEPT]
    return _judged(check, outcome, Equality(len(graph.views), found.common, len(found.differences), told))


def pipeline_graph(
    tool: Tlc, check: Check, texts: Mapping[str, str], seconds: float = CHECK_SECONDS
) -> tuple[Outcome, pipelines.Graph]:
    """What TLC says of a check of the pipeline, and the graph that it printed. Raises OSError."""
    graph = pipelines.Graph()
    modules = {**texts, ROOT: formal.root_module(ROOT, check, pipelines.EMIT)}
    configuration = formal.configuration(check, options_of(check), *pipelines.LINES)
    return tlc.check(tool, modules, ROOT, configuration, seconds, hear=graph.add), graph


def _drained(lines: queue.Queue[str], done: Callable[[], bool]) -> Iterator[str]:
    while not done():
        try:
            yield lines.get(timeout=0.5)
        except queue.Empty:
            continue


def _judged(check: Check, outcome: Outcome, equality: Equality | None) -> Checked:
    wrong: list[str] = []
    doubts: list[str] = []
    wanted = "violated" if check.violates else "passed"
    if not outcome.decided:
        doubts.append(outcome.told)
    elif outcome.ending != wanted:
        names = ", ".join(one.name for one in outcome.violations)
        wrong.append(f"{names} is violated" if names else f"{check.violates} was to be violated, and is not")
    else:
        wrong += _counted(check, outcome)
    if equality is not None and outcome.ending == "passed" and not equality.equal:
        found = equality.differences
        wrong.append(f"{found:,} differences from the model" if found else "nothing was compared")
        wrong += equality.told[:3]
    return Checked(check, outcome, tuple(wrong), tuple(doubts), equality)


def _counted(check: Check, outcome: Outcome) -> list[str]:
    wrong = []
    if check.violates:
        names = [one.name for one in outcome.violations]
        if names[:1] != [check.violates]:
            return [f"{', '.join(names)} is violated, and not {check.violates}"]
        if (steps := len(outcome.violations[0].states) - 1) != check.steps:
            wrong.append(f"the counterexample has {steps} steps, and not {check.steps}")
    for what, wanted, found in (
        ("distinct states", check.distinct, outcome.distinct),
        ("generated states", check.generated, outcome.generated),
    ):
        if not check.violates and found != wanted:
            wrong.append(f"{found:,} {what}, and not {wanted:,}")
    return wrong


def run_all(
    tool: Tlc, checks: tuple[Check, ...], seconds: float, told: Callable[[Checked], None], at_once: int = 2
) -> list[Checked]:
    """Run checks, the longest first, so many at once; ``told`` hears of each as it ends. Raises OSError."""
    texts = formal.module_texts()
    stop = threading.Event()

    def one(check: Check) -> Checked | None:
        return None if stop.is_set() else run_check(tool, check, texts, seconds)

    found: dict[str, Checked] = {}
    order = sorted(checks, key=lambda check: -check.generated - check.traces)
    with ThreadPoolExecutor(at_once, thread_name_prefix="checks") as pool:
        try:
            for future in as_completed([pool.submit(one, check) for check in order]):
                checked = future.result()
                if checked is not None:
                    found[checked.check.name] = checked
                    told(checked)
        except BaseException:
            stop.set()
            raise
    return [found[check.name] for check in checks]


GOALS_CHECK = "goals"
"""The check whose traces are wanted."""


def goal_traces(tool: Tlc, seconds: float = CHECK_SECONDS) -> Outcome:
    """A shortest trace to each operation with each sound outcome in each situation. Raises OSError."""
    check = formal.checks()[GOALS_CHECK]
    configuration = formal.configuration(check, options_of(check), "PROPERTY Goals")
    modules = {**formal.module_texts(), ROOT: formal.root_module(ROOT, check, formal.GOALS)}
    return tlc.check(tool, modules, ROOT, configuration, seconds, "-continue")


def random_traces(
    tool: Tlc, number: int, steps: int, seed: int, seconds: float = CHECK_SECONDS
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random traces. Raises OSError or TermError."""
    check = formal.checks()[GOALS_CHECK]
    configuration = formal.configuration(check, options_of(check))
    modules = {**formal.module_texts(), ROOT: formal.root_module(ROOT, check)}
    return tlc.simulate(tool, modules, ROOT, configuration, seconds, number, steps, seed)


def sized(size: str) -> tuple[Check, ...]:
    """The checks up to a size."""
    upto = formal.SIZES[: formal.SIZES.index(size) + 1]
    return tuple(check for check in formal.checks().values() if check.size in upto)


def _reached(check: Check, outcome: Outcome) -> Checked:
    """A goal is reached by a counterexample to its never being so; with -continue TLC ends well all the same."""
    if not outcome.decided:
        return _judged(check, outcome, None)
    acts = (violation.states[-1]["act"] for violation in outcome.violations if violation.states)
    reached = {(act["op"], act["res"]) for act in acts}
    wanted = {(name, result) for name, results in check.goals.items() for result in results}
    wrong = [f"no trace leads to {name}: {result}" for name, result in sorted(wanted - reached)]
    wrong += [f"{name} comes to {result}, which is no goal" for name, result in sorted(reached - wanted)]
    if (found := len(outcome.violations)) != check.traces:
        wrong.append(f"{found:,} traces, and not {check.traces:,}")
    return Checked(check, outcome, tuple(wrong))


SYMBOLIC_LENGTH = 1
"""Steps of a bounded check: each further one takes many times as long."""


def modules_of(check: Check) -> dict[str, str]:
    """The modules of a check with a root module whose CInit sets the constants."""
    constants = formal.all_constants(check, options_of(check))
    settings = "\n".join(f"    /\\ {name} = {value}" for name, value in sorted(constants.items()))
    invariant = " /\\ ".join(check.invariants) or "TRUE"
    body = f"CInit ==\n{settings}\nChecked == {invariant}"
    return {**formal.module_texts(), ROOT: f"---- MODULE {ROOT} ----\nEXTENDS {check.module}\n{body}\n====\n"}


def run_symbolic(
    tool: Apalache, check: Check, length: int, seconds: float, stack: int = apalache.STACK
) -> tuple[Outcome, bool]:
    """Check the invariants of a check over all behaviours of so many steps; and whether they came out as they must.

    An inductive one is two runs: that the invariant holds in the beginning, and that from each of its states no
    behaviour leads out of it. A fault that takes more steps than these can't be found: that is no proof, and right only
    where it need not be. ``stack`` is in megabytes. Raises OSError.
    """
    modules, seconds_before = modules_of(check), 0.0
    if check.inductive:
        outcome = apalache.check(tool, modules, ROOT, "Checked", 0, seconds, stack=stack)
        if outcome.ending != "passed":
            return outcome, False
        seconds_before = outcome.seconds
    init = "IndInit" if check.inductive else "Init"
    outcome = apalache.check(tool, modules, ROOT, "Checked", length, seconds, init, stack)
    outcome.seconds += seconds_before
    must_fail = check.violates in check.invariants and check.steps <= length
    return outcome, outcome.ending == ("violated" if must_fail else "passed")


def random_runs(
    tool: Apalache, check: Check, runs: int, length: int, seconds: float
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random runs of a check's module. Raises OSError."""
    return apalache.simulate(tool, modules_of(check), ROOT, runs, length, seconds)
