"""The quirks of the local stores by single traces: what each allows, and what stands beside it and is found."""

from __future__ import annotations

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks.local_trees import concatenated
from fsconform.engine.judge import FAILING, Judge
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Facts, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenInStages
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.protocols.trash import TrashCheckpoint
from fsconform.model.filesystem.state import EMPTY, File, put
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_filtered import ListMany
from fsconform.model.filesystem.stream_scripts import told_pieces

OK = Returned(None)
FS_ERROR = Raised(("org.apache.hadoop.fs.FSError", "java.lang.Error", "java.lang.Throwable"), "Stream Closed")
NO_ROOM = Raised(("java.lang.ArrayIndexOutOfBoundsException", *ancestry("IndexOutOfBoundsException")), "4608")
CHANNEL = Raised(("java.nio.channels.ClosedChannelException", *ancestry("IOException")), "")
ARGUMENT = Raised(ancestry("IllegalArgumentException"), "Relative path in absolute URI")
CHECKSUM = Raised(("org.apache.hadoop.fs.ChecksumException", *ancestry("IOException")), "Checksum error")
Played = tuple[Operation, Outcome]


def failing(store: str, *played: Played) -> list[str]:
    """The signatures for which a run of the store would fail."""
    program = tuple(Step(operation) for operation, _ in played)
    trace = Trace(program, tuple(Event(outcome) for _, outcome in played))
    judged = Judge(Oracle(load_shipped(store))).judge(trace)
    return [one.signature for one in judged.findings if one.verdict in FAILING]


def facts(kind: str, **items: object) -> Returned:
    return Returned(Facts(kind, tuple(sorted(items.items()))))  # type: ignore[arg-type]


def status(path: str, length: int) -> Returned:
    return Returned(Status((path,), False, length, 1 << 25))


# --- getEtag of two contents writes as create does

ETAGS = CompareEtags(("a:b",), contents.of(1, 3), contents.of(2, 5))


def test_a_refused_comparison_of_etags_leaves_an_empty_file() -> None:
    assert failing("file", (ETAGS, ARGUMENT), (GetFileStatus(("a:b",)), status("a:b", 0))) == []


def test_a_refused_comparison_of_etags_leaves_no_bytes() -> None:
    assert failing("file", (ETAGS, ARGUMENT), (GetFileStatus(("a:b",)), status("a:b", 3)))


# --- what is seen beside a stream


def seen(length: int, read: str) -> Returned:
    return facts("seen", status="file", length=length, read=read, listed=length, disagree=(), untimely=())


LEFT: Played = (OpenWriter(("a:b",), "w", "create"), ARGUMENT)
LARGE = contents.of(1, 5 << 20)
WRITING: tuple[Played, ...] = ((OpenWriter(("a",), "w", "create"), OK), (Write("w", LARGE), OK))
SUMS = "raised ChecksumException IOException"


def test_opening_a_path_that_must_be_refused_is_refused_whatever_is_there() -> None:
    assert failing("file", LEFT, (Observe(("a:b",)), seen(0, "raised IllegalArgumentException"))) == []


def test_an_error_of_java_is_no_refusal_of_a_path() -> None:
    assert failing("file", LEFT, (Observe(("a:b",)), seen(0, "raised OutOfMemoryError Throwable")))
    assert failing("file", LEFT, (Observe(("a:b",)), seen(1, "raised IllegalArgumentException")))


def test_what_a_stream_saved_by_itself_need_not_have_its_checksums() -> None:
    assert failing("file", *WRITING, (Observe(("a",)), seen(5238784, SUMS))) == []


def test_a_refusal_to_read_what_is_written_is_of_checksums_and_of_bytes_that_are_there() -> None:
    assert failing("file", *WRITING, (Observe(("a",)), seen(5238784, "raised EOFException")))
    assert failing("file", *WRITING, (Observe(("a",)), seen(0, SUMS)))
    assert failing("file", *WRITING, (Observe(("a",)), seen((5 << 20) + 1, SUMS)))
    assert failing("file", WRITING[0], (Observe(("a",)), seen(1, SUMS)))
    assert failing("file", WRITING[0], (Open(("a",)), CHECKSUM))
    assert failing("file", *WRITING, (CloseWriter("w"), OK), (Observe(("a",)), seen(5 << 20, SUMS)))


