"""What the harness asks of a volume, and the answers: pickled, over a private socket pair, both ends of one program."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.adapters.volumes.durability import Discipline, Loss, Pending, Statistics


@dataclass(frozen=True, slots=True)
class Mount:
    """Make the filesystem and mount it; the first order."""

    place: str
    source: str
    """What the table of mounts calls it."""
    discipline: Discipline
    capacity: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class DropAll:
    """Lose the power, and all that is pending. Answered by a Loss, as the next two."""


@dataclass(frozen=True, slots=True)
class DropSome:
    """Lose the power, and what the seed says of the pending."""

    seed: int


@dataclass(frozen=True, slots=True)
class Tear:
    """The same, and the last write of a file survives in part."""

    seed: int


@dataclass(frozen=True, slots=True)
class TellPending:
    """Say what would be lost: a Pending."""


@dataclass(frozen=True, slots=True)
class TellStatistics:
    """Say how often what was called: a Statistics."""


@dataclass(frozen=True, slots=True)
class Sync:
    """Make all durable."""


@dataclass(frozen=True, slots=True)
class Follow:
    """Make all durable, and follow a discipline from now on."""

    discipline: Discipline


@dataclass(frozen=True, slots=True)
class Limit:
    """Have so many bytes of space from now on."""

    capacity: int


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """Take no change from now on, or take them again."""

    on: bool


@dataclass(frozen=True, slots=True)
class Flip:
    """Let a byte rot: the bits of ``mask`` change."""

    path: bytes
    """From the top of the volume."""
    offset: int
    mask: int


@dataclass(frozen=True, slots=True)
class Quit:
    """Unmount, and end."""


@dataclass(frozen=True, slots=True)
class Done:
    """It is done."""


@dataclass(frozen=True, slots=True)
class Failed:
    """It is not; ``number`` is an errno, 0 for what is none."""

    number: int
    text: str


Order = (
    Mount | DropAll | DropSome | Tear | TellPending | TellStatistics | Sync | Follow | Limit | ReadOnly | Flip | Quit
)
Answer = Done | Failed | Loss | Pending | Statistics
