"""The quirks of HDFS."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from fsconform.adapters.stores.hdfs.outages import (
    FORGETS_A_FINISHED_BLOCK,
    FORGETS_WHAT_WAS_APPENDED_TO,
    UNREADABLE_AFTER_AN_APPEND,
)
from fsconform.adapters.stores.quirks import multipart
from fsconform.adapters.stores.quirks.copies import copied_too_deep
from fsconform.adapters.stores.quirks.cut_replies import TAKES_A_CUT_REPLY_FOR_WHOLE
from fsconform.adapters.stores.quirks.shared import null_range
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import MEANINGS, REFUSED_CLAUSE, Branch, Effect, raises, returns
from fsconform.model.filesystem.metadata.quotas import SetQuota, room
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import UNKNOWN, CreateFile
from fsconform.model.filesystem.namespace.create_file import write as write_by_builder
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_capabilities import SetDropBehind
from fsconform.model.filesystem.output.stream_states import PHASES, phase
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether
from fsconform.model.filesystem.output.writers import is_live
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING, NO_PARENT, Dir, File, State, locate, put, remove
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.transfer.local_copies import LOCAL_FILE, CopyFromLocal, CopyTreeFromLocal, MoveFromLocal
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload

UNTIL = datetime.date(2027, 11, 30)
LONGEST_NAME = 255
"""Bytes of a name in UTF-8 (dfs.namenode.fs-limits.max-component-length)."""
HELD = 9 * 512
"""Bytes that an output stream holds before it sums them up: nine chunks."""

_SMALL = contents.of(1, 3)


def _refused(after: State, *errors: str) -> Iterator[Branch]:
    """A refusal, which leaves that state."""
    effect: Effect = lambda _root, _op: after  # noqa: E731
    yield from (replace(raises(REFUSED_CLAUSE, error), effect=effect) for error in errors or ("IOException",))


# --- what a refused call leaves


def _before_a_long_name(path: Path) -> Path | None:
    """The path up to its first name that is too long; None if there is none."""
    for place, name in enumerate(path):
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            return path[:place]
    return None


def _makes_parents(op: Any) -> bool:
    """True of a call that makes the parents of its path."""
    if isinstance(op, OpenWriter):
        return op.mode != "append"
    return not isinstance(op, CreateFile) or op.recursive


def _leaves_parents(root: State, op: Any) -> Iterator[Branch]:
    parent = _before_a_long_name(op.path) if _makes_parents(op) else None
    if parent and locate(root, parent) in (MISSING, NO_PARENT):
        yield from _refused(put(root, parent, EMPTY_DIR))


_PARENTS = Quirk(
    "hdfs/refused-long-name-makes-parents",
    "a call that is refused for the length of a name has made the parents",
    REFUSED_CLAUSE,
    "wrong answer",
    "the NameNode makes missing parents before it checks the last name of a path",
    "hdfs/leaves-the-parents-of-what-it-refused",
    UNTIL,
    (Step(Create(("a", "n" * 256), _SMALL, False)),),
    (
        Create,
        Mkdirs,
        CreateFile,
        OpenWriter,
        CopyFromLocal,
        MoveFromLocal,
        CopyTreeFromLocal,
        CompareEtags,
        WriteTogether,
        FailClose,
        FillUp,
    ),
    _leaves_parents,
)


def _has_quotas(root: State) -> bool:
    return root.quotas


def _leaves_some_parents(root: State, op: Create | Mkdirs | OpenWriter) -> Iterator[Branch]:
    """As many of the missing directories as the quota had room for have been made."""
    if not _has_quotas(root) or not _makes_parents(op) or locate(root, op.path) is not NO_PARENT:
        return
    left, depth = room(root, op.path)
    if left is not None and 0 < left < len(op.path) - depth:
        yield from _refused(put(root, op.path[: depth + left], EMPTY_DIR))


_SOME_PARENTS = Quirk(
    "hdfs/refused-over-quota-makes-parents",
    "a call that is refused for a quota has made as many parents as the quota had room for",
    REFUSED_CLAUSE,
    "wrong answer",
    "the NameNode makes missing parents one by one, and checks the quota for each of them",
    "hdfs/leaves-the-parents-of-what-it-refused",
    UNTIL,
    (
        Step(Mkdirs(("d",))),
        Step(SetQuota(("d",), 2, -1)),
        Step(Mkdirs(("d", "a", "b"))),
    ),
    (Create, Mkdirs, OpenWriter),
    _leaves_some_parents,
)


def _overwrites(op: Any) -> bool:
    if isinstance(op, OpenWriter):
        return op.mode == "overwrite"
    return not isinstance(op, Create | CreateFile | CopyFromLocal) or op.overwrite


def _loses_the_file(root: State, op: Any) -> Iterator[Branch]:
    """The file that was to be replaced is gone, and its successor is refused for want of room."""
    if not _has_quotas(root) or not _overwrites(op) or is_live(root):
        return
    into = isinstance(op, CopyFromLocal | MoveFromLocal) and type(locate(root, op.path)) is Dir
    path = (*op.path, LOCAL_FILE) if into else op.path
    left, _ = room(root, path)
    if left is not None and left < 0 and type(locate(root, path)) is File:
        yield from _refused(remove(root, path))


_LOST = Quirk(
    "hdfs/overwriting-over-quota-loses-the-file",
    "a file is gone when create with overwrite is refused, in a directory with more names than its quota",
    REFUSED_CLAUSE,
    "data lost",
    "the NameNode deletes the file, and then checks the quota for the new one, without taking the deletion back",
    "hdfs/loses-a-file-that-is-overwritten-over-a-quota",
    UNTIL,
    (
        Step(Mkdirs(("d",))),
        Step(Create(("d", "a"), _SMALL, False)),
        Step(SetQuota(("d",), 1, -1)),
        Step(Create(("d", "a"), contents.of(2, 4), True)),
    ),
    (Create, CreateFile, OpenWriter, CopyFromLocal, MoveFromLocal, CompareEtags),
    _loses_the_file,
)

# --- claims


def _ignores_options(root: State, op: CreateFile) -> Iterator[Branch]:
    """The file is made as if the option were not there."""
    known = tuple(option for option in op.must if not option.startswith(UNKNOWN))
    if len(known) == len(op.must):
        return
    without = replace(op, must=known)
    for case in MEANINGS[CreateFile].met(root, without):
        yield from (one for one in case.branches if one.effect is write_by_builder and not one.when)


_OPTIONS = Quirk(
    "hdfs/ignores-mandatory-options",
    "a mandatory option of createFile that is not known is ignored",
    "fsdataoutputstreambuilder.must.unsatisfied",
    "wrong answer",
    "the builder of DistributedFileSystem builds without a look at the mandatory keys",
    "hdfs/ignores-mandatory-options-of-createfile",
    UNTIL,
    (Step(CreateFile(("a",), _SMALL, True, True, ("fsconform.x=1",), ())),),
    (CreateFile,),
    _ignores_options,
)

_SYMLINKS = "fs.capability.paths.symlinks"


def _claims_symlinks(_root: State, op: HasPathCapability) -> Iterator[Branch]:
    if op.via == "context" and op.capability.lower() == _SYMLINKS:
        yield returns(_NO_FALSE_CLAIM, True)


_NO_FALSE_CLAIM = "pathcapabilities.hasPathCapability.post.no-false-claim"

_LINKS = Quirk(
    "hdfs/claims-symlinks-in-contexts",
    "FileContext says that a path can hold symbolic links, which are turned off",
    _NO_FALSE_CLAIM,
    "wrong answer",
    "AbstractFileSystem answers by supportsSymlinks, which is a constant in Hdfs",
    "hdfs/claims-symbolic-links-in-contexts",
    UNTIL,
    (Step(HasPathCapability(("a",), _SYMLINKS, "context")),),
    (HasPathCapability,),
    _claims_symlinks,
)

# --- uploads

_UPLOADS = (
    Quirk(
        "hdfs/begins-an-upload-to-a-directory",
        "an upload to a directory begins, and is refused when it is completed",
        "multipartuploader.startUpload.pre.not-a-directory",
        "wrong answer",
        "startUpload makes a directory for the parts, and does not look at the path",
        "hdfs/begins-an-upload-to-a-directory",
        UNTIL,
        (Step(Mkdirs(("a",))), Step(Upload(("a",), _SMALL, 1, "abort"))),
        (Upload,),
        multipart.onto_directory,
    ),
    Quirk(
        "hdfs/completes-an-upload-elsewhere",
        "an upload that was begun for one path is completed at another",
        "multipartuploader.complete.pre.same-path",
        "wrong answer",
        "the directory of the parts comes from the handle, the destination from the call, and the two are not compared",
        "hdfs/completes-an-upload-at-another-path",
        UNTIL,
        (Step(MisuseUpload(("a",), _SMALL, "other path", ("b",))),),
        (MisuseUpload,),
        multipart.elsewhere,
    ),
    Quirk(
        "hdfs/begins-no-upload-to-a-dotted-name",
        "an upload to a name that begins with a dot is refused",
        "multipartuploader.complete.post.data",
        "wrong answer",
        "the directory of the parts is called by what stands before the first dot of the name, which is nothing",
        "hdfs/begins-no-upload-to-a-name-with-a-dot-in-front",
        UNTIL,
        (Step(Upload((".a",), _SMALL, 1, "complete")),),
        (Upload, MisuseUpload),
        multipart.no_folder,
    ),
    Quirk(
        "hdfs/begins-no-upload-where-two-names-are-long",
        "an upload is refused where the names of parent and file have more than 208 bytes together",
        "multipartuploader.complete.post.data",
        "wrong answer",
        "the directory of the parts is called by both names, a word and a UUID, and has 255 bytes at most",
        "hdfs/begins-no-upload-where-two-names-are-long",
        UNTIL,
        (Step(Mkdirs(("m" * 120,))), Step(Upload(("m" * 120, "n" * 120), _SMALL, 1, "complete"))),
        (Upload, MisuseUpload),
        partial(multipart.long_folder, LONGEST_NAME),
    ),
    Quirk(
        "hdfs/leaves-parents-of-an-upload",
        "an upload that is aborted, or refused for want of a parent, leaves the directories above that parent",
        REFUSED_CLAUSE,
        "wrong answer",
        "the directory of the parts is made beside the parent, with its own parents, and is removed alone",
        "hdfs/leaves-parents-of-an-upload",
        UNTIL,
        (Step(Upload(("a", "b", "c"), _SMALL, 1, "complete")),),
        (Upload,),
        multipart.leaves_parents,
    ),
)

# --- streams


def _takes_bytes(root: State, op: Write) -> Iterator[Branch]:
    """Bytes one by one are held, and lost, until there is a chunk's worth of them."""
    if op.via == "bytes" and 0 < contents.length(op.content) < HELD and PHASES[phase(root, op.stream)] == "closed":
        yield returns("outputstream.write.pre.open", None)