# --- streams that are closed


def closed(via: str = "") -> tuple[Played, ...]:
    return (OpenWriter(("a",), "w", "create", via), OK), (CloseWriter("w"), OK)


def late(size: int, outcome: Outcome, via: str = "") -> Played:
    return Write("w", contents.of(1, size), via), outcome


BESIDE: Played = (
    AbortWriter("w", "threads"),
    facts(
        "abort",
        answer="raised UnsupportedOperationException",
        already=False,
        capability=False,
        path=False,
        abortable=False,
    ),
)


@pytest.mark.parametrize(("store", "via"), [("rawlocal", ""), ("file", UNCHECKED)])
def test_a_thread_that_writes_beside_an_abort_leaves_bytes_behind(store: str, via: str) -> None:
    assert failing(store, *closed(via), BESIDE, late(4095, FS_ERROR)) == []
    assert failing(store, *closed(via), BESIDE, late(64, OK), late(3969, FS_ERROR)) == []
    assert failing(store, *closed(via), late(4095, FS_ERROR)), "nobody wrote before"
    assert failing(store, *closed(via), BESIDE, late(4095, OK)), "64 bytes are there at least"
    assert failing(store, *closed(via), BESIDE, late(4031, OK), late(2, OK)), "the buffer is full"


def test_a_stream_with_checksums_takes_single_bytes_until_its_buffers_are_full() -> None:
    assert failing("file", *closed(), late(4607, OK, "bytes")) == []
    assert failing("file", *closed(), late(4608, FS_ERROR, "bytes"), late(1, NO_ROOM, "bytes")) == []
    assert failing("file", *closed(), late(3, OK, "bytes"), (CloseWriter("w"), OK), late(4608, FS_ERROR, "bytes")) == []
    assert failing("file", *closed(), late(4608, OK, "bytes"))
    assert failing("file", *closed(), late(1, FS_ERROR, "bytes"))
    assert failing("file", *closed(), late(4608, FS_ERROR, "bytes"), late(1, OK, "bytes"))
    assert failing("file", *closed(), late(1, OK)), "an array is refused"
    assert failing("file", *closed(), BESIDE, late(1, CHANNEL)) == []


def test_what_a_full_buffer_hands_on_fails() -> None:
    def sync(text: str) -> Played:
        return Sync("w", "flush"), facts("sync", answer=text, capability=False, syncable=False)

    full = (*closed(), late(4608, FS_ERROR, "bytes"))
    assert failing("file", *full, sync("raised FSError Error"), (CloseWriter("w"), FS_ERROR)) == []
    assert failing("file", *closed(), sync("raised FSError Error"))
    assert failing("file", *closed(), (CloseWriter("w"), FS_ERROR))


# --- files with the checksums of other bytes

FIRST, SECOND = contents.of(1, 1300), contents.of(2, 1300)
HALF = (*contents.slice_of(FIRST, 0, 600), *contents.slice_of(SECOND, 600, 700))
"""Equal to the first in one chunk of 512 bytes; the next two differ."""


def stale(old: contents.Content = HALF) -> tuple[Played, ...]:
    return (
        (Create(("a",), FIRST, False), OK),
        (Create(("b",), old, False), OK),
        (RenameWith(("a",), ("b",), True), OK),
    )


def told(start: int, size: int) -> str:
    return told_pieces(contents.chunks(contents.slice_of(FIRST, start, size)))


def script(*pairs: tuple[str, str]) -> Played:
    answers = {str(number): answer for number, (_, answer) in enumerate(pairs, 1)}
    return ReadStream(("b",), tuple(text for text, _ in pairs)), facts("input stream", close="done", **answers)


