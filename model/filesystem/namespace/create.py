"""create, with the content that is written and the close that follows, in the order of its section.

Source: filesystem.md, "FSDataOutputStream create(Path, ...)"; introduction.md, "Consistency". What a store rejects "for
other reasons" is told by the path (:mod:`validity`), by a quota, or by a rule of the store.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from immutables import Map

from fsconform.model.core.content import Content
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, Short, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Cases, lost, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.metadata.permission import MODES
from fsconform.model.filesystem.metadata.quotas import limited_case, over
from fsconform.model.filesystem.namespace.mkdirs import not_a_directory
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED, CREATE_OVERWRITES_DIRECTORY
from fsconform.model.filesystem.refusals import RELAXED
from fsconform.model.filesystem.state import MODIFIED, STALE, TIMED_AT, UNDER_FILE, Dir, File, Meta, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_CREATE = "filesystem.create"
NOT_A_DIRECTORY, ANCESTORS = f"{_CREATE}.pre.not-a-directory", f"{_CREATE}.pre.ancestors"


@operation
@dataclass(frozen=True, slots=True)
class Create(Operation):
    """``create(path, overwrite)``, write ``content``, close."""

    NAME: ClassVar[str] = "create"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = (
        "path",
        "progress",
        "replication",
        "replication and progress",
        "buffer",
        "buffer and progress",
        "block size",
        "block size and progress",
        "permission",
        "flags",
        "static",
        "builder",
        "context",
    )
    path: Path
    content: Content
    overwrite: bool
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class CreateWith(Operation):
    """``create(path, permission, overwrite, ...)``, write ``content``, close."""

    NAME: ClassVar[str] = "create with permission"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    overwrite: bool
    permission: Short


@operation
@dataclass(frozen=True, slots=True)
class CreateUnchecked(Operation):
    """``setWriteChecksum(false)``; ``create(path, overwrite)``, write ``content``, close."""

    NAME: ClassVar[str] = "create without checksums"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    overwrite: bool


def write(root: State, op: Any) -> State:
    """FS'.Files[p] is what was written, and the ancestors of p are directories."""
    return put(root, op.path, File(op.content))


def rewrite(root: State, op: Any) -> State:
    """As ``write``; if a time was set of the file before, it is remembered that the file has another one now."""
    node = locate(root, op.path)
    assert type(node) is File
    if node.meta is None or MODIFIED not in node.meta or TIMED_AT not in node.meta:
        return write(root, op)
    known: Meta = Map({STALE: f"write {node.meta[MODIFIED]}", TIMED_AT: node.meta[TIMED_AT]})
    return put(root, op.path, File(op.content, known))


def over_directory() -> tuple[Branch, ...]:
    """The errors for a path that is a directory."""
    return runtime_instead(
        (
            raises(NOT_A_DIRECTORY, "FileAlreadyExistsException"),
            raises(NOT_A_DIRECTORY, "FileNotFoundException", RELAXED),
            raises(NOT_A_DIRECTORY, "IOException", RELAXED),
        )
    )


_MET = Cases(*COMMON_CASES)

# --- preconditions

# The file does not exist, if it is not to be overwritten.

_NO_OVERWRITE = _MET.case(
    "file, not to be overwritten",
    f"{_CREATE}.pre.no-overwrite",
    runtime_instead(
        (
            raises(f"{_CREATE}.pre.no-overwrite", "FileAlreadyExistsException"),
            raises(f"{_CREATE}.pre.no-overwrite", "IOException", RELAXED, departs=True),
        )
    ),
)

# It is no directory.

_ON_DIRECTORY = _MET.case("directory", NOT_A_DIRECTORY, over_directory())
_OVERWRITES_DIRECTORY = _MET.case(
    "directory, to be overwritten",
    NOT_A_DIRECTORY,
    (
        *over_directory(),
        returns(NOT_A_DIRECTORY, None, (CREATE_OVERWRITES_DIRECTORY, True), effect=write, departs=True),
    ),
)
# Hadoop's test of the root takes any IOException, also of stores with strict exceptions.
_ON_ROOT = _MET.case(
    "the root",
    NOT_A_DIRECTORY,
    runtime_instead((raises(NOT_A_DIRECTORY, "IOException"),)),
)

# No ancestor is a file.

_UNDER_FILE = _MET.case(
    "under a file",
    ANCESTORS,
    (
        *not_a_directory(ANCESTORS),
        returns(ANCESTORS, None, (CREATE_FILE_UNDER_FILE_ALLOWED, True), effect=lost, departs=True),
    ),
)

# Other reasons for which a store may reject the request.

_OVER_QUOTA = _MET.add(limited_case(write, None))

# --- postconditions: there is a file, new or in place of the old one

_MISSING = _MET.case("missing", f"{_CREATE}.post", (returns(f"{_CREATE}.post", None, effect=write),))
_OVERWRITES = _MET.case(
    "file, to be overwritten",
    f"{_CREATE}.post.overwrite",
    (returns(f"{_CREATE}.post.overwrite", None, effect=rewrite),),
)


@meaning(Create, _MET)
def _classify(root: State, op: Any) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | (_OVERWRITES if op.overwrite else _NO_OVERWRITE)
    if type(node) is Dir:
        if not op.path:
            return bits(op.path, node) | _ON_ROOT
        return bits(op.path, node) | (_OVERWRITES_DIRECTORY if op.overwrite else _ON_DIRECTORY)
    if node is UNDER_FILE:
        return bits(op.path, node) | _UNDER_FILE
    if root.quotas and over(root, op.path):
        return bits(op.path, node) | _OVER_QUOTA
    return bits(op.path, node) | _MISSING


meaning(CreateWith, _MET)(_classify.classify)


@drawn(CreateWith)
def _draw_with(draft: Draft, dice: Random, path: Path) -> CreateWith:
    return CreateWith(path, draft.content(dice), dice.random() < 0.5, dice.choice(MODES))


_UNCHECKED = "filesystem.setWriteChecksum.post"


def _unchecked(case: Case) -> Case:
    """The case of create; where the call succeeds, it is of another clause without checksums."""
    if case.clause not in (f"{_CREATE}.post", f"{_CREATE}.post.overwrite"):
        return case
    return replace(
        case, clause=_UNCHECKED, branches=tuple(replace(branch, clause=_UNCHECKED) for branch in case.branches)
    )


meaning(CreateUnchecked, Cases(*map(_unchecked, _MET.all)))(_classify.classify)


@drawn(CreateUnchecked)
def _draw_unchecked(draft: Draft, dice: Random, path: Path) -> CreateUnchecked:
    return CreateUnchecked(path, draft.content(dice), dice.random() < 0.5)
