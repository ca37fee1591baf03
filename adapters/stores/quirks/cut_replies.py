"""What Hadoop's clients raise where the connection is cut within a server's reply: errors that are no IOException.

A reply that ends where a field of it ends is read as one that has no more fields, by HDFS from a DataNode and by S3A
from a server of S3; then what is missing is used. What the SDK of S3A meets as it reads the XML of a reply it raises as
an UncheckedIOException, which S3A neither tries again nor translates, as it does with the SDK's own errors.

Where no reply to CompleteMultipartUpload comes, S3A sends it again, and MinIO answers that there is no such upload, as
it was completed: S3A makes a FileNotFoundException of it.

Source: BlockReaderRemote.newBlockReader, DataTransferProtoUtil.fromProto, S3ListResult.isTruncated,
S3AStoreImpl.headObject, S3AFileSystem.s3GetFileStatus and deleteWithoutCloseCheck, Invoker.once,
WriteOperationHelper.finalizeMultipartUpload, S3AUtils.translateException (3.5.0);
XmlResponseParserUtils.parse of the AWS SDK for Java 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.adapters.stores.quirks.unheard import is_raised, raising, raising_below
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import Rest
from fsconform.engine.histories.small_steps import Reached, SmallSteps, Way
from fsconform.engine.injection import DATANODE, S3, Wire
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import Dir, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

_A = ("a",)
_FILE: Calls = (Create(_A, content.of(1, 3), False),)

_NULL = "java.lang.NullPointerException"
_TAKES_FOR_WHOLE = raising(_NULL, "org.apache.hadoop.hdfs.client.impl.BlockReaderRemote.newBlockReader(")
_TAKES_FOR_EMPTY = raising(
    _NULL,
    "org.apache.hadoop.fs.s3a.S3AFileSystem.s3GetFileStatus(",
    "org.apache.hadoop.fs.s3a.S3ListResult.isTruncated(",
    "org.apache.hadoop.fs.s3a.impl.S3AStoreImpl.lambda$headObject$",
)
_LETS_PASS = raising(
    "java.io.UncheckedIOException",
    "software.amazon.awssdk.protocols.xml.internal.unmarshall.XmlResponseParserUtils.parse(",
)

_FINDS_NO_UPLOAD = raising_below(
    "java.io.FileNotFoundException",
    "org.apache.hadoop.fs.s3a.S3AUtils.translateException(",
    "org.apache.hadoop.fs.s3a.WriteOperationHelper.finalizeMultipartUpload(",
)

_LOOKS_IN = "org.apache.hadoop.fs.s3a.S3AFileSystem.s3GetFileStatus("


def finds_no_directory(
    steps: SmallSteps, state: State, op: GetFileStatus | Delete | Rename, outcome: Outcome, left: Rest
) -> Reached:
    """A call of a directory that has no marker: a listing without entries says that nothing is there.

    getFileStatus and rename raise what says so, delete returns false; none does anything.
    """
    path = op.src if isinstance(op, Rename) else op.path
    if isinstance(op, Delete):
        finds_nothing = outcome == Returned(False)
    else:
        finds_nothing = is_raised(outcome, "java.io.FileNotFoundException", _LOOKS_IN)
    if finds_nothing and type(locate(state, path)) is Dir:
        yield state, None


_OF_S3A: tuple[type[Operation], ...] = (
    *(Create, Mkdirs, Rename, Delete, Open, GetFileStatus, ListStatus),
    *(OpenWriter, Write, CloseWriter),
)


def _race(
    name: str, title: str, reason: str, program: Concurrent, kinds: Iterable[type[Operation]], way: Way
) -> KnownRace:
    return KnownRace(
        name,
        title,
        "introduction.network.ioexception",
        "wrong error",
        "wrongly refused",
        reason,
        name,
        UNTIL,
        program,
        dict.fromkeys(kinds, way),
        disturbed=Wire,
        faults=frozenset(("cut-reply",)),
    )


_CUT_IN_THE_FIRST_LINE = Wire(S3, 0, "cut-reply", "", 1, 14)


def _cut(lane: Calls, part: str, amount: int) -> Concurrent:
    return Concurrent(_FILE, ((), lane), (0, 0), fault=Wire(part, 0, "cut-reply", "", 1, amount))


TAKES_A_CUT_REPLY_FOR_WHOLE = _race(
    "hdfs/takes-a-cut-reply-for-a-whole-one",
    "a reader raises NullPointerException where the connection is cut within the DataNode's first reply",
    "a reply that ends after its status is taken for one without checksums, and these are used",
    _cut((Open(_A),), DATANODE, 3),
    (Open,),
    _TAKES_FOR_WHOLE,
)


def cut_replies_of_s3(store: str) -> Iterable[KnownRace]:
    """What a store that is built on S3A is known to raise where a reply of S3 is cut off."""
    yield _race(
        f"{store}/takes-a-cut-reply-for-an-empty-one",
        "a call raises NullPointerException where the connection is cut within the head of S3's reply",
        "a reply that ends within its head is taken for one without the other headers and the body, and these are used",
        _cut((Delete(_A, False),), S3, 14),
        _OF_S3A,
        _TAKES_FOR_EMPTY,
    )
    yield replace(
        _race(
            f"{store}/finds-no-directory-where-a-listing-is-cut",
            "a call finds nothing at a directory where the connection is cut within the head of S3's reply",
            "a listing whose reply ends within its first line is taken for one without entries",
            Concurrent((Mkdirs(("a", "s", "e")),), ((), (GetFileStatus(_A),)), (0, 0), fault=_CUT_IN_THE_FIRST_LINE),
            (GetFileStatus, Delete, Rename),
            finds_no_directory,
        ),
        clause="introduction.consistency.all-clients",
        impact="wrong answer",
    )
    yield _race(
        f"{store}/raises-an-unchecked-exception-for-a-cut-reply",
        "a call raises UncheckedIOException where the connection is cut before or within the body of S3's reply",
        "the SDK raises it as it reads the body, and S3A tries again and translates only the SDK's own errors",
        _cut((Rename(_A, ("d",)),), S3, 200),
        _OF_S3A,
        _LETS_PASS,
    )
    yield replace(
        _race(
            f"{store}/does-not-find-the-upload-that-it-completed",
            "close raises FileNotFoundException where the upload was completed and S3's reply did not arrive",
            "CompleteMultipartUpload is sent again, and the answer that there is no such upload is taken for a failure",
            Concurrent(
                (),
                ((), (Create(_A, content.of(7, 11 << 20), False),)),
                (0, 0),
                fault=Wire(S3, 0, "lose-reply", "COMPLETE"),
            ),
            (Create, CloseWriter),
            _FINDS_NO_UPLOAD,
        ),
        clause="introduction.retries.order",
        faults=frozenset(("lose-reply", "cut-reply", "truncated", "wrong-length", "twice")),
    )