RIGHT: list[tuple[tuple[str, str], ...]] = [
    (("read 500", told(0, 500)), ("read 100", SUMS), ("getPos", "512")),
    (("drain", SUMS), ("getPos", "0")),
    (("seek 700", SUMS), ("getPos", "512"), ("seek 512", "done"), ("read", SUMS)),
    (("pread 0 10", told(0, 10)), ("readFully 500 20", SUMS), ("getPos", "0")),
    (("from 600 10", SUMS), ("from 10 5", told(10, 5))),
    (("pread 1300 5", SUMS), ("readFully 1299 5", SUMS), ("pread 1536 5", "-1")),
    (("vectored 0+10 600+10", f"{told(0, 10)}, later ChecksumException IOException"),),
    (("pread 600 10 & pread 0 10", f"{SUMS} & {told(0, 10)}"),),
]
WRONG: list[tuple[tuple[str, str], ...]] = [
    (("read 500", SUMS),),
    (("seek 500", SUMS),),
    (("pread 0 512", SUMS),),
    (("pread 1536 5", SUMS),),
    (("pread 512 5", "-1"),),
    (("read", "0"), ("read 600", SUMS)),
    (("read 500", told(0, 500)), ("read 100", SUMS), ("getPos", "500")),
    (("read 500", told(0, 500)), ("read 100", "raised EOFException")),
    (("drain", SUMS), ("seek 0", "done"), ("read 10", told(1, 10))),
    (("vectored 0+10 600+10", f"later ChecksumException IOException, {told(600, 10)}"),),
    (("vectored 0+10 600+10", f"{told(1, 10)}, later ChecksumException IOException"),),
    (("vectored 0+10 600+10", f"{told(0, 10)}, later EOFException"),),
    (("pread 600 10 & pread 0 10", f"{SUMS} & {told(1, 10)}"),),
]


@pytest.mark.parametrize("pairs", RIGHT)
def test_a_script_fails_where_a_chunk_has_another_checksum(pairs: tuple[tuple[str, str], ...]) -> None:
    assert failing("file", *stale(), script(*pairs)) == []
    assert failing("file", *stale(FIRST), script(*pairs)), "the checksums are its own"


@pytest.mark.parametrize("pairs", WRONG)
def test_all_else_in_such_a_script_is_judged(pairs: tuple[tuple[str, str], ...]) -> None:
    assert failing("file", *stale(), script(*pairs))


def test_chunks_without_a_checksum_end_a_vectored_read() -> None:
    answers = "later ChecksumException IOException, later EOFException"
    assert failing("file", *stale(contents.of(2, 30)), script(("vectored 0+10 600+10", answers))) == []


def test_calls_that_read_all_of_it() -> None:
    right = Data(1300, contents.digest(FIRST) or "")
    assert failing("file", *stale(), (Open(("b",)), CHECKSUM)) == []
    assert failing("file", *stale(), (Open(("b",)), Raised(ancestry("EOFException"), "")))
    assert failing("file", *stale(), (Open(("b",)), Returned(right))) == []
    assert failing("file", *stale(), (Observe(("b",)), seen(1300, SUMS))) == []
    assert failing("file", *stale(), (Observe(("b",)), seen(1299, SUMS)))
    first_read = facts("stages", failed="read")
    assert failing("file", *stale(SECOND), (OpenInStages(("b",), ()), first_read)) == []
    assert failing("file", *stale(), (OpenInStages(("b",), ()), first_read)), "the first chunk is right"
    assert failing("file", *stale(SECOND), (OpenInStages(("b",), ()), facts("stages", failed="get")))


# --- concat


@pytest.mark.parametrize(
    ("sizes", "saved"), [((4095,), False), ((4096,), True), ((4000, 96), False), ((4000, 97), True)]
)
def test_concat_of_a_target_with_itself_ends_while_nothing_of_it_is_saved(sizes: tuple[int, ...], saved: bool) -> None:
    state = EMPTY
    for number, size in enumerate(sizes):
        state = put(state, (str(number),), File(contents.of(number, size)))
    result = concatenated(state, ("t",), (*((str(number),) for number in range(len(sizes))), ("t",)))
    assert (result is None) is saved


# --- several paths are listed, one of them hidden

NAMED: Played = (Create((".a.crc",), contents.EMPTY, False), OK)
SEVERAL = ListMany(((".a.crc",), ()))


def listed(*names: str) -> Returned:
    return Returned(tuple(Status((name,), False, 0, 1 << 25) for name in names))


@pytest.mark.parametrize("paths", [((".a.crc",), ()), ((), (".a.crc",)), ((".a.crc",),), ((".a.crc",), (".a.crc",))])
def test_a_listing_of_several_paths_leaves_hidden_names_out(paths: tuple[tuple[str, ...], ...]) -> None:
    assert failing("file", NAMED, (ListMany(paths), listed())) == []