_BYTE = Quirk(
    "hdfs/takes-a-byte-for-a-closed-stream",
    "a single byte that is written to a closed stream is taken and lost",
    "outputstream.write.pre.open",
    "data lost",
    "a byte goes into a buffer, and only a full buffer is found to belong to a closed stream",
    "hdfs/takes-a-byte-for-a-closed-stream",
    UNTIL,
    (
        Step(OpenWriter(("a",), "w", "create")),
        Step(CloseWriter("w")),
        Step(Write("w", contents.of(1, 1), "bytes")),
    ),
    (Write,),
    _takes_bytes,
)


def _with_capability(root: State, op: SetDropBehind, outcome: Outcome) -> Iterable[tuple[State, Outcome]]:
    """The capability is not declared; all else is to be as where it is."""
    value = outcome.value if isinstance(outcome, Returned) else None
    if isinstance(value, Facts) and value.get("answer") == "done" and value.get("capability") is False:
        told = tuple((name, True if name == "capability" else fact) for name, fact in value.items)
        yield root, Returned(Facts(value.kind, told))


_DROPPED = Quirk(
    "hdfs/does-not-declare-drop-behind",
    "setDropBehind works on an output stream that says it has no such capability",
    "outputstream.dropBehind.capability",
    "wrong answer",
    "hasCapability of DFSOutputStream knows hflush and hsync only",
    "hdfs/does-not-say-that-it-drops-behind",
    UNTIL,
    (Step(OpenWriter(("a",), "w", "create")), Step(SetDropBehind("w", "true"))),
    (SetDropBehind,),
    as_if=_with_capability,
)


_NULL_RANGE = null_range("hdfs", "hdfs/raises-nullpointerexception-for-a-range-that-is-null")

QUIRKS = (
    _PARENTS,
    _SOME_PARENTS,
    _LOST,
    copied_too_deep("hdfs", "hdfs/copies-a-tree-one-level-too-deep"),
    _OPTIONS,
    _LINKS,
    *_UPLOADS,
    _BYTE,
    _DROPPED,
    _NULL_RANGE,
)


def of_hdfs(*names: str) -> tuple[Quirk, ...]:
    """The quirks of HDFS of these names, for a store that is another way to it. Raises KeyError."""
    known = {quirk.id.partition("/")[2]: quirk for quirk in QUIRKS}
    return tuple(known[name] for name in names)


RACES = (
    FORGETS_A_FINISHED_BLOCK,
    FORGETS_WHAT_WAS_APPENDED_TO,
    UNREADABLE_AFTER_AN_APPEND,
    TAKES_A_CUT_REPLY_FOR_WHOLE,
)
