"""The builder of openFile, with options, and reading to the end of the file.

Source: openfile.md; fsdatainputstreambuilder.md; filesystem.md, "FSDataInputStream open(Path f, int bufferSize)".
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.content import is_of
from fsconform.model.core.outcomes import Data
from fsconform.model.filesystem.branches import Branch, Case, Meaning, gives, raises
from fsconform.model.filesystem.namespace.create_file import UNKNOWN
from fsconform.model.filesystem.namespace.truncate import first
from fsconform.model.filesystem.operations.changes import OpenFile
from fsconform.model.filesystem.refusals import one_of
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_INPUT = "fsdatainputstreambuilder"
_CHAIN = "openfile.path.chain"

STANDARD = "fs.option.openfile."
_NUMBERS = ("length", "split.start", "split.end", "buffer.size")
_SURE_KEYS = frozenset((*(STANDARD + name for name in _NUMBERS), STANDARD + "read.policy"))
"""Options that every store knows: those of the first releases that had any."""
_POLICIES = frozenset(("adaptive", "default", "random", "sequential", "vector", "whole-file"))


def right_data(root: State, op: Any, data: object) -> bool:
    """True if what was read is the file's bytes."""
    node = locate(root, op.path)
    return type(node) is File and is_of(node.content, data)


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


_PLAIN = 4
_NO_FILE = 8
_UNKNOWN_MUST = 16
_OTHER_MUST = 32
_SHORT = 64
_LONG = 128
_UNSET = 256
_SPLIT = 512
_CROSSED = 1024
_POLICY = 2048
_ODD_POLICY = 4096
_IGNORED = 8192
_STATUS = 16384
_MANDATORY = 32768
_LISTED = 65536
_SPACED = 131072
_NEGATIVE = 262144
_STATUS_FIRST = 524288
_NEGATIVE_SPLIT = 1048576


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


def _reads(clause: str, level: Any = "MUST") -> tuple[Branch, ...]:
    return (gives(clause, "the bytes of the file", right_data, level=level),)


def _read(name: str, clause: str, level: Any = "MUST") -> Case:
    return Case(name, clause, _reads(clause, level))


def _hint(name: str, clause: str, level: Any) -> Case:
    """What SHOULD play no part: a refusal is a deviation, other bytes are none of the file's."""
    refused = tuple(raises(clause, error, level=level, deviates=True) for error in ("IOException", "RuntimeException"))
    return Case(name, clause, (*_reads(clause, level), *refused))


_MUST_UNKNOWN = f"{_INPUT}.must.unknown"

OPEN_FILE = Meaning(
    OpenFile,
    (
        *COMMON_CASES,
        _read("file", _CHAIN),
        Case(
            "not a file",
            f"{_INPUT}.post.unreadable",
            one_of(f"{_INPUT}.post.unreadable", "FileNotFoundException", "IOException"),
        ),
        Case(
            "a mandatory option that no store knows",
            _MUST_UNKNOWN,
            (raises(_MUST_UNKNOWN, "IllegalArgumentException"),),
        ),
        Case(
            "a mandatory option",
            _MUST_UNKNOWN,
            (
                raises(_MUST_UNKNOWN, "IllegalArgumentException"),
                raises(f"{_INPUT}.must.unsupported", "UnsupportedOperationException"),
                *_reads(_CHAIN),
            ),
        ),
        Case(
            "declared shorter than it is",
            f"{_INPUT}.length.minimum",
            (
                gives(f"{_INPUT}.length.minimum", "the bytes up to the declared length or beyond", _up_to_length),
                raises(f"{_INPUT}.length.beyond", "EOFException", level="MAY"),
            ),
        ),
        # The caller was wrong. Reading past the real end has no bytes to give.
        Case(
            "declared longer than it is",
            f"{_INPUT}.length.minimum",
            (*_reads(f"{_INPUT}.length.minimum"), raises(f"{_INPUT}.length.minimum", "IOException")),
        ),
        _read("an option whose number is none", f"{_INPUT}.numbers.unparseable"),
        _read("a split", f"{_INPUT}.split.read-past-end"),
        _hint("a split that ends before it starts", f"{_INPUT}.split.start-after-end", "SHOULD"),
        _read("a read policy", f"{_INPUT}.read-policy.harmless", "MUST NOT"),
        _read("a read policy that no store knows", f"{_INPUT}.read-policy.unknown"),
        _read("options that no store knows", f"{_INPUT}.opt.unknown"),
        _hint("with its status", f"{_INPUT}.status-hint", "SHOULD"),
        _read("mandatory options that every store knows", f"{_INPUT}.options.recognised"),
        _read("a list of read policies", f"{_INPUT}.read-policy.list"),
        _hint("an option whose number has spaces", f"{_INPUT}.numbers.trimmed", "SHOULD"),
        _read("a negative length", f"{_INPUT}.length.negative"),
        _read("a length beside a status", f"{_INPUT}.length.status-first"),
        _read("a negative split", f"{_INPUT}.split.negative"),
    ),
    _classify,
)
