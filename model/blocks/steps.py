"""What programs do to files of a cluster and to its machines: steps, as frozen data with a JSON form.

Machines are named by what was done: a replica by its number among those of its block, in the order of the nodes' names;
a node by the number of the step that killed it. So a program can be replayed wherever replicas come to lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import (
    Few,
    Operation,
    bounds,
    brief,
    check_bound,
    check_words,
    defaults,
    reason,
    shape,
)
from fsconform.model.filesystem.programs import decode_content, encode_content

NODES = ("datanode-0", "datanode-1", "datanode-2")
"""The DataNodes of a cluster."""

BLOCK_BYTES = 1 << 20
"""The size of a block."""

REPLICATION = 3
"""The replicas that a file has for which nothing else is asked."""

SPOILT = ("data", "checksums", "truncated")
"""What may become of a replica on its disk: a byte of the data or of the checksums changes, or the data end early."""

SURE = 40
"""So many readings meet each replica of a block: readers choose among those that are equally near."""


class Step(Operation):
    """A step of a program."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Create(Step):
    """A client writes a file, and closes it."""

    NAME: ClassVar[str] = "create"
    MUTATES: ClassVar[bool] = True

    file: str
    content: Content
    replication: Few = REPLICATION


@dataclass(frozen=True, slots=True)
class Begin(Step):
    """A client opens a new file to write to."""

    NAME: ClassVar[str] = "begin"
    MUTATES: ClassVar[bool] = True

    file: str
    replication: Few = REPLICATION


@dataclass(frozen=True, slots=True)
class Reopen(Step):
    """A client opens a file to append to."""

    NAME: ClassVar[str] = "reopen"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class Write(Step):
    """The client that has a file open writes to it."""

    NAME: ClassVar[str] = "write"
    MUTATES: ClassVar[bool] = True

    file: str
    content: Content


@dataclass(frozen=True, slots=True)
class Hflush(Step):
    """It calls hflush."""

    NAME: ClassVar[str] = "hflush"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class Close(Step):
    """It closes the file."""

    NAME: ClassVar[str] = "close"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class SetReplication(Step):
    """A client asks for another number of replicas."""

    NAME: ClassVar[str] = "setReplication"
    MUTATES: ClassVar[bool] = True

    file: str
    replication: Few


@dataclass(frozen=True, slots=True)
class Read(Step):
    """A client opens the file and reads it to its end, so many times."""

    NAME: ClassVar[str] = "read"

    file: str
    times: Few = 1


@dataclass(frozen=True, slots=True)
class Look(Step):
    """Wait until each block has so many good replicas and so many corrupt ones, or for long; then look at them."""

    NAME: ClassVar[str] = "look"

    file: str
    good: Few
    corrupt: Few = 0


@dataclass(frozen=True, slots=True)
class Kill(Step):
    """The DataNode is killed that has a replica of the file's last block; before it has one, any."""

    NAME: ClassVar[str] = "kill"

    file: str
    replica: Few = 0


@dataclass(frozen=True, slots=True)
class Isolate(Step):
    """All DataNodes are killed but the one of the program's first, second, ... kill."""

    NAME: ClassVar[str] = "isolate"

    kill: Few = 1


@dataclass(frozen=True, slots=True)
class Restart(Step):
    """The DataNode is started again of the program's first, second, ... kill; with 0 all that are down."""

    NAME: ClassVar[str] = "restart"

    kill: Few = 0


@dataclass(frozen=True, slots=True)
class RestartNameNode(Step):
    """The NameNode is killed and started again."""

    NAME: ClassVar[str] = "restart NameNode"


@dataclass(frozen=True, slots=True)
class Spoil(Step):
    """A replica is spoilt on its disk."""

    NAME: ClassVar[str] = "spoil"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"how": SPOILT}

    file: str
    how: str
    block: Few = 0
    replica: Few = 0


@dataclass(frozen=True, slots=True)
class Scan(Step):
    """The DataNode of the program's first, second, ... spoilt replica begins to scan its volumes anew."""

    NAME: ClassVar[str] = "scan"

    spoil: Few = 1


