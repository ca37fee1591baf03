"""createNonRecursive and the builder of createFile, each with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream create(Path, ...)" and "FSDataOutputStreamBuilder createFile(Path p)";
fsdataoutputstreambuilder.md. A builder without recursive() is createNonRecursive by another name.
"""

from __future__ import annotations

from fsconform.model.filesystem.branches import Branch, Case, Meaning, lost, raises, returns, runtime_instead
from fsconform.model.filesystem.operations.changes import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.options.changes import NON_RECURSIVE_MAKES_PARENTS
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED, CREATE_OVERWRITES_DIRECTORY
from fsconform.model.filesystem.refusals import RELAXED, one_of, precisely
from fsconform.model.filesystem.state import NO_PARENT, UNDER_FILE, Absence, Dir, File, Node, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_CREATE = "filesystem.create"
_BUILDER = "fsdataoutputstreambuilder"
_PARENTS = "filesystem.createFile.parents"

UNKNOWN = "fsconform."
"""Options whose names begin so are known to no store."""


def write(root: State, op: CreateNonRecursive | CreateFile) -> State:
    """FS'.Files[p] is what was written; its parents are there, or are made."""
    return put(root, op.path, File(op.content))


_KEPT = 4
_ON_DIRECTORY = 8
_PARENT_FILE = 16
_PARENT_MISSING = 32
_UNKNOWN_KEY = 64
_OTHER_KEY = 128
_FREE = 256
_REPLACED = 512
_ON_ROOT = 1024
_WITH_PARENTS = 2048
_ON_DIRECTORY_OVER = 4096
_FREE_WITH_OPTIONS = 8192
_FAR_BELOW_FILE = 16384


def _failed(root: State, op: CreateNonRecursive | CreateFile, node: Node | Absence, recursive: bool) -> int:
    if type(node) is File:
        return 0 if op.overwrite else _KEPT
    if type(node) is Dir:
        return _ON_ROOT if not op.path else _ON_DIRECTORY_OVER if op.overwrite else _ON_DIRECTORY
    if node is UNDER_FILE:
        far = not recursive and type(locate(root, op.path[:-1])) is not File
        return _FAR_BELOW_FILE if far else _PARENT_FILE
    return _PARENT_MISSING if node is NO_PARENT and not recursive else 0


def _classify(root: State, op: CreateNonRecursive) -> int:
    node = locate(root, op.path)
    failed = _failed(root, op, node, recursive=False)
    return bits(op.path, node) | (failed or (_REPLACED if type(node) is File else _FREE))


def _key(option: str) -> str:
    return option.partition("=")[0]


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
        return bits(op.path, node) | _REPLACED
    if op.opt:
        return bits(op.path, node) | _FREE_WITH_OPTIONS
    return bits(op.path, node) | (_WITH_PARENTS if node is NO_PARENT else _FREE)


def _over_directory(*more: Branch) -> tuple[Branch, ...]:
    clause = f"{_CREATE}.pre.not-a-directory"
    return (
        *runtime_instead(
            (
                raises(clause, "FileAlreadyExistsException"),
                raises(clause, "FileNotFoundException", RELAXED),
                raises(clause, "IOException", RELAXED),
            )
        ),
        *more,
    )


def _cases(missing_parent: str, free: str, replaced: str, kept: str) -> tuple[Case, ...]:
    directory, ancestors = f"{_CREATE}.pre.not-a-directory", f"{_CREATE}.pre.ancestors"
    return (
        *COMMON_CASES,
        Case("file, not to be overwritten", kept, precisely(kept, "FileAlreadyExistsException")),
        Case("directory", directory, _over_directory()),
        Case(
            "below a file",
            ancestors,
            (
                *runtime_instead(
                    (
                        raises(ancestors, "FileAlreadyExistsException"),
                        raises(ancestors, "ParentNotDirectoryException"),
                        raises(ancestors, "IOException", RELAXED),
                    )
                ),
                returns(ancestors, None, (CREATE_FILE_UNDER_FILE_ALLOWED, True), effect=lost, departs=True),
            ),
        ),
        Case(
            "parent missing",
            missing_parent,
            (
                *one_of(missing_parent, "FileNotFoundException", "IOException"),
                returns(missing_parent, None, (NON_RECURSIVE_MAKES_PARENTS, True), effect=write, departs=True),
            ),
        ),
        Case(
            "a mandatory option that no store knows",
            f"{_BUILDER}.must.unsatisfied",
            (raises(f"{_BUILDER}.must.unsatisfied", "IllegalArgumentException"),),
        ),
        Case(
            "a mandatory option",
            f"{_BUILDER}.must.unsatisfied",
            (
                raises(f"{_BUILDER}.must.unsatisfied", "IllegalArgumentException"),
                returns(f"{_BUILDER}.build.post.file", None, effect=write),
            ),
        ),
        Case("free", free, (returns(free, None, effect=write),)),
        Case("file, to be overwritten", replaced, (returns(replaced, None, effect=write),)),
        # Hadoop's test of the root takes any IOException, also of stores with strict exceptions.
        Case("the root", directory, one_of(directory, "IOException")),
        Case(
            "parents to be made",
            f"{_BUILDER}.recursive",
            (returns(f"{_BUILDER}.recursive", None, effect=write),),
        ),
        Case(
            "directory, to be overwritten",
            directory,
            _over_directory(returns(directory, None, (CREATE_OVERWRITES_DIRECTORY, True), effect=write, departs=True)),
        ),
        Case(
            "free, with options that may be ignored",
            f"{_BUILDER}.opt.best-effort",
            (returns(f"{_BUILDER}.opt.best-effort", None, effect=write),),
        ),
        # Two preconditions in one: a store may look for either first, and one that asks for neither may succeed.
        Case(
            "far below a file",
            ancestors,
            (
                *runtime_instead(
                    (
                        raises(ancestors, "FileAlreadyExistsException"),
                        raises(ancestors, "ParentNotDirectoryException"),
                        raises(ancestors, "FileNotFoundException"),
                        raises(ancestors, "IOException", RELAXED),
                    )
                ),
                returns(
                    ancestors,
                    None,
                    (CREATE_FILE_UNDER_FILE_ALLOWED, True),
                    (NON_RECURSIVE_MAKES_PARENTS, True),
                    effect=lost,
                    departs=True,
                ),
            ),
        ),
    )


CREATE_NON_RECURSIVE = Meaning(
    CreateNonRecursive,
    _cases(_PARENTS, f"{_CREATE}.post", f"{_BUILDER}.overwrite", f"{_CREATE}.pre.no-overwrite"),
    _classify,
)

CREATE_FILE = Meaning(
    CreateFile,
    _cases(_PARENTS, "filesystem.createFile.build", "filesystem.createFile.overwrites", f"{_CREATE}.pre.no-overwrite"),
    _classify_builder,
)
