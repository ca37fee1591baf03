"""What a session and its process send one another: pickled, as both are of one program and one user.

A description of a store may hold secrets: it goes this way, and never by arguments or the environment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconform.engine.protocol import Execution, Job, Session
from fsconform.model.filesystem.programs import Event

Opening = Callable[[str], Session]
"""Opens a session whose directory in the sandbox has a name: what can be pickled. Raises as ``Store.session`` does."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open the session with the directory ``run`` of the sandbox; the first frame."""

    opening: Opening
    run: str


@dataclass(frozen=True, slots=True)
class Execute:
    """Execute programs, and answer each with an Executed, in order; or, at its place, with a Failed, the last then."""

    jobs: tuple[Job, ...]


@dataclass(frozen=True, slots=True)
class Close:
    """Close the session, and end."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The session is open."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a program in which the process is to be killed: it begins, or ``event`` is what came of it."""

    number: int
    at: int
    event: Event | None


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of a program."""

    execution: Execution


@dataclass(frozen=True, slots=True)
class Failed:
    """What was asked for raised an error: of the kind ``StoreLost``, ``SandboxRefused``, or another's stack."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is closed."""


Request = Open | Execute | Close
Reply = Opened | Step | Executed | Failed | Closed
