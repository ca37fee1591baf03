"""A program as a shell script of ``hadoop fs`` commands, where those pass its calls on to the store.

FsShell looks at paths before it calls: what it refuses by itself says nothing of the store, and has no words here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from fsconform.engine import describe
from fsconform.harness.languages.content import NotSaid, parts_of
from fsconform.harness.languages.expected import Call, Expected, followed
from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.reports.visible import visible

READ_BY_THE_SHELL = frozenset("*?[]{}\\:^")
"""Characters of a name in which FsShell sees a pattern, an escape or the end of a scheme."""

LARGEST = 1 << 16
"""Bytes of a file that a script carries."""


def script(oracle: Oracle, program: Program, signature: str, verdict: str) -> str:
    """The script, which ends with 1 as long as a store shows a divergence, and with 0 when it does not.

    Raises NotSaid for a program that it has no words for.
    """
    lines: list[str] = []
    diverging: list[str] = []
    call: Call | None = followed(oracle, program, signature, verdict)
    while call is not None:
        written = _lines(call)
        lines += written
        diverging += written[-1:] if signature.startswith(f"{call.step.operation.NAME} (") else []
        # A script goes on where the call succeeded: what follows a refusal that the contract allows is another program.
        ways = [after for given, after in call.ways if given.succeeds]
        if len(call.ways) > 1:
            lines.append("goes_on || exit")
        call = ways[0] if ways else None
    if diverging and not any(_shows(line, signature) for line in diverging):
        raise NotSaid("hadoop fs ends with the same exit code where the store does what is allowed")
    template = files("fsconform.harness.languages").joinpath("template.sh.txt").read_text(encoding="ascii")
    before, after = template.split("@CALLS@\n")
    heading = f"# {_comment(f'{verdict}: {signature}')}"
    return before.replace("@HEADING@", heading) + "".join(f"{line}\n" for line in lines) + after


def _shows(line: str, signature: str) -> bool:
    """Whether a line of a script ends otherwise where the call does what a signature says: false is a failure too."""
    compared = re.match(r"(?:content [^|]*\| )?(any|succeeds|fails) ", line)
    symptom = re.search(r"\) (?:(raised |returned false)|(?:returned true|succeeded))", signature)
    if compared is None or symptom is None:
        return True
    return compared[1] == ("succeeds" if symptom[1] else "fails")


def _comment(text: str) -> str:
    """A text that no line of a script ends early."""
    return visible(text).encode("ascii", "backslashreplace").decode()


def _lines(call: Call) -> list[str]:
    operation = call.step.operation
    written = _CALLS.get(type(operation))
    if written is None or operation.via:
        way = f" by way of {operation.via!r}" if operation.via else ""
        raise NotSaid(f"hadoop fs has no command for {operation.NAME}{way}")
    for path in paths_of(operation):
        for name in path:
            odd = sorted(READ_BY_THE_SHELL.intersection(name))
            if odd or "\0" in name:
                raise NotSaid(f"hadoop fs reads {odd[0] if odd else 'NUL'} in a name by itself")
            if any(0xD800 <= ord(char) < 0xE000 for char in name):
                raise NotSaid("a name has no form in UTF-8")
    if len(call.states) != 1:  # FsShell looks at paths, so that it is to be known what is there
        raise NotSaid(f"the contract allows several states before call {call.number}")
    told = shlex.quote(_comment(f"{call.number}. {describe.call(operation)}"))
    return [*written(operation, call.states[0], call.expected, told)]


def _exit(expected: Expected | None, told: str) -> str:
    """How a command is compared by its exit code."""
    if expected is None:
        return f"any {told}"
    fails = bool(expected.errors) or False in expected.constants
    succeeds = expected.anything or bool({True, None}.intersection(expected.constants))
    return f"{'any' if fails and succeeds else 'succeeds' if succeeds else 'fails'} {told}"


def _at(path: Path) -> str:
    return '"$base"' + (shlex.quote(show(path)) if path else "")


def _bytes(content: Content) -> str:
    """A command that prints content."""
    parts = parts_of(content)
    if any(part.offset for part in parts) or sum(part.length for part in parts) > LARGEST:
        raise NotSaid(f"a script carries files of up to {LARGEST:,} bytes")
    repeated = [part for part in parts if part.length > 4096]
    if repeated:
        raise NotSaid("a script carries no bytes that are repeated")
    return "content " + (" ".join(shlex.quote(part.base64) for part in parts) or "''")


def _ready(path: Path, state: State, told: str) -> list[str]:
    """The parent of a file, which FsShell asks for before it writes."""
    parent = locate(state, path[:-1])
    if isinstance(parent, File) or not path:
        raise NotSaid("hadoop fs looks for the parent of a file by itself")
    return [] if isinstance(parent, Dir) else [f"succeeds {told} -mkdir -p {_at(path[:-1])}"]


def _create(op: Create, state: State, expected: Expected | None, told: str) -> list[str]:
    node = locate(state, op.path)
    if isinstance(node, Dir) or (isinstance(node, File) and not op.overwrite):
        raise NotSaid("hadoop fs -put refuses a destination that is there by itself")
    force = " -f" if op.overwrite else ""
    made = f"{_bytes(op.content)} | {_exit(expected, told)} -put -d{force} - {_at(op.path)}"
    return [*_ready(op.path, state, told), made]


def _append(op: Append, state: State, expected: Expected | None, told: str) -> list[str]:
    if not isinstance(locate(state, op.path), File):
        raise NotSaid("hadoop fs -appendToFile looks for the file by itself")
    return [f"{_bytes(op.content)} | {_exit(expected, told)} -appendToFile - {_at(op.path)}"]


def _mkdirs(op: Mkdirs, state: State, expected: Expected | None, told: str) -> list[str]:
    if isinstance(locate(state, op.path), File | Dir):
        raise NotSaid("hadoop fs -mkdir looks for what is there by itself")
    return [f"{_exit(expected, told)} -mkdir -p {_at(op.path)}"]


def _delete(op: Delete, state: State, expected: Expected | None, told: str) -> list[str]:
    node = locate(state, op.path)
    if isinstance(node, File):
        command = "-rm -r -skipTrash" if op.recursive else "-rm -skipTrash"
    elif isinstance(node, Dir) and op.path and (op.recursive or not node.children):
        command = "-rm -r -skipTrash" if op.recursive else "-rmdir"
    else:
        raise NotSaid("hadoop fs refuses this delete by itself")
    return [f"{_exit(expected, told)} {command} {_at(op.path)}"]


def _rename(op: Rename, state: State, expected: Expected | None, told: str) -> list[str]:
    there = isinstance(locate(state, op.src), File | Dir) and isinstance(locate(state, op.dst[:-1]), Dir)
    if not there or isinstance(locate(state, op.dst), File | Dir) or not op.src or not op.dst:
        raise NotSaid("hadoop fs -mv looks at source and destination by itself, and asks the store for another rename")
    return [f"{_exit(expected, told)} -mv {_at(op.src)} {_at(op.dst)}"]


def _open(op: Open, state: State, expected: Expected | None, told: str) -> list[str]:
    if isinstance(locate(state, op.path), Dir):
        raise NotSaid("hadoop fs -cat refuses a directory by itself")
    if expected is None or expected.data is None:
        return [f"{_exit(expected, told)} -cat {_at(op.path)}"]
    return [f"reads {told} {expected.data.digest} {_at(op.path)}"]


def _status(op: GetFileStatus, state: State, expected: Expected | None, told: str) -> list[str]:
    if expected is None or expected.status is None:
        return [f"{_exit(expected, told)} -stat %F {_at(op.path)}"]
    if expected.status.is_dir:
        wanted = ("%F", "directory") if expected.any_length else ("'%F %b'", "'directory 0'")
    else:
        wanted = ("'%F %b'", shlex.quote(f"regular file {expected.status.length}"))
    return [f"prints {told} {wanted[1]} -stat {wanted[0]} {_at(op.path)}"]


def _list(op: ListStatus, state: State, expected: Expected | None, told: str) -> list[str]:
    if not isinstance(locate(state, op.path), Dir) or expected is None or expected.listing is None:
        raise NotSaid("hadoop fs -ls looks for the directory by itself")
    if not expected.any_length and any(status.is_dir for status in expected.listing):
        raise NotSaid("hadoop fs -ls does not show the length of a directory")
    names = [status.path[-1] for status in expected.listing]
    if any(not name.isprintable() for name in names):
        raise NotSaid("hadoop fs -ls shows a name with a character that has no ink otherwise")
    return [" ".join([f"lists {told} {_at(op.path)}", *map(shlex.quote, names)])]


_CALLS: Mapping[type[Operation], Callable[[Any, State, Expected | None, str], list[str]]] = {
    Create: _create,
    Append: _append,
    Mkdirs: _mkdirs,
    Delete: _delete,
    Rename: _rename,
    Open: _open,
    GetFileStatus: _status,
    ListStatus: _list,
    Exists: lambda op, state, expected, told: [f"{_exit(expected, told)} -test -e {_at(op.path)}"],
    IsFile: lambda op, state, expected, told: [f"{_exit(expected, told)} -test -f {_at(op.path)}"],
    IsDirectory: lambda op, state, expected, told: [f"{_exit(expected, told)} -test -d {_at(op.path)}"],
    Truncate: lambda op, state, expected, told: [f"{_exit(expected, told)} -truncate -w {op.length} {_at(op.path)}"],
    SetPermission: lambda op, state, expected, told: [
        f"{_exit(expected, told)} -chmod {op.permission:o} {_at(op.path)}"
    ],
}