SOFT_LIMIT_SECONDS = 60
"""For so long after its last renewal a lease is exclusive: HDFS has that as a constant."""


@dataclass(frozen=True, slots=True)
class Intrude(Step):
    """Another client tries to append to a file that is open, once its writer has been idle for so many seconds.

    If the writer is gone that is tried only where the soft limit has not passed for sure.
    """

    NAME: ClassVar[str] = "intrude"

    file: str
    idle: Few = 0


@dataclass(frozen=True, slots=True)
class Vanish(Step):
    """The client that has the file open is killed."""

    NAME: ClassVar[str] = "vanish"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class Takeover(Step):
    """Another client opens a file to append to, trying until it may or for long, and closes it.

    The file's own writer is gone.
    """

    NAME: ClassVar[str] = "takeover"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class Expire(Step):
    """Wait until the NameNode has closed a file whose writer is gone, or for long."""

    NAME: ClassVar[str] = "expire"

    file: str


@dataclass(frozen=True, slots=True)
class Delete(Step):
    """A client deletes a file."""

    NAME: ClassVar[str] = "delete"
    MUTATES: ClassVar[bool] = True

    file: str


@dataclass(frozen=True, slots=True)
class Upgrade(Step):
    """All daemons are stopped, and started in the newer release; unless ``asked``, without the option that upgrades."""

    NAME: ClassVar[str] = "upgrade"

    asked: bool = True


@dataclass(frozen=True, slots=True)
class Rollback(Step):
    """All daemons are stopped, and the older release is rolled back to."""

    NAME: ClassVar[str] = "rollback"


@dataclass(frozen=True, slots=True)
class Finalize(Step):
    """The upgrade is finalized."""

    NAME: ClassVar[str] = "finalize"


@dataclass(frozen=True, slots=True)
class Inspect(Step):
    """Look at the storage directories of all daemons."""

    NAME: ClassVar[str] = "inspect"


ALL: tuple[type[Step], ...] = (
    *(Create, Begin, Reopen, Write, Hflush, Close, SetReplication, Read, Look),
    *(Kill, Isolate, Restart, RestartNameNode, Spoil, Scan),
    *(Intrude, Vanish, Takeover, Expire),
    *(Delete, Upgrade, Rollback, Finalize, Inspect),
)

OF_RELEASES = (Upgrade, Rollback, Finalize)
"""The steps of a cluster that begins in an older release than it ends."""

Program = tuple[Step, ...]

STEP = "cluster"
"""The key of a step's name in its JSON form."""

_BY_NAME = {kind.NAME: kind for kind in ALL}
_TYPES: dict[str, type] = {"flag": bool, "number": int, "text": str}


def encode(step: Step) -> dict[str, Any]:
    """A step as a JSON object; what has its default value goes without saying."""
    kind = type(step)
    row: dict[str, Any] = {STEP: kind.NAME}
    unsaid = defaults(kind)
    for name, form in shape(kind):
        value = getattr(step, name)
        if name not in unsaid or value != unsaid[name]:
            row[name] = encode_content(value) if form == "content" else value
    return row


def decode(row: Mapping[str, Any]) -> Step:
    """The inverse of :func:`encode`. Raises ValueError naming what is wrong."""
    try:
        fields = dict(row)
        kind = _BY_NAME[fields.pop(STEP)]
        forms = dict(shape(kind))
        step = kind(**{name: _decoded(forms[name], value) for name, value in fields.items()})
        for name, bound in bounds(kind).items():
            check_bound(f"{name} of {kind.NAME}", getattr(step, name), bound)
        check_words(step)
        return step
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not a step: {brief(row)}: {reason(error)}") from error


def _decoded(form: str, value: Any) -> Any:
    if form == "content":
        return decode_content(value)
    if type(value) is not _TYPES[form]:
        raise ValueError(f"{value!r} is no {form}")
    return value
