"""How module Crash and the judge of histories correspond: what is seen of two clients, one of which may be killed.

The module's steps are a graph in which some are seen, a call with what it gave or the end of a client, and others are
silent: a call whose reply was lost takes effect. A history is what is seen along a path. The module has it if a path
has it; the judge has it if it finds an order of the calls that explains what they gave.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from random import Random

from fsconform.engine.formal import namespace, writers
from fsconform.engine.formal.graphs import StepGraph
from fsconform.engine.formal.namespace import ERRORS, FILE_BLOCK, content
from fsconform.engine.histories.by_oracle import OracleSteps, Unjudged
from fsconform.engine.histories.concurrent import Observed
from fsconform.engine.histories.deaths import end_of
from fsconform.engine.histories.linearizability import Call as Observation
from fsconform.engine.histories.linearizability import linearize
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status, Unknown, facts
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER, SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import EMPTY, File, State, put
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.stream_scripts import told_error

CONSTANTS: Mapping[str, str] = {
    **namespace.CONSTANTS,
    **{name: option for name, option in writers.CONSTANTS.items() if name != "ListedTimesDiffer"},
    "ExclusiveWriter": EXCLUSIVE_WRITER,
}
"""The module's constants that are options of the contract."""

EMIT = r"""
Given(o) == <<o.call.client, o.call.op, o.call.path, o.call.how, o.res, o.read, o.len, o.out>>
Row(one) == <<one.phase, one.path, one.content, one.least, one.synced, one.appends, one.before, one.shown>>
Pending(b) == <<b.call.client, b.call.op, b.call.path, b.call.how, b.at, b.file>>
Rows(all) == [n \in DOMAIN all |-> Pending(all[n])]
Key(w) ==
    ToString(<<w.files["f"], w.files["g"],
        Row(w.streams["s"]), Row(w.streams["t"]), Row(w.streams["u"]), Row(w.streams["v"]),
        w.hands[1], w.hands[2], w.dead, Rows(w.late), Rows(w.under), w.lost, w.whole>>)
Emit ==
    /\ act.op = "init" => PrintT("BEGIN " \o Key(Here))
    /\ \A o \in { one \in Steps : InBounds(one) } :
        PrintT("STEP " \o ToString(Given(o)) \o " FROM " \o Key(Here) \o " TO " \o Key(o.to))
"""
"""What has TLC print the module's graph; an invariant for it to look at in each state."""

FILE, OTHER = ("f",), ("g",)
STREAMS = {1: "s", 2: "t"}
WRITTEN = {1: ("x",), 2: ("y",)}
"""What each client writes to its stream."""

WHOLE = ("z",)
"""What a call writes that writes a file whole."""

_WRITING = ("write", "append", "create")
_BEGIN, _STEP = '"BEGIN ', '"STEP '


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """A call of a client, or its end; ``how`` is a mode, or a call that syncs."""

    client: int
    op: str
    path: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """A call with what is seen of it: its result, bytes that it read, a length. One whose reply was lost is "lost"."""

    call: Call
    res: str
    read: tuple[str, ...] = ()
    length: int = 0


class Graph(StepGraph[Seen]):
    """What the module has of a state: a call whose reply was lost takes effect in silence."""

    def add(self, line: str) -> None:
        """Read a line that TLC printed; others are passed over. Raises ValueError."""
        if line.startswith(_BEGIN):
            self.beginnings.add(_text(line, _BEGIN))
        elif line.startswith(_STEP):
            given, _, states = _text(line, _STEP).partition(" FROM ")
            state, _, after = states.partition(" TO ")
            client, op, path, how, res, read, length, out = json.loads(
                given.replace("<<", "[").replace(">>", "]").replace("TRUE", "true").replace("FALSE", "false")
            )
            seen = Seen(Call(client, op, path, how), res, tuple(read), length) if op else None
            self.put(state, seen, None if out else after)


def _text(line: str, mark: str) -> str:
    return line.strip()[len(mark) : -1].replace('\\"', '"')


# --- as the judge has it


def operation(call: Call) -> Operation:
    """The operation of a call. Raises ValueError for a call that the model has not."""
    path = (call.path,)
    match call.op:
        case "open":
            return OpenWriter(path, STREAMS[call.client], call.how)
        case "write":
            return Write(STREAMS[call.client], content(WRITTEN[call.client]))
        case "sync":
            return Sync(STREAMS[call.client], call.how)
        case "close":
            return CloseWriter(STREAMS[call.client])
        case "append":
            return Append(path, content(WHOLE))
        case "create":
            return Create(path, content(WHOLE), False)
        case "rename":
            return Rename(FILE, OTHER)
        case "delete":
            return Delete(path, False)
        case "recover":
            return RecoverLease(path)
        case "read":
            return Open(path)
        case "status":
            return GetFileStatus(path)
    raise ValueError(f"the model has no call {call.op!r}")


def outcome(seen: Seen, contract: Contract) -> Outcome:
    """What the model has for the outcome of a call, of a store that says itself what it supports."""
    res, path = seen.res, (seen.call.path,)
    if res == "lost":
        return Unknown("the reply was lost")
    if seen.call.op == "sync":
        answer = "done" if res == "ok" else told_error(ancestry(res))
        supported = bool(contract.value(SUPPORTS_HFLUSH if seen.call.how == "hflush" else SUPPORTS_HSYNC))
        return Returned(facts("sync", answer=answer, capability=supported, syncable=supported))
    if res in ERRORS:
        return Raised(ancestry(res))
    match res:
        case "read":
            return Returned(Data(len(seen.read), contents.digest(content(seen.read)) or ""))
        case "status":
            return Returned(Status(path, False, seen.length, FILE_BLOCK))
        case "recovered" | "already" | "never":
            already = res == "already"
            values = {"first": already, "closed": res != "never", "finally": res != "never"}
            return Returned(facts("recovery", **values))
    return Returned({"ok": None, "true": True, "false": False}[res])


