"""How model and drivers are built: an operation has one home, bits have names, no module imports its own importers."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters.hadoop import calls, handlers
from fsconform.model.core.drawing import MAKERS
from fsconform.model.core.operation import OPERATIONS
from fsconform.model.filesystem import families
from fsconform.model.filesystem.branches import MEANINGS

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = sorted(PROJECT["tool"]["setuptools"]["package-dir"].values())
MODEL = REPOSITORY / "model"
FILESYSTEM = MODEL / "filesystem"
HADOOP = MODEL.parent / "adapters" / "hadoop"

families.load()
handlers.load()

COUNTING_BITS = {
    "branches.py": "hands out the bits of cases",
    "oracle.py": "reads the bits of a mask, whatever cases they stand for",
    "permissions.py": "reads the bits of modes, whose numbers are given",
    "validity.py": "the size of a cache",
}
"""The modules that may count bits instead of having names for them, each with the reason."""

NOT_DRAWN = {
    "HomeOfAnother": "has no field to choose",
    "OpenForeignHandle": "has no field to choose",
    "CallNowhere": "has no field to choose",
    "GetHomeDirectory": "has only ways to choose between",
    "Msync": "has no field to choose",
}
"""The operations that no program draws, each with the reason."""

DRAWN_BY_THE_DRAFT = frozenset(
    ("Append", "Create", "Delete", "Exists", "GetFileStatus", "ListStatus", "Mkdirs", "Open", "Rename")
)
"""Those of which `suites/drafts.py` draws all but the paths once, and then looks at several places for them."""

VAGUE = frozenset(
    (
        *("below", "beneath", "coming_up", "desk", "desks", "episodes", "further", "kept", "leaving", "mishaps"),
        *("observing", "parcels", "seen", "telling", "ways", "whereabouts", "whole"),
    )
)
"""Names of modules that say nothing of what is in them."""


def modules(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """The modules of a folder, by their paths in it."""
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix(), ast.parse(path.read_bytes(), str(path))


def operands(node: ast.AST) -> Iterator[ast.AST]:
    """What a bit operation works on, one or the other side of a choice too; nothing of any other node."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(
        node.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.LShift | ast.RShift
    ):
        todo: list[ast.AST] = [node.value] if isinstance(node, ast.AugAssign) else [node.left, node.right]
        while todo:
            one = todo.pop()
            if isinstance(one, ast.IfExp):
                todo += one.body, one.orelse
            yield one


def bits_by_number(tree: ast.Module) -> Iterator[int]:
    """The lines of bit operations with a number that is written out; 0 is no bit."""
    for node in ast.walk(tree):
        if any(isinstance(one, ast.Constant) and type(one.value) is int and one.value for one in operands(node)):
            yield node.lineno  # type: ignore[attr-defined]


def test_bits_have_names() -> None:
    """A case that is put in between would move all the numbers after it."""
    found = [
        f"{name}:{line}"
        for name, tree in modules(FILESYSTEM)
        if name not in COUNTING_BITS
        for line in bits_by_number(tree)
    ]
    assert found == []


def test_no_state_is_cast() -> None:
    """What is in a state has a type: a cast would say so without a check."""
    found = [
        f"{name}:{node.lineno}"
        for name, tree in modules(FILESYSTEM)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast"
    ]
    assert found == []


def names(expressions: list[ast.expr]) -> set[str]:
    """Those of some expressions that are a plain name."""
    return {one.id for one in expressions if isinstance(one, ast.Name)}


def test_each_operation_is_entered_once_where_it_is_declared() -> None:
    classes = [node for _, tree in modules(FILESYSTEM) for node in tree.body if isinstance(node, ast.ClassDef)]
    declared = sorted(node.name for node in classes if "Operation" in names(node.bases))
    entered = sorted(node.name for node in classes if "operation" in names(node.decorator_list))
    assert declared == entered == sorted(kind.__name__ for kind in OPERATIONS.values())


@pytest.mark.parametrize("kind", OPERATIONS.values(), ids=lambda kind: kind.NAME)
def test_each_operation_has_a_meaning(kind: type) -> None:
    assert kind in MEANINGS


def test_each_operation_is_drawn_or_there_is_a_reason() -> None:
    assert {kind.__name__ for kind in OPERATIONS.values() if kind not in MAKERS} == set(NOT_DRAWN) | DRAWN_BY_THE_DRAFT


@pytest.mark.parametrize("room", ROOMS)
def test_modules_are_named_for_what_is_in_them(room: str) -> None:
    paths = [path.relative_to(REPOSITORY) for path in sorted((REPOSITORY / room).rglob("*.py"))]
    assert [path for path in paths if VAGUE & set(path.with_suffix("").parts)] == []


@pytest.mark.parametrize("kind", OPERATIONS.values(), ids=lambda kind: kind.NAME)
def test_each_operation_has_a_handler_of_hadoop_in_the_module_of_its_family(kind: type) -> None:
    family = kind.__module__.removeprefix("fsconform.model.filesystem.").partition(".")[0]
    assert calls.HANDLERS[kind].__module__ == f"{handlers.__name__}.{family}"
