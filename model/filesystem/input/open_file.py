"""The builder of openFile, with options, and reading to the end of the file; and the stages in which that may fail.

Source: openfile.md; fsdatainputstreambuilder.md; filesystem.md, "FSDataInputStream open(Path f, int bufferSize)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.content import is_of
from fsconform.model.core.drawing import Draft, drawn, rarely_another_way
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Data, Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Cases, Check, Level, gives, meaning, raises
from fsconform.model.filesystem.input.open import right_data
from fsconform.model.filesystem.namespace.create_file import UNKNOWN
from fsconform.model.filesystem.namespace.truncate import first
from fsconform.model.filesystem.refusals import one_of
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits, flags

if TYPE_CHECKING:
    from random import Random

_INPUT = "fsdatainputstreambuilder"
_CHAIN = "openfile.path.chain"

STANDARD = "fs.option.openfile."
_NUMBERS = ("length", "split.start", "split.end", "buffer.size")
_SURE_KEYS = frozenset((*(STANDARD + name for name in _NUMBERS), STANDARD + "read.policy"))
"""Options that every store knows: those of the first releases that had any."""
_POLICIES = frozenset(("adaptive", "default", "random", "sequential", "vector", "whole-file"))


# --- openFile, read to the end


@operation
@dataclass(frozen=True, slots=True)
class OpenFile(Operation):
    """``openFile(path)``, with options ``key=value``, build, read to the end, close; via status with the file's status.

    Options that may be honoured are set last. Returns length and digest.
    """

    NAME: ClassVar[str] = "openFile"
    VIAS: ClassVar[tuple[str, ...]] = ("status",)
    path: Path
    must: tuple[str, ...]
    opt: tuple[str, ...]
    via: str = ""


def settings(op: OpenFile) -> dict[str, str]:
    """The options by name: of two settings of one the last decides, and optional ones are set last."""
    return {key: value for key, _, value in (option.partition("=") for option in (*op.must, *op.opt))}


def _mandatory(op: OpenFile) -> set[str]:
    return {option.partition("=")[0] for option in op.must} - {option.partition("=")[0] for option in op.opt}


def number(text: str | None) -> int | None:
    """The value of a numeric option; None where it is not set, negative or no number."""
    if text is None:
        return None
    try:
        value = int(text.strip())
    except ValueError:
        return None
    return value if value >= 0 else None


def declared(op: OpenFile, content: contents.Content) -> int | None:
    """The length that the options declare, where it is not the file's own and no status tells better."""
    if op.via == "status":
        return None
    length = number(settings(op).get(STANDARD + "length"))
    return length if length is not None and length != contents.length(content) else None


def _up_to_length(root: State, op: OpenFile, data: object) -> bool:
    node = locate(root, op.path)
    assert type(node) is File
    if not isinstance(data, Data):
        return False
    head = first(node.content, data.length)
    least = min(number(settings(op).get(STANDARD + "length")) or 0, contents.length(node.content))
    return data.length >= least and (head is None or is_of(head, data))


def _reads(clause: str, level: Level = "MUST") -> tuple[Branch, ...]:
    return (gives(clause, "the bytes of the file", right_data, level=level),)


def _read(name: str, clause: str, level: Level = "MUST") -> Case:
    return Case(name, clause, _reads(clause, level))


def _hint(name: str, clause: str, level: Level) -> Case:
    """What SHOULD play no part: a refusal is a deviation, other bytes are none of the file's."""
    refused = tuple(raises(clause, error, level=level, deviates=True) for error in ("IOException", "RuntimeException"))
    return Case(name, clause, (*_reads(clause, level), *refused))


_MUST_UNKNOWN = f"{_INPUT}.must.unknown"

