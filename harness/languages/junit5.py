"""A program as a JUnit 5 test class over Hadoop's ``AbstractFSContractTestBase``, that needs nothing of fsconform.

Names in a program are a store's: they are written as escapes only, in ASCII, so that none ends a literal or a comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from fsconform.engine import describe
from fsconform.harness.languages.content import NotSaid, Part, parts_of
from fsconform.harness.languages.expected import Call, Expected, followed, returned_texts
from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile

LONGEST_NAME = 84
"""Characters of a class name that are made of a signature."""


def class_name(signature: str) -> str:
    """The name of the test class of a signature; one that is cut off ends in a digest, so that no other has it."""
    words = re.findall(r"[A-Za-z0-9]+", signature)
    name = "Test" + "".join(word[0].upper() + word[1:] for word in words)
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}_{hashlib.sha256(signature.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def test_class(oracle: Oracle, program: Program, signature: str, verdict: str, notes: tuple[str, ...] = ()) -> str:
    """The source of a test class that fails as long as a store shows a divergence, and passes when it does not.

    ``notes`` are lines of its heading. Raises NotSaid for a program that it has no words for.
    """
    rows = list(_rows(followed(oracle, program, signature, verdict), "    "))
    template = files("fsconform.harness.languages").joinpath("Template.java.txt").read_text(encoding="ascii")
    heading = [f"{verdict}: {signature}", *notes]
    texts = {
        "HEADING": "\n".join(f"// {comment(line)}".rstrip() for line in heading),
        "CLASS": class_name(signature),
        "CALLS": "\n".join(rows),
    }
    return re.sub("@([A-Z]+)@", lambda mark: texts[mark[1]], template)


def _rows(call: Call, indent: str) -> Iterator[str]:
    """A call and those after it, as statements."""
    operation = call.step.operation
    words = literal(f"{call.number}. {describe.call(operation)}")
    expression = _expression(operation, call.step.client, call.expected or Expected())
    allowed = _allowed(call.expected) if call.expected else []
    told = ", ".join([words, f"() -> {expression}", *map(literal, allowed)])
    if len(call.ways) < 2:
        yield f"{indent}call({told});"
        for _, after in call.ways:
            yield from _rows(after, indent)
        return
    yield f"{indent}call({told});"
    for number, (given, after) in enumerate(call.ways):
        # What is in none of the ways was not allowed, so that the test has failed by then.
        yield f"{indent}{'} else ' if number else ''}if (gave({', '.join(map(literal, _allowed(given)))})) {{"
        yield from _rows(after, indent + "  ")
    yield f"{indent}}}"


def _allowed(found: Expected) -> list[str]:
    returned = [f"returned {text}" for text in returned_texts(found)]
    returned += ["returned anything"] * found.anything
    allowed = [*returned, *(f"raised {error}" for error in found.errors)]
    return allowed or ["nothing: the specification has no answer here"]


def literal(text: str) -> str:
    """A text as a string literal of Java, in ASCII. No character of it can end the literal, nor begin an escape."""
    written = []
    for unit in _units(text):
        if unit in (0x22, 0x5C):
            written.append("\\" + chr(unit))
        elif 0x20 <= unit < 0x7F:
            written.append(chr(unit))
        elif unit < 0x80:
            written.append(f"\\{unit:03o}")
        else:
            written.append(f"\\u{unit:04x}")
    return f'"{"".join(written)}"'


def comment(text: str) -> str:
    """A text for a comment to the end of a line: in ASCII, with a backslash before each that Java would read."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return "".join(
        char if " " <= char <= "~" and char != "\\" else "\\\\" if char == "\\" else f"\\\\x{ord(char):02x}"
        for char in plain
    )


def _units(text: str) -> list[int]:
    """The UTF-16 code units of a text, lone surrogates among them."""
    data = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def _at(path: Path) -> str:
    return f"at({literal(show(path))})"


def _content(content: Content) -> str:
    return ", ".join(map(_part, parts_of(content))) or "NOTHING"


def _part(part: Part) -> str:
    return f"part({literal(part.base64)}, {part.offset}, {part.length}L)"


