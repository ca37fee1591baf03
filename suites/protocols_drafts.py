"""How iterations and calls on the trash are drawn."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from fsconform.model.further.protocols import ACTS
from fsconform.model.operations import Operation
from fsconform.model.operations.protocols import Iterate, MoveToTrash, TrashCheckpoint
from fsconform.model.paths import Path

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

MANNERS = ("alone", "asked", "twice", "beyond", "honest")


def _iterate(_draft: Draft, dice: Random, path: Path) -> Operation:
    return Iterate(path, dice.choice(MANNERS), dice.choice(("", *Iterate.VIAS)))


def _move(_draft: Draft, dice: Random, path: Path) -> Operation:
    return MoveToTrash(path, dice.random() < 0.75)


def _checkpoint(_draft: Draft, dice: Random, path: Path) -> Operation:
    return TrashCheckpoint(path, dice.choice(tuple(ACTS)))


MAKERS = {Iterate: _iterate, MoveToTrash: _move, TrashCheckpoint: _checkpoint}
