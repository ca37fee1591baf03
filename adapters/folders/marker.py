"""The file that marks a sandbox as fsconform's: its name, what it says, and how long it may be in the making."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MARKER = "_fsconform_sandbox"
NOTE = b"This directory belongs to fsconform. Whatever is in it may be deleted.\n"
RUN_PREFIX = "run-"

MAKING_SECONDS = 5.0
"""How long another session may take to make the marker, and a store to show it."""

_LOOK_SECONDS = 0.05

MEND = f"create a plain file {MARKER} there that says {NOTE.decode().strip()!r}"
"""How a user says that all in a directory may be deleted."""


def new_run() -> str:
    """A name for a session's directory that no other has."""
    return f"{RUN_PREFIX}{secrets.token_hex(6)}"


def settled(read: Callable[[], bytes | None]) -> bytes | None:
    """What a marker says; a while later where it says nothing yet, as another session may be writing it.

    ``read`` gives None where there is none, or no longer. Raises what it raises.
    """
    return _looked(read, lambda said: said != b"", MAKING_SECONDS)


def appears(is_there: Callable[[], bool], seconds: float) -> bool:
    """Whether a marker that another session made is there, or becomes so within ``seconds``.

    A store that publishes late refuses to make it a second time before it shows it. Raises what ``is_there`` raises.
    """
    return _looked(is_there, bool, seconds)


def _looked(look: Callable[[], T], is_enough: Callable[[T], bool], seconds: float) -> T:
    """What a look gives, as soon as that is enough, or after so many seconds."""
    until = time.monotonic() + seconds
    while not is_enough(found := look()) and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
    return found


def is_ours(said: bytes) -> bool:
    """Whether a file of the marker's name is the marker: by what is in it. A line break more or less is an editor's."""
    return said.strip() == NOTE.strip()
