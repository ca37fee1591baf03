"""The quirks of Hadoop's RawLocalFileSystem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fsconform.adapters.stores.quirks import buffered_reads
from fsconform.adapters.stores.quirks.local_media import local_media
from fsconform.adapters.stores.quirks.local_races import local_races
from fsconform.adapters.stores.quirks.local_trees import (
    BUFFER,
    COLON,
    DEEPER,
    OVER,
    OWN_DIRECTORY,
    Result,
    branch_of,
    concatenated,
    is_long,
    is_settled,
    refusable,
    renamed,
)
from fsconform.adapters.stores.quirks.shared import UNTIL, null_range, renamed_below_itself, renamed_to_itself
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import REFUSED_CLAUSE, Branch, gives, returns
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output import clauses as writer_clauses
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_capabilities import WriterCapability
from fsconform.model.filesystem.output.stream_states import answer, told
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write, WriteWrongly
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING, NO_PARENT, State, Writer, locate, put
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.stream_answers import Rules
from fsconform.model.filesystem.transfer.local_copies import CopyFromLocal, MoveFromLocal

_RENAME = "filesystem.rename"
_A, _B = contents.of(1, 3), contents.of(2, 5)


def file(path: str, content: contents.Content = _A) -> Step:
    """A step that creates a file."""
    return Step(Create(tuple(path.split("/")), content, False))


def directory(path: str) -> Step:
    """A step that makes a directory."""
    return Step(Mkdirs(tuple(path.split("/"))))


def rename(src: str, dst: str) -> Step:
    """A step that renames; an empty text is the root."""
    return Step(Rename(tuple(src.split("/")) if src else (), tuple(dst.split("/")) if dst else ()))


# --- rename, where the operating system refuses and a copy follows


def own_directory(_root: State, _op: Rename, result: Result) -> bool:
    """A file is copied onto itself, which empties it, and then deleted."""
    return OWN_DIRECTORY in result.met


def deeper(_root: State, _op: Rename, result: Result) -> bool:
    """A copy went into a directory of the child's name instead of onto it."""
    return result.value is True and DEEPER in result.met


def over(_root: State, _op: Rename, result: Result) -> bool:
    """A file was copied over one that was there, and nothing went too deep."""
    return result.value is True and OVER in result.met and DEEPER not in result.met


def colon(root: State, _op: Rename, result: Result) -> bool:
    """A name was refused for its colon after something was made."""
    return COLON in result.met and result.tree is not root


def for_length(root: State, op: Rename, result: Result) -> bool:
    """The destination was refused for the length of a name after its parents were made."""
    return result.value is not True and is_long(op.dst) and result.tree is not root


def halfway(root: State, op: Rename, result: Result) -> bool:
    """The copy stopped at a name that is taken, after something was moved."""
    return bool(result.error) and result.tree is not root and COLON not in result.met and not is_long(op.dst)


Sort = Callable[[State, Rename, Result], bool]


def renames(clause: str, is_one: Sort) -> Callable[[State, Rename], Iterator[Branch]]:
    """What rename does, of one sort."""

    def behaviour(root: State, op: Rename) -> Iterator[Branch]:
        if is_settled(root, op):
            for result in renamed(root, op.src, op.dst):
                if is_one(root, op, result):
                    yield branch_of(result, clause)

    return behaviour


_OWN_DIRECTORY = Quirk(
    "rawlocal/rename-into-own-directory-loses-file",
    "a file that is renamed into the directory it is in is lost",
    f"{_RENAME}.post.file-to-itself",
    "data lost",
    "the copy that follows a refused rename writes the file onto itself, and deletes the source",
    "rawlocal/loses-a-file-that-is-renamed-into-its-own-directory",
    UNTIL,
    (file("a"), rename("a", "")),
    (Rename,),
    renames(f"{_RENAME}.post.file-to-itself", own_directory),
)


def moves_in_part(store: str, behaviour: Callable[[State, Rename], Iterator[Branch]]) -> Quirk:
    """A directory is moved in part before the rest of a rename is refused."""
    return Quirk(
        f"{store}/refused-rename-moves-a-part",
        "a directory is moved in part before the rest of the rename is refused",
        REFUSED_CLAUSE,
        "data wrong",
        "the copy that follows a refused rename moves child by child, and stops at a name that is taken",
        f"{store}/moves-a-part-of-a-directory-and-then-refuses",
        UNTIL,
        (file("a/b/a"), file("b/a/b"), file("b/c"), rename("b", "a")),
        (Rename,),
        behaviour,
    )