@lru_cache(maxsize=1 << 10)
def answers(call: Call, length: int) -> tuple[Seen, ...]:
    """Everything that a call could give within files of so many chunks, right or wrong."""
    errors = [Seen(call, error) for error in ERRORS]
    match call.op:
        case "read":
            files = (chunks for number in range(length + 1) for chunks in product("xyz", repeat=number))
            return (*(Seen(call, "read", chunks) for chunks in files), *errors)
        case "status":
            return (*(Seen(call, "status", length=number) for number in range(length + 1)), *errors)
        case "rename" | "delete":
            return (Seen(call, "true"), Seen(call, "false"), *errors)
        case "recover":
            return (*(Seen(call, res) for res in ("recovered", "already", "never")), *errors)
        case "killed":
            return (Seen(call, ""),)
    return (Seen(call, "ok"), *errors)


def calls_of(history: Sequence[Seen], contract: Contract) -> list[Observed]:
    """The calls of a history, one after another, as the judge has them; the end of a client is one of them."""
    found: list[Observed] = []
    for number, seen in enumerate(history):
        client = seen.call.client
        if seen.call.op == "killed":
            own = [one for one in found if one.client == client]
            found.append(Observation(-1, end_of(own), Returned(None), 2 * number, 2 * number + 1))
        else:
            returned = None if seen.res == "lost" else 2 * number + 1
            found.append(Observation(client, operation(seen.call), outcome(seen, contract), 2 * number, returned))
    return found


def judged(model: OracleSteps, beginning: State, history: Sequence[Seen]) -> bool | None:
    """Whether the judge finds an order of a history's calls; None where nothing is defined."""
    try:
        found = linearize(model, [beginning], calls_of(history, model.oracle.contract))
    except Unjudged:
        return None
    return None if found.exhausted else found.holds


def state(chunks: Sequence[str] | None) -> State:
    """The state in which the file holds these chunks; None for no file."""
    return EMPTY if chunks is None else put(EMPTY, FILE, File(content(chunks)))


# --- both


@dataclass(frozen=True, slots=True)
class Compared:
    """How many histories were compared, how many of them both have, and what only one side has."""

    histories: int = 0
    common: int = 0
    differences: tuple[str, ...] = ()


def compare(
    graph: Graph,
    model: OracleSteps,
    beginning: Sequence[str] | None,
    length: int,
    walks: int,
    most: int = 5,
    first: Sequence[Seen] = (),
    seed: int = 0,
) -> Compared:
    """Walk along what the module has, and hold beside the judge whatever could be seen next, at each place.

    ``walks`` of at most so many calls are taken at random, all of them behind what is ``first``. Histories are left out
    that write more than files of ``length`` chunks hold, and those that lead to where one side has nothing defined.
    Raises ValueError for a first that the module has not.
    """
    dice, found = Random(seed), Compared()
    begun = graph.closed(graph.beginnings)
    for seen in first:
        coming = graph.next_of(begun)
        if seen not in coming:
            raise ValueError(f"the module has no history that begins so: {_words(first)}")
        begun = coming[seen]
    tried: set[tuple[Seen, ...]] = set()
    for _ in range(walks):
        history = tuple(first)
        states = begun
        while len(history) < most and None not in states:
            coming = graph.next_of(states)
            if history not in tried:
                tried.add(history)
                found = _held(found, model, state(beginning), history, coming, len(beginning or ()), length)
            left = sorted(seen for seen, to in coming.items() if None not in to)
            if not left:
                break
            chosen = dice.choice(sorted({seen.call for seen in left}))  # errors are many, and lead nowhere
            seen = dice.choice([one for one in left if one.call == chosen])
            history, states = (*history, seen), coming[seen]
    return found


def _held(
    found: Compared,
    model: OracleSteps,
    beginning: State,
    history: tuple[Seen, ...],
    coming: Mapping[Seen, frozenset[str | None]],
    held: int,
    length: int,
) -> Compared:
    """Hold beside the judge what could be seen next."""
    told: list[str] = []
    count = common = 0
    for seen in _candidates(history, coming, held, length):
        to = coming.get(seen, frozenset())
        accepted = judged(model, beginning, (*history, seen))
        if accepted is None or None in to:
            continue
        count, common = count + 1, common + (accepted and bool(to))
        if accepted != bool(to):
            told.append(f"only the {'judge' if accepted else 'module'} has {_words((*history, seen))}")
    return replace(
        found,
        histories=found.histories + count,
        common=found.common + common,
        differences=(*found.differences, *told),
    )


def _candidates(history: Sequence[Seen], coming: Iterable[Seen], held: int, length: int) -> Iterator[Seen]:
    written = held + sum(1 for seen in history if seen.call.op in _WRITING)
    for call in sorted({seen.call for seen in coming}):
        if written + (call.op in _WRITING) <= length:
            yield from answers(call, length)


def _words(history: Sequence[Seen]) -> str:
    return ", then ".join(
        " ".join(
            filter(
                None,
                (
                    str(seen.call.client),
                    seen.call.op,
                    seen.call.path,
                    seen.call.how,
                    "->",
                    seen.res,
                    *seen.read,
                    str(seen.length or ""),
                ),
            )
        )
        for seen in history
    )
