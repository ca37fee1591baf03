"""createNonRecursive and the builder of createFile, each with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream create(Path, ...)" and "FSDataOutputStreamBuilder createFile(Path p)";
fsdataoutputstreambuilder.md. A builder without recursive() is createNonRecursive by another name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Case, Cases, lost, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.namespace.create import ANCESTORS, NOT_A_DIRECTORY, over_directory
from fsconform.model.filesystem.namespace.mkdirs import not_a_directory
from fsconform.model.filesystem.options.changes import NON_RECURSIVE_MAKES_PARENTS
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED, CREATE_OVERWRITES_DIRECTORY
from fsconform.model.filesystem.refusals import RELAXED, one_of, precisely
from fsconform.model.filesystem.state import NO_PARENT, UNDER_FILE, Absence, Dir, File, Node, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_CREATE = "filesystem.create"
_BUILDER = "fsdataoutputstreambuilder"
_UNSATISFIED = f"{_BUILDER}.must.unsatisfied"
_PARENTS = "filesystem.createFile.parents"
UNKNOWN = "fsconform."
"""Options whose names begin so are known to no store."""


@operation
@dataclass(frozen=True, slots=True)
class CreateNonRecursive(Operation):
    """``createNonRecursive(path, overwrite, ...)``, write ``content``, close."""

    NAME: ClassVar[str] = "createNonRecursive"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("flags", "builder")
    path: Path
    content: Content
    overwrite: bool
    via: str = ""


@operation
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


def write(root: State, op: CreateNonRecursive | CreateFile) -> State:
    """FS'.Files[p] is what was written; its parents are there, or are made."""
    return put(root, op.path, File(op.content))


_MET = Cases(*COMMON_CASES)

# --- preconditions

# The parameters of a builder are verified before all else.

_UNKNOWN_KEY = _MET.case(
    "a mandatory option that no store knows",
    _UNSATISFIED,
    (raises(_UNSATISFIED, "IllegalArgumentException"),),
)
_OTHER_KEY = _MET.case(
    "a mandatory option",
    _UNSATISFIED,
    (
        raises(_UNSATISFIED, "IllegalArgumentException"),
        returns(f"{_BUILDER}.build.post.file", None, effect=write),
    ),
)

# Those of create.

_NO_OVERWRITE = _MET.case(
    "file, not to be overwritten",
    f"{_CREATE}.pre.no-overwrite",
    precisely(f"{_CREATE}.pre.no-overwrite", "FileAlreadyExistsException"),
)
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
_ON_ROOT = _MET.case("the root", NOT_A_DIRECTORY, one_of(NOT_A_DIRECTORY, "IOException"))
_BELOW_FILE = _MET.case(
    "below a file",
    ANCESTORS,
    (
        *not_a_directory(ANCESTORS),
        returns(ANCESTORS, None, (CREATE_FILE_UNDER_FILE_ALLOWED, True), effect=lost, departs=True),
    ),
)

# Missing parents are not made, unless by recursive().

_PARENT_MISSING = _MET.case(
    "parent missing",
    _PARENTS,
    (
        *one_of(_PARENTS, "FileNotFoundException", "IOException"),
        returns(_PARENTS, None, (NON_RECURSIVE_MAKES_PARENTS, True), effect=write, departs=True),
    ),
)
# Two preconditions in one: a store may look for either first, and one that asks for neither may succeed.
_FAR_BELOW_FILE = _MET.case(
    "far below a file",
    ANCESTORS,
    (
        *runtime_instead(
            (
                raises(ANCESTORS, "FileAlreadyExistsException"),
                raises(ANCESTORS, "ParentNotDirectoryException"),
                raises(ANCESTORS, "FileNotFoundException"),
                raises(ANCESTORS, "IOException", RELAXED),
            )
        ),
        returns(
            ANCESTORS,
            None,
            (CREATE_FILE_UNDER_FILE_ALLOWED, True),
            (NON_RECURSIVE_MAKES_PARENTS, True),
            effect=lost,
            departs=True,
        ),
    ),
)

# --- postconditions: there is a file, new or in place of the old one

_FREE = _MET.case("free", f"{_CREATE}.post", (returns(f"{_CREATE}.post", None, effect=write),))
_WITH_PARENTS = _MET.case(
    "parents to be made",
    f"{_BUILDER}.recursive",
    (returns(f"{_BUILDER}.recursive", None, effect=write),),
)
_FREE_WITH_OPTIONS = _MET.case(
    "free, with options that may be ignored",
    f"{_BUILDER}.opt.best-effort",
    (returns(f"{_BUILDER}.opt.best-effort", None, effect=write),),
)
_OVERWRITES = _MET.case(
    "file, to be overwritten", f"{_BUILDER}.overwrite", (returns(f"{_BUILDER}.overwrite", None, effect=write),)
)


def _failed(root: State, op: CreateNonRecursive | CreateFile, node: Node | Absence, recursive: bool) -> int:
    if type(node) is File:
        return 0 if op.overwrite else _NO_OVERWRITE
    if type(node) is Dir:
        return _ON_ROOT if not op.path else _OVERWRITES_DIRECTORY if op.overwrite else _ON_DIRECTORY
    if node is UNDER_FILE:
        far = not recursive and type(locate(root, op.path[:-1])) is not File
        return _FAR_BELOW_FILE if far else _BELOW_FILE
    return _PARENT_MISSING if node is NO_PARENT and not recursive else 0


@meaning(CreateNonRecursive, _MET)
def _classify(root: State, op: CreateNonRecursive) -> int:
    node = locate(root, op.path)
    failed = _failed(root, op, node, recursive=False)
    return bits(op.path, node) | (failed or (_OVERWRITES if type(node) is File else _FREE))


@drawn(CreateNonRecursive)
def _draw(draft: Draft, dice: Random, path: Path) -> CreateNonRecursive:
    via = dice.choice(("", *CreateNonRecursive.VIAS))
    return CreateNonRecursive(path, draft.content(dice), dice.random() < 0.5, via)


def _built(case: Case) -> Case:
    """The case as it is of the builder, which has clauses of its own where it succeeds."""
    clause = {"free": "filesystem.createFile.build", "file, to be overwritten": "filesystem.createFile.overwrites"}.get(
        case.name
    )
    return replace(case, clause=clause, branches=(returns(clause, None, effect=write),)) if clause else case


def _key(option: str) -> str:
    return option.partition("=")[0]


@meaning(CreateFile, Cases(*map(_built, _MET.all)))
def _classify_builder(root: State, op: CreateFile) -> int:
    node = locate(root, op.path)
    failed = _failed(root, op, node, op.recursive)
    optional = {_key(option) for option in op.opt}
    # Of two settings of one key the last decides, and optional ones are set last.
    for key in (key for key in map(_key, op.must) if key not in optional):
        failed |= _UNKNOWN_KEY if key.startswith(UNKNOWN) else _OTHER_KEY
    if failed:
        return bits(op.path, node) | failed
    if type(node) is File:
        return bits(op.path, node) | _OVERWRITES
    if op.opt:
        return bits(op.path, node) | _FREE_WITH_OPTIONS
    return bits(op.path, node) | (_WITH_PARENTS if node is NO_PARENT else _FREE)


@drawn(CreateFile)
def _draw_builder(draft: Draft, dice: Random, path: Path) -> CreateFile:
    must, opt = ((f"{UNKNOWN}unknown=1",) if dice.random() < chance else () for chance in (0.1, 0.3))
    return CreateFile(path, draft.content(dice), dice.random() < 0.5, dice.random() < 0.5, must, opt)
