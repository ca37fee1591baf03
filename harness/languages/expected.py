"""What the specification allows of each call of a program, in words that a program in another language can compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.harness.languages.content import NotSaid
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.core.paths import FORBIDDEN_ELEMENTS, Path, show
from fsconform.model.filesystem.branches import ANY, Branch
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, Dir, File, Node, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

Listed = tuple[Status, ...]

MOST_STATES = 16
"""With more states that the contract allows nothing is compared any more."""

MOST_CALLS = 200
"""After so many calls, each counted once for each way on which it may be made, ways are not told apart any more."""

_ODD_LENGTH = 7
"""A length of a directory that no store would have by chance."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call may do. ``constants`` are what it may return of true, false and nothing (None).

    ``anything`` allows every value; ``data``, ``status`` and ``listing`` are the right answer of a query, and
    ``any_length`` is true where directories may have a length. ``errors`` are fully qualified Java classes.
    """

    constants: tuple[bool | None, ...] = ()
    anything: bool = False
    data: Data | None = None
    status: Status | None = None
    listing: Listed | None = None
    any_length: bool = False
    errors: tuple[str, ...] = ()

    @property
    def succeeds(self) -> bool:
        """Whether the call may return."""
        answers = (self.data, self.status, self.listing)
        return bool(self.constants) or self.anything or any(answer is not None for answer in answers)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a program with what is allowed of it; None where that can't be said in advance, or is not known.

    ``states`` are those that the contract allows before it, none where they are not known. ``ways`` are what may
    follow: each with what the call gives on this way, and the next call on it. There is more than one where it hangs on
    what the call gives which state follows, and none after the last.
    """

    number: int
    step: Step
    expected: Expected | None
    states: tuple[State, ...]
    ways: tuple[tuple[Expected, Call], ...]

    def compared(self) -> bool:
        """Whether this call or one after it can be compared."""
        return self.expected is not None or any(after.compared() for _, after in self.ways)


def followed(oracle: Oracle, program: Program, signature: str, verdict: str) -> Call:
    """The first call of a program, with what the specification allows of it and of those that follow.

    A divergence that the contract permits is one of the calls that its signature names: of those what permits it is not
    allowed. Raises NotSaid for a program without calls, for one of which none can be compared, and for a path that a
    client would resolve by itself, perhaps to what is outside of the program's own folder.
    """
    if not program:
        raise NotSaid("the program has no steps")
    for path in (path for step in program for path in paths_of(step.operation)):
        if not FORBIDDEN_ELEMENTS.isdisjoint(path) or any("/" in name for name in path):
            raise NotSaid(f"a client resolves {show(path)!a} before it asks the store")
    follower = _Follower(oracle, program, signature, verdict)
    call = follower.call(0, (EMPTY,))
    if not call.compared():
        raise NotSaid(follower.reason)
    return call


@dataclass(slots=True)
class _Follower:
    """Goes through a program; ``reason`` says why a call could not be compared."""

    oracle: Oracle
    program: Program
    signature: str
    verdict: str
    reason: str = "the specification says nothing of its calls"
    made: int = 0

    def call(self, index: int, states: tuple[State, ...]) -> Call:
        step = self.program[index]
        self.made += 1
        own = self.verdict if self.signature.startswith(f"{step.operation.NAME} (") else ""
        allowed = None
        try:
            if states:
                allowed = _together([expected(self.oracle, state, step.operation, own) for state in states])
        except NotSaid as error:
            self.reason = str(error)
        ways: tuple[tuple[Expected, Call], ...] = ()
        if index + 1 < len(self.program):
            ways = tuple((given, self.call(index + 1, after)) for given, after in self.after(step.operation, states))
        return Call(index + 1, step, allowed, states, ways)

    def after(self, operation: Operation, states: tuple[State, ...]) -> list[tuple[Expected, tuple[State, ...]]]:
        """The states that may follow a call, by what it gives; all of them together where that can't be told apart."""
        reached: dict[str | bool | None, dict[State | None, None]] = {}
        for state in states:
            for branch in self.oracle.situation(state, operation).enabled:
                after = self.oracle.settled(state, branch.effect(state, operation))
                constant = branch.value is None or isinstance(branch.value, bool)
                if not branch.raises and (branch.check is not None or not constant):
                    if after != state or len(states) > 1:
                        return [(Expected(anything=True), self._known(self._all(operation, states)))]
                    continue  # an answer to a query
                reached.setdefault(branch.raises or branch.value, {})[after] = None  # type: ignore[arg-type]
        groups: dict[frozenset[State | None], list[str | bool | None]] = {}
        for outcome, after_it in reached.items():
            groups.setdefault(frozenset(after_it), []).append(outcome)
        raising = [group for group, outcomes in groups.items() if any(isinstance(one, str) for one in outcomes)]
        # One class of errors may extend another: two groups that have some can't be told apart.
        if len(groups) < 2 or len(raising) > 1 or self.made > MOST_CALLS:
            return [(Expected(anything=True), self._known(self._all(operation, states)))]
        return [
            (
                Expected(
                    constants=tuple(one for one in outcomes if not isinstance(one, str)),
                    errors=tuple(one for one in outcomes if isinstance(one, str)),
                ),
                self._known(group),
            )
            for group, outcomes in groups.items()
        ]

    def _all(self, operation: Operation, states: tuple[State, ...]) -> frozenset[State | None]:
        return frozenset(after for state in states for after in self.oracle.expected(state, operation))

    def _known(self, states: frozenset[State | None]) -> tuple[State, ...]:
        """The states, none where one of them is not known or there are many."""
        known = tuple(state for state in states if state is not None)
        return known if len(known) == len(states) <= MOST_STATES else ()


