"""What the oracle's tables share: rows of text, read as a state, a call, an outcome, a contract and what is expected.

A state such as ``a=3 b/ c/d=5`` holds a file of 3 bytes, an empty directory and a file in a directory; ``-`` is the
empty filesystem. ``create!`` overwrites, ``delete!`` is recursive, ``list@iterator`` is a listing by that way in. A
contract lists options that are true, or ``name=false``; ``strict`` and ``append`` stand for the two long names.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.errors import FULL_NAMES, ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Raised, Returned, Status
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, File, State, put, walk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

SHORT = {"strict": "supports-strict-exceptions", "append": "supports-append"}
CONSTANTS = {"true": True, "false": False, "ok": None}

Tree = Callable[[str], State]
Check = Callable[[str], tuple[Branch, ...]]


def make_tree(text: str) -> State:
    state = EMPTY
    for word in text.split():
        if word == "-":
            continue
        if word.endswith("/"):
            state = put(state, parse("/" + word[:-1]), EMPTY_DIR)
        else:
            name, _, size = word.partition("=")
            state = put(state, parse("/" + name), File(contents.of(1, int(size or 0))))
    return state


def make_operation(text: str) -> Operation:
    call, path, *more = text.split()
    name, _, via = call.partition("@")
    at = parse(path)
    if name == "list":
        return ListStatus(at, via)
    match name:
        case "rename":
            return Rename(at, parse(more[0]))
        case "create" | "create!":
            return Create(at, contents.of(1, int(more[0])), name == "create!")
        case "append":
            return Append(at, contents.of(2, int(more[0])), via)
        case "delete" | "delete!":
            return Delete(at, name == "delete!")
    kinds: dict[str, Callable[[tuple[str, ...]], Operation]] = {
        "mkdirs": Mkdirs,
        "open": Open,
        "status": GetFileStatus,
        "exists": Exists,
    }
    return kinds[name](at)


def make_status(text: str) -> Status:
    kind, path, length, *block = text.split()
    return Status(parse(path), kind == "dir", int(length), int(block[0]) if block else 0 if kind == "dir" else 512)


def make_outcome(text: str) -> Returned | Raised:
    if text in CONSTANTS:
        return Returned(CONSTANTS[text])
    if text in FULL_NAMES:
        return Raised(ancestry(text))
    if text.startswith("class "):
        return Raised((text[6:], *ancestry("IOException")))
    if text.startswith("["):
        return Returned(tuple(make_status(entry) for entry in text[1:-1].split(",") if entry.strip()))
    if text.startswith("bytes"):
        _, size, seed = text.split()
        content = contents.of(int(seed), int(size))
        return Returned(Data(int(size), contents.digest(content) or ""))
    return Returned(make_status(text))


def make_contract(text: str) -> Contract:
    declared: dict[str, bool | int] = {}
    for word in text.split():
        if word != "-":
            name, _, value = word.partition("=")
            declared[SHORT.get(name, name)] = value != "false"
    return Contract(declared)


def shown(state: State | None) -> str:
    if state is None:
        return "lost"
    rows = []
    for path, node in walk(state):
        if isinstance(node, File):
            rows.append(f"{show(path)[1:]}={contents.length(node.content)}")
        elif path and not node.children:
            rows.append(f"{show(path)[1:]}/")
    return " ".join(rows) or "-"


def verdict(branch: Branch) -> str:
    return "deviation" if branch.deviates else "declared" if branch.departs else "conforms"


@pytest.fixture(scope="session")
def tree() -> Tree:
    """From a state's text to the state."""
    return make_tree


@pytest.fixture(scope="session")
def check() -> Check:
    """Asks the oracle what a row asks; fails unless it answers as the row says. Gives the branches that allow it."""

    def run(row: str) -> tuple[Branch, ...]:
        state_text, call, outcome, contract, expected, *after = (cell.strip() for cell in row.split("|"))
        state = make_tree(state_text)
        allowed = Oracle(make_contract(contract)).step(state, make_operation(call), make_outcome(outcome))
        found = verdict(allowed[0][0]) if allowed else "nothing"
        assert found == expected, f"{row}: {[(branch.clause, shown(to)) for branch, to in allowed]}"
        if allowed:
            wanted = [shown(state) if one == "same" else one for one in (after or ["same"])]
            states = [shown(to) for _, to in allowed]
            assert states == wanted, row
        return tuple(branch for branch, _ in allowed)

    return run
