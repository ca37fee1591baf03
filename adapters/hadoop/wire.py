"""The frames between a session and its worker: length-prefixed MessagePack arrays, each tagged with its type.

A frame is four bytes of length, big-endian, and a payload. Both ends decode into the types below and nothing else, so a
frame can neither name a class nor run code.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from fsconform.engine.protocol import Meeting, Threads

_T = TypeVar("_T")

VERSION = 12
MAXIMUM = 256 << 20
"""The longest payload that is sent or accepted, in bytes."""

_PREFIX = struct.Struct(">I")
_RECEIVE = 1 << 18

PREPARING, SNAPSHOT, WAITING = -1, -2, -3
"""In place of a step's number in :class:`Begin`: the worker makes the program's directory, takes a snapshot, or waits
before it begins the program anew."""


class WireError(Exception):
    """A frame that is too long or malformed."""


class PeerGone(Exception):
    """The other end is closed. ``partial`` counts the bytes of a frame that was cut off."""

    def __init__(self, partial: int = 0) -> None:
        inside = f" inside a frame, after {partial} bytes" if partial else ""
        super().__init__(f"the connection ended{inside}")
        self.partial = partial


class Frame(msgspec.Struct, array_like=True, frozen=True):
    """The base of everything that is sent."""


# Operations of a program.

Elements = tuple[str, ...]
Rows = tuple[tuple[int, int, int], ...]
"""A content: rows of (seed, length, offset), all numbers being bytes but the seed."""
Argument = bool | int | str | tuple[str | tuple[str | int, ...], ...]
"""What a field of an operation holds: a flag, a number, a text, texts or a path, or paths or a content."""


class Call(Frame, frozen=True, tag=0):
    """An operation by its name, and what its fields hold in their order; ``client`` numbers the FileSystem instance."""

    client: int
    operation: str
    arguments: tuple[Argument, ...]


class Unsendable(Frame, frozen=True, tag=1):
    """A step that no frame can carry, such as one with a lone surrogate in a name."""

    client: int
    reason: str


AnyCall = Call | Unsendable


# Outcomes.


class Plain(Frame, frozen=True, tag=0):
    """Returned true, false or nothing."""

    value: bool | None


class Status(Frame, frozen=True, tag=1):
    path: Elements
    is_dir: bool
    length: int
    block_size: int


class Data(Frame, frozen=True, tag=2):
    length: int
    digest: str


class Listing(Frame, frozen=True, tag=3):
    statuses: tuple[Status, ...]


class Raised(Frame, frozen=True, tag=4):
    classes: tuple[str, ...]
    message: str
    stack: str


class NotExpressible(Frame, frozen=True, tag=5):
    reason: str


class Unknown(Frame, frozen=True, tag=6):
    reason: str


class TryAgain(Frame, frozen=True, tag=7):
    """The store, or the way to it, asks to try again: what the call did is not known."""

    reason: str


class Value(Frame, frozen=True, tag=8):
    """A returned value in the JSON form that replay files have."""

    text: str


AnyOutcome = Value | Plain | Status | Data | Listing | Raised | NotExpressible | Unknown | TryAgain


# Controller to worker.


class Hello(Frame, frozen=True, tag=0):
    """How to start the JVM and reach the store; the first frame. ``sandbox`` is a path, ``run`` a name below it."""

    version: int
    libjvm: str
    jvm_arguments: tuple[str, ...]
    class_path: tuple[str, ...]
    uri: str = ""
    sandbox: str = ""
    run: str = ""
    configuration: dict[str, str] = {}
    configuration_files: tuple[str, ...] = ()
    real_root: bool = False
    resumed: bool = False
    rate: float = 0.0
    emptied: bool = False
    """With the real root: that whatever is there belongs to the harness, which started the store, and may go."""
    own: bool = False
    """That the harness started the store: directories of programs may be made without its client."""
    single_calls: bool = False
    """That there is no store to open: the worker makes the calls that it is asked for, one by one."""


class Job(Frame, frozen=True):
    """One program; ``number`` names it and its directory."""

    number: int
    steps: tuple[AnyCall, ...]
    snapshot_after: tuple[int, ...]
    stacks: bool
    measured: tuple[int, ...] = ()
    meeting: Meeting | None = None
    threads: Threads | None = None


class Execute(Frame, frozen=True, tag=1):
    batch: int
    jobs: tuple[Job, ...]


class Stop(Frame, frozen=True, tag=2):
    """Give up every batch up to this one at the next step."""

    batch: int


class Sweep(Frame, frozen=True, tag=3):
    """Remove the directories that sessions left in the sandbox, this session's own excepted."""


class Close(Frame, frozen=True, tag=4):
    """Remove this session's directory; also marker and sandbox, where asked for and if nothing else is there."""

    marker: bool
    sandbox: bool


class Noted(Frame, frozen=True, tag=5):
    """The secrets that were told are known: the client may go on."""


class Ask(Frame, frozen=True, tag=6):
    """Make one call, of a worker without a store; ``arguments`` is a JSON object."""

    call: str
    arguments: str


Request = Hello | Execute | Stop | Sweep | Close | Noted | Ask


# Worker to controller.


