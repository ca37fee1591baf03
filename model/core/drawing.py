"""How operations are drawn at random: what makes one on a given path, entered beside the operation's meaning.

The model draws nothing itself: the numbers come from whoever draws, and the same numbers give the same operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path

if TYPE_CHECKING:
    from random import Random


class Draft(Protocol):
    """The program in the making, as far as operations ask for it.

    ``names`` are those that its paths are made of, ``steps`` what it has so far, and ``state`` what the model expects
    after these: None where it has lost track.
    """

    names: list[str]
    steps: list[Any]
    state: Any

    def node(self, path: Path) -> Any:
        """What the model expects at a path; None where it has lost track."""
        ...

    def anywhere(self, dice: Random, root: bool) -> Path:
        """A path: an existing one, one below it, or any; the root too where ``root`` allows it."""
        ...

    def content(self, dice: Random) -> Content:
        """Content unlike any that was written before in this program."""
        ...

    def aside(self) -> Path:
        """A path at which nothing is: episodes want one of their own."""
        ...


Maker = Callable[[Any, "Random", Path], Operation]
"""From a draft, dice and a path to an operation."""

MAKERS: dict[type[Operation], Maker] = {}
"""How each operation is drawn that is not made by its path, and a way into the store, alone."""


def drawn(kind: type[Operation]) -> Callable[[Maker], Maker]:
    """Enter how an operation is drawn. A decorator."""

    def enter(maker: Maker) -> Maker:
        MAKERS[kind] = maker
        return maker

    return enter


def drawn_plainly(*kinds: type[Operation]) -> None:
    """Enter operations that are drawn by their path alone: half of them take another way into the store."""
    for kind in kinds:
        MAKERS[kind] = partial(_plain, kind)


def _plain(kind: Callable[..., Operation], _draft: Draft, dice: Random, path: Path) -> Operation:
    vias: tuple[str, ...] = getattr(kind, "VIAS", ())
    return kind(path, via=dice.choice(("", "", *vias))) if vias else kind(path)


def rarely_another_way(kind: type[Operation], dice: Random) -> str:
    """A way into the store: one time in four another than the plain one."""
    return dice.choice(kind.VIAS) if dice.random() < 0.25 else ""


def any_way(kind: type[Operation], dice: Random) -> str:
    """A way into the store: the plain one twice as often as each other."""
    return dice.choice(("", "", *kind.VIAS))
