"""Calls that need not be atomic, as the steps that others may see between.

``create`` and ``append`` open a file, write it and close it; ``mkdirs``, and ``create`` where parents are missing, make
one directory after another; ``listStatus`` looks at one entry after another, and may show each change made during it
or not, also where the directory itself goes away; a file is opened and then read, and what that gives if others
meanwhile changed the file is left open. These are always so.

That ``rename`` and the deletion of a directory tree are atomic is what the options supports-atomic-rename and
supports-atomic-directory-delete promise. Without them a rename looks at both ends, takes an empty directory at the
destination away if it is to come in its place, lists the source, copies one entry after another and then deletes one
after another; a deletion lists the tree and takes away one after another. Of what was listed nothing is left, and of
what others put there meanwhile nothing is taken: both may end with true and leave that. Where another client meddled
both may also end half done. A copy makes the directories above it that others took away, as create does.

A rename with options is judged alike, and by the contract alone. Where it need not be atomic it looks at both ends,
takes away what it is to replace, and then renames, by copies or not: so does FileSystem.rename with options, whose
Javadoc calls it not atomic, where a store does not override it.

Two steps are those of object stores alone, where a directory may be no more than the marker of an empty one. The empty
directory at the destination may be another rename's copy: two renames of one empty directory onto one name may both
return true, the second having taken the first one's copy away and then found nothing to move. And a rename or deletion
that finds the parent of what it took away missing makes it again, although another client deleted it. Source: Hadoop
3.5.0, S3A: RenameOperation.recursiveDirectoryRename, DeleteOperation.deleteDirectoryTree,
S3AFileSystem.maybeCreateFakeParentDirectory.

What two writers of one file come to is undefined, unless the store promises that there is one writer at a time.

Sources: introduction.md, "Atomicity"; filesystem.md, create, mkdirs, delete, rename; outputstream.md, "Concurrency".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from immutables import Map

from fsconform.engine.histories.by_oracle import OracleSteps
from fsconform.engine.histories.deaths import UNNAMED, Died, died, recovered
from fsconform.engine.histories.linearizability import Rest
from fsconform.model.core.content import is_of
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Status
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename, destination
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED, EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease, is_recovery
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import (
    EMPTY_DIR,
    MISSING,
    NO_PARENT,
    Absence,
    Dir,
    File,
    State,
    Writer,
    locate,
    put,
    remove,
    walk,
)
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

ATOMIC_RENAME, ATOMIC_DELETE = "supports-atomic-rename", "supports-atomic-directory-delete"
ATOMICITY = (ATOMIC_RENAME, ATOMIC_DELETE)
"""The options that say which calls others never see half done."""

PROMISES = (*ATOMICITY, EXCLUSIVE_WRITER)
"""The options that promise something of calls made at once."""

DONE = Returned(None)
TRUE = Returned(True)
_NOT_FOUND = Raised(ancestry("FileNotFoundException"))
_IO_ERROR = ancestry("IOException")[0]

Reached = Iterable[tuple[State, Rest]]

Way = Callable[["SmallSteps", State, Any, Outcome, Any], Reached]
"""From a state, a call, its outcome and what is left of it to where its next step may lead."""


@dataclass(frozen=True, slots=True)
class Continued:
    """What is left of a call that takes steps which a known race adds: by which way it goes on, and with what."""

    way: Way
    left: Any


Steps = Mapping[type[Operation], tuple[Way, ...]]


@dataclass(frozen=True, slots=True)
class Writing:
    """A file that was opened under a stream's name: its bytes, or only the close, are still to come."""

    stream: str
    written: bool


@dataclass(frozen=True, slots=True)
class Making:
    """So many elements of the path are directories by now."""

    depth: int


@dataclass(frozen=True, slots=True)
class _Deleting:
    """What the tree held when its deletion began, less what was deleted since."""

    left: frozenset[Path]


@dataclass(frozen=True, slots=True)
class _Looked:
    """A rename of a directory that found both ends fit: where to, and whether an empty directory there goes first."""

    target: Path
    clears: bool