def merges_deeper(store: str, behaviour: Callable[[State, Rename], Iterator[Branch]]) -> Quirk:
    """A directory that is merged with one of its name puts its own directories one level deeper."""
    return Quirk(
        f"{store}/rename-merges-one-level-too-deep",
        "a directory that is merged with one of its name puts its own directories one level deeper",
        f"{_RENAME}.onto-directory",
        "data wrong",
        "a copy to a directory that is there goes into it, and each child is copied so",
        f"{store}/merges-directories-one-level-too-deep",
        UNTIL,
        (directory("a/b/c"), directory("d/a/b"), rename("a", "d")),
        (Rename,),
        behaviour,
    )


def merges_over(store: str, behaviour: Callable[[State, Rename], Iterator[Branch]]) -> Quirk:
    """A directory that is merged with one of its name replaces the files that both have."""
    return Quirk(
        f"{store}/rename-merges-and-replaces-files",
        "a directory that is merged with one of its name replaces the files that both have",
        f"{_RENAME}.onto-directory",
        "data lost",
        "the copy that follows a refused rename writes over what is there",
        f"{store}/replaces-files-as-it-merges-directories",
        UNTIL,
        (file("a/b/c"), file("d/b/c", _B), rename("a/b", "d")),
        (Rename,),
        behaviour,
    )


_COLON = Quirk(
    "rawlocal/rename-refused-for-a-colon-makes-destination",
    "a rename that is refused for a colon in a name has made its destination",
    REFUSED_CLAUSE,
    "wrong answer",
    "a directory that can't be moved is copied, and a Path of the name alone is made after the destination",
    "rawlocal/makes-the-destination-of-a-rename-that-it-refuses-for-a-colon",
    UNTIL,
    (file("a:b/a:b"), rename("a:b", "a/a")),
    (Rename,),
    renames(REFUSED_CLAUSE, colon),
)

# --- what is refused for the length of a name

MAKING: tuple[type[Operation], ...] = (
    *(Create, CreateWith, Mkdirs, MkdirsWith, CreateNonRecursive, CreateFile),
    *(OpenWriter, CopyFromLocal, CompareEtags),
)
"""The calls that make something at their path."""


def leaves_parents(root: State, op: Any) -> Iterator[Branch]:
    """A call that makes something at a path has made the parents before a name is refused."""
    path: Path = op.path
    for place in refusable(path):
        if place and locate(root, path[:place]) in (MISSING, NO_PARENT) and is_settled(root, op):
            made = put(root, path[:place], EMPTY_DIR)
            yield branch_of(Result(made, None, "IOException"))
            if isinstance(op, Mkdirs | MkdirsWith):
                yield branch_of(Result(made, False))


def _long(root: State, op: Any) -> Iterator[Branch]:
    if isinstance(op, Rename | MoveFromLocal):
        if isinstance(op, Rename):
            yield from renames(REFUSED_CLAUSE, for_length)(root, op)
        else:
            yield from leaves_parents(root, op)
        return
    yield from leaves_parents(root, op)


_PARENTS = Quirk(
    "rawlocal/refused-long-name-makes-parents",
    "a call that is refused for the length of a name has made the parents",
    REFUSED_CLAUSE,
    "wrong answer",
    "the parents are made first, and the operating system refuses the name after that",
    "rawlocal/leaves-the-parents-of-what-it-refused",
    UNTIL,
    (file("a/" + "n" * 256),),
    (*MAKING, MoveFromLocal, Rename),
    _long,
)

# --- concat


def _concat(root: State, op: Concat | HasPathCapability) -> Iterator[Branch]:
    if isinstance(op, HasPathCapability):
        if op.capability == "fs.capability.paths.concat":
            yield returns("pathcapabilities.hasPathCapability.post.no-false-claim", True)
    elif is_settled(root, op):
        result = concatenated(root, op.path, op.sources)
        if result is not None and (not result.error or result.tree is not root):
            yield branch_of(result, "filesystem.concat.post")


