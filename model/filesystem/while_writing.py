"""What all other operations meet at a path to which a stream is writing.

A file that is being written shows, to whoever opens it, its data up to some place that is not before what was made
visible last, and its length may be behind that. In stores where new files stay unseen until they are closed the path
may be missing, or hold its old file. What renames, deletes or writes anew what a stream writes to leaves nothing known
of either. Source: outputstream.md, "Concurrency", "Consistency and Visibility", "Object Stores".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Case,
    Cases,
    Check,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED, METADATA_UPDATED_ON_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.writers import View, is_unpromised, wrong_bytes
from fsconform.model.filesystem.state import Dir, State, Writer, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

_DELAYED = (CREATE_VISIBILITY_DELAYED, True)
_LAGS, _FRESH = (METADATA_UPDATED_ON_HSYNC, False), (METADATA_UPDATED_ON_HSYNC, True)
_OF_THEIR_OWN = (Observe, RecoverLease, IsFileClosed, OpenReader)
_MAKING = (Create, Append, OpenWriter)
_CREATED = "filesystem.create.post"


# --- what a file shows while it is being written


def _is_data(data: Data) -> Callable[[contents.Content], bool | None]:
    def same(content: contents.Content) -> bool | None:
        digest = contents.digest(content)
        return None if digest is None else digest == data.digest

    return same


def _is_status(view: View, status: object, fresh: bool) -> bool:
    if not isinstance(status, Status):
        return False
    if view.kind != "file":
        return view.kind == "directory" and status.is_dir
    if status.is_dir or status.block_size <= 0:
        return False
    total = contents.length(view.content)
    if not view.growing:
        return status.length == total
    return max(view.held, view.synced if fresh else 0) <= status.length <= total


def _is_read(view: View, data: object) -> bool:
    return view.kind == "file" and isinstance(data, Data) and wrong_bytes(view, data.length, _is_data(data)) is None


def _is_unpromised(root: State, op: Open, _value: object) -> bool:
    return is_unpromised(seen(root, op.path, False)[0])


def seen(root: State, path: Path, delayed: bool) -> tuple[View, ...]:
    """What may be seen at a path; nothing where nothing is known, which is anything."""
    found = streams.views(root, path)
    return () if found is None else (found[0], *(found[1] if delayed else ()))


def _any_view(fits: Callable[[View, object], bool], before: bool) -> Check:
    """A check of what the stream has made of the path, or of what was there ``before``."""

    def check(root: State, op: Operation, value: object) -> bool:
        found = seen(root, paths_of(op)[0], before)
        return any(fits(view, value) for view in (found[1:] if before else found))

    return check


def _status(before: bool, fresh: bool) -> Check:
    fits = _any_view(lambda view, status: _is_status(view, status, fresh), before)
    return lambda root, op, status: isinstance(status, Status) and status.path == op.path and fits(root, op, status)


def _listed(delayed: bool) -> Check:
    def check(root: State, op: ListStatus, listed: object) -> bool:
        if not isinstance(listed, tuple):
            return False
        here = seen(root, op.path, delayed)
        if here[0].kind != "directory":
            return len(listed) == 1 and any(_is_status(view, listed[0], False) for view in here)
        return _is_listing(root, op.path, delayed, {status.path: status for status in listed}, len(listed))

    return check


def _is_listing(root: State, base: Path, delayed: bool, listed: dict[Path, Status], count: int) -> bool:
    if count != len(listed) or any(len(path) != len(base) + 1 or path[:-1] != base for path in listed):
        return False
    node = locate(root, base)
    names = set(node.children) if isinstance(node, Dir) else set[str]()
    names |= {path[-1] for path in listed}
    for name in names:
        status = listed.get((*base, name))
        found = seen(root, (*base, name), delayed)
        if found and not any(
            view.kind == "missing" if status is None else _is_status(view, status, False) for view in found
        ):
            return False
    return True


# --- the cases


def _unseen(name: str, first: Case, kind: type) -> Case:
    """A case with what it may be where files are seen late: what the operation gives of a path that is missing."""
    late: tuple[Branch, ...]
    if kind is Exists:
        late = (returns(clause.INVISIBLE, False, _DELAYED, level="MAY"),)
    else:
        error = "IOException" if kind is Open else "FileNotFoundException"
        refused = runtime_instead((raises(clause.INVISIBLE, error, level="MAY"),))
        late = tuple(replace(one, when=(_DELAYED,)) for one in refused)
    return Case(name, first.clause, (*first.branches, *late))


def _of_file(kind: type) -> Case:
    name, words = "a file that is being written", "what the file holds so far"
    branches: tuple[Branch, ...]
    if kind is GetFileStatus:
        branches = (
            gives(
                clause.NOT_AHEAD,
                "its length so far",
                _status(False, False),
                _LAGS,
                level="MUST NOT",
                also=(clause.BEHIND,),
            ),
            gives(
                clause.NOT_AHEAD,
                "its length so far",
                _status(False, True),
                _FRESH,
                level="MUST NOT",
                also=(clause.SYNC_METADATA,),
            ),
            gives(clause.INVISIBLE, "the status before", _status(True, False), _DELAYED, level="MAY"),
        )
    elif kind is ListStatus:
        branches = (
            gives(clause.NOT_AHEAD, "its length so far", _listed(False), level="MUST NOT"),
            gives(clause.INVISIBLE, "the status before", _listed(True), _DELAYED, level="MAY"),
        )
    elif kind is Open:
        branches = (
            gives(clause.SAVED, words, _any_view(_is_read, False), also=(clause.SYNC_VISIBLE, clause.WRITE_VISIBLE)),
            gives(clause.BUFFERED, "what the file held before", _any_view(_is_read, True), _DELAYED, level="MAY"),
            replace(
                gives(clause.WRITE_VISIBLE, "refuse what was not made visible yet", _is_unpromised, level="MAY"),
                raises="org.apache.hadoop.fs.ChecksumException",
            ),
        )
    else:
        branches = (returns(_CREATED, True),)
    return Case(name, branches[0].clause, branches)


def _of_directory(kind: type) -> Case:
    name = "a directory with a file that is being written"
    if kind is GetFileStatus:
        branches: tuple[Branch, ...] = (gives(_CREATED, "status of a directory", _status(False, False)),)
    elif kind is ListStatus:
        branches = (
            gives(clause.NOT_AHEAD, "the statuses of all children", _listed(False), level="MUST NOT"),
            gives(clause.INVISIBLE, "the statuses of the children that are seen", _listed(True), _DELAYED, level="MAY"),
        )
    elif kind is Open:
        branches = (raises("filesystem.open.pre.is-file", "IOException"),)
    else:
        branches = (returns(_CREATED, True),)
    return Case(name, branches[0].clause, branches)


def _free_case() -> Case:
    broken = clause.PATH_CHANGED_WRITES
    anything = (returns(broken, ANY, level="UNDEFINED"), raises(broken, "Throwable", level="UNDEFINED"))
    return Case("a path of which a stream leaves nothing known", broken, anything)


def _astray(root: State, op: Operation) -> State:
    state = streams.astray(root, paths_of(op))
    if isinstance(op, OpenWriter):
        return replace(state, writers=state.writers.set(op.stream, Writer(op.path, (), "astray")))
    return state


_REFUSED = runtime_instead((raises(clause.PATH_CHANGED, "IOException", level="MAY"),))
_DONE = returns(clause.PATH_CHANGED, ANY, effect=_astray, level="MAY", also=(clause.TWO_WRITERS,))


# Stores that do not support what changes the path refuse it as they always do.
_UNSUPPORTED = raises(clause.PATH_CHANGED, "UnsupportedOperationException", level="MAY")
_NO_APPEND = raises(
    "filesystem.append.unsupported", "UnsupportedOperationException", (SUPPORTS_APPEND, False), level="SHOULD"
)


def _disturbed(*more: Branch) -> Case:
    return Case("a file that is being written, or above or below one", clause.PATH_CHANGED, (_DONE, *_REFUSED, *more))


_EVERYWHERE = (Create, Mkdirs, Rename, Delete, OpenWriter)

_MET = Cases()
_DISTURBED, _DISTURBED_OTHERWISE = _MET.add(_disturbed()), _MET.add(_disturbed(_UNSUPPORTED))
_FREE = _MET.add(_free_case())
_THERE = _MET.case(
    "a file that is being written, not to be overwritten",
    "filesystem.create.pre.no-overwrite",
    (*_REFUSED, replace(_DONE, when=(_DELAYED,))),
)
_APPENDED = _MET.add(_disturbed(_NO_APPEND))


def _seen_by(kind: type) -> dict[tuple[str, bool], int]:
    """The cases of a query, by the kind of what is seen, and whether that may be missing still."""
    file, directory = _of_file(kind), _of_directory(kind)
    of_file = {("file", False): _MET.add(file), ("file", True): _MET.add(_unseen(file.name, file, kind))}
    sure = _MET.add(directory)
    unsure = sure if kind is Open else _MET.add(_unseen(f"{directory.name}, or not yet", directory, kind))
    return {**of_file, ("directory", False): sure, ("directory", True): unsure}


_SEEN: dict[type, dict[tuple[str, bool], int]] = {
    kind: _seen_by(kind) for kind in (GetFileStatus, Exists, ListStatus, Open)
}

CASES: tuple[Case, ...] = _MET.all
"""The cases of this module: of each operation they follow its own."""


def met(root: State, op: Operation) -> int:
    """The case of ``CASES`` that an operation meets, by its bit; 0 where no stream bears on it."""
    paths = paths_of(op)
    if not paths or isinstance(op, _OF_THEIR_OWN) or not streams.is_met(root, paths):
        return 0
    if op.MUTATES:
        if not _disturbs(root, op, paths):
            return 0
        return _changing(root, op)
    seen_by = _SEEN.get(type(op))
    found = streams.views(root, paths[0]) if seen_by else None
    if seen_by is None or found is None:
        return _FREE
    view, others = found
    # Below a file there is nothing, whether it is being written or not.
    return seen_by.get((view.kind, any(other.kind == "missing" for other in others)), 0)


def _changing(root: State, op: Operation) -> int:
    if isinstance(op, Append) or (isinstance(op, OpenWriter) and op.mode == "append"):
        return _APPENDED
    fresh = (isinstance(op, Create) and not op.overwrite) or (isinstance(op, OpenWriter) and op.mode == "create")
    if fresh and _is_there(root, paths_of(op)[0]):
        return _THERE
    return _DISTURBED if isinstance(op, _EVERYWHERE) else _DISTURBED_OTHERWISE


def _is_there(root: State, path: Path) -> bool:
    """True if a file is at the path: it is being written, and nothing else is known to happen to it."""
    found = streams.views(root, path)
    return found is not None and found[0].kind == "file" and found[0].growing


def _disturbs(root: State, op: Operation, paths: tuple[Path, ...]) -> bool:
    if not isinstance(op, (Mkdirs, *_MAKING)):
        return True
    path = paths[0]
    for _, one in streams.live(root):
        if streams.related(path, one.path):
            above = len(path) < len(one.path)
            if not above or one.phase == "astray" or (len(path) > one.depth and not isinstance(op, Mkdirs)):
                return True
    return False