@dataclass(frozen=True, slots=True)
class Moving:
    """A rename that copies: where to, what was there to move, what of it is still to be copied, and to be deleted.

    Files that are ``begun`` are there, and have no bytes yet.
    """

    target: Path
    moved: frozenset[Path]
    to_copy: frozenset[Path]
    to_delete: frozenset[Path]
    begun: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class _Replacing:
    """A rename with options that found both ends fit: whether what it replaces goes first, what is left of a move.

    ``replaced`` is what it took away: a store may have kept something beside it, such as its checksums.
    """

    clears: bool
    left: Any = None
    replaced: File | Dir | None = None


@dataclass(frozen=True, slots=True)
class _Listing:
    """Entries of a listing that were not there so far, and what was there all the time so far and is not in it."""

    unseen: frozenset[Status]
    missed: frozenset[Path]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file that was opened, and is still to be read."""

    file: File


class SmallSteps(OracleSteps):
    """A model for :func:`linearize`, with all that need not be atomic in steps; ``promised`` are of ``PROMISES``.

    ``more`` are steps that calls may take beside those of every store.
    """

    def __init__(self, oracle: Oracle, promised: Collection[str], more: Steps = MappingProxyType({})) -> None:
        super().__init__(oracle)
        self._promised, self._more = frozenset(promised), more
        self._seen_at_once = not oracle.contract.value(CREATE_VISIBILITY_DELAYED)
        # By the contract, whatever is given up: who gives up more must explain no less.
        self._leased = bool(oracle.contract.value(EXCLUSIVE_WRITER))
        self._moves_at_once = bool(oracle.contract.value(ATOMIC_RENAME))

    def step(self, state: State, operation: Operation, outcome: Outcome, rest: Rest = None) -> Reached:
        """Where the next step of a call may lead, with what is left of it. Raises Unjudged."""
        if isinstance(operation, Died):
            return [(after, None) for after in died(state, operation, not self._seen_at_once, self._leased)]
        if isinstance(outcome, Returned | Raised):
            if type(rest) is _Listing:  # one that is begun may as well begin here: it need not have looked before
                at_once = super().step(state, operation, outcome)
                return dict.fromkeys((*self._goes_on(state, operation, outcome, rest), *at_once))
            if rest is not None:
                return self._goes_on(state, operation, outcome, rest)
            ways = self._ways(operation)
            if ways:
                at_once = super().step(state, operation, outcome)
                found = [one for way in ways for one in way(self, state, operation, outcome, None)]
                return dict.fromkeys((*found, *at_once))
        return super().step(state, operation, outcome)

    def is_best(self, operation: Operation, left: Rest) -> bool:
        """As the oracle has it. A listing looks at each state that it can: it may see more there, and misses less."""
        kind = type(operation)
        if kind is Died:
            return False
        return kind not in self._more and super().is_best(operation, None if type(left) is _Listing else left)

    def _ways(self, operation: Operation) -> tuple[Way, ...]:
        """How a call may take effect in several steps."""
        way, more = _WAYS.get(type(operation)), self._more.get(type(operation), ())
        return more if way is None else (way, *more)

    def _goes_on(self, state: State, operation: Operation, outcome: Outcome, rest: Rest) -> Reached:
        """The next step of a call that took one."""
        if isinstance(rest, Continued):
            return rest.way(self, state, operation, outcome, rest.left)
        return _WAYS[type(operation)](self, state, operation, outcome, rest)

    def effects(self, state: State, operation: Operation, rest: Rest = None) -> Reached:
        """As :meth:`step` for a call of which nobody heard: it may have ended after any step. Raises Unjudged."""
        if rest is None:
            settled = list(recovered(state, operation.path)) if isinstance(operation, RecoverLease) else []
            if settled or self._is_refused(state, operation):
                yield from ((after, None) for after in dict.fromkeys((state, *settled)))
                return
            yield from super().effects(state, operation)
        for outcome in (DONE, TRUE):
            if rest is not None:
                yield from self._goes_on(state, operation, outcome, rest)
            else:
                for way in self._ways(operation):
                    yield from way(self, state, operation, outcome, None)

    def atomic(self, state: State, operation: Operation, outcome: Outcome) -> Iterable[State]:
        """As the oracle has it; but where new files are seen at once, nothing is made below one that is being written.

        Raises Unjudged.
        """
        if state.writers and isinstance(operation, RecoverLease) and _is_recovered(outcome):
            settled = dict.fromkeys(recovered(state, operation.path))
            if settled:
                return settled
        if state.writers and isinstance(operation, Mkdirs | Create | Append | OpenWriter):
            path = operation.path
            if isinstance(outcome, Returned) and self._is_refused(state, operation):
                return ()
            files = [
                name
                for name, one in state.writers.items()
                if one.phase == "open"
                and (is_ancestor(one.path, path) or (one.path == path and isinstance(operation, Mkdirs)))
            ]
            if files and self._seen_at_once:
                viewed = replace(state, writers=_without(state.writers, files))
                return [state if after == viewed else after for after in super().atomic(viewed, operation, outcome)]
        return super().atomic(state, operation, outcome)

    def _is_refused(self, state: State, operation: Operation) -> bool:
        """Whether a call would write to a file that another one writes, and the store promises that there is one."""
        if EXCLUSIVE_WRITER not in self._promised or not isinstance(operation, Create | Append | OpenWriter):
            return False
        held = any(one.phase == "open" and one.path == operation.path for one in state.writers.values())
        return held and _adds(operation)

    # --- a file that is written

    def writing(self, state: State, op: Any, outcome: Outcome, rest: Writing | Making | None) -> Reached:
        """create and append: missing parents are made, the file is opened, written, closed."""
        if not isinstance(rest, Writing):
            mode = "append" if isinstance(op, Append) else "overwrite" if op.overwrite else "create"
            if mode != "append":
                yield from self.directories(state, op.path[:-1], rest)
            if isinstance(rest, Making) and isinstance(outcome, Raised):
                yield from self._ended(state, op, outcome, rest)
            stream = _free_name(state, op)
            for after in self.atomic(state, OpenWriter(op.path, stream, mode), DONE):
                yield after, Writing(stream, not op.content)
        else:
            if not rest.written:  # also by one that raises in the end: what it wrote may be there
                for after in self.atomic(state, Write(rest.stream, op.content), DONE):
                    yield after, replace(rest, written=True)
            if rest.written or isinstance(outcome, Raised):
                # An error is that of write or close, where another client meddled with the file.
                for after in self.atomic(state, CloseWriter(rest.stream), outcome):
                    yield _forget(after, rest.stream), None

    def opening(self, state: State, op: OpenWriter, outcome: Outcome, rest: Making | None) -> Reached:
        """A file that is created and stays open: missing parents are made, and then the file."""
        if op.mode != "append":
            yield from self.making(state, op, outcome, rest)

    # --- directories one after another

    def making(self, state: State, op: Mkdirs | Create | OpenWriter, outcome: Outcome, rest: Making | None) -> Reached:
        """mkdirs: each missing ancestor by itself, and then the directory; so too where a file is made there."""
        yield from self.directories(state, op.path[:-1], rest)
        if rest is not None:
            yield from self._ended(state, op, outcome, rest)

    def directories(self, state: State, path: Path, rest: Making | None) -> Reached:
        """The next missing directory on the way to a path, or the path itself, is made."""
        for number in range(rest.depth + 1 if rest else 1, len(path) + 1):
            if type(locate(state, path[:number])) is not Dir:
                for after in self.atomic(state, Mkdirs(path[:number]), TRUE):
                    yield after, Making(number)
                break

    def _ended(self, state: State, op: Mkdirs | Create | OpenWriter, outcome: Outcome, rest: Making) -> Reached:
        """What a call does once parents were made; any refusal, where another client took one away."""
        for after in self.atomic(state, op, outcome):
            yield after, None
        if type(locate(state, op.path[: rest.depth])) is not Dir and _is_refusal(outcome):
            yield state, None

    # --- a listing

    def listing(self, state: State, op: ListStatus, outcome: Outcome, rest: _Listing | None) -> Reached:
        """listStatus: each entry as it was at some time of the call; what was there all the time is not left out.

        By the time that it returns "the existence of the path supplied" may be out of date as well: filesystem.md.
        """
        if not isinstance(outcome, Returned) or not isinstance(outcome.value, tuple):
            return
        here = locate(state, op.path)
        if type(here) is not Dir and rest is None:
            return
        shown = {status.path for status in outcome.value}
        names = here.children if type(here) is Dir else ()
        unlisted = {path for name in names if (path := (*op.path, name)) not in shown}
        sure = frozenset(path for path in unlisted if not any(self.atomic(state, GetFileStatus(path), _NOT_FOUND)))
        unseen = rest.unseen if rest else frozenset(outcome.value)
        unseen = frozenset(one for one in unseen if not any(self.atomic(state, GetFileStatus(one.path), Returned(one))))
        missed = rest.missed & sure if rest else sure
        found = _Listing(unseen, missed)
        yield state, None if not unseen and not missed else found

    # --- a file that is read

    def reading(self, state: State, op: Open, outcome: Outcome, rest: _Reading | None) -> Reached:
        """open, and then a read: once the file was changed old bytes, new ones, some of each, or an error.

        Of a file that is gone the read gives its bytes, or an error. Source: fsdatainputstream.md, "Consistency".
        """
        node = locate(state, op.path)
        if rest is None:
            if type(node) is File:
                yield state, _Reading(node)
        elif node == rest.file:
            return
        elif isinstance(outcome, Raised):
            is_missing = outcome.classes[0] == _NOT_FOUND.classes[0]
            if _IO_ERROR in outcome.classes and not (is_missing and type(node) is File):
                yield state, None
        elif type(node) is File or self._is_read(rest.file, outcome):
            yield state, None

    @staticmethod
    def _is_read(file: File, outcome: Outcome) -> bool:
        """Whether an outcome gives the bytes of a file."""
        return isinstance(outcome, Returned) and is_of(file.content, outcome.value)

    # --- a tree that is taken away

    def deleting(self, state: State, op: Delete, outcome: Outcome, rest: _Deleting | None) -> Reached:
        """A recursive delete: the tree is listed, and then one entry after another goes, leaves first."""
        if ATOMIC_DELETE in self._promised or not op.recursive or not op.path:
            return
        if rest is None:
            top = locate(state, op.path)
            if type(top) is Dir and top.children:
                yield state, _Deleting(frozenset(_all_below(state, op.path)))
            return
        here = _all_below(state, op.path)
        is_over = True
        for path in rest.left:
            if _can_go(state, path):
                is_over = False
                # The root can't go missing: what is below it needs no step of its own for the end.
                ends = len(op.path) == 1 and path == op.path and outcome == TRUE
                yield remove(state, path), None if ends else _Deleting(rest.left - {path})
        if is_over and outcome == TRUE:  # what is left of the tree has in it what another client put there meanwhile
            yield from _taken(state, op.path)
        gone = rest.left - here
        if gone and gone != rest.left:  # another client took them away
            yield state, _Deleting(rest.left - gone)
        if rest.left and (gone or here - rest.left) and _is_refusal(outcome):
            yield state, None

    # --- a rename by copies

    def moving(self, state: State, op: Rename, outcome: Outcome, rest: _Looked | Moving | None) -> Reached:
        """A rename that looks at both ends, lists what is to move, copies entry by entry, and then deletes so."""
        if ATOMIC_RENAME in self._promised:
            return
        if rest is None:
            begun = self._begun(state, op)
            if begun is not None:
                yield state, begun
        elif isinstance(rest, _Looked):
            yield from self._listed(state, op, outcome, rest)
        else:
            yield from self._moved(state, op, outcome, rest)

    def replacing(self, state: State, op: RenameWith, outcome: Outcome, rest: _Replacing | None) -> Reached:
        """A rename with options, where it need not be atomic: what it replaces is taken away, and then it renames."""
        if self._moves_at_once:
            return
        if rest is None:
            if any(after != state for after in self.atomic(state, op, DONE)):
                yield state, _Replacing(not isinstance(locate(state, op.dst), Absence))
            return
        if rest.clears:
            there = locate(state, op.dst)
            if isinstance(there, File | Dir) and _can_go(state, op.dst):
                yield remove(state, op.dst), _Replacing(clears=False, replaced=there)
            else:
                yield state, _Replacing(clears=False)
        else:
            plain, answer = Rename(op.src, op.dst), TRUE if outcome == DONE else outcome
            if rest.left is None:
                yield from ((after, None) for after in self.atomic(state, plain, answer))
                if rest.replaced is not None and isinstance(locate(state, op.dst), Absence):
                    # By known bugs of the call what is at the destination then hangs on what it replaced.
                    unreplaced = put(state, op.dst, rest.replaced)
                    yield from ((after, None) for after in self.atomic(unreplaced, op, outcome) if after != unreplaced)
            for after, left in self.moving(state, plain, answer, rest.left):
                yield after, None if left is None else replace(rest, left=left)
        if _is_refusal(outcome) and not any(self.atomic(state, op, DONE)):  # another client meddled
            yield state, None

    def _begun(self, state: State, op: Rename) -> _Looked | Moving | None:
        """What a rename that succeeds found where it looked; None where it would move nothing. Raises Unjudged."""
        source, there = locate(state, op.src), locate(state, op.dst)
        for after in self.atomic(state, op, TRUE):
            if after != state and type(source) in (File, Dir):
                within = destination(state, op)
                target = op.dst if locate(after, op.dst) is source else within
                if type(source) is Dir:
                    return _Looked(target, target == op.dst and type(there) is Dir)
                one = frozenset((op.src,))
                return Moving(target, one, one, one)
        return None

    @staticmethod
    def _listed(state: State, op: Rename, outcome: Outcome, rest: _Looked) -> Reached:
        """An empty directory at the destination is taken away; then what is in the source by now is what is to move."""
        source = locate(state, op.src)
        if rest.clears:
            there = locate(state, rest.target)
            is_empty = type(there) is Dir and not there.children
            yield remove(state, rest.target) if is_empty else state, replace(rest, clears=False)
        else:
            found = frozenset(_all_below(state, op.src) if type(source) is Dir else ())
            yield state, Moving(rest.target, found, found, found)
        if type(source) is not Dir and _is_refusal(outcome):
            yield state, None

    def _moved(self, state: State, op: Rename, outcome: Outcome, rest: Moving) -> Reached:
        """The copies, from above, and then the deletions, from below."""
        here = _all_below(state, op.src)
        meddled = bool(here - rest.moved)
        for path in rest.to_copy:
            if any(is_ancestor(other, path) for other in rest.to_copy):
                continue
            left = replace(rest, to_copy=rest.to_copy - {path})
            if path not in here:  # another client took it away
                yield state, left
                meddled = True
            else:
                place = rest.target + path[len(op.src) :]
                if path == op.src:
                    yield from ((after, rest) for after, _ in self.directories(state, place[:-1], None))
                copied = _copied(state, path, place)
                meddled |= copied is None or (path != op.src and type(locate(state, place[:-1])) is not Dir)
                if copied is not None:
                    yield copied, left
                    node = locate(copied, place)
                    if type(node) is File and node.content and path not in rest.begun:
                        yield put(copied, place, replace(node, content=())), replace(rest, begun=rest.begun | {path})
        if not rest.to_copy:
            remakes = len(op.src) > 1 and op.src[:-1] != rest.target[:-1]
            ends = len(rest.to_delete) == 1 and outcome == TRUE and not remakes
            for path in rest.to_delete:
                then = None if ends else replace(rest, to_delete=rest.to_delete - {path})
                if path not in here:
                    yield state, then
                elif _can_go(state, path):
                    yield remove(state, path), then
            # A directory in which another client put something meanwhile stays.
            if outcome == TRUE and all(path in here and not _can_go(state, path) for path in rest.to_delete):
                yield from _taken(state, op.src) if remakes else ((state, None),)
        meddled |= bool((rest.to_copy or rest.to_delete) - here)
        if meddled and _is_refusal(outcome):
            yield state, None


def copying(state: State, source: Path, target: Path) -> Moving:
    """What is left of a rename that copies all that is at a path to another one."""
    moved = frozenset(_all_below(state, source))
    return Moving(target, moved, moved, moved)


def _all_below(state: State, path: Path) -> set[Path]:
    """The paths of a file, or of a directory and all that is in it; none where nothing is."""
    node = locate(state, path)
    return {found for found, _ in walk(node, path)} if type(node) is Dir else {path} if type(node) is File else set()


def _can_go(state: State, path: Path) -> bool:
    """Whether a path is a file, or a directory with nothing in it."""
    node = locate(state, path)
    return type(node) is File or (type(node) is Dir and not node.children)


def _copied(state: State, path: Path, place: Path) -> State | None:
    """The state with a file, or with a directory without what is in it, at a place too; None where it can't be.

    Directories above the place that are missing are made.
    """
    node, there = locate(state, path), locate(state, place)
    if any(type(locate(state, place[:depth])) is File for depth in range(1, len(place))):
        return None
    if type(node) is File:
        return put(state, place, node) if type(there) is not Dir else None
    if type(there) is File:
        return None
    return state if type(there) is Dir else put(state, place, EMPTY_DIR)


def _taken(state: State, path: Path) -> Reached:
    """Where a call may end that took a path away: the path's parent, if it is missing by now, may be made again."""
    if locate(state, path[:-1]) in (MISSING, NO_PARENT):
        yield put(state, path[:-1], EMPTY_DIR), None
    yield state, None


