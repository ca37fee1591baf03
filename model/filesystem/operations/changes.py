"""Operations that change the namespace or the content of files beyond the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Few, Long, Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED as HANDLE_APPENDED
from fsconform.model.filesystem.protocols.path_handles import OpenByHandle as OpenByHandle

LOCAL_FILE = "f"
"""The name of a local file that is copied."""
LOCAL_TREE = "t"
"""The name of a local directory that is copied."""
FIRST_UPLOAD = b"the first upload"
"""What is uploaded first where an upload is repeated."""


@dataclass(frozen=True, slots=True)
class CreateNonRecursive(Operation):
    """``createNonRecursive(path, overwrite, ...)``, write ``content``, close."""

    NAME: ClassVar[str] = "createNonRecursive"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = (
        "flags",
        "builder",
    )
    path: Path
    content: Content
    overwrite: bool
    via: str = ""


@dataclass(frozen=True, slots=True)
class Concat(Operation):
    """``concat(path, sources)``."""

    NAME: ClassVar[str] = "concat"
    MUTATES: ClassVar[bool] = True
    path: Path
    sources: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Truncate(Operation):
    """``truncate(path, length)``, in bytes, and a wait until it is done. Returns true or false."""

    NAME: ClassVar[str] = "truncate"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    length: Long
    via: str = ""


@dataclass(frozen=True, slots=True)
class RenameWith(Operation):
    """``rename(src, dst, options)`` with OVERWRITE or NONE; via repeated NONE and then that option twice."""

    NAME: ClassVar[str] = "rename with options"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("repeated", "context")
    src: Path
    dst: Path
    overwrite: bool
    via: str = ""


@dataclass(frozen=True, slots=True)
class DeleteOnExit(Operation):
    """``deleteOnExit(path)`` on an instance of its own that is closed then. Returns true or false."""

    NAME: ClassVar[str] = "deleteOnExit"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("cancelled",)
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class CopyFromLocal(Operation):
    """``copyFromLocalFile(delete, overwrite, file, path)`` of a local file named ``f`` that holds ``content``.

    Returns facts ``copied`` with ``left``, true if the local file is still there.
    """

    NAME: ClassVar[str] = "copyFromLocalFile"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    delete: bool
    overwrite: bool


@dataclass(frozen=True, slots=True)
class CopyTreeFromLocal(Operation):
    """``copyFromLocalFile(delete, overwrite, directory, path)`` of a local directory named ``t``.

    It holds the file ``f`` with ``content`` and the directory ``d`` with an empty file ``g``.
    Returns facts ``copied`` with ``left``, true if the local directory is still there.
    """

    NAME: ClassVar[str] = "copyFromLocalFile of a tree"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    delete: bool
    overwrite: bool


@dataclass(frozen=True, slots=True)
class CopyMissingFromLocal(Operation):
    """``copyFromLocalFile(false, overwrite, file, path)`` of a local file that is not there."""

    NAME: ClassVar[str] = "copyFromLocalFile of nothing"
    MUTATES: ClassVar[bool] = True
    path: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class MoveFromLocal(Operation):
    """``moveFromLocalFile(file, path)`` of a local file named ``f`` that holds ``content``.

    Returns facts ``copied`` with ``left``, true if the local file is still there.
    """

    NAME: ClassVar[str] = "moveFromLocalFile"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content


@dataclass(frozen=True, slots=True)
class CopyToLocal(Operation):
    """``copyToLocalFile(path, file)``. Returns length and digest of the local file."""

    NAME: ClassVar[str] = "copyToLocalFile"
    path: Path


@dataclass(frozen=True, slots=True)
class CreateFile(Operation):
    """``createFile(path)``, with options ``key=value`` that must or may be honoured, build, write ``content``, close.

    Options that may be honoured are set last. Overwriting is the builder's default, which is not set.
    """

    NAME: ClassVar[str] = "createFile"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    overwrite: bool
    recursive: bool
    must: tuple[str, ...]
    opt: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenFile(Operation):
    """``openFile(path)``, with options ``key=value``, build, read to the end, close; via status with the file's status.

    Options that may be honoured are set last. Returns length and digest.
    """

    NAME: ClassVar[str] = "openFile"
    VIAS: ClassVar[tuple[str, ...]] = ("status",)
    path: Path
    must: tuple[str, ...]
    opt: tuple[str, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class BulkDelete(Operation):
    """``createBulkDelete(path)``, ``bulkDelete(paths)``, close; via wrapped through the class WrappedIO.

    Returns facts ``bulk delete``: pageSize, failed (texts of paths), capable (what hasPathCapability says), default
    (true if the filesystem has no bulk deletion of its own).
    """

    NAME: ClassVar[str] = "bulkDelete"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("wrapped",)
    path: Path
    paths: tuple[Path, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class Upload(Operation):
    """``createMultipartUploader(path)``: ``content`` in so many parts; ``ending`` is one of complete, reversed, abort.

    reversed puts the last part first and completes. Returns nothing.
    """

    NAME: ClassVar[str] = "upload in parts"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    parts: Few
    ending: str


@dataclass(frozen=True, slots=True)
class MisuseUpload(Operation):
    """An upload of ``content`` in one part that is used otherwise than :class:`Upload` does; an open one is aborted.

    ``manner`` is part 0 (put under that number), negative length (of the part), put after abort, complete twice,
    complete after abort, abort twice, abort after complete, other path (completed at ``other``), number 0 (in the map
    given to complete), duplicate (one part under two numbers there), omitted (a part put before is not in the map),
    repeated (once more, after another upload) or other uploader (which goes on with handles made again of their bytes).
    """

    NAME: ClassVar[str] = "upload misused"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    manner: str
    other: Path


@dataclass(frozen=True, slots=True)
class LeaveBuilder(Operation):
    """``createFile(path)``, ``appendFile(path)`` or ``openFile(path)``, by ``kind`` create, append or open.

    Options are set, also such as no store knows, and nothing is built.
    """

    NAME: ClassVar[str] = "builder that is left alone"
    MUTATES: ClassVar[bool] = True
    path: Path
    kind: str


@dataclass(frozen=True, slots=True)
class OpenInStages(Operation):
    """``openFile(path)`` with mandatory options ``key=value``, build, get of the future, one read, close.

    Returns facts ``stages`` with ``failed``: openFile, build, get, read or nothing.
    """

    NAME: ClassVar[str] = "openFile in stages"
    path: Path
    must: tuple[str, ...]


ALL: tuple[type[Operation], ...] = (
    CreateNonRecursive,
    Concat,
    Truncate,
    RenameWith,
    DeleteOnExit,
    CopyFromLocal,
    CopyTreeFromLocal,
    CopyMissingFromLocal,
    MoveFromLocal,
    CopyToLocal,
    CreateFile,
    OpenFile,
    OpenByHandle,
    BulkDelete,
    Upload,
    MisuseUpload,
    LeaveBuilder,
    OpenInStages,
)
