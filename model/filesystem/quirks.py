"""Quirks: executable models of known bugs of stores.

A waiver accepts a pattern of text and everything that looks like it. A quirk says in which situation (state and
operation) a store departs, with which outcome, and which state follows; anything else stays a divergence. The oracle
offers the quirks of a store as further branches, the judge follows the states of both lines, and reports a quirk where
only its line is left. Quirks belong to a store, not to the specification: ``adapters/stores/quirks`` has them.

What a store remembers and the specification knows nothing of (checksums that are behind, bytes in a cache) is kept as
marks in the metadata of the file or directory it is about, which begin with ``MARK``, or of the state.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

from immutables import Map

from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.state import Absence, Dir, File, Node, State, locate, placed, walk

Impact = Choice[
    "data lost",
    "data wrong",
    "data of others",
    "visible too late or too long",
    "wrong answer",
    "wrong error",
    "SHOULD",
]
"""What a divergence does to a user, the worst first."""

Behaviour = Callable[[State, Any], Iterable[Branch]]
"""From the state and the operation to what the store may do there and the specification does not allow; often nothing.

A branch's effect gives the state that follows, its ``raises``, ``value`` or ``check`` the outcome it comes with.
"""

Remember = Callable[[State, Any, Outcome, State], State]
"""From the state, the operation, its outcome and the next state to that state with what the store remembers."""

AsIf = Callable[[State, Any, Outcome], Iterable[tuple[State, Outcome]]]
"""From the state, the operation and the outcome to states and outcomes that the call is to be judged by instead.

The state is how the store shows itself to this call (without what it hides, with the bytes of its cache); the outcome
is the one that is due where the known wrong one was given. What the specification does not allow then is no quirk.
"""

Back = Callable[[State, State, State], State | None]
"""From the state, the one that the call was judged in instead, and the one after it, to the state that follows."""

MARK = "quirk "
"""How the names of marks begin in the metadata of nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class Quirk:
    """A known bug of a store, as a model of it.

    ``id`` is STORE/NAME, ``title`` what the store does, in a sentence; ``clause`` the clause it breaks; ``reason`` why
    it happens, ``link`` its finding, ``expires`` the last day on which it is accepted. ``program`` shows it.
    ``operations`` are those at which ``behaviour`` or ``as_if`` has something to say; ``back`` is needed where a call
    that changes the state is judged in another one. ``remember`` is asked after each call of the types in
    ``remembers``. An ``occasional`` quirk hangs on the moment: its program shows it now and then.
    """

    id: str
    title: str
    clause: str
    impact: Impact
    reason: str
    link: str
    expires: datetime.date
    program: Program
    operations: tuple[type[Operation], ...]
    behaviour: Behaviour | None = None
    as_if: AsIf | None = None
    back: Back | None = None
    remembers: tuple[type[Operation], ...] = ()
    remember: Remember | None = None
    occasional: bool = False

    @property
    def store(self) -> str:
        """The name of the store that has it."""
        return self.id.partition("/")[0]

    @property
    def signature(self) -> str:
        """The text by which a report names it: one cause, whatever call showed it."""
        return f"{self.id}: {self.title}"


Offered = tuple[tuple[Branch, State | None, Quirk], ...]
"""What quirks allow of an outcome: the branch, the state that follows, and the quirk."""


Loader = Callable[[tuple[str, ...]], "Quirks"]


class Quirks:
    """The quirks of one store, by the operations at which they show. Holds tables only, and can be shared.

    ``names`` are the sets they come from, and ``load`` brings those in another process: models are code, no data.
    """

    def __init__(self, quirks: Iterable[Quirk] = (), names: tuple[str, ...] = (), load: Loader | None = None) -> None:
        """Raises ValueError for two quirks with one id."""
        self.all, self.names, self._load = tuple(quirks), names, load
        if len({quirk.id for quirk in self.all}) < len(self.all):
            raise ValueError(f"two quirks have one id: {sorted(quirk.id for quirk in self.all)}")
        self._showing: dict[type, tuple[Quirk, ...]] = {}
        self._remembering: dict[type, tuple[Remember, ...]] = {}
        for quirk in self.all:
            for kind in quirk.operations:
                self._showing[kind] = (*self._showing.get(kind, ()), quirk)
            if quirk.remember is not None:
                for kind in quirk.remembers:
                    self._remembering[kind] = (*self._remembering.get(kind, ()), quirk.remember)

    def __bool__(self) -> bool:
        return bool(self.all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quirks) and self.all == other.all

    def __hash__(self) -> int:
        return hash(self.all)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Quirks, ()) if self._load is None else (self._load, (self.names,))

    def get(self, quirk_id: str) -> Quirk | None:
        """The quirk of an id, None if there is none."""
        return next((quirk for quirk in self.all if quirk.id == quirk_id), None)

    def shows(self, kind: type) -> bool:
        """True if some quirk has something to say of calls of this type."""
        return kind in self._showing

    def offered(self, state: State, operation: Operation, outcome: Outcome) -> Offered:
        """What quirks allow of an outcome that was returned or raised."""
        quirks = self._showing.get(type(operation))
        if quirks is None:
            return ()
        return tuple(
            (branch, self.remembered(state, operation, outcome, branch.effect(state, operation)), quirk)
            for quirk in quirks
            if quirk.behaviour is not None
            for branch in quirk.behaviour(state, operation)
            if fits(branch, state, operation, outcome)
        )

    def assuming(self, kind: type) -> tuple[Quirk, ...]:
        """The quirks by which calls of this type may be judged in another state, or by another outcome."""
        return tuple(quirk for quirk in self._showing.get(kind, ()) if quirk.as_if is not None)

    def remembers(self, kind: type) -> bool:
        """True if a store with these quirks remembers something of calls of this type."""
        return kind in self._remembering

    def remembered(self, before: State, operation: Operation, outcome: Outcome, after: State | None) -> State | None:
        """The next state with what the store remembers of the call."""
        for remember in self._remembering.get(type(operation), ()):
            if after is not None:
                after = remember(before, operation, outcome, after)
        return after


NONE = Quirks()


def fits(branch: Branch, state: State, operation: Operation, outcome: Outcome) -> bool:
    """True if an outcome is what a branch says, its check included."""
    return branch.matches(outcome) and (
        branch.check is None or branch.check(state, operation, getattr(outcome, "value", None))
    )


def marked(node: Node | Absence, name: str) -> Any:
    """The mark of a node by its name without the prefix; None where there is none."""
    return None if isinstance(node, Absence) or node.meta is None else node.meta.get(MARK + name)


def mark(root: State, path: Path, name: str, fact: Any) -> State:
    """The state with a mark of the node at a path, which exists; a ``fact`` of None takes the mark away.

    The times that are known of the parent stay: nothing has happened there.
    """
    node = locate(root, path)
    assert not isinstance(node, Absence)
    return root.over(placed(root.tree, path, _mark(node, MARK + name, fact)))


def _mark(node: Node, name: str, fact: Any) -> Node:
    known: dict[str, Any] = dict(node.meta or {})
    known.pop(name, None)
    if fact is not None:
        known[name] = fact
    meta = Map(known) if known else None
    return File(node.content, meta) if isinstance(node, File) else Dir(node.children, meta)


def nodes_marked(root: State, name: str) -> Iterator[tuple[Path, Node]]:
    """The paths and nodes that have a mark."""
    return ((path, node) for path, node in walk(root) if marked(node, name) is not None)


def is_marked(root: State) -> bool:
    """True if a store remembers something that no look at it shows."""
    return bool(root.marks) or any(name.startswith(MARK) for _, node in walk(root) for name in node.meta or ())
