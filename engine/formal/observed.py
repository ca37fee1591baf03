"""What was observed on a store, told in the words of module Namespace, and the check whether the module allows it.

Names and contents are made abstract: each path element is a name, and each segment that was written one chunk. Sizes
are told to the checker, so that lengths are compared in bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

from fsconform.engine.formal import namespace, traces
from fsconform.engine.formal.namespace import Call
from fsconform.engine.formal.traces import Taken, TraceError
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Segment
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Returned, Status, Unknown
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink
from fsconform.model.filesystem.programs import Trace
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.validity import flags

LONGEST = 8
"""Of how many chunks a file that was read may consist, to be told in chunks."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A trace in the module's words, with the finite model that holds it. ``sizes`` are bytes by chunk."""

    steps: tuple[Taken, ...]
    names: tuple[str, ...]
    sizes: Mapping[str, int]

    @property
    def states(self) -> list[dict[str, object]]:
        """As a trace of which only the calls and their outcomes are known."""
        return [{"act": traces.act_of(one)} for one in (traces.INITIAL, *self.steps)]


class _Names:
    def __init__(self, prefix: str) -> None:
        self.known: dict[object, str] = {}
        self._numbers = count(1)
        self._prefix = prefix

    def __call__(self, thing: object) -> str:
        if thing not in self.known:
            self.known[thing] = f"{self._prefix}{next(self._numbers)}"
        return self.known[thing]


def observed(trace: Trace) -> Observed:
    """What a store did, in the module's words. Raises TraceError for what the module does not speak of."""
    name, chunk = _Names("n"), _Names("c")
    found: list[Taken] = []
    written: list[Segment] = []
    for number, (step, event) in enumerate(zip(trace.program, trace.events, strict=False), 1):
        paths = paths_of(step.operation)
        if any(map(flags, paths)):
            raise TraceError(f"step {number}: the module knows no names that a store may forbid")
        written += [part for part in _content(step.operation) if isinstance(part, Segment)]
        call = _call(step.operation, name, chunk, number)
        found.append(_taken(call, event.outcome, name, chunk, written, number))
    return of_steps(found, {chunk(part): part.length for part in dict.fromkeys(written)})


def of_steps(steps: Sequence[Taken], sizes: Mapping[str, int] = MappingProxyType({})) -> Observed:
    """A trace in the module's words; a chunk of which ``sizes`` does not speak is one byte."""
    named = {name: None for one in steps for path in (one.call.path, one.call.dst) for name in path}
    named |= {name: None for one in steps for name, _, _ in one.seen if name}
    used = [chunk for one in steps for chunk in (*one.call.data, *one.read)]
    return Observed(tuple(steps), tuple(named) or ("a",), {chunk: sizes.get(chunk, 1) for chunk in used or ["x"]})


def _content(operation: Operation) -> Content:
    return operation.content if isinstance(operation, Create | Append | CreateNonRecursive) else ()


def _call(operation: Operation, name: _Names, chunk: _Names, number: int) -> Call:
    def path(one: Path) -> Path:
        return tuple(map(name, one))

    data = tuple(map(chunk, _content(operation)))
    if via := getattr(operation, "via", ""):
        raise TraceError(f"step {number}: the module has one way to each call, not the way {via!r}")
    match operation:
        case Create() | CreateNonRecursive():
            op = "create" if isinstance(operation, Create) else "createNonRecursive"
            return Call(op, path(operation.path), (), data, operation.overwrite)
        case Append():
            return Call("append", path(operation.path), (), data)
        case Delete():
            return Call("delete", path(operation.path), (), (), operation.recursive)
        case Rename():
            return Call("rename", path(operation.src), path(operation.dst))
        case RenameWith():
            return Call("rename with options", path(operation.src), path(operation.dst), (), operation.overwrite)
        case CreateSymlink():
            return Call("createSymlink", path(operation.link), path(operation.target))
        case Mkdirs() | Open() | GetFileStatus() | Exists() | ListStatus():
            return Call(operation.NAME, path(operation.path))
    raise TraceError(f"step {number}: module Namespace has no call {operation.NAME!r}")