_CONCAT = Quirk(
    "rawlocal/concat-replaces-its-target",
    "concat replaces its target by the bytes of its sources, and asks nothing of either",
    "filesystem.concat.post",
    "data lost",
    "the target is created anew before the sources are read, which stay where they are",
    "rawlocal/concatenates-over-its-target",
    UNTIL,
    (file("a"), file("b", _B), Step(Concat(("a",), (("b",),)))),
    (Concat, HasPathCapability),
    _concat,
)

# --- streams that are closed, and streams that append

_LATE = "late"
FS_ERROR = "org.apache.hadoop.fs.FSError"
"""What a local file raises where the operating system refuses to write: an Error of Hadoop's own."""


def late(root: State, stream: str) -> tuple[int, ...]:
    """How many bytes may be in the buffer of a closed stream: one number, but where threads have written to it."""
    found = root.marks.get(f"{_LATE} {stream}")
    return (0,) if found is None else found


def with_late(root: State, stream: str, held: Iterable[int]) -> State:
    """The state with other numbers of bytes that the buffer of a closed stream may hold."""
    known = tuple(sorted(set(held)))
    return root.noting(f"{_LATE} {stream}", None if known == (0,) else known)


def _buffered(op: Write, held: int) -> tuple[bool, int]:
    """True if the buffer takes what is written, and how many bytes it holds after that."""
    size = contents.length(op.content)
    if op.via == "bytes":
        return held + size <= BUFFER, min(held + size, BUFFER)
    fits = size < BUFFER and (held == 0 or size <= BUFFER - held)
    return fits, held + size if fits else held


def written_late(root: State, op: Write) -> Iterator[Branch]:
    """What a write to the closed stream of a local file does: its buffer takes what it has room for."""
    found = [_buffered(op, held) for held in late(root, op.stream)]
    taken, refused = ([after for fits, after in found if fits is wanted] for wanted in (True, False))
    if taken:
        yield returns(writer_clauses.WRITE_OPEN, None, effect=lambda state, _op: with_late(state, op.stream, taken))
    if refused:

        def effect(state: State, _op: Write) -> State:
            return with_late(state, op.stream, refused)

        yield Branch(writer_clauses.WRITE_OPEN, "MUST", "raise FSError", effect, FS_ERROR)


_MISUSED = {"null": 1, "negative offset": 3, "beyond the end": 3, "offset beyond the end": 1}
"""The length with which each wrong write is made; one with a negative length never meets a full buffer."""


def written_wrongly_late(root: State, op: WriteWrongly) -> Iterator[Branch]:
    """A wrong write to the closed stream of a local file: a buffer without the room for it is written before."""
    full = [held for held in late(root, op.stream) if _MISUSED.get(op.how, 0) > BUFFER - held]
    if full:

        def effect(state: State, _op: WriteWrongly) -> State:
            return with_late(state, op.stream, full)

        yield Branch(writer_clauses.WRITE_OPEN, "MUST", "raise FSError", effect, FS_ERROR)


BESIDE_BYTES = 64
"""Bytes of each write of the thread that writes while a stream is aborted."""


def written_beside(before: State, op: AbortWriter, _outcome: Outcome, after: State) -> State:
    """A thread that writes while a closed stream is aborted leaves bytes in its buffer, sooner or later."""
    if op.via != "threads" or closed(before, op) is None:
        return after
    found: set[int] = set()
    for held in late(before, op.stream):
        room = (BUFFER - held) // BESIDE_BYTES
        found.update(held + many * BESIDE_BYTES for many in range(min(room, 1), room + 1))
    return with_late(after, op.stream, found)


def closed(root: State, op: Any) -> Writer | None:
    """The stream of an operation if it is closed."""
    one = root.writers.get(op.stream)
    return one if one is not None and one.phase == "closed" else None


def takes_bytes(root: State, op: Write | WriteWrongly | Sync) -> Iterator[Branch]:
    """A closed stream takes what its buffer has room for, and fails by an Error where that is written."""
    if closed(root, op) is None:
        return
    if isinstance(op, Write):
        yield from written_late(root, op)
    elif isinstance(op, WriteWrongly):
        yield from written_wrongly_late(root, op)
    elif any(late(root, op.stream)):
        yield gives(writer_clauses.SYNC_OPEN, "raise FSError", lambda _r, _o, value: "FSError" in answer(value))