def _flag(value: bool) -> str:
    return str(value).lower()


def _sized(path: Path, fs: str) -> str:
    return f"{fs}.getDefaultReplication({_at(path)}), {fs}.getDefaultBlockSize({_at(path)}), null"


_OPENED = {
    "create": lambda path, fs: f"{fs}.create({path}, false)",
    "overwrite": lambda path, fs: f"{fs}.create({path}, true)",
    "append": lambda path, fs: f"{fs}.append({path})",
}

CALLS: Mapping[type[Operation], Callable[[Any, str, str], str]] = {
    Create: lambda op, fs, any_length: (
        f"write({fs}.create({_at(op.path)}, {_flag(op.overwrite)}), {_content(op.content)})"
    ),
    CreateNonRecursive: lambda op, fs, any_length: (
        f"write({fs}.createNonRecursive({_at(op.path)}, {_flag(op.overwrite)}, 4096, {_sized(op.path, fs)}), "
        f"{_content(op.content)})"
    ),
    Append: lambda op, fs, any_length: f"write({fs}.append({_at(op.path)}), {_content(op.content)})",
    Mkdirs: lambda op, fs, any_length: f"{fs}.mkdirs({_at(op.path)})",
    Delete: lambda op, fs, any_length: f"{fs}.delete({_at(op.path)}, {_flag(op.recursive)})",
    Rename: lambda op, fs, any_length: f"{fs}.rename({_at(op.src)}, {_at(op.dst)})",
    Concat: lambda op, fs, any_length: _void(
        f"{fs}.concat({_at(op.path)}, new Path[] {{{', '.join(map(_at, op.sources))}}})"
    ),
    Truncate: lambda op, fs, any_length: f"{fs}.truncate({_at(op.path)}, {op.length}L)",
    SetPermission: lambda op, fs, any_length: _void(
        f"{fs}.setPermission({_at(op.path)}, new FsPermission((short) {op.permission}))"
    ),
    SetOwner: lambda op, fs, any_length: _void(f"{fs}.setOwner({_at(op.path)}, {_name(op.owner)}, {_name(op.group)})"),
    SetTimes: lambda op, fs, any_length: _void(f"{fs}.setTimes({_at(op.path)}, {op.modified}L, {op.accessed}L)"),
    SetReplication: lambda op, fs, any_length: f"{fs}.setReplication({_at(op.path)}, (short) {op.replication})",
    Exists: lambda op, fs, any_length: f"{fs}.exists({_at(op.path)})",
    IsFile: lambda op, fs, any_length: f"{fs}.isFile({_at(op.path)})",
    IsDirectory: lambda op, fs, any_length: f"{fs}.isDirectory({_at(op.path)})",
    Open: lambda op, fs, any_length: f"read({fs}.open({_at(op.path)}))",
    GetFileStatus: lambda op, fs, any_length: f"status({fs}.getFileStatus({_at(op.path)}), {any_length})",
    ListStatus: lambda op, fs, any_length: f"listing({fs}.listStatus({_at(op.path)}), {any_length})",
    OpenWriter: lambda op, fs, any_length: f"opened({literal(op.stream)}, {_OPENED[op.mode](_at(op.path), fs)})",
    Write: lambda op, fs, any_length: f"wrote({literal(op.stream)}, {_content(op.content)})",
    CloseWriter: lambda op, fs, any_length: f"closed({literal(op.stream)})",
}
"""Each call that a test class has words for, as an expression of Java.

It is made of the operation, the FileSystem as an expression, and whether directories may have a length.
"""


def _void(statement: str) -> str:
    return f"{{ {statement}; return null; }}"


def _name(text: str) -> str:
    return literal(text) if text else "null"


def _expression(operation: Operation, client: int, found: Expected) -> str:
    written = CALLS.get(type(operation))
    if written is None or operation.via:
        way = f" by way of {operation.via!r}" if operation.via else ""
        raise NotSaid(f"there are no words in Java for {operation.NAME}{way} yet")
    return written(operation, f"fs({client})", _flag(found.any_length))