def _taken(call: Call, outcome: Outcome, name: _Names, chunk: _Names, written: Sequence[Segment], number: int) -> Taken:
    if isinstance(outcome, Unknown | NotExpressible):
        raise TraceError(f"step {number}: what the call did is not known")
    res = namespace.told(outcome)
    value = outcome.value if isinstance(outcome, Returned) else None
    if isinstance(value, Data):
        return Taken(call, res, read=_chunks(value, chunk, written, number))
    if isinstance(value, Status):
        return Taken(call, res, frozenset({_entry("", value)}))
    if isinstance(value, tuple):
        depth = len(call.path)
        named = ((name(one.path[-1]) if len(one.path) > depth else "", one) for one in value)
        return Taken(call, res, frozenset(_entry(*pair) for pair in named))
    return Taken(call, res)


def _entry(name: str, status: Status) -> tuple[str, str, int]:
    return name, "dir" if status.is_dir else "file", status.length


def _chunks(data: Data, chunk: _Names, written: Sequence[Segment], number: int) -> tuple[str, ...]:
    """The chunks of which a file consists: segments in the order in which they were written."""
    parts = list(dict.fromkeys(written))
    found = next(_sequences(data, parts), None)
    if found is None:
        raise TraceError(f"step {number}: what was read is no sequence of what was written before")
    return tuple(map(chunk, found))


def _sequences(data: Data, parts: Sequence[Segment], chosen: Content = ()) -> Iterator[Content]:
    left = data.length - contents.length(chosen)
    if left == 0 and contents.digest(chosen) == data.digest:
        yield chosen
    if left > 0 and len(chosen) < LONGEST:
        for part in parts:
            if 0 < part.length <= left:
                yield from _sequences(data, parts, (*chosen, part))


def root_body(one: Observed) -> str:
    """The body of a root module under which the only behaviours are those with the calls and outcomes that were seen.

    The property ``Unfinished`` fails exactly if the module allows the whole trace.
    """
    sizes = " @@ ".join(f"({quoted(name)} :> {size})" for name, size in sorted(one.sizes.items()))
    rows = ",\n    ".join(_row(step) for step in one.steps)
    return f"""
Sizes == {sizes}
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Sizes[Head(s)] + Sum(Tail(s))
Always(o) == TRUE
Seen == <<
    {rows} >>
VARIABLE at
Allowed ==
    /\\ at <= Len(Seen)
    /\\ at' = at + 1
    /\\ \\E o \\in Outcomes(Seen[at].call) :
        /\\ o.res = Seen[at].res /\\ o.seen = Seen[at].seen /\\ o.read = Seen[at].read
        /\\ Step(Seen[at].call, o)
TraceSpec == Init /\\ at = 1 /\\ [][Allowed]_<<vars, at>>
TraceView == <<dirs, files, links, at>>
Unfinished == at <= Len(Seen)
"""


def _row(step: Taken) -> str:
    call = step.call
    seen = ", ".join(f"<<{quoted(name)}, {quoted(kind)}, {size}>>" for name, kind, size in sorted(step.seen))
    data, path, dst, read = (_sequence(one) for one in (call.data, call.path, call.dst, step.read))
    made = f"Call({quoted(call.op)}, {path}, {dst}, {data}, {str(call.flag).upper()})"
    return f"[call |-> {made}, res |-> {quoted(step.res)}, seen |-> {{{seen}}}, read |-> {read}]"


def _sequence(words: Iterable[str]) -> str:
    return "<<" + ", ".join(map(quoted, words)) + ">>"


def quoted(word: str) -> str:
    """A text as TLA+ writes it: what a name holds must not end it."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