def _is_refusal(outcome: Outcome) -> bool:
    return isinstance(outcome, Raised) or outcome == Returned(False)


def _adds(operation: Create | Append | OpenWriter) -> bool:
    """Whether a call writes to a file without replacing it."""
    match operation:
        case Create(overwrite=overwrite):
            return not overwrite
        case OpenWriter(mode=mode):
            return mode != "overwrite"
    return isinstance(operation, Append)


def _without(writers: Map[str, Writer], names: Iterable[str]) -> Map[str, Writer]:
    for name in names:
        writers = writers.delete(name)
    return writers


def _free_name(state: State, op: Operation) -> str:
    """A name for the stream of a call, which no other call comes to use once that stream is gone."""
    names = (f"{UNNAMED}{number} {op!r}" for number in range(len(state.writers) + 1))
    return next(name for name in names if name not in state.writers)


def _forget(state: State, stream: str) -> State:
    """The state without a stream that is done with; where nothing is known of its path that stays so."""
    known = state.writers.get(stream)
    if known is None or known.phase == "astray":
        return state
    return replace(state, writers=state.writers.delete(stream))


def _is_recovered(outcome: Outcome) -> bool:
    """Whether the recovery of a lease came to its end."""
    return isinstance(outcome, Returned) and is_recovery(outcome.value)


_WAYS: dict[type[Operation], Way] = {
    Create: SmallSteps.writing,
    CreateWith: SmallSteps.writing,
    Append: SmallSteps.writing,
    Mkdirs: SmallSteps.making,
    OpenWriter: SmallSteps.opening,
    Delete: SmallSteps.deleting,
    Rename: SmallSteps.moving,
    RenameWith: SmallSteps.replacing,
    ListStatus: SmallSteps.listing,
    Open: SmallSteps.reading,
}
