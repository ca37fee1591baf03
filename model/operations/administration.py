"""Operations that need the rights of an administrator, or an identity beside the client's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.operations.shape import Operation


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


ALL: tuple[type[Operation], ...] = (UseSafeMode,)
