"""A stream is opened to read a file, and stays open from step to step.

Sources: filesystem.md, "FSDataInputStream open(Path f, int bufferSize)"; openfile.md; fsdatainputstreambuilder.md,
"CompletableFuture build()". What such a stream gives is for ``read_stream`` to judge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Cases, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as writer_clauses
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.state import File, Reader, State, locate, walk
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_OPEN = "filesystem.open"
_CHAIN = "openfile.path.chain"
_NO_OPTIONS = "openfile.options.none"
_CHECK_TIME = "fsdatainputstreambuilder.build.check-time"

POLICIES = ("random", "sequential", "vector", "whole-file", "adaptive")
"""The read policies under which a file can be opened."""


@operation
@dataclass(frozen=True, slots=True)
class OpenReader(Operation):
    """``open(path)``; the stream is kept under the name ``stream`` until its program ends, and closed unseen then.

    Via a read policy, length or status it comes from openFile with that option, via builder from openFile without any.
    A name is given once: what names a stream that was never opened, or opens one under a name that is taken, is not
    expressible.
    """

    NAME: ClassVar[str] = "open to read"
    VIAS: ClassVar[tuple[str, ...]] = ("builder", *POLICIES, "length", "status")
    path: Path
    stream: str
    via: str = ""


def _begin(root: State, op: OpenReader) -> State:
    return open_readers.begun(root, op.stream, op.path)


def _forget(root: State, op: OpenReader) -> State:
    return open_readers.kept(root, op.stream, Reader(op.path, None))


_OPENED = returns(f"{_OPEN}.post", None, effect=_begin)
_BUILT = returns(f"{_OPEN}.post", None, effect=_begin, also=(_CHAIN,))
_REFUSED = runtime_instead(
    (raises(f"{_OPEN}.pre.is-file", "FileNotFoundException"), raises(f"{_OPEN}.pre.is-file", "IOException"))
)

_MET = Cases(*COMMON_CASES)

# --- preconditions: the path is a file; a builder may find out later that it is none

_NO_FILE = _MET.case("not a file", f"{_OPEN}.pre.is-file", _REFUSED)
_NO_FILE_BUILT = _MET.case(
    "not a file, by a builder",
    f"{_OPEN}.pre.is-file",
    (*_REFUSED, returns(_CHECK_TIME, None, effect=_forget, level="MAY")),
)

# --- postconditions

_FILE = _MET.case("file", f"{_OPEN}.post", (_OPENED,))
_BY_BUILDER = _MET.case("file, by a builder", f"{_OPEN}.post", (_BUILT,))
_WITHOUT_OPTIONS = _MET.case(
    "file, by a builder without options",
    f"{_OPEN}.post",
    (
        replace(_BUILT, also=(_CHAIN, _NO_OPTIONS)),
        raises(_NO_OPTIONS, "IllegalArgumentException", level="SHOULD", deviates=True),
    ),
)
_GROWING = _MET.case(
    "a file that is being written",
    f"{_OPEN}.post",
    (
        _OPENED,
        raises(writer_clauses.INVISIBLE, "FileNotFoundException", (CREATE_VISIBILITY_DELAYED, True), level="MAY"),
        returns(_CHECK_TIME, None, (CREATE_VISIBILITY_DELAYED, True), effect=_begin, level="MAY"),
    ),
)
_UNKNOWN = _MET.case(
    "a path of which nothing is known",
    clause.CHANGED,
    (
        returns(clause.CHANGED, ANY, effect=_forget, level="UNDEFINED"),
        raises(clause.CHANGED, "Throwable", level="UNDEFINED"),
    ),
)


@meaning(OpenReader, _MET, derived=True)
def _classify(root: State, op: OpenReader) -> int:
    if root.readers.get(op.stream) is not None:
        return _UNKNOWN
    node = locate(root, op.path)
    if streams.is_met(root, (op.path,)):
        found = streams.views(root, op.path)
        if found is None:
            return _UNKNOWN
        if found[0].kind == "file":
            return _GROWING
    if type(node) is File:
        return bits(op.path, node) | (_WITHOUT_OPTIONS if op.via == "builder" else _BY_BUILDER if op.via else _FILE)
    return bits(op.path, node) | (_NO_FILE_BUILT if op.via else _NO_FILE)


@drawn(OpenReader)
def draw_opening(draft: Draft, dice: Random, path: Path) -> OpenReader:
    """A stream that stays open, of a file where there is one."""
    known: dict[str, Reader] = {} if draft.state is None else dict(draft.state.readers)
    files = [] if draft.state is None else [found for found, node in walk(draft.state) if type(node) is File]
    if files and path not in files and dice.random() < 0.75:
        path = dice.choice(files)
    via = dice.choice(OpenReader.VIAS) if dice.random() < 0.25 else ""
    return OpenReader(path, f"r{len(known) + 1}", via)
