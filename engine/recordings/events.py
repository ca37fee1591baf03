"""The calls of a recording as events: each an operation of the model with its outcome, where the model has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsconform.model.core import content as contents
from fsconform.model.core.content import EMPTY, Content, Observed
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status, Unknown
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.records.recording import CallLine, Entry

MOST_LEVELS = 200
"""Of a path. What happens at deeper ones is not judged."""

Stream = tuple[int, int, int]
"""An output stream: the number of its recording, of its store, and its own."""

Reason = Callable[[Iterable[str], str], str]
"""Why an error, by its classes and its message, tells nothing of what the store conforms to; empty if it does."""

_REFUSED = frozenset(
    ("org.apache.hadoop.security.AccessControlException", "java.nio.file.AccessDeniedException", "java.lang.Error")
)
"""Errors that hang on who asks, or on the machine, and not on what is there."""

NOT_RECORDED = Unknown("its outcome is not recorded")

_QUIET = frozenset(("hflush", "hsync"))


@dataclass(frozen=True, slots=True)
class Event:
    """A call. ``operation`` is None where the model has none for it, or its outcome tells nothing.

    ``kind`` is ``call``, ``open`` (to write) or ``close``; ``mutates`` is true where it may have changed what is at
    its ``paths`` and below them. ``content`` is what was written until a close, None where nobody can tell. ``place``
    names the recording and the line. Times are nanoseconds of one clock.
    """

    place: tuple[int, int]
    store: str
    thread: tuple[int, int]
    begin: int
    end: int
    name: str
    kind: str
    paths: tuple[Path, ...]
    mutates: bool
    operation: Operation | None = None
    outcome: Outcome = NOT_RECORDED
    stream: Stream | None = None
    content: Content | None = None
    read_in_part: bool = False

    @property
    def failed(self) -> bool:
        """Whether the call raised an error, or nobody knows what it did."""
        return not isinstance(self.outcome, Returned)


def names(path: str) -> Path:
    """The elements of an absolute path as Hadoop normalises it."""
    return tuple(name for name in path.split("/") if name)


def content_of(length: int, digest: str) -> Content:
    """Content of which length and digest are known; an empty digest is one that is not known."""
    return (Observed(length, digest),) if length else EMPTY


def event_of(recording: int, number: int, store: str, line: CallLine, reason: Reason) -> Event:
    """The event of a line. Nothing is judged of what the model has no operation for; what it changes is unknown."""
    paths = tuple(map(names, line.paths))
    operation, outcome, mutates = _judged(line, paths)
    kind = {"open to write": "open", "close": "close"}.get(line.call, "call")
    if line.error:
        known = reason(line.error, line.message) or next((one for one in line.error if one in _REFUSED), "")
        outcome = Unknown(known) if known else Raised(line.error, line.message)
    if any(len(path) > MOST_LEVELS for path in paths):
        paths = tuple(path[:MOST_LEVELS] for path in paths)
        operation, kind = None, "call"
    return Event(
        place=(recording, number),
        store=store,
        thread=(recording, line.thread),
        begin=line.begin,
        end=line.end,
        name=line.name if line.call == "other" else line.call,
        kind=kind,
        paths=paths,
        mutates=mutates,
        operation=None if isinstance(outcome, Unknown) else operation,
        outcome=outcome,
        stream=(recording, line.store, line.stream) if line.stream else None,
        content=content_of(line.length, line.sha256) if line.sha256 and kind == "close" else None,
        read_in_part=line.part,
    )


def _judged(line: CallLine, paths: tuple[Path, ...]) -> tuple[Operation | None, Outcome, bool]:
    """The operation, its outcome unless it raised an error, and whether it may change something."""
    unknown = NOT_RECORDED
    did = Returned(line.did) if line.did is not None else unknown
    match line.call, paths:
        case "getFileStatus", (path,):
            told = line.status is not None and not line.status.odd
            return GetFileStatus(path), Returned(_status(line.status)) if told and line.status else unknown, False
        case "listStatus", (path,):
            return ListStatus(path), _listing(line.listed), False
        case "exists", (path,):
            return Exists(path), did, False
        case "open", (path,):
            return Open(path), Returned(Data(line.length, line.sha256)), False
        case "mkdirs", (path,):
            return Mkdirs(path), did, True
        case "delete", (path,):
            return Delete(path, line.recursive), did, True
        case "rename", (source, target):
            return Rename(source, target), did, True
        case "rename with options", (source, target):
            return RenameWith(source, target, line.overwrite), Returned(None), True
        case "open to write", (path,):
            return _opened(line, path), Returned(None), True
        case "close", (_,):
            return None, Returned(None), True
        case name, _:
            return None, unknown, name not in _QUIET
    raise AssertionError(line)


def _opened(line: CallLine, path: Path) -> Operation | None:
    overwrites = line.mode == "overwrite"
    if line.mode == "append":
        return Append(path, EMPTY)
    if not overwrites and line.mode != "create":
        return None
    return Create(path, EMPTY, overwrites) if line.parents else CreateNonRecursive(path, EMPTY, overwrites)


def _status(entry: Entry) -> Status:
    return Status(names(entry.path), entry.dir, entry.length, entry.block)


def _listing(listed: tuple[Entry, ...] | None) -> Outcome:
    if listed is None or any(entry.odd for entry in listed):
        return Unknown("not all entries are recorded")
    return Returned(tuple(map(_status, listed)))


def length_known(content: Content) -> Content:
    """The content with nothing but its length known."""
    return content_of(contents.length(content), "")
