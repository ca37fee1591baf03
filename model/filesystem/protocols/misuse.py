"""Uploads and builders that are used otherwise than they are meant to be.

Source: multipartuploader.md; openfile.md; fsdatainputstreambuilder.md; fsdataoutputstreambuilder.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Case, Effect, Meaning, gives, keep, lost, raises, returns
from fsconform.model.filesystem.input.open_file import STANDARD
from fsconform.model.filesystem.namespace.create_file import UNKNOWN
from fsconform.model.filesystem.operations.changes import LeaveBuilder, MisuseUpload, OpenInStages
from fsconform.model.filesystem.options.changes import SUPPORTS_MULTIPARTUPLOADER
from fsconform.model.filesystem.refusals import precisely, unnamed
from fsconform.model.filesystem.state import MISSING, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, bits, flags

_UPLOAD = "multipartuploader"
_SUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, True)
_UNSUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, False)


def write(root: State, op: MisuseUpload) -> State:
    """The file holds the one part."""
    return put(root, op.path, File(op.content))


def _supported(branches: tuple[Branch, ...], effect: Effect) -> tuple[Branch, ...]:
    return tuple(replace(one, when=(*one.when, _SUPPORTED), effect=effect) for one in branches)


_NONE_TO_CALL = raises(f"{_UPLOAD}.complete.post.data", "UnsupportedOperationException", _UNSUPPORTED)


def _refused(manner: str, part: str, *errors: str, after: Effect = keep) -> Case:
    clause = f"{_UPLOAD}.{part}"
    branches = precisely(clause, *errors) if errors else unnamed(clause)
    return Case(manner, clause, (*_supported(branches, after), _NONE_TO_CALL))


def _done(manner: str, part: str, level: Any = "MUST", also: tuple[str, ...] = ()) -> Case:
    clause = f"{_UPLOAD}.{part}"
    branch = Branch(clause, level, "succeed", write, when=(_SUPPORTED,), also=also)
    return Case(manner, clause, (branch, _NONE_TO_CALL))


_MISUSES = (
    _refused("part 0", "putPart.pre.part-number"),
    _refused("negative length", "putPart.pre.length"),
    _refused("put after abort", "putPart.pre.active-upload"),
    _refused("complete twice", "complete.pre.active-upload", "FileNotFoundException", after=write),
    _refused("complete after abort", "complete.pre.active-upload", "FileNotFoundException"),
    _refused("abort twice", "abort.pre.active-upload", "FileNotFoundException"),
    _refused("abort after complete", "complete.post.upload-gone", "FileNotFoundException", after=write),
    _refused("other path", "complete.pre.same-path"),
    _refused("number 0", "complete.pre.part-numbers"),
    _refused("duplicate", "complete.pre.duplicate-parts"),
    _done("omitted", "complete.post.omitted-parts", "MUST NOT"),
    _done("repeated", "invariant.repeated-uploads"),
    _done("other uploader", "invariant.any-instance", also=(f"{_UPLOAD}.invariant.handle-serializable",)),
)
MANNERS = tuple(case.name for case in _MISUSES)


_OWN_PATH = _done("its own path", "complete.post.data")
"""An upload that is to be completed at another path, and that path is the one it was begun for: nothing is misused."""


def _classify(root: State, op: MisuseUpload) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is not File and node is not MISSING:
        return found | 1 << COMMON_BITS
    if op.manner == "other path" and op.other == op.path:
        return found | 1 << (COMMON_BITS + 1 + len(MANNERS))
    return found | 1 << (COMMON_BITS + 1 + MANNERS.index(op.manner))


MISUSE_UPLOAD = Meaning(
    MisuseUpload,
    (
        *COMMON_CASES,
        # What an upload does there is asked elsewhere.
        Case(
            "no place for a file",
            f"{_UPLOAD}.complete.post.data",
            (
                returns(f"{_UPLOAD}.complete.post.data", None, effect=lost),
                *(replace(one, effect=lost) for one in unnamed(f"{_UPLOAD}.complete.post.data")),
                raises(f"{_UPLOAD}.complete.post.data", "UnsupportedOperationException"),
            ),
        ),
        *_MISUSES,
        _OWN_PATH,
    ),
    _classify,
)

_OUTPUT, _INPUT = "fsdataoutputstreambuilder", "fsdatainputstreambuilder"
_LEFT: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "create": (f"{_OUTPUT}.invariant.nothing-before-build", "MUST NOT", ("filesystem.createFile.lazy",)),
    "append": ("filesystem.appendFile.lazy", "MUST", (f"{_OUTPUT}.invariant.nothing-before-build",)),
    "open": (f"{_INPUT}.invariant.no-early-checks", "MUST NOT", ()),
}
_KINDS = tuple(_LEFT)


def _classify_left(root: State, op: LeaveBuilder) -> int:
    return bits(op.path, locate(root, op.path)) | 1 << (COMMON_BITS + _KINDS.index(op.kind))


LEAVE_BUILDER = Meaning(
    LeaveBuilder,
    (
        *COMMON_CASES,
        *(
            Case(f"builder of {kind}", clause, (Branch(clause, level, "change nothing", keep, also=also),))
            for kind, (clause, level, also) in _LEFT.items()
        ),
    ),
    _classify_left,
)


def _failed_in(*stages: str) -> Any:
    def check(_root: State, _op: OpenInStages, value: object) -> bool:
        return isinstance(value, Facts) and value.get("failed") in stages

    return check


def _classify_stages(root: State, op: OpenInStages) -> int:
    node = locate(root, op.path)
    if flags(op.path):
        return 64
    found = bits(op.path, node)
    keys = [option.partition("=")[0] for option in op.must]
    if any(key.startswith(UNKNOWN) for key in keys):
        return found | 4
    if any(not key.startswith(STANDARD) for key in keys):
        return found | 8
    return found | (32 if type(node) is File else 16)


_STAGES = ("openFile", "build", "get", "read", "nothing")
_IN_BUILD, _FUTURE = f"{_INPUT}.must.checked-in-build", f"{_INPUT}.build.returns-future"

OPEN_IN_STAGES = Meaning(
    OpenInStages,
    (
        *COMMON_CASES,
        Case(
            "a mandatory option that no store knows",
            _IN_BUILD,
            (gives(_IN_BUILD, "fail in build", _failed_in("build")),),
        ),
        Case(
            "a mandatory option",
            _IN_BUILD,
            (
                gives(
                    _IN_BUILD,
                    "fail in build or later for want of the file",
                    _failed_in("build", "get", "read", "nothing"),
                ),
            ),
        ),
        Case("not a file", _FUTURE, (gives(_FUTURE, "fail after build", _failed_in("get", "read")),)),
        Case(
            "file",
            "openfile.build.future",
            (gives("openfile.build.future", "succeed", _failed_in("nothing")),),
        ),
        # Each stage may refuse what no later change can cure.
        Case("a name that a store may forbid", _FUTURE, (gives(_FUTURE, "fail in any stage", _failed_in(*_STAGES)),)),
    ),
    _classify_stages,
)
