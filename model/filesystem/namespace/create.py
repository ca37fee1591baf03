"""create, with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream create(Path, ...)"; introduction.md, "Consistency".
"""

from __future__ import annotations

from immutables import Map

from fsconform.model.filesystem.branches import Branch, Case, Meaning, lost, raises, returns, runtime_instead
from fsconform.model.filesystem.metadata.quotas import limited_case, over
from fsconform.model.filesystem.namespace.mkdirs import RELAXED, not_a_directory
from fsconform.model.filesystem.operations import Create
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED, CREATE_OVERWRITES_DIRECTORY
from fsconform.model.filesystem.state import MODIFIED, STALE, TIMED_AT, UNDER_FILE, Dir, File, Meta, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_CREATE = "filesystem.create"


def write(root: State, op: Create) -> State:
    """FS'.Files[p] is what was written, and the ancestors of p are directories."""
    return put(root, op.path, File(op.content))


def rewrite(root: State, op: Create) -> State:
    """As ``write``; if a time was set of the file before, it is remembered that the file has another one now."""
    node = locate(root, op.path)
    assert type(node) is File
    if node.meta is None or MODIFIED not in node.meta or TIMED_AT not in node.meta:
        return write(root, op)
    known: Meta = Map({STALE: f"write {node.meta[MODIFIED]}", TIMED_AT: node.meta[TIMED_AT]})
    return put(root, op.path, File(op.content, known))


def _over_directory() -> tuple[Branch, ...]:
    clause = f"{_CREATE}.pre.not-a-directory"
    return runtime_instead(
        (
            raises(clause, "FileAlreadyExistsException"),
            raises(clause, "FileNotFoundException", RELAXED),
            raises(clause, "IOException", RELAXED),
        )
    )


def _classify(root: State, op: Create) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | (128 if op.overwrite else 4)
    if type(node) is Dir:
        if not op.path:
            return bits(op.path, node) | 256
        return bits(op.path, node) | (8 if op.overwrite else 16)
    if node is UNDER_FILE:
        return bits(op.path, node) | 32
    if root.quotas and over(root, op.path):
        return bits(op.path, node) | 512
    return bits(op.path, node) | 64


CREATE = Meaning(
    Create,
    (
        *COMMON_CASES,
        Case(
            "file, not to be overwritten",
            f"{_CREATE}.pre.no-overwrite",
            runtime_instead(
                (
                    raises(f"{_CREATE}.pre.no-overwrite", "FileAlreadyExistsException"),
                    raises(f"{_CREATE}.pre.no-overwrite", "IOException", RELAXED, departs=True),
                )
            ),
        ),
        Case(
            "directory, to be overwritten",
            f"{_CREATE}.pre.not-a-directory",
            (
                *_over_directory(),
                returns(
                    f"{_CREATE}.pre.not-a-directory",
                    None,
                    (CREATE_OVERWRITES_DIRECTORY, True),
                    effect=write,
                    departs=True,
                ),
            ),
        ),
        Case("directory", f"{_CREATE}.pre.not-a-directory", _over_directory()),
        Case(
            "under a file",
            f"{_CREATE}.pre.ancestors",
            (
                *not_a_directory(f"{_CREATE}.pre.ancestors"),
                returns(
                    f"{_CREATE}.pre.ancestors",
                    None,
                    (CREATE_FILE_UNDER_FILE_ALLOWED, True),
                    effect=lost,
                    departs=True,
                ),
            ),
        ),
        Case("missing", f"{_CREATE}.post", (returns(f"{_CREATE}.post", None, effect=write),)),
        Case(
            "file, to be overwritten",
            f"{_CREATE}.post.overwrite",
            (returns(f"{_CREATE}.post.overwrite", None, effect=rewrite),),
        ),
        # Hadoop's test of the root takes any IOException, also of stores with strict exceptions.
        Case(
            "the root",
            f"{_CREATE}.pre.not-a-directory",
            runtime_instead((raises(f"{_CREATE}.pre.not-a-directory", "IOException"),)),
        ),
        limited_case(write, None),
    ),
    _classify,
)
