"""mkdirs. Source: filesystem.md, "boolean mkdirs(Path p, FsPermission permission)"."""

from __future__ import annotations

from fsconform.model.filesystem.branches import Branch, Case, Meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.metadata.quotas import limited_case, over
from fsconform.model.filesystem.operations import Mkdirs
from fsconform.model.filesystem.options.core import SUPPORTS_STRICT_EXCEPTIONS
from fsconform.model.filesystem.state import EMPTY_DIR, UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

RELAXED = (SUPPORTS_STRICT_EXCEPTIONS, False)

_MKDIRS = "filesystem.mkdirs"


def make(root: State, op: Mkdirs) -> State:
    """FS'.Directories = FS.Directories + [p] + ancestors(FS, p)."""
    return put(root, op.path, EMPTY_DIR)


def not_a_directory(clause: str) -> tuple[Branch, ...]:
    """The errors for a path that is, or lies below, something other than a directory."""
    return runtime_instead(
        (
            raises(clause, "FileAlreadyExistsException"),
            raises(clause, "ParentNotDirectoryException"),
            raises(clause, "IOException", RELAXED),
        )
    )


def _classify(root: State, op: Mkdirs) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | 4
    if node is UNDER_FILE:
        return bits(op.path, node) | 8
    if type(node) is Dir:
        return bits(op.path, node) | 32
    if root.quotas and over(root, op.path):
        return bits(op.path, node) | 64
    return bits(op.path, node) | 16


MKDIRS = Meaning(
    Mkdirs,
    (
        *COMMON_CASES,
        Case("file", f"{_MKDIRS}.pre.not-a-file", not_a_directory(f"{_MKDIRS}.pre.not-a-file")),
        Case("under a file", f"{_MKDIRS}.pre.ancestors", not_a_directory(f"{_MKDIRS}.pre.ancestors")),
        Case("missing", f"{_MKDIRS}.post", (returns(f"{_MKDIRS}.post", True, effect=make),)),
        Case("directory", f"{_MKDIRS}.post.existing", (returns(f"{_MKDIRS}.post.existing", True),)),
        limited_case(make, True),
    ),
    _classify,
)