def flushes_closed(root: State, op: Sync) -> Iterator[Branch]:
    """hflush of a closed stream returns."""
    if op.call == "hflush" and closed(root, op) is not None and not any(late(root, op.stream)):
        yield gives(
            writer_clauses.SYNC_OPEN,
            "succeed",
            lambda _r, _o, value: answer(value) == "done" and told(value, "capability") and told(value, "syncable"),
        )


def _appends(root: State, op: Sync | WriterCapability) -> Iterator[Branch]:
    one = root.writers.get(op.stream)
    if one is None or not one.appends or one.phase not in ("open", "closed"):
        return
    if isinstance(op, WriterCapability):
        if op.capability in ("hflush", "hsync"):
            yield returns("outputstream.capability.implemented", False)
    elif op.call != "flush" and not any(late(root, op.stream)):

        def flushed(state: State, _op: Sync) -> State:
            return streams.changed(state, op.stream, least=one.length, shown=True) if one.phase == "open" else state

        yield gives(writer_clauses.ALWAYS, "be no more than flush", _is_flush, effect=flushed)


def _is_flush(_root: State, _op: Sync, value: Any) -> bool:
    return answer(value) == "done" and not told(value, "capability") and not told(value, "syncable")


_OPENED = Step(OpenWriter(("a",), "w", "create"))
_CLOSED = (_OPENED, Step(CloseWriter("w")))

_TAKES = Quirk(
    "rawlocal/closed-stream-takes-bytes",
    "what is written to a closed stream is taken and lost, or refused by an Error of Hadoop's own",
    writer_clauses.WRITE_OPEN,
    "data lost",
    "the buffer of a closed stream asks the file only when it is full",
    "rawlocal/takes-bytes-for-a-closed-stream",
    UNTIL,
    (*_CLOSED, Step(Write("w", _A))),
    (Write, WriteWrongly, Sync),
    takes_bytes,
    remembers=(AbortWriter,),
    remember=written_beside,
)
_FLUSHES = Quirk(
    "rawlocal/closed-stream-flushes",
    "hflush of a closed stream returns",
    writer_clauses.SYNC_OPEN,
    "wrong answer",
    "hflush of a local file asks the operating system nothing",
    "rawlocal/flushes-a-closed-stream",
    UNTIL,
    (*_CLOSED, Step(Sync("w", "hflush"))),
    (Sync,),
    flushes_closed,
)
_APPENDS = Quirk(
    "rawlocal/appending-stream-is-not-syncable",
    "hflush and hsync of a stream that appends are no more than flush",
    writer_clauses.ALWAYS,
    "data lost",
    "the stream is wrapped in a buffer that is not Syncable",
    "rawlocal/makes-a-flush-of-hsync-where-it-appends",
    UNTIL,
    (file("a"), Step(OpenWriter(("a",), "w", "append")), Step(Sync("w", "hsync"))),
    (Sync, WriterCapability),
    _appends,
)

# --- streams that read

_READS = Rules(rejects=False, unbuffers=False, early=False)
"""What the streams do where options say so."""

QUIRKS = (
    _OWN_DIRECTORY,
    moves_in_part("rawlocal", renames(REFUSED_CLAUSE, halfway)),
    merges_deeper("rawlocal", renames(f"{_RENAME}.onto-directory", deeper)),
    merges_over("rawlocal", renames(f"{_RENAME}.onto-directory", over)),
    _COLON,
    _PARENTS,
    _CONCAT,
    renamed_to_itself("rawlocal", "rawlocal/deletes-what-is-renamed-to-itself-with-overwrite"),
    renamed_below_itself("rawlocal", "rawlocal/deletes-a-destination-below-the-source-before-it-refuses"),
    _TAKES,
    _FLUSHES,
    _APPENDS,
    buffered_reads.drops_the_buffer("rawlocal", "rawlocal/moves-on-where-there-is-no-other-source", _READS),
    null_range("rawlocal", "rawlocal/raises-nullpointerexception-for-a-range-that-is-null"),
)

RACES = (*local_races("rawlocal"), *local_media("rawlocal"))
