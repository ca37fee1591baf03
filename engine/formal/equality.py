"""Equality: every outcome that TLC finds for a call in a state is one that the reference model allows, and the reverse.

TLC prints for each state of a module all outcomes of all calls; the oracle is asked the same under the same contract.
What one of them allows and the other does not is a difference; there must be none. How a module and the model
correspond is a :class:`Reading`; that of module Namespace is here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fsconform.engine.formal import namespace
from fsconform.engine.formal.namespace import Answer, Bounds, Call
from fsconform.model.core.paths import show
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, File, State, walk

MARK = '"<<\\"LTS\\"'
"""How a line begins on which TLC prints a state with its transitions."""

DIFFERENCES_KEPT = 20

_TO_JSON = str.maketrans({"{": "[", "}": "]"})


@dataclass(frozen=True, slots=True)
class Source:
    """A state of the module with all outcomes of all calls in it."""

    root: State
    outside: bool
    """True of a state that the reference model has not: one with symbolic links; or none at all, which some transition
    that was a difference led to."""
    allowed: dict[Any, set[Any]]


@dataclass(frozen=True, slots=True)
class Reading:
    """How what TLC prints of a module is read and compared.

    ``source`` reads the fields of a state, ``allowed_by`` asks the oracle in a state for a call within bounds, and
    ``difference`` has words for what only one side allows.
    """

    source: Callable[[list[Any]], Source]
    allowed_by: Callable[[Oracle, State, Any, Any], set[Any]]
    difference: Callable[[State, Any, Any, str], str]


@dataclass(slots=True)
class Equality:
    """What was compared under one contract. A transition is a state, a call and an allowed outcome."""

    states: int = 0
    transitions: int = 0
    differences: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """True if something was compared and nothing differs."""
        return self.transitions > 0 and not self.differences


def fields(line: str) -> list[Any]:
    """The fields of the state on a line that TLC printed. Raises ValueError for a line that is none."""
    text = line.strip()
    if not text.startswith(MARK) or not text.endswith('>>"'):
        raise ValueError(f"not a state with its transitions: {text[:80]!r}")
    text = text[1:-1].replace('\\"', '"').translate(_TO_JSON).replace("<<", "[").replace(">>", "]")
    found: list[Any] = json.loads(text.replace("TRUE", "true").replace("FALSE", "false"))
    return found[1:]


def source(line: str) -> Source:
    """The state of module Namespace on a line that TLC printed. Raises ValueError for a line that is none."""
    return _source(fields(line))


def _source(found: list[Any]) -> Source:
    dirs, files, links, transitions = found
    try:
        root = namespace.state(dirs, files)
    except ValueError:
        return Source(EMPTY, True, {})
    allowed: dict[Call, set[Answer]] = {}
    for op, path, dst, data, flag, res, dev, out, seen, read, post in transitions:
        call = Call(op, tuple(path), tuple(dst), tuple(data), flag)
        answers = allowed.setdefault(call, set())
        if not res:
            continue
        after = None if out else root if not post else _after(post)
        answer = Answer(res, frozenset((name, kind, size) for name, kind, size in seen), tuple(read), dev, out, after)
        answers.add(answer)
    return Source(root, bool(links), allowed)


def _after(post: list[Any]) -> State | None:
    """The next state; None, though the answer does not say that it is outside, for what is no filesystem."""
    dirs, files, _links = post
    try:
        return namespace.state(dirs, files)
    except ValueError:
        return None


def sources(lines: Iterable[str], read: Callable[[list[Any]], Source] = _source) -> Iterator[Source]:
    """The states on the lines that TLC printed; others are passed over. Raises ValueError."""
    return (read(fields(line)) for line in lines if line.startswith(MARK))


def allowed_by(oracle: Oracle, root: State, call: Call, bounds: Bounds) -> set[Answer]:
    """All that the oracle allows of a call in a state, as far as the finite model has it."""
    operation = namespace.operation(call)
    found: dict[tuple[Any, ...], bool] = {}
    for res, seen, read, outcome in namespace.answers(call, bounds):
        for branch, after in oracle.step(root, operation, outcome):
            if after is not None and after is not root and not bounds.hold(after):
                continue
            key = (res, seen, read, after)
            found[key] = found.get(key, True) and branch.deviates
    return {Answer(res, seen, read, dev, after is None, after) for (res, seen, read, after), dev in found.items()}


def _difference(root: State, call: Call, answer: Answer, who: str) -> str:
    shown = f"{call.op}({show(call.path)}, {show(call.dst)}, {''.join(call.data)!r}, {call.flag})"
    result = answer.res + ("" if not answer.read else f" {''.join(answer.read)}") + (" deviating" if answer.dev else "")
    if answer.seen:
        result += f" {sorted(answer.seen)}"
    after = "what it can't represent" if answer.after is None else _tree(answer.after)
    return f"only {who} allows {shown} in {_tree(root)} to give {result} and leave {after}"


def _tree(root: State) -> str:
    return " ".join(show(path) + ("" if isinstance(node, File) else "/" * bool(path)) for path, node in walk(root))


NAMESPACE = Reading(_source, allowed_by, _difference)


def compare(found: Iterable[Source], oracle: Oracle, bounds: object, reading: Reading = NAMESPACE) -> Equality:
    """Compare what TLC found under a contract with what the oracle of that contract allows."""
    equality = Equality()
    for one in found:
        if one.outside:
            continue
        equality.states += 1
        for call, answers in one.allowed.items():
            equality.transitions += len(answers)
            mine = reading.allowed_by(oracle, one.root, call, bounds)
            if mine != answers:
                equality.differences += len(mine ^ answers)
                equality.told += [
                    *(reading.difference(one.root, call, answer, "the module") for answer in answers - mine),
                    *(reading.difference(one.root, call, answer, "the model") for answer in mine - answers),
                ]
                del equality.told[DIFFERENCES_KEPT:]
    return equality
