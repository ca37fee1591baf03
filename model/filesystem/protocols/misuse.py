"""Builders that are used otherwise than they are meant to be.

Source: openfile.md; fsdatainputstreambuilder.md; fsdataoutputstreambuilder.md.
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Case, Meaning, gives, keep
from fsconform.model.filesystem.input.open_file import STANDARD
from fsconform.model.filesystem.namespace.create_file import UNKNOWN
from fsconform.model.filesystem.operations.changes import LeaveBuilder, OpenInStages
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, bits, flags

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
