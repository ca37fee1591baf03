"""How calls on extended attributes, ACLs, policies and links are drawn: few values, at the edges."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import attributes as ops

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

Maker = Callable[["Draft", Random, Path], Operation]

NAMES = ("user.a", "user.a", "user.b", "user.A", "user.a.b", "a")
VALUES = ("", "1", "22", "\u00e4\u20ac", "x" * 900)
FLAGS = ("create", "replace", "both", "both")

BASE = ("user::rwx", "group::r-x", "other::r-x")
ENTRIES = ("user:bob:rw-", "user:bob:--x", "user:eve:r--", "group:ops:r-x", "group:bob:---")
DEFAULTS = ("default:user:bob:r-x", "default:group:ops:rwx")
NAMED = ("user:bob", "user:eve", "group:ops", "default:user:bob")

POLICIES = ("HOT", "WARM", "ONE_SSD", "ALL_SSD", "NONE_SUCH")
"""COLD is not among them: a store without archive disks can then write no file."""


def _some(dice: Random, entries: tuple[str, ...], most: int) -> tuple[str, ...]:
    """A few entries, no two for the same user or group."""
    chosen: dict[str, str] = {}
    for entry in dice.sample(entries, dice.randint(1, most)):
        chosen[entry.rpartition(":")[0]] = entry
    return tuple(chosen.values())


def _set_acl(_draft: Draft, dice: Random, path: Path) -> Operation:
    more = _some(dice, ENTRIES, 2) if dice.random() < 0.75 else ()
    defaults = _some(dice, DEFAULTS, 2) if dice.random() < 0.25 else ()
    return ops.SetAcl(path, (*(BASE if dice.random() < 0.9 else BASE[:2]), *more, *defaults))


def _modify_acl(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.ModifyAcl(path, _some(dice, ENTRIES if dice.random() < 0.75 else DEFAULTS, 2))


MAKERS: dict[type, Maker] = {
    ops.SetXAttr: lambda _, dice, path: ops.SetXAttr(path, dice.choice(NAMES), dice.choice(VALUES), dice.choice(FLAGS)),
    ops.GetXAttr: lambda _, dice, path: ops.GetXAttr(path, dice.choice(NAMES)),
    ops.GetXAttrs: lambda _, dice, path: ops.GetXAttrs(path, dice.choice(("", *ops.GetXAttrs.VIAS))),
    ops.RemoveXAttr: lambda _, dice, path: ops.RemoveXAttr(path, dice.choice(NAMES)),
    ops.SetAcl: _set_acl,
    ops.ModifyAcl: _modify_acl,
    ops.RemoveAclEntries: lambda _, dice, path: ops.RemoveAclEntries(path, _some(dice, NAMED, 2)),
    ops.RemoveDefaultAcl: lambda _, __, path: ops.RemoveDefaultAcl(path),
    ops.RemoveAcl: lambda _, __, path: ops.RemoveAcl(path),
    ops.GetAclStatus: lambda _, __, path: ops.GetAclStatus(path),
    ops.SetStoragePolicy: lambda _, dice, path: ops.SetStoragePolicy(path, dice.choice(POLICIES)),
    ops.UnsetStoragePolicy: lambda _, __, path: ops.UnsetStoragePolicy(path),
    ops.GetStoragePolicy: lambda _, __, path: ops.GetStoragePolicy(path),
}
