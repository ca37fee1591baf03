"""State machines that Hypothesis drives, built from suites: one rule an operation, bundles of paths, swarms.

A machine does not touch a store. It grows a program by what the model predicts and gives it away when it is torn down:
programs go to a store in batches, and judging and shrinking are the engine's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from hypothesis.stateful import Bundle, MultipleResults, RuleBasedStateMachine, multiple, precondition, rule

from fsconform.engine.grammar import Grammar, Suite
from fsconform.engine.probes import probed
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.state import Absence, Dir, File
from fsconform.suites.dice import WeightedRules
from fsconform.suites.drafts import Draft, Familiar

Sink = Callable[[Program], None]
Result = Path | MultipleResults[Path]

FILES: Bundle[Path] = Bundle("files")
DIRECTORIES: Bundle[Path] = Bundle("directories")
ABSENT: Bundle[Path] = Bundle("absent")
"""Paths that something was removed from, renamed away from, or asked for in vain: where stale caches show."""

BUNDLES = (FILES, DIRECTORIES, ABSENT)

STRUCTURE_WEIGHT = 4
"""How often a large structure is drawn beside the operations, in programs that may hold one."""


class ProgramMachine(RuleBasedStateMachine):
    """Grows one program. Made for one suite, oracle and sink by :func:`machine`."""

    suite: ClassVar[Suite]
    oracle: ClassVar[Oracle]
    sink: ClassVar[Sink]
    familiar: ClassVar[Familiar]
    turn: ClassVar[int]
    weights: ClassVar[Mapping[str, int]]

    def __init__(self) -> None:
        super().__init__()
        self.choosing = self._rules_strategy = WeightedRules(self, self.weights, self.swarm)
        self.dice = self.choosing.dice
        self.draft = Draft(self.suite, self.oracle, self.familiar)

    def anew(self) -> ProgramMachine:
        """Itself, as it was before its first program: making machines takes longer than what most steps do."""
        self.bundles, self.names_to_values, self.names_list = {}, {}, []
        self.names_counters.clear()
        self.choosing.forget()
        self.draft = Draft(self.suite, self.oracle, self.familiar)
        return self

    @classmethod
    def begin(cls) -> None:
        """Forget what earlier programs were like, and begin with the first mode of probing."""
        cls.turn = 0
        cls.familiar.clear()

    def swarm(self) -> None:
        """Choose what this program is made of."""
        self.draft.swarm(self.dice)

    def teardown(self) -> None:
        """Give the program away, probed in one of the suite's modes by turns."""
        kind, modes = type(self), self.suite.grammar.modes
        if self.draft.steps:
            kind.turn += 1
            mode = modes[(kind.turn - 1) % len(modes)]
            kind.sink(probed(self.oracle, self.draft.program, mode, self.draft.followed))

    def used(self) -> Path | None:
        """A path of any bundle that has some, or None, all as likely: then the draft chooses one."""
        dice = self.dice
        filled = [found for bundle in BUNDLES if (found := self.bundle(bundle.name))]
        number = dice.randrange(len(filled) + 1)
        path: Path | None = self.names_to_values[dice.choice(filled[number]).name] if number < len(filled) else None
        return path

    def kept(self, path: Path, wanted: type) -> Result:
        """The path, for the rule's bundle, if what the model expects there is of that type; else nothing."""
        return path if path and isinstance(self.draft.node(path), wanted) else multiple()


def _bundle_of(kind: type) -> tuple[Bundle[Path], type]:
    """The bundle that the path of an operation goes to, and what the model must expect at the path then."""
    if kind is Mkdirs:
        return DIRECTORIES, Dir
    return (FILES, File) if kind in (Create, Append) else (ABSENT, Absence)


def _operation_rule(kind: type[Operation], name: str) -> Any:
    bundle, wanted = _bundle_of(kind)

    def one(self: ProgramMachine) -> Result:
        return self.kept(self.draft.one(kind, self.dice, self.used()), wanted)

    def two(self: ProgramMachine) -> Result:
        return self.kept(self.draft.two(self.dice, self.used(), self.used()), wanted)

    return rule(target=bundle)(_named(two if kind is Rename else one, name))


def _may_hold_more(self: ProgramMachine) -> bool:
    return self.draft.crowded


def _structure_rule(build: Callable[[Draft, Random], Path], bundle: Bundle[Path], wanted: type, name: str) -> Any:
    def structure(self: ProgramMachine) -> Result:
        self.draft.crowded = False
        return self.kept(build(self.draft, self.dice), wanted)

    return precondition(_may_hold_more)(rule(target=bundle)(_named(structure, name)))


def _named(function: Any, name: str) -> Any:
    # Hypothesis switches rules on and off by the name of their function.
    function.__name__ = function.__qualname__ = name
    return function


def _rules(grammar: Grammar) -> dict[str, tuple[Any, int]]:
    """The rules of a grammar by name, each with its weight."""
    found: dict[str, tuple[Any, int]] = {}
    for kind, weight in grammar.weights:
        # A name is that of a function.
        name = "".join(letter if letter.isalnum() else "_" for letter in kind.NAME)
        found[name] = _operation_rule(kind, name), weight
    structures: tuple[tuple[tuple[int, ...], Callable[[Draft, Random], Path], Bundle[Path], type], ...] = (
        (grammar.children, Draft.many_children, DIRECTORIES, Dir),
        (grammar.depths, Draft.deep_path, DIRECTORIES, Dir),
        (grammar.appends, Draft.many_appends, FILES, File),
    )
    for sizes, build, bundle, wanted in structures:
        if sizes:
            found[build.__name__] = _structure_rule(build, bundle, wanted, build.__name__), STRUCTURE_WEIGHT
    return found


def machine(suite: Suite, oracle: Oracle, sink: Sink) -> type[ProgramMachine]:
    """The state machine of a suite: each example is one program, which goes to the sink when it is complete.

    Its swarms are Hypothesis's own, of the rules some are switched off in each example, and those of the draft.
    """
    rules = _rules(suite.grammar)
    body: dict[str, Any] = {
        "suite": suite,
        "oracle": oracle,
        "sink": staticmethod(sink),
        "familiar": Counter(),
        "turn": 0,
        "weights": {name: weight for name, (_, weight) in rules.items()},
        "__module__": __name__,
    }
    found = {name: made for name, (made, _) in rules.items()}
    return type(f"{suite.name.title()}Machine", (ProgramMachine,), body | found)