_MET = Cases(*COMMON_CASES)
_PLAIN = _MET.add(_read("file", _CHAIN))
_NO_FILE = _MET.case(
    "not a file",
    f"{_INPUT}.post.unreadable",
    one_of(f"{_INPUT}.post.unreadable", "FileNotFoundException", "IOException"),
)
_UNKNOWN_MUST = _MET.case(
    "a mandatory option that no store knows", _MUST_UNKNOWN, (raises(_MUST_UNKNOWN, "IllegalArgumentException"),)
)
_OTHER_MUST = _MET.case(
    "a mandatory option",
    _MUST_UNKNOWN,
    (
        raises(_MUST_UNKNOWN, "IllegalArgumentException"),
        raises(f"{_INPUT}.must.unsupported", "UnsupportedOperationException"),
        *_reads(_CHAIN),
    ),
)
_SHORT = _MET.case(
    "declared shorter than it is",
    f"{_INPUT}.length.minimum",
    (
        gives(f"{_INPUT}.length.minimum", "the bytes up to the declared length or beyond", _up_to_length),
        raises(f"{_INPUT}.length.beyond", "EOFException", level="MAY"),
    ),
)
# The caller was wrong. Reading past the real end has no bytes to give.
_LONG = _MET.case(
    "declared longer than it is",
    f"{_INPUT}.length.minimum",
    (*_reads(f"{_INPUT}.length.minimum"), raises(f"{_INPUT}.length.minimum", "IOException")),
)
_UNSET = _MET.add(_read("an option whose number is none", f"{_INPUT}.numbers.unparseable"))
_SPLIT = _MET.add(_read("a split", f"{_INPUT}.split.read-past-end"))
_CROSSED = _MET.add(_hint("a split that ends before it starts", f"{_INPUT}.split.start-after-end", "SHOULD"))
_POLICY = _MET.add(_read("a read policy", f"{_INPUT}.read-policy.harmless", "MUST NOT"))
_ODD_POLICY = _MET.add(_read("a read policy that no store knows", f"{_INPUT}.read-policy.unknown"))
_IGNORED = _MET.add(_read("options that no store knows", f"{_INPUT}.opt.unknown"))
_STATUS = _MET.add(_hint("with its status", f"{_INPUT}.status-hint", "SHOULD"))
_MANDATORY = _MET.add(_read("mandatory options that every store knows", f"{_INPUT}.options.recognised"))
_LISTED = _MET.add(_read("a list of read policies", f"{_INPUT}.read-policy.list"))
_SPACED = _MET.add(_hint("an option whose number has spaces", f"{_INPUT}.numbers.trimmed", "SHOULD"))
_NEGATIVE = _MET.add(_read("a negative length", f"{_INPUT}.length.negative"))
_STATUS_FIRST = _MET.add(_read("a length beside a status", f"{_INPUT}.length.status-first"))
_NEGATIVE_SPLIT = _MET.add(_read("a negative split", f"{_INPUT}.split.negative"))


@meaning(OpenFile, _MET)
def _classify(root: State, op: OpenFile) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    failed = 0 if type(node) is File else _NO_FILE
    for key in _mandatory(op):
        if key not in _SURE_KEYS:
            failed |= _UNKNOWN_MUST if key.startswith(UNKNOWN) else _OTHER_MUST
    if failed or type(node) is not File:
        return found | failed
    return found | _success(op, node)


def _success(op: OpenFile, node: File) -> int:
    values = settings(op)
    length = declared(op, node.content)
    if length is not None:
        return _SHORT if length < contents.length(node.content) else _LONG
    for name in ("length", "split.start", "split.end"):
        text = values.get(STANDARD + name)
        if text is not None and number(text) is None:
            negative = text.strip().removeprefix("-").isdigit()
            return _UNSET if not negative else _NEGATIVE if name == "length" else _NEGATIVE_SPLIT
        if text is not None and text != text.strip():
            return _SPACED
    return _harmless(op, values)


