"""Operations that need the rights of an administrator, or an identity beside the client's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path


@dataclass(frozen=True, slots=True)
class UseSafeMode(Operation):
    """``setSafeMode(action)`` for each of the actions ``get``, ``enter``, ``leave``, ``force exit``; then it is left.

    With ``checked`` it is ``setSafeMode(action, true)``. Returns facts ``safe mode``: ``before`` (what get says first),
    ``results`` (what each call returned) and ``states`` (what get says after each), all of them on or off; and, without
    ``checked``, ``alike`` (the same calls made again with false as their second argument give the same).
    """

    NAME: ClassVar[str] = "setSafeMode"
    actions: tuple[str, ...]
    checked: bool


@dataclass(frozen=True, slots=True)
class CallAsAnother(Operation):
    """One call by another user inside a directory, made below ``path`` for that, which nobody but its owner may enter.

    ``call`` is one of list, status, open, create, append, mkdirs, delete, rename. Afterwards the directory is removed.
    Returns facts ``denial``: ``refused`` (the call raised something) and ``unchanged`` (the directory holds what it
    held).
    """

    NAME: ClassVar[str] = "call as another user"
    path: Path
    call: str


@dataclass(frozen=True, slots=True)
class HomeOfAnother(Operation):
    """``getHomeDirectory()`` by another user. Returns facts ``homes``: ``different`` (it is not the caller's own)."""

    NAME: ClassVar[str] = "getHomeDirectory of another user"


@dataclass(frozen=True, slots=True)
class RenameToTrash(Operation):
    """Another user renames a directory that holds one which only its owner may enter, plainly and with TRASH.

    Both are made below ``path``, in a directory that anybody may write to, and removed then. Returns facts ``trash``:
    ``plain`` and ``trash``, true where the rename was done.
    """

    NAME: ClassVar[str] = "rename with TRASH by another user"
    path: Path


ALL: tuple[type[Operation], ...] = (UseSafeMode, CallAsAnother, HomeOfAnother, RenameToTrash)
