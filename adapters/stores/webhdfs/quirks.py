"""The quirks of WebHdfsFileSystem: those of HDFS that show by way of HTTP, and its own."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator
from dataclasses import replace

from fsconform.adapters.stores.hdfs.quirks import of_hdfs
from fsconform.adapters.stores.quirks import multipart
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import Rest
from fsconform.engine.histories.small_steps import Reached, SmallSteps
from fsconform.engine.injection import WEBHDFS, Wire
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.branches import MEANINGS, Branch, raises, returns
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_states import PHASES, phase
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import File, State, put
from fsconform.model.filesystem.transfer.uploads import FIRST_UPLOAD, MisuseUpload, Upload, write
from fsconform.model.filesystem.validity import COMMON_BITS

UNTIL = datetime.date(2027, 11, 30)
_DATA = "multipartuploader.complete.post.data"


def _completes_and_raises(root: State, op: Upload | MisuseUpload) -> Iterator[Branch]:
    """What completes an upload does so, and raises in the end."""
    if not multipart.stem(op.path):
        return
    refusal = raises(_DATA, "UnsupportedOperationException")
    if isinstance(op, MisuseUpload) and op.manner == "other path" and op.other != op.path:
        yield from (replace(refusal, effect=one.effect) for one in multipart.elsewhere(root, op))
        return
    if isinstance(op, MisuseUpload) and op.manner == "repeated":
        if MEANINGS[MisuseUpload].classify(root, op) >> COMMON_BITS != 1:
            yield replace(refusal, effect=_first)
        return
    for case in MEANINGS[type(op)].met(root, op):
        if any(one.effect is write for one in case.branches):
            yield replace(refusal, effect=write)


def _first(root: State, op: MisuseUpload) -> State:
    """The first of two uploads was completed, and the second one not begun."""
    first = contents.Observed(len(FIRST_UPLOAD), hashlib.sha256(FIRST_UPLOAD).hexdigest())
    return put(root, op.path, File((first,)))


HELD = 4096
"""Bytes that a stream holds before it sends them (io.file.buffer.size)."""


def _takes_writes(root: State, op: Write) -> Iterator[Branch]:
    """What is written is held, and lost, until there is a buffer full of it."""
    if contents.length(op.content) < HELD and PHASES[phase(root, op.stream)] == "closed":
        yield returns("outputstream.write.pre.open", None)


QUIRKS = (
    *of_hdfs(
        "refused-long-name-makes-parents",
        "refused-over-quota-makes-parents",
        "overwriting-over-quota-loses-the-file",
        "copies-a-tree-too-deep",
        "begins-an-upload-to-a-directory",
        "begins-no-upload-to-a-dotted-name",
        "begins-no-upload-where-two-names-are-long",
        "leaves-parents-of-an-upload",
        "null-range-raises-null-pointer",
    ),
    Quirk(
        "webhdfs/completes-an-upload-and-raises",
        "an upload is completed, and the call raises UnsupportedOperationException",
        _DATA,
        "wrong error",
        "complete ends by asking for a path handle, of which WebHdfsFileSystem has none",
        "webhdfs/completes-an-upload-and-raises",
        UNTIL,
        (Step(Upload(("a",), contents.of(1, 3), 1, "complete")),),
        (Upload, MisuseUpload),
        _completes_and_raises,
    ),
    Quirk(
        "webhdfs/takes-writes-for-a-closed-stream",
        "what is written to a closed stream is taken and lost, while it is less than a buffer",
        "outputstream.write.pre.open",
        "data lost",
        "a buffered stream stands before the connection, and only a full buffer is found to belong to a closed one",
        "hdfs/takes-a-byte-for-a-closed-stream",
        UNTIL,
        (
            Step(OpenWriter(("a",), "w", "create")),
            Step(CloseWriter("w")),
            Step(Write("w", contents.of(1, 3))),
        ),
        (Write,),
        _takes_writes,
    ),
)


def _did_it_before(steps: SmallSteps, state: State, op: Operation, outcome: Outcome, left: Rest) -> Reached:
    """A delete or rename that is sent again by the JDK: it took effect, and what is answered is that of the second."""
    if outcome == Returned(False):
        yield from ((after, None) for after, rest in steps.step(state, op, Returned(True), left) if rest is None)


_FILE: Calls = (Create(("a",), contents.of(1, 3), False),)

RACES = (
    KnownRace(
        "webhdfs/returns-false-for-what-it-did-where-the-reply-is-lost",
        "delete and rename return false for what they did, where the server's reply is lost",
        "introduction.retries.order",
        "wrong answer",
        "wrongly refused",
        "the JDK's HTTP client sends a DELETE or PUT again whose connection ends before a reply",
        "webhdfs/returns-false-for-what-it-did-where-the-reply-is-lost",
        UNTIL,
        Concurrent(_FILE, ((), (Rename(("a",), ("d",)),)), (0, 0), fault=Wire(WEBHDFS, 0, "lose-reply")),
        dict.fromkeys((Delete, Rename), _did_it_before),
        disturbed=Wire,
        faults=frozenset(("lose-reply",)),
    ),
)