class Ready(Frame, frozen=True, tag=0):
    """The store answers. ``made_marker`` and ``made_sandbox`` say what was not there before.

    ``declared_by`` names, for some methods, the class that declares the one which a call of the store ends in.
    ``others`` are directories of other sessions that were in the sandbox.
    """

    versions: dict[str, str]
    made_marker: bool
    made_sandbox: bool
    declared_by: dict[str, str] = {}
    others: tuple[str, ...] = ()


class Failed(Frame, frozen=True, tag=1):
    """The store cannot be used; ``refused`` if that is the user's to mend: with ``classes`` not the sandbox."""

    refused: bool
    classes: tuple[str, ...]
    message: str
    stack: str


class Begin(Frame, frozen=True, tag=2):
    """A step begins; ``at`` is monotonic, in nanoseconds."""

    job: int
    step: int
    at: int


class End(Frame, frozen=True, tag=3):
    """A step ended; both times are monotonic, in nanoseconds."""

    job: int
    step: int
    invoked: int
    returned: int
    outcome: AnyOutcome


class Entry(Frame, frozen=True):
    listed: Status
    status: Status | None
    data: Data | None


class Snapshot(Frame, frozen=True, tag=4):
    job: int
    step: int
    entries: tuple[Entry, ...]
    consistent: bool
    problem: str


class JobDone(Frame, frozen=True, tag=5):
    """A program was executed; ``lost`` says why not, where its directory could not be made.

    ``throttling`` is not empty if the store went on asking to try again. ``housekeeping`` is when the store was called
    for the program's directory and snapshots: from and to, in nanoseconds as in :class:`End`.
    """

    job: int
    lost: str
    throttling: str = ""
    housekeeping: tuple[tuple[int, int], ...] = ()
    base: str = ""
    requests: tuple[tuple[int, dict[str, int]], ...] = ()


class Again(Frame, frozen=True, tag=9):
    """The program is begun anew in another directory: what was told of it so far is void."""

    job: int
    reason: str


class BatchDone(Frame, frozen=True, tag=6):
    batch: int


class Swept(Frame, frozen=True, tag=7):
    removed: tuple[str, ...]
    problems: tuple[str, ...]


class Closed(Frame, frozen=True, tag=8):
    problem: str


class Secrets(Frame, frozen=True, tag=10):
    """What the client's configuration resolves secrets to, told before any code of the store runs."""

    values: tuple[str, ...]


class Answer(Frame, frozen=True, tag=11):
    """What a call returned, as JSON; or what the release lacks for it; or the error that it raised.

    ``raised`` has the error's class and ancestors, ``why`` the chain of causes in one line.
    """

    value: str = "null"
    lacking: str = ""
    raised: tuple[str, ...] = ()
    message: str = ""
    why: str = ""


Reply = Ready | Failed | Begin | End | Snapshot | JobDone | BatchDone | Swept | Closed | Again | Secrets | Answer

_encoder = msgspec.msgpack.Encoder()
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def pack(frame: Frame) -> bytes:
    """A frame with its length before it.

    Raises WireError if it is too long, UnicodeEncodeError for text that has no UTF-8 form (a lone surrogate).
    """
    payload = _encoder.encode(frame)
    if len(payload) > MAXIMUM:
        raise WireError(f"a {type(frame).__name__} frame of {len(payload)} bytes is longer than the limit of {MAXIMUM}")
    return _PREFIX.pack(len(payload)) + payload


class Receiver:
    """Cuts what arrives on a socket into payloads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = b""
        self._start = 0

    def payload(self) -> bytes:
        """The next payload. Raises PeerGone, WireError, and TimeoutError as the socket's time-out has it."""
        while True:
            buffer, start = self._buffer, self._start
            held = len(buffer) - start
            if held >= 4:
                (length,) = _PREFIX.unpack_from(buffer, start)
                if length > MAXIMUM:
                    raise WireError(f"a frame of {length} bytes was announced; the limit is {MAXIMUM}")
                end = start + 4 + length
                if end <= len(buffer):
                    self._start = end
                    return buffer[start + 4 : end]
                self._fill(buffer[start:], 4 + length)
            else:
                self._fill(buffer[start:], 4)

    def _fill(self, held: bytes, wanted: int) -> None:
        """Receive until ``wanted`` bytes are held; what has come is kept if the time runs out."""
        pieces, count = [held], len(held)
        try:
            while count < wanted:
                try:
                    piece = self._connection.recv(max(_RECEIVE, min(wanted - count, 1 << 24)))
                except ConnectionError:
                    piece = b""
                if not piece:
                    raise PeerGone(count)
                pieces.append(piece)
                count += len(piece)
        finally:
            self._buffer, self._start = b"".join(pieces), 0

    def request(self) -> Request:
        """The next frame from a controller. Raises as :meth:`payload` does."""
        return _decoded(_requests, self.payload())

    def reply(self) -> Reply:
        """The next frame from a worker. Raises as :meth:`payload` does."""
        return _decoded(_replies, self.payload())


def _decoded(decoder: msgspec.msgpack.Decoder[_T], payload: bytes) -> _T:
    try:
        return decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WireError(f"a malformed frame of {len(payload)} bytes: {error}") from error


def send(connection: socket.socket, frames: Iterable[Frame]) -> None:
    """Send frames in one go. Raises PeerGone, and what :func:`pack` raises, before anything is sent."""
    packed = b"".join(map(pack, frames))
    try:
        connection.sendall(packed)
    except ConnectionError as error:
        raise PeerGone from error
