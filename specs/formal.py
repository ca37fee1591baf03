"""The TLA+ modules as data: what is checked of them, within which bounds, and the files that a checker is given.

The modules stand in ``specs/tla``, and ``checks.toml`` says what is to come of them. A check has a root module of its
own, which extends the one under check, so that constants are set in one place for either checker.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

from fsconform.model.filesystem.contract import Contract

Size = Literal["small", "middle", "big"]
SIZES: tuple[Size, ...] = ("small", "middle", "big")
"""Small ones belong to the tests, big ones to nightly runs."""

VIEWS: Mapping[str, str] = {
    "Crash": "CrashView",
    "Namespace": "FsView",
    "ObjectStore": "StoreView",
    "OutputStream": "StreamView",
    "Pipeline": "PipelineView",
    "SmallSteps": "StepsView",
}
"""For each module what makes two of its states one state."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a module. ``constants`` are TLA+ values by name, without those that a contract gives.

    ``violates`` names the property that must fail, with a shortest counterexample of ``steps`` steps: a seeded
    ``fault``, or a ``divergence`` that is known. ``distinct`` and ``generated`` are the states that the checker must
    count. ``equality`` asks for every transition to be compared with the reference model, ``goals`` for a trace to
    each of these outcomes of operations, and so many ``traces`` to situations in all. An ``inductive`` check begins in
    every state of the invariant: what it shows of one step holds of programs of any length.
    """

    name: str
    module: str
    statement: str
    size: Size = "middle"
    contract: str = ""
    constants: Mapping[str, str] = field(default_factory=dict)
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    violates: str = ""
    steps: int = 0
    distinct: int = 0
    generated: int = 0
    equality: bool = False
    goals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    traces: int = 0
    fault: bool = False
    divergence: str = ""
    inductive: bool = False


def module_texts() -> dict[str, str]:
    """The modules' texts by name."""
    folder = resources.files("fsconform.specs") / "tla"
    found = (one for one in folder.iterdir() if one.name.endswith(".tla"))
    return {one.name.removesuffix(".tla"): one.read_text("utf-8") for one in sorted(found, key=lambda one: one.name)}


@cache
def checks() -> dict[str, Check]:
    """All checks by name. Raises ValueError for a broken row."""
    folder = resources.files("fsconform.specs") / "tla"
    table = tomllib.loads((folder / "checks.toml").read_text("utf-8"))
    found: dict[str, Check] = {}
    for row in table["check"]:
        check = _check(row, table["defaults"])
        if check.name in found:
            raise ValueError(f"checks.toml has {check.name} twice")
        found[check.name] = check
    return found


@cache
def clauses() -> dict[str, tuple[str, ...]]:
    """The clauses that each invariant and each property of the modules states, by its name."""
    folder = resources.files("fsconform.specs") / "tla"
    table = tomllib.loads((folder / "checks.toml").read_text("utf-8"))["clauses"]
    return {name: tuple(ids) for name, ids in table.items()}


def _check(row: dict[str, Any], defaults: Mapping[str, Mapping[str, str]]) -> Check:
    values = dict(row)
    values["constants"] = {**defaults[row["module"]], **row.get("constants", {})}
    for name in ("invariants", "properties"):
        values[name] = tuple(row.get(name, ()))
    values["goals"] = {name: tuple(results) for name, results in row.get("goals", {}).items()}
    check = Check(**values)
    if check.size not in SIZES:
        raise ValueError(f"{check.name}: size is one of {', '.join(SIZES)}")
    if check.violates and check.violates not in (*check.invariants, *check.properties):
        raise ValueError(f"{check.name}: {check.violates} is none of its invariants and properties")
    if bool(check.violates) != (check.fault or bool(check.divergence)):
        raise ValueError(f"{check.name}: what must fail is a seeded fault or a known divergence")
    return check


def digest() -> str:
    """SHA-256 of the modules and of what is checked of them."""
    sha = hashlib.sha256()
    folder = resources.files("fsconform.specs") / "tla"
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.name.endswith((".tla", ".toml")):
            sha.update(one.name.encode() + b"\0" + one.read_bytes() + b"\0")
    return sha.hexdigest()


def all_constants(check: Check, options: Mapping[str, bool]) -> dict[str, str]:
    """The constants of a check; ``options`` are those that its contract gives, which it may set otherwise."""
    return {**{name: str(value).upper() for name, value in options.items()}, **check.constants}