def test_a_listing_of_several_paths_has_all_else() -> None:
    other: Played = (Create(("b",), contents.EMPTY, False), OK)
    assert failing("file", NAMED, other, (SEVERAL, listed("b"))) == []
    made: Played = (Mkdirs((".d",)), Returned(True))
    directory = Returned((Status((".d",), True, 4096, 1 << 25),))
    assert failing("file", NAMED, made, (SEVERAL, directory)) == []
    assert failing("file", NAMED, other, (SEVERAL, listed()))
    assert failing("file", NAMED, other, (SEVERAL, listed("b", "b")))
    assert failing("file", NAMED, other, (SEVERAL, listed("b", ".c.crc")))
    assert failing("file", other, (ListMany(((),)), listed()))


# --- checksums that a refused call leaves


def test_checksums_stay_where_a_path_was_renamed_to_itself_and_is_gone() -> None:
    """The delete is the raw filesystem's: what comes to the path later is read by the old checksums."""
    empty, itself = Create(("a",), (), False), RenameWith(("a",), ("a",), True)
    gone = Raised(ancestry("FileNotFoundException"), "a does not exist")
    played: tuple[Played, ...] = (
        (empty, OK),
        (itself, gone),
        (Open(("a",)), gone),
        (Create(("b",), contents.of(9, 1), False), OK),
        (RenameWith(("b",), ("a",), True), OK),
    )
    assert failing("file", *played, (Open(("a",)), CHECKSUM)) == []
    assert failing("rawlocal", *played, (Open(("a",)), CHECKSUM))
    assert failing("file", *played, (Open(("a",)), gone))


@pytest.mark.parametrize("act", ["create", "delete at once", "delete all but current", "run emptier", "move again"])
def test_checksums_stay_where_a_path_was_put_into_a_trash(act: str) -> None:
    """A trash renames with options, which leaves them: the directory is not empty."""
    made: Played = (Create(("a", "b"), (), False), OK)
    trashed: Played = (TrashCheckpoint(("a", "b"), act), CHECKPOINTS[act])
    refused: Played = (Delete(("a",), False), Raised(ancestry("IOException"), "Directory /a is not empty"))
    assert failing("file", made, trashed, refused) == []
    assert failing("rawlocal", made, trashed, refused)
    assert failing("file", trashed, refused), "where nothing was put there is none"


CHECKPOINTS = {
    act: facts("checkpoint", checkpoints=checkpoints, current=current, kept=kept, **more)
    for act, checkpoints, current, kept, more in (
        ("create", 1, False, True, {}),
        ("delete at once", 0, False, False, {}),
        ("delete all but current", 0, True, True, {}),
        ("run emptier", 1, False, True, {"expired": False}),
        ("move again", 0, True, True, {"moved": False}),
    )
}
"""What the acts gave on the real store."""


# --- a file that is renamed into its own directory


@pytest.mark.parametrize("first", [Create(("a",), contents.of(5, 1), True), GetFileStatus(("a",))])
def test_a_stream_finds_a_file_emptied_that_was_renamed_into_its_own_directory(first: Operation) -> None:
    """It is copied onto itself before it is deleted: what was opened is empty then."""
    played: tuple[Played, ...] = (
        (Create(("a",), contents.of(3, 1), False), OK),
        (OpenReader(("a",), "r"), OK),
        (first, OK if isinstance(first, Create) else status("a", 1)),
        (Rename(("a",), ()), Returned(True)),
    )

    def read(answer: str) -> Played:
        return ReadOn("r", ("read",)), Returned(Facts("input stream", (("1", answer),)))

    assert failing("rawlocal", *played, read("-1")) == []
    assert failing("rawlocal", *played[:3], read("-1")), "as long as it is there, it has its byte"
    wrong = next(byte for byte in range(256) if f"{byte}" not in _bytes_of((3, 5)))
    assert failing("rawlocal", *played, read(str(wrong)))


def _bytes_of(seeds: tuple[int, ...]) -> set[str]:
    return {str(next(iter(contents.chunks(contents.of(seed, 1))))[0]) for seed in seeds}
