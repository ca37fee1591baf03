"""The frames between session and worker, without a JVM."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from fsconform.adapters.hadoop import transfer, wire
from fsconform.engine.protocol import Job
from fsconform.model.core import content
from fsconform.model.core import outcomes as out
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = socket.socketpair()
    with left, right:
        right.settimeout(5)
        yield left, right


def test_every_operation_travels(pair: Pair) -> None:
    data = (*content.of(3, 10), content.Segment(4, 5, 2))
    program = (
        Mkdirs(("a",)),
        Create(("a", "f"), data, True),
        Append(("a", "f"), data),
        Open(()),
        Delete(("x", "😀"), False),
        Rename(("a",), ("b",)),
        GetFileStatus(("",)),
        Exists(("a\0b",)),
        ListStatus(("a/b",)),
    )
    sent = transfer.job_frame(7, Job(tuple(Step(one, client=2) for one in program), (3, 1, 3), True))
    wire.send(pair[0], [wire.Execute(1, (sent,))])
    got = wire.Receiver(pair[1]).request()
    assert got == wire.Execute(1, (sent,))
    assert sent.snapshot_after == (1, 3)
    assert isinstance(got, wire.Execute)
    assert tuple(map(transfer.operation, got.jobs[0].steps)) == program
    assert sent.steps[1] == wire.Call(2, "create", (("a", "f"), ((3, 10, 0), (4, 5, 2)), True, ""))


def test_every_outcome_travels(pair: Pair) -> None:
    status = wire.Status(("a",), False, 3, 4)
    cases: list[tuple[wire.AnyOutcome, out.Outcome]] = [
        (wire.Plain(None), out.Returned(None)),
        (wire.Plain(False), out.Returned(False)),
        (status, out.Returned(out.Status(("a",), False, 3, 4))),
        (wire.Data(1, "ab"), out.Returned(out.Data(1, "ab"))),
        (wire.Listing((status,)), out.Returned((out.Status(("a",), False, 3, 4),))),
        (wire.Listing(()), out.Returned(())),
        (wire.Raised(("x.Y", "z"), "m", "s"), out.Raised(("x.Y", "z"), "m", "s")),
        (wire.NotExpressible("n"), out.NotExpressible("n")),
        (wire.Unknown("u"), out.Unknown("u")),
    ]
    frames = [wire.End(1, place, 5, 6, frame) for place, (frame, _) in enumerate(cases)]
    wire.send(pair[0], frames)
    receiver = wire.Receiver(pair[1])
    for frame, (_, expected) in zip(frames, cases, strict=True):
        got = receiver.reply()
        assert got == frame
        assert isinstance(got, wire.End)
        assert transfer.outcome(got.outcome) == expected


def test_lone_surrogate_spoils_its_own_step_only() -> None:
    job = Job((Step(Exists(("a",))), Step(Exists(("a\ud800",)))))
    good, bad = transfer.job_frame(0, job).steps
    assert good == wire.Call(0, "exists", (("a",), ""))
    assert isinstance(bad, wire.Unsendable)


def test_frame_cut_off_by_a_dead_peer(pair: Pair) -> None:
    whole = wire.pack(wire.JobDone(1, "x"))
    pair[0].sendall(whole + whole[:-1])
    pair[0].close()
    receiver = wire.Receiver(pair[1])
    assert receiver.reply() == wire.JobDone(1, "x")
    with pytest.raises(wire.PeerGone, match="inside a frame"):
        receiver.reply()


def test_clean_end(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(wire.PeerGone) as caught:
        wire.Receiver(pair[1]).reply()
    assert caught.value.partial == 0


def test_frame_survives_a_time_out_in_its_middle(pair: Pair) -> None:
    whole = wire.pack(wire.JobDone(1, "x" * 100))
    receiver = wire.Receiver(pair[1])
    pair[1].settimeout(0.05)
    pair[0].sendall(whole[:40])
    with pytest.raises(TimeoutError):
        receiver.reply()
    pair[0].sendall(whole[40:])
    assert receiver.reply() == wire.JobDone(1, "x" * 100)


def test_oversize_frame_is_refused_before_it_is_read(pair: Pair) -> None:
    pair[0].sendall(struct.pack(">I", wire.MAXIMUM + 1))
    with pytest.raises(wire.WireError, match=str(wire.MAXIMUM)):
        wire.Receiver(pair[1]).reply()


def test_oversize_frame_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAXIMUM", 10)
    with pytest.raises(wire.WireError, match="JobDone"):
        wire.pack(wire.JobDone(1, "x" * 20))


@pytest.mark.parametrize("payload", [b"", b"\xc1", b"\x93\x05\x01", b"\x92\x63\x01", b"\x93\x05\x01\xa2\xff\xff"])
def test_malformed_frame(pair: Pair, payload: bytes) -> None:
    pair[0].sendall(struct.pack(">I", len(payload)) + payload)
    with pytest.raises(wire.WireError, match="malformed"):
        wire.Receiver(pair[1]).reply()
