"""What came of the steps of a program on a cluster, and what it is known to hold: answers and states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as Choice

from fsconform.model.core.content import EMPTY, Content
from fsconform.model.core.outcomes import Data, NotExpressible, Unknown

Counted = Choice["live", "corrupt", "excess", "other", ""]
"""What the NameNode takes a replica for; nothing of one that only its disk has."""


@dataclass(frozen=True, slots=True)
class Replica:
    """A replica as it was seen: how the NameNode counts it, and what its node's disk has.

    ``stamp`` and ``length`` are those on the disk, -1 where there is no such file; ``sound`` is true if the checksums
    there are those of the data.
    """

    node: str
    counted: Counted
    stamp: int = -1
    length: int = -1
    sound: bool = True

    @property
    def stored(self) -> bool:
        """Whether the disk has both of its files."""
        return self.stamp >= 0 and self.length >= 0


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it was seen, with the generation stamp and the length that the NameNode has."""

    id: int
    stamp: int
    length: int
    replicas: tuple[Replica, ...] = ()

    @property
    def counted(self) -> frozenset[str]:
        """The nodes whose replicas count."""
        return frozenset(one.node for one in self.replicas if one.counted == "live")


@dataclass(frozen=True, slots=True)
class Done:
    """The step was carried out, to a ``node`` if it is of one; ``blocks`` are those of its file then."""

    node: str = ""
    blocks: tuple[Block, ...] = ()
    nodes: tuple[str, ...] = ()
    """The nodes of a step that is of several."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The call raised an error: its class and what it said."""

    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Got:
    """What reading gave, each result once."""

    results: tuple[Data | Failed, ...]


@dataclass(frozen=True, slots=True)
class Sighted:
    """What a look saw: the replication of the file, and its blocks."""

    replication: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Storage:
    """What the storage directories of each daemon have.

    ``layouts`` is the layout version that they name, ``kept`` a digest of what is kept of the state before an upgrade;
    each is empty where there is none. ``blocks`` are the IDs of all blocks of the present state.
    """

    layouts: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    blocks: frozenset[int] = frozenset()


Answer = Done | Failed | Got | Sighted | Storage | Unknown | NotExpressible


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A replica that was spoilt; ``met`` says who must have met it since: a reader, a scanner, or nobody."""

    block: int
    node: str
    how: str
    met: Choice["", "reader", "scanner"] = ""


@dataclass(frozen=True, slots=True)
class File:
    """What is known of a file: what was written, how much of it was promised, and where its replicas are surely.

    ``left`` is one that is open and whose writer is gone.
    ``doubtful`` is one of which a call failed: any part of what was written beyond what was promised may be there.
    ``holders`` has for each block the nodes that were seen to have it; ``stamps`` the generation stamp last seen of
    each, and ``bumped`` says that the last block's must have grown since. ``missed`` are nodes that were down while the
    file changed. ``unsure`` says that some holder may have been chosen to give its replica up since.
    """

    replication: int
    content: Content = EMPTY
    promised: int = 0
    open: bool = False
    left: bool = False
    doubtful: bool = False
    holders: tuple[frozenset[str], ...] = ()
    stamps: Mapping[int, int] = field(default_factory=dict)
    bumped: bool = False
    unsure: bool = False
    missed: frozenset[str] = frozenset()
    spoilt: tuple[Spoilt, ...] = ()

    def meeting(self, who: Choice["reader", "scanner"], node: str = "") -> File:
        """The file, of which somebody has met the spoilt replicas: those of a node, or all."""
        met = tuple(one if one.met or node not in ("", one.node) else replace(one, met=who) for one in self.spoilt)
        return replace(self, spoilt=met)


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is known of a cluster: its DataNodes, those that are down, and its files.

    ``restarted`` says that the NameNode was, since the last look at a file. ``moved`` is the last that was done to the
    release; ``before`` has the files at the beginning of an upgrade that can be rolled back, ``kept`` what was kept of
    that state. ``gone`` are files that must not be there.
    """

    nodes: frozenset[str]
    down: frozenset[str] = frozenset()
    files: Mapping[str, File] = field(default_factory=dict)
    killed: tuple[str, ...] = ()
    restarted: bool = False
    moved: Choice["", "upgraded", "rolled back", "finalized"] = ""
    before: Mapping[str, File] | None = None
    kept: tuple[tuple[str, str], ...] = ()
    gone: frozenset[str] = frozenset()

    @property
    def up(self) -> frozenset[str]:
        """The DataNodes that run."""
        return self.nodes - self.down

    def with_file(self, name: str, file: File) -> Cluster:
        """The cluster with a file as it is now."""
        return replace(self, files={**self.files, name: file})
