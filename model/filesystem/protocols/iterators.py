"""Iterators over listings that are walked in other ways than to call hasNext before each next.

Source: filesystem.md, "RemoteIterator".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, below_a_file, gives, meaning, raises, runtime_instead
from fsconform.model.filesystem.state import UNDER_FILE, Absence, Dir, File, Node, State, locate, walk
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_ITERATOR = "filesystem.remoteIterator"
_EXISTS = "filesystem.listStatusIterator.pre.exists"

MANNERS = ("alone", "asked", "twice", "beyond", "honest")


@operation
@dataclass(frozen=True, slots=True)
class Iterate(Operation):
    """``listStatusIterator(path)``, via located ``listLocatedStatus``, via files ``listFiles(path, true)``.

    ``manner`` says how it is walked: alone calls next until it raises, asked calls hasNext before each next, twice
    calls it two times; these return the statuses. beyond calls next once more after the last element and raises what
    that raises. honest returns facts ``iteration``: ``agreed``, true if hasNext told each time whether next gave
    something and said the same when asked again.
    """

    NAME: ClassVar[str] = "iterate"
    VIAS: ClassVar[tuple[str, ...]] = ("located", "files")
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"manner": MANNERS}
    path: Path
    manner: str
    via: str = ""


def _entries(root: State, op: Iterate) -> dict[Path, Node]:
    node = locate(root, op.path)
    if not isinstance(node, Dir):
        assert isinstance(node, File)
        return {op.path: node}
    if op.via == "files":
        return {(*op.path, *path): child for path, child in walk(node) if isinstance(child, File)}
    return {(*op.path, name): child for name, child in node.children.items()}


def _all_of_them(root: State, op: Iterate, value: object) -> bool:
    if not isinstance(value, tuple) or not all(isinstance(one, Status) for one in value):
        return False
    expected = _entries(root, op)
    return len(value) == len(expected) and {(one.path, one.is_dir) for one in value} == {
        (path, isinstance(node, Dir)) for path, node in expected.items()
    }


def _agreed(_root: State, _op: Iterate, value: object) -> bool:
    return isinstance(value, Facts) and value.get("agreed") is True


_MET = Cases(*COMMON_CASES)
_BEYOND = _MET.case(
    "after the last element", f"{_ITERATOR}.next.pre", (raises(f"{_ITERATOR}.next.pre", "NoSuchElementException"),)
)
_WALKED = _MET.case(
    "walked to its end",
    f"{_ITERATOR}.next.post",
    (
        gives(
            f"{_ITERATOR}.next.post",
            "every element once",
            _all_of_them,
            also=(f"{_ITERATOR}.next-alone", f"{_ITERATOR}.both-loops", f"{_ITERATOR}.hasNext.repeatable"),
        ),
    ),
)
_HONEST = _MET.case(
    "hasNext held to its word",
    f"{_ITERATOR}.hasNext",
    (
        gives(
            f"{_ITERATOR}.hasNext",
            "hasNext is true exactly where next gives an element",
            _agreed,
            also=(f"{_ITERATOR}.hasNext.repeatable",),
        ),
    ),
)
_MISSING = _MET.case("missing", _EXISTS, runtime_instead((raises(_EXISTS, "FileNotFoundException"),)))
_BELOW_FILE = _MET.add(below_a_file(_EXISTS))


@meaning(Iterate, _MET)
def _classify(root: State, op: Iterate) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return bits(op.path, node) | _MISSING | (_BELOW_FILE if node is UNDER_FILE else 0)
    return bits(op.path, node) | {"beyond": _BEYOND, "honest": _HONEST}.get(op.manner, _WALKED)


@drawn(Iterate)
def _draw(_draft: Draft, dice: Random, path: Path) -> Iterate:
    return Iterate(path, dice.choice(MANNERS), dice.choice(("", *Iterate.VIAS)))