def _together(found: list[Expected]) -> Expected:
    """What any of these allow; answers of queries only where they are the same."""
    first = found[0]
    for other in found[1:]:
        if (other.data, other.status, other.listing) != (first.data, first.status, first.listing):
            raise NotSaid("the contract allows several answers")
        first = replace(
            first,
            constants=tuple(dict.fromkeys((*first.constants, *other.constants))),
            anything=first.anything or other.anything,
            any_length=first.any_length or other.any_length,
            errors=tuple(dict.fromkeys((*first.errors, *other.errors))),
        )
    return first


def expected(oracle: Oracle, state: State, operation: Operation, verdict: str) -> Expected:
    """What is allowed of an operation in a state: for a divergence with this verdict, without what it took to allow it.

    Raises NotSaid for an answer that is neither a constant nor bytes, a status or a listing.
    """
    branches = [branch for branch in oracle.situation(state, operation).enabled if not _excluded(branch, verdict)]
    found = Expected(errors=tuple(dict.fromkeys(branch.raises for branch in branches if branch.raises)))
    constants: dict[bool | None, None] = {}
    for branch in branches:
        if branch.raises:
            continue
        if branch.check is not None:
            found = _answer(found, branch, state, operation)
        elif branch.value is ANY:
            found = replace(found, anything=True)
        elif branch.value is None or isinstance(branch.value, bool):
            constants[branch.value] = None
        else:
            raise NotSaid(f"what {operation.NAME} may return has no words here")
    return replace(found, constants=tuple(constants))


def _excluded(branch: Branch, verdict: str) -> bool:
    return (verdict in ("declared", "deviation") and branch.deviates) or (verdict == "declared" and branch.departs)


def _answer(found: Expected, branch: Branch, state: State, operation: Operation) -> Expected:
    """With the right answer of a query, as the branch accepts it. Raises NotSaid where that is not known."""
    assert branch.check is not None
    for known in _answers(state, operation):
        if branch.check(state, operation, known.data or known.status or known.listing):
            return replace(
                found,
                data=known.data or found.data,
                status=known.status or found.status,
                listing=known.listing if known.listing is not None else found.listing,
                any_length=found.any_length or known.any_length,
            )
    raise NotSaid(f"what {operation.NAME} is to return is not known in advance: it is judged when it was returned")


def _answers(state: State, operation: Operation) -> Iterator[Expected]:
    """Right answers of the queries that are told in full: with a length of directories first."""
    if isinstance(operation, Open):
        node = locate(state, operation.path)
        if isinstance(node, File) and (digest := contents.digest(node.content)) is not None:
            yield Expected(data=Data(contents.length(node.content), digest))
    elif isinstance(operation, GetFileStatus):
        node = locate(state, operation.path)
        if isinstance(node, File | Dir):
            for length in (_ODD_LENGTH, 0):
                yield Expected(status=_status(operation.path, node, length), any_length=length != 0)
    elif isinstance(operation, ListStatus):
        node = locate(state, operation.path)
        if isinstance(node, File):
            yield Expected(listing=(_status(operation.path, node, 0),))
        elif isinstance(node, Dir):
            for length in (_ODD_LENGTH, 0):
                rows = tuple(_status((*operation.path, name), child, length) for name, child in node.children.items())
                has_directory = any(row.is_dir for row in rows)
                yield Expected(listing=rows, any_length=length != 0 and has_directory)


def _status(path: Path, node: Node, length_of_directory: int) -> Status:
    if isinstance(node, File):
        return Status(path, False, contents.length(node.content))
    return Status(path, True, length_of_directory)


def status_text(status: Status, any_length: bool) -> str:
    """A status as programs compare it."""
    if status.is_dir:
        return f"directory {show(status.path)}" + ("" if any_length else " of 0 bytes")
    return f"file {show(status.path)} of {status.length} bytes"


def data_text(data: Data) -> str:
    """What was read, as programs compare it."""
    return f"{data.length} bytes with SHA-256 {data.digest}"


def listing_texts(listing: Listed, any_length: bool) -> list[str]:
    """A listing as programs compare it: sorted as Java sorts texts."""
    return sorted((status_text(status, any_length) for status in listing), key=_by_java)


def _by_java(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def returned_texts(found: Expected) -> list[str]:
    """What may be returned, as programs compare it; ``anything`` is left to them."""
    words = {True: "true", False: "false", None: "nothing"}
    texts = [words[value] for value in found.constants]
    texts += [data_text(found.data)] if found.data is not None else []
    texts += [status_text(found.status, found.any_length)] if found.status is not None else []
    texts += ["\n".join(listing_texts(found.listing, found.any_length))] if found.listing is not None else []
    return texts
