"""Traces of module Namespace, of whichever checker, as programs with the outcomes that the module gives them; and ITF.

ITF is the JSON form in which Apalache writes traces (ADR 015 of its documentation). TLC's traces are put into it too,
so that there is one way from a trace to a program.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import itf_py  # type: ignore[import-untyped]

from fsconform.engine.formal import namespace
from fsconform.engine.formal.namespace import Call
from fsconform.engine.formal.terms import Function, Term
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.records.given import GivenError, brief, json_of, reason

Valuation = Mapping[str, Term]
MOST_CHUNK = 7
"""Bytes of the name of a chunk."""


class TraceError(ValueError):
    """A trace that can't be used; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step of a trace: the call, the module's word for its outcome, and what was seen or read."""

    call: Call
    res: str
    seen: namespace.Seen = frozenset()
    read: tuple[str, ...] = ()
    dev: bool = False

    @property
    def outcome(self) -> Outcome:
        """The outcome as the model has it."""
        return namespace.outcome(self.call, self.res, self.seen, self.read)


def steps(states: Iterable[Valuation]) -> tuple[Taken, ...]:
    """The steps of a trace of states; the initial one has none. Raises TraceError."""
    found: list[Taken] = []
    for state in states:
        act = state.get("act")
        if not isinstance(act, Mapping):
            raise TraceError("a state of the trace has no record 'act' that says which call led to it")
        try:
            if act["op"] == "init":
                continue
            call = Call(
                _word(act["op"]),
                _names(act["path"]),
                _names(act["dst"]),
                _chunks(act.get("data") or ()),
                bool(act["flag"]),
            )
            seen = frozenset((_word(name), _word(kind), _size(size)) for name, kind, size in act.get("seen", ()))
            taken = Taken(call, _word(act["res"]), seen, _chunks(act.get("read") or ()), bool(act.get("dev", False)))
            namespace.operation(call)
            namespace.outcome(call, taken.res, seen, taken.read)
        except KeyError as error:
            raise TraceError(f"step {len(found) + 1} of the trace: its record 'act' has no {reason(error)}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise TraceError(
                f"step {len(found) + 1} of the trace is none of module Namespace: {reason(error)}"
            ) from error
        found.append(taken)
    return tuple(found)


def _word(value: Any) -> str:
    """A text without what only moves other text. Raises ValueError."""
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"{brief(value)} is no text that is printable")
    return value


def _names(value: Any) -> tuple[str, ...]:
    """A path as the module has it. Raises ValueError."""
    if isinstance(value, str):
        raise ValueError(f"{brief(value)} is no sequence of names")
    names = tuple(map(_word, value))
    if any(not name or "/" in name for name in names):
        raise ValueError(f"{brief(names)} is no path")
    return names


def _chunks(value: Any) -> tuple[str, ...]:
    """What is written or read, in chunks: their names are seeds of bytes. Raises ValueError."""
    chunks = tuple(map(_word, value))
    if any(not 1 <= len(chunk.encode()) <= MOST_CHUNK for chunk in chunks):
        raise ValueError(f"{brief(value)} is no sequence of chunks with names of 1 to {MOST_CHUNK} bytes")
    return chunks


def _size(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{brief(value)} is no length of a file")
    return value


def program(trace: Sequence[Taken]) -> Program:
    """The calls of a trace."""
    return tuple(Step(namespace.operation(one.call)) for one in trace)


def departs(oracle: Oracle, trace: Sequence[Taken]) -> int | None:
    """The first step whose outcome the oracle does not allow; None if it allows them all."""
    states: set[State] = {EMPTY}
    for number, one in enumerate(trace):
        operation = namespace.operation(one.call)
        nexts = {after for state in states for _, after in oracle.step(state, operation, one.outcome)}
        if not nexts:
            return number
        states = {after for after in nexts if after is not None}
        if not states:
            return None  # the model ends here: all that comes next is allowed
    return None


# ------------------------------------------------------------------------------------------------------------- ITF


def read_itf(text: str) -> list[dict[str, Term]]:
    """The states of a trace in ITF. Raises TraceError, which says at which place it is none."""
    try:
        trace = json_of(text, "it")
    except GivenError as error:
        raise TraceError(f"not a trace in ITF: {error}") from error
    if not isinstance(trace, dict):
        raise TraceError("not a trace in ITF: at its top there is no object")
    for name in ("vars", "states"):
        if not isinstance(trace.get(name), list):
            raise TraceError(f"not a trace in ITF: at its top there is no list {name!r}")
    return [_state(number, state) for number, state in enumerate(trace["states"])]


def _state(number: int, state: Any) -> dict[str, Term]:
    where = f"not a trace in ITF: states[{number}]"
    if not isinstance(state, dict):
        raise TraceError(f"{where} is {brief(state)} and no object")
    try:
        return {name: _term(value) for name, value in itf_py.state_from_json(state).values.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{where} holds what is no value of ITF: {type(error).__name__}: {reason(error)}") from error


def _term(value: Any) -> Term:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return Function({name: _term(one) for name, one in value._asdict().items()})
    if isinstance(value, list | tuple):
        return tuple(_term(one) for one in value)
    if isinstance(value, frozenset | set):
        return frozenset(_term(one) for one in value)
    if isinstance(value, Mapping):
        return Function({_term(key): _term(one) for key, one in value.items()})
    return value


VARIABLES = ("dirs", "files", "links", "act")
TYPES = {
    "dirs": "Set(Seq(Str))",
    "files": "(Seq(Str) -> Seq(Str))",
    "links": "(Seq(Str) -> Seq(Str))",
    "act": "{ data: Seq(Str), dev: Bool, dst: Seq(Str), flag: Bool, op: Str, path: Seq(Str), read: Seq(Str), res: Str, "
    "seen: Set(<<Str, Str, Int>>) }",
}


def sizes_in(text: str) -> dict[str, int]:
    """The sizes in bytes of the chunks of a trace in ITF that :func:`write_itf` wrote; empty if it says none.

    Raises GivenError for what is no JSON.
    """
    document = json_of(text, "it")
    meta = document.get("#meta", {}) if isinstance(document, dict) else {}
    sizes = meta.get("sizes", {}) if isinstance(meta, dict) else {}
    if not isinstance(sizes, dict):
        return {}
    return {name: size for name, size in sizes.items() if type(size) is int and 0 <= size < 1 << 63}


def write_itf(states: Iterable[Valuation], description: str, sizes: Mapping[str, int] | None = None) -> str:
    """States of module Namespace as a trace in ITF. ``sizes`` are bytes by chunk, 1 where nothing is said."""
    rows = [{"#meta": {"index": index}, **_row(state)} for index, state in enumerate(states)]
    meta = {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
    whole = {
        "#meta": {**meta, "description": description, "varTypes": TYPES, **({"sizes": dict(sizes)} if sizes else {})},
        "params": [],
        "vars": list(VARIABLES),
        "states": rows,
    }
    return json.dumps(whole, indent=1, ensure_ascii=True) + "\n"


def _row(state: Valuation) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if "dirs" in state:
        row["dirs"] = {"#set": sorted(list(path) for path in state["dirs"])}
    for name in ("files", "links"):
        if name in state:
            row[name] = {"#map": sorted([list(path), list(value)] for path, value in _pairs(state[name]))}
    act = state["act"]
    row["act"] = {
        "op": act["op"],
        "path": list(act["path"]),
        "dst": list(act["dst"]),
        "data": list(act["data"]),
        "flag": act["flag"],
        "res": act["res"],
        "dev": act["dev"],
        "seen": {"#set": [{"#tup": [name, kind, {"#bigint": str(size)}]} for name, kind, size in sorted(act["seen"])]},
        "read": list(act["read"]),
    }
    return row


def _pairs(function: Term) -> Iterator[tuple[Term, Term]]:
    """The pairs of a function; an empty one looks like an empty sequence."""
    return iter(function.items()) if isinstance(function, Mapping) else iter(())


def act_of(taken: Taken) -> Function:
    """The module's record of a step."""
    call = taken.call
    return Function(
        {
            "op": call.op,
            "path": call.path,
            "dst": call.dst,
            "data": call.data,
            "flag": call.flag,
            "res": taken.res,
            "dev": taken.dev,
            "seen": taken.seen,
            "read": taken.read,
        }
    )


INITIAL = Taken(Call("init", ()), "ok")
