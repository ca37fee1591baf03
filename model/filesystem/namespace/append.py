"""append, with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream append(Path p, int bufferSize, Progressable progress)".
"""

from __future__ import annotations

from fsconform.model.filesystem.branches import Branch, Case, Meaning, below_a_file, raises, returns, runtime_instead
from fsconform.model.filesystem.namespace.mkdirs import RELAXED
from fsconform.model.filesystem.operations import Append
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.listing import APPENDS_IN_CONTEXTS
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_APPEND = "filesystem.append"
_SUPPORTED = (SUPPORTS_APPEND, True)
_UNSUPPORTED = (SUPPORTS_APPEND, False)


def extend(root: State, op: Append) -> State:
    """FS'.Files[p] is what the file held and then what was written."""
    node = locate(root, op.path)
    assert type(node) is File
    return put(root, op.path, File(node.content + op.content, untimed(node.meta, "append")))


def _refusals(*branches: Branch) -> tuple[Branch, ...]:
    clause = f"{_APPEND}.unsupported"
    return (
        *runtime_instead(branches),
        raises(clause, "UnsupportedOperationException", _UNSUPPORTED, level="SHOULD"),
        raises(clause, "IOException", _UNSUPPORTED, level="SHOULD", deviates=True),
        raises(clause, "RuntimeException", _UNSUPPORTED, level="SHOULD", deviates=True),
    )


def _classify(root: State, op: Append) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | (64 if op.via == "context" else 16)
    if type(node) is Dir:
        return bits(op.path, node) | 8
    return bits(op.path, node) | (36 if node is UNDER_FILE else 4)


APPEND = Meaning(
    Append,
    (
        *COMMON_CASES,
        Case(
            "missing",
            f"{_APPEND}.pre.exists",
            _refusals(
                raises(f"{_APPEND}.pre.exists", "FileNotFoundException"),
                raises(f"{_APPEND}.pre.exists", "IOException", RELAXED, departs=True),
            ),
        ),
        Case("directory", f"{_APPEND}.pre.is-file", _refusals(raises(f"{_APPEND}.pre.is-file", "IOException"))),
        Case(
            "file",
            f"{_APPEND}.post",
            (
                returns(f"{_APPEND}.post", None, _SUPPORTED, effect=extend),
                *_refusals()[1:],
            ),
        ),
        below_a_file(f"{_APPEND}.pre.exists"),
        Case(
            "file, in a context",
            f"{_APPEND}.post",
            (
                returns(f"{_APPEND}.post", None, _SUPPORTED, effect=extend),
                *_refusals()[1:],
                returns(
                    f"{_APPEND}.unsupported",
                    None,
                    _UNSUPPORTED,
                    (APPENDS_IN_CONTEXTS, True),
                    effect=extend,
                    level="SHOULD",
                    departs=True,
                ),
            ),
        ),
    ),
    _classify,
)
