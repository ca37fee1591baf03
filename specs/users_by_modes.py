"""Witnesses of permissions: every mode of a class of users, every owner below a sticky bit, and a superuser's calls.

A mode gives each class other permissions, so that a store which takes the wrong class grants or denies the wrong call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.permissions import (
    ADMIN,
    CALLS,
    DELETE_AND_MOVE,
    FILE_CALLS,
    INNER_CALLS,
    TOP_CALLS,
    USERS,
)
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.specs.generated import Row

PERMISSIONS = "permissions"
"""The group of these witnesses."""

_CHECKED, _CLASSES, _FILES, _IDENTITY = (
    f"hdfs-paper-2010.permissions.{name}" for name in ("checked", "classes", "files", "identity")
)
_PATH = ("d",)
_ALL = 7
_OPEN, _SHUT, _STICKY = 0o777, 0o000, 0o1777
_PLAIN = CallsByUsers(_PATH, _OPEN, "ann", _OPEN, "ann", _OPEN, "ann", ())


def rows() -> Iterator[Row]:
    """All of them, in a fixed order."""
    yield from _modes()
    yield from _sticky()
    every = tuple(f"{ADMIN} {call}" for call in CALLS)
    shut = replace(_PLAIN, top=_SHUT, file=_SHUT, inner=_SHUT, calls=every)
    yield "a superuser where nobody may do anything", (_CHECKED,), _program(shut), PERMISSIONS
    yield "owners of what users make", (_IDENTITY,), _program(*_made()), PERMISSIONS
    yield "files that are no programs", (_FILES,), _program(*_read_only()), PERMISSIONS


def _program(*operations: CallsByUsers) -> Program:
    return (Step(Mkdirs(_PATH), setup=True), *(Step(operation) for operation in operations))


def _mixed(bits: int) -> int:
    """A mode that gives these bits to one class, and others to the next ones."""
    return bits << 6 | (bits ^ _ALL) << 3 | (bits * 3 + 1) % (_ALL + 1)


def _modes() -> Iterator[Row]:
    for user in USERS:
        by_user = {what: tuple(f"{user} {call}" for call in calls) for what, calls in _CALLS_OF.items()}
        for what, calls in by_user.items():
            tried = (_under(what, _mixed(bits), calls) for bits in range(_ALL + 1))
            yield f"{user} under every mode of {_NAMES[what]}", (_CHECKED, _CLASSES), _program(*tried), PERMISSIONS


def _under(what: str, mode: int, calls: tuple[str, ...]) -> CallsByUsers:
    match what:
        case "top":
            return replace(_PLAIN, top=mode, calls=calls)
        case "file":
            return replace(_PLAIN, file=mode, calls=calls)
        case _:
            return replace(_PLAIN, inner=mode, calls=calls)


_CALLS_OF = {"top": TOP_CALLS, "file": FILE_CALLS, "inner": INNER_CALLS}
_NAMES = {"top": "a directory", "file": "a file", "inner": "a directory in it"}


def _sticky() -> Iterator[Row]:
    for user in USERS:
        tried = [
            replace(
                _PLAIN,
                top=_STICKY,
                top_owner=top,
                file_owner=file,
                inner_owner=file,
                calls=tuple(f"{user} {call}" for call in pair),
            )
            for top, file in product(USERS, USERS)
            for pair in DELETE_AND_MOVE
        ]
        yield f"{user} below a sticky bit", (_CHECKED,), _program(*tried), PERMISSIONS


def _made() -> Iterator[CallsByUsers]:
    for user in USERS:
        yield replace(_PLAIN, calls=(f"{user} create n", f"{user} mkdir m", f"{user} chmod f 640"))


def _read_only() -> Iterator[CallsByUsers]:
    calls = tuple(f"{user} {call}" for user in USERS for call in ("read f", "append f", "delete f"))
    yield replace(_PLAIN, file=0o666, calls=calls)
    yield replace(_PLAIN, file=0o111, calls=calls[3:])
    yield replace(_PLAIN, file=0o1666, calls=calls)