def configuration(check: Check, options: Mapping[str, bool], *more: str) -> str:
    """The configuration file of a check for TLC, with ``more`` lines of it."""
    constants = (f"  {name} = {value}" for name, value in sorted(all_constants(check, options).items()))
    return "\n".join(
        (
            "CONSTANTS",
            *constants,
            f"SPECIFICATION {'IndSpec' if check.inductive else 'Spec'}",
            f"VIEW {VIEWS[check.module]}",
            *(f"INVARIANT {name}" for name in check.invariants),
            *(f"PROPERTY {name}" for name in check.properties),
            *more,
            "",
        )
    )


def root_module(name: str, check: Check, body: str = "") -> str:
    """The text of a module ``name`` that extends the one under check."""
    return f"---- MODULE {name} ----\nEXTENDS {check.module}, TLC\n{body}\n====\n"


_EMIT_NAMESPACE = r"""
Post(o) ==
    IF o.dirs = dirs /\ o.files = files /\ o.links = links THEN <<>>
    ELSE <<o.dirs, { <<p, o.files[p]>> : p \in DOMAIN o.files }, { <<p, o.links[p]>> : p \in DOMAIN o.links }>>
Emit ==
    PrintT(ToString(<<"LTS", dirs, { <<p, files[p]>> : p \in DOMAIN files }, { <<p, links[p]>> : p \in DOMAIN links },
        UNION { LET held == { one \in Outcomes(c) : InBounds(one) } IN
                IF held = {} THEN { <<c.op, c.path, c.dst, c.data, c.flag, "", FALSE, FALSE, {}, <<>>, <<>>>> }
                ELSE { <<c.op, c.path, c.dst, c.data, c.flag, o.res, o.dev, o.out, o.seen, o.read, Post(o)>>
                       : o \in held }
                : c \in Calls }>>))
"""

_EMIT_STREAMS = r"""
Rows(f, ss) ==
    { <<s, ss[s].phase, ss[s].content, Saved(f, ss[s]), ss[s].synced, ss[s].appends, ss[s].before,
         ss[s].flushed >= 0>> : s \in Streams }
Post(o) == IF o.file = file /\ o.streams = streams THEN <<>> ELSE <<o.file, Rows(o.file, o.streams)>>
Emit ==
    PrintT(ToString(<<"LTS", file, Rows(file, streams),
        UNION { LET held == { one \in Outcomes(c) : InBounds(one) } IN
                IF held = {} THEN { <<c.op, c.stream, c.how, c.data, "", FALSE, FALSE, {}, <<>>, 0, <<>>>> }
                ELSE { <<c.op, c.stream, c.how, c.data, o.res, o.dev, o.out, o.facts, o.read, o.len, Post(o)>>
                       : o \in held }
                : c \in Calls }>>))
"""

EMIT: Mapping[str, str] = {"Namespace": _EMIT_NAMESPACE, "OutputStream": _EMIT_STREAMS}
"""Prints, as an invariant that always holds, each distinct state with all outcomes of all calls in it; by module.

A call that is allowed nothing has one row without a result.
"""

GOALS = r"""
Kind(p) ==
    IF isDir(p) THEN (IF children(p) = {} THEN "empty directory" ELSE "directory")
    ELSE IF isFile(p) THEN "file"
    ELSE IF UnderFile(p) THEN "below a file"
    ELSE IF NoParent(p) THEN "no parent" ELSE "missing"
Two == act'.op \in {"rename", "rename with options"}
Goal ==
    <<act'.op, act'.flag, act'.res, Kind(act'.path), IF Two THEN Kind(act'.dst) ELSE "",
      Two /\ IsPrefix(act'.path, act'.dst), Two /\ IsPrefix(act'.dst, act'.path)>>
ASSUME TLCSet(1, {})
Known == act'.dev \/ Goal \in TLCGet(1) \/ ~TLCSet(1, TLCGet(1) \union {Goal})
Goals == [][Known]_vars
"""
"""A property that fails once for each operation with each sound outcome in each situation: the traces wanted."""


def contract_of(check: Check, shipped: Contract, names: Mapping[str, str]) -> Contract:
    """The contract under which the reference model is compared; ``names`` are options by constants' names."""
    declared = {option: check.constants[name] == "TRUE" for name, option in names.items() if name in check.constants}
    return Contract({**shipped.declared, **declared}, shipped.source)