def _harmless(op: OpenFile, values: dict[str, str]) -> int:
    start, end = number(values.get(STANDARD + "split.start")), number(values.get(STANDARD + "split.end"))
    policy = values.get(STANDARD + "read.policy")
    if end is not None:
        return _CROSSED if start is not None and start > end else _SPLIT
    if policy is not None:
        return _LISTED if "," in policy else _POLICY if policy in _POLICIES else _ODD_POLICY
    if any(option.startswith(UNKNOWN) for option in op.opt):
        return _IGNORED
    if op.via == "status":
        return _STATUS_FIRST if STANDARD + "length" in values else _STATUS
    return _MANDATORY if op.must else _PLAIN


_UNKNOWN_KEY = f"{UNKNOWN}unknown=1"
_OPTIONS = (
    _UNKNOWN_KEY,
    *(
        f"{STANDARD}read.policy={policy}"
        for policy in ("random", "sequential", "vector", "whole-file", "fsconform,random")
    ),
    *(
        f"{STANDARD}{name}={value}"
        for name in ("length", "split.start", "split.end")
        for value in ("-1", "0", "1", "none")
    ),
)


@drawn(OpenFile)
def _draw(_draft: Draft, dice: Random, path: Path) -> OpenFile:
    found = [dice.sample(_OPTIONS, dice.choice(counts)) for counts in ((0, 0, 0, 1), (0, 1, 1, 2))]
    must, opt = (tuple({option.partition("=")[0]: option for option in options}.values()) for options in found)
    return OpenFile(path, must, opt, rarely_another_way(OpenFile, dice))


# --- openFile in stages


@operation
@dataclass(frozen=True, slots=True)
class OpenInStages(Operation):
    """``openFile(path)`` with mandatory options ``key=value``, build, get of the future, one read, close.

    Returns facts ``stages`` with ``failed``: openFile, build, get, read or nothing.
    """

    NAME: ClassVar[str] = "openFile in stages"
    path: Path
    must: tuple[str, ...]


def _failed_in(*stages: str) -> Check:
    return lambda _root, _op, value: isinstance(value, Facts) and value.get("failed") in stages


_ALL_STAGES = ("openFile", "build", "get", "read", "nothing")
_IN_BUILD, _FUTURE = f"{_INPUT}.must.checked-in-build", f"{_INPUT}.build.returns-future"

_STAGES = Cases(*COMMON_CASES)
_UNKNOWN_IN_STAGES = _STAGES.case(
    "a mandatory option that no store knows", _IN_BUILD, (gives(_IN_BUILD, "fail in build", _failed_in("build")),)
)
_OTHER_IN_STAGES = _STAGES.case(
    "a mandatory option",
    _IN_BUILD,
    (gives(_IN_BUILD, "fail in build or later for want of the file", _failed_in("build", "get", "read", "nothing")),),
)
_NO_FILE_IN_STAGES = _STAGES.case(
    "not a file", _FUTURE, (gives(_FUTURE, "fail after build", _failed_in("get", "read")),)
)
_FILE_IN_STAGES = _STAGES.case(
    "file", "openfile.build.future", (gives("openfile.build.future", "succeed", _failed_in("nothing")),)
)
# Each stage may refuse what no later change can cure.
_ODD_IN_STAGES = _STAGES.case(
    "a name that a store may forbid", _FUTURE, (gives(_FUTURE, "fail in any stage", _failed_in(*_ALL_STAGES)),)
)


@meaning(OpenInStages, _STAGES)
def _classify_stages(root: State, op: OpenInStages) -> int:
    node = locate(root, op.path)
    if flags(op.path):
        return _ODD_IN_STAGES
    found = bits(op.path, node)
    keys = [option.partition("=")[0] for option in op.must]
    if any(key.startswith(UNKNOWN) for key in keys):
        return found | _UNKNOWN_IN_STAGES
    if any(not key.startswith(STANDARD) for key in keys):
        return found | _OTHER_IN_STAGES
    return found | (_FILE_IN_STAGES if type(node) is File else _NO_FILE_IN_STAGES)


@drawn(OpenInStages)
def _draw_stages(_draft: Draft, dice: Random, path: Path) -> OpenInStages:
    return OpenInStages(path, (_UNKNOWN_KEY,) if dice.random() < 0.25 else ())
