"""delete. Source: filesystem.md, "boolean delete(Path p, boolean recursive)"."""

from __future__ import annotations

from fsconform.model.filesystem.branches import ANY, Case, Meaning, below_a_file, raises, returns, runtime_instead
from fsconform.model.filesystem.operations import Delete
from fsconform.model.filesystem.state import EMPTY, UNDER_FILE, Dir, File, State, locate, remove
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_DELETE = "filesystem.delete"
_UNCHANGED = f"{_DELETE}.post.missing-unchanged"
_RETURNS = f"{_DELETE}.post.missing-returns"


def take_away(root: State, op: Delete) -> State:
    """FS' lacks p and its descendants."""
    return remove(root, op.path)


def empty(_root: State, _op: Delete) -> State:
    """FS' = ({[/]}, {}, {}): the root stays."""
    return EMPTY


def _classify(root: State, op: Delete) -> int:
    node = locate(root, op.path)
    if not op.path:
        assert type(node) is Dir
        if op.recursive:
            return 512
        return 256 if node.children else 128
    found = bits(op.path, node)
    if type(node) is File:
        return found | 16
    if type(node) is Dir:
        return found | (32 if not node.children else 64 if op.recursive else 4)
    return found | (8 | 1024 if node is UNDER_FILE else 8)


DELETE = Meaning(
    Delete,
    (
        *COMMON_CASES,
        Case(
            "non-empty directory, not recursive",
            f"{_DELETE}.pre.not-empty",
            runtime_instead((raises(f"{_DELETE}.pre.not-empty", "IOException"),)),
        ),
        Case(
            "missing",
            _RETURNS,
            (
                returns(f"{_DELETE}.post.missing", False, level="SHOULD", also=(_UNCHANGED, _RETURNS)),
                returns(f"{_DELETE}.post.missing", True, level="SHOULD", deviates=True, also=(_RETURNS,)),
            ),
            unchanged=_UNCHANGED,
        ),
        Case("file", f"{_DELETE}.post.file", (returns(f"{_DELETE}.post.file", True, effect=take_away),)),
        Case(
            "empty directory",
            f"{_DELETE}.post.empty-directory",
            (returns(f"{_DELETE}.post.empty-directory", True, effect=take_away),),
        ),
        Case(
            "non-empty directory, recursive",
            f"{_DELETE}.post.recursive",
            (returns(f"{_DELETE}.post.recursive", True, effect=take_away),),
        ),
        Case(
            "empty root, not recursive",
            f"{_DELETE}.root.empty",
            (
                returns(f"{_DELETE}.root.empty", True, level="SHOULD"),
                returns(f"{_DELETE}.root.empty", ANY, level="SHOULD", deviates=True),
            ),
            unchanged=f"{_DELETE}.root.empty-unchanged",
        ),
        Case(
            "non-empty root, not recursive",
            f"{_DELETE}.root.not-empty",
            runtime_instead(
                (
                    raises(f"{_DELETE}.root.not-empty", "IOException"),
                    returns(f"{_DELETE}.root.object-store", False, level="MAY"),
                )
            ),
        ),
        Case(
            "root, recursive",
            f"{_DELETE}.root.recursive",
            (
                returns(f"{_DELETE}.root.recursive", True, effect=empty, level="MAY"),
                returns(f"{_DELETE}.root.recursive", False, level="MAY"),
                raises(f"{_DELETE}.root.recursive", "IOException", level="MAY"),
            ),
        ),
        below_a_file(_RETURNS),
    ),
    _classify,
)
