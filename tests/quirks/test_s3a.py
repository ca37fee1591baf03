"""The quirks of S3A by single traces: what each allows, and what stands beside it and is found."""

from __future__ import annotations

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.judge import FAILING, Judge
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Fact, Facts, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import IsFile
from fsconform.model.filesystem.stream_answers import expected
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import CopyToLocal, CopyTreeFromLocal
from fsconform.model.filesystem.transfer.uploads import Upload

OK = Returned(None)
DELETED = (("capable", True), ("default", False), ("failed", ()), ("pageSize", 250))
TRUE = Returned(True)
MISSING = Raised(ancestry("FileNotFoundException"), "No such file")
Played = tuple[Operation, Outcome]
FILE, PARENT, INNER = ("a",), ("d", "a"), ("d", "a", "b")
FIRST, OTHER = contents.of(1, 5), contents.of(2, 7)


def failing(*played: Played) -> list[str]:
    """The signatures for which a run of S3A would fail."""
    program = tuple(Step(operation) for operation, _ in played)
    trace = Trace(program, tuple(Event(outcome) for _, outcome in played))
    judged = Judge(Oracle(load_shipped("s3a"))).judge(trace)
    return [one.signature for one in judged.findings if one.verdict in FAILING]


def data(content: contents.Content) -> Returned:
    return Returned(Data(contents.length(content), contents.digest(content) or ""))


# --- openFile with a length reads what was read before, be it gone or not

GONE: tuple[Played, ...] = ((Create(FILE, FIRST, False), OK), (Open(FILE), data(FIRST)), (Delete(FILE, False), TRUE))
WITH_LENGTH = OpenFile(FILE, (), ("fs.option.openfile.length=0",))
LATER: tuple[tuple[Played, ...], ...] = (
    (),
    ((Mkdirs(FILE), TRUE),),
    ((Create((*FILE, "c"), OTHER, False), OK),),
)


@pytest.mark.parametrize("later", LATER)
def test_a_file_that_is_gone_is_read_from_the_cache_where_its_length_is_given(later: tuple[Played, ...]) -> None:
    assert failing(*GONE, *later, (WITH_LENGTH, data(FIRST))) == []
    assert failing(*GONE, *later, (WITH_LENGTH, data(OTHER)))
    assert failing(*GONE, *later, (OpenFile(FILE, (), ()), data(FIRST)))
    assert failing(*GONE, *later, (Open(FILE), data(FIRST)))


def test_what_was_never_read_is_in_no_cache() -> None:
    assert failing(GONE[0], GONE[2], (WITH_LENGTH, data(FIRST)))
    assert failing((Create((*FILE, "c"), FIRST, False), OK), (WITH_LENGTH, data(FIRST)))


def test_a_copy_to_local_asks_whether_the_file_is_there() -> None:
    assert failing(*GONE, (CopyToLocal(FILE), data(FIRST)))
    assert failing(*GONE, (CopyToLocal(FILE), MISSING)) == []


# --- where one of several states that are possible leads to an unknown one, nothing is known


def test_a_tree_is_copied_below_a_file_that_a_bulk_delete_may_have_taken() -> None:
    """A bulk delete of a directory may take the file in it along; a tree below a file leaves nothing known."""
    file, below = ("a", "f"), ("a", "f", "b")
    deleted = Returned(Facts("bulk delete", DELETED))
    tree = CopyTreeFromLocal(below, (), True, True)
    copied = Returned(Facts("copied", (("left", False),)))
    taken: tuple[Played, ...] = ((Create(file, FIRST, False), OK), (BulkDelete((), (FILE, FILE)), deleted))
    shown = Returned((Status(file, False, 5, 1 << 25),))
    assert failing(*taken, (tree, copied), (ListStatus(FILE), shown)) == []
    assert failing(*taken, (ListStatus(FILE), Returned((Status(file, False, 4, 1 << 25),))))


# --- what is below a directory beside which a file stands

PAIR: tuple[Played, ...] = ((Create(INNER, FIRST, False), OK), (Upload(PARENT, OTHER, 1, "complete"), OK))
INNER_LISTED = Returned((Status(INNER, False, 5, 1 << 25),))


def seen(length: int, listed: int, read: str) -> Returned:
    disagree = () if listed == length else ("listFiles", "listLocatedStatus", "listStatus", "listStatusIterator")
    items: dict[str, Fact] = {
        "status": "file",
        "length": length,
        "listed": listed,
        "read": read,
        "disagree": disagree,
        "untimely": (),
    }
    return Returned(Facts("seen", tuple(sorted(items.items()))))


def told(read: str) -> Facts:
    return Facts("input stream", (("1", read),))


@pytest.mark.parametrize(
    "query",
    [
        (OpenFile(INNER, (), ()), data(FIRST)),
        (CopyToLocal(INNER), data(FIRST)),
        (IsFile(INNER), TRUE),
        (ListFiles(INNER, True), INNER_LISTED),
        (ListMany((INNER,)), INNER_LISTED),
        (Observe(INNER), seen(5, -1, "5 7f80ff0a0d")),
    ],
    ids=lambda one: one[0].NAME,
)
def test_what_a_hidden_directory_holds_can_be_looked_at(query: Played) -> None:
    assert failing(*PAIR, query) == []


@pytest.mark.parametrize(
    "query",
    [
        (OpenFile(INNER, (), ()), data(OTHER)),
        (CopyToLocal(INNER), data(contents.EMPTY)),
        (IsFile(PARENT), Returned(False)),
        (ListMany((INNER,)), Returned(())),
        (Observe(INNER), seen(4, -1, "5 7f80ff0a0d")),
    ],
    ids=lambda one: one[0].NAME,
)
def test_all_else_is_found_there(query: Played) -> None:
    assert failing(*PAIR, query)


def test_a_stream_that_is_opened_there_reads_on() -> None:
    opened: Played = (OpenReader(INNER, "r"), OK)
    assert failing(*PAIR, opened, (ReadOn("r", ("drain",)), Returned(told("5 7f80ff0a0d")))) == []
    assert failing(*PAIR, opened, (ReadOn("r", ("drain",)), Returned(told("5 0000000000"))))


# --- a seek and read beside positioned reads

BESIDE = ReadStream(("a",), ("readFully 0 10 & pread 5 10 & from 30 4",))
FORTY = contents.of(1, 40)


def read_at(*places: int) -> Played:
    pieces = " or ".join(str(expected(FORTY, place, 4)) for place in places)
    told_pieces = f"{expected(FORTY, 0, 10)} & {expected(FORTY, 5, 10)} & {pieces}"
    return BESIDE, Returned(Facts("input stream", (("1", told_pieces), ("close", "done"))))


@pytest.mark.parametrize("place", [0, 9, 14, 34, 38])
def test_another_thread_s_bytes_or_those_after_the_own_come_where_a_seek_takes_no_lock(place: int) -> None:
    assert failing((Create(("a",), FORTY, False), OK), read_at(30, place)) == []


@pytest.mark.parametrize("place", [20, 33, 35])
def test_bytes_of_nobody_s_place_are_found(place: int) -> None:
    assert failing((Create(("a",), FORTY, False), OK), read_at(30, place))


@pytest.mark.parametrize(
    ("script", "places", "allowed"),
    [
        (("pread 20 5 & from 30 4",), ((20, 5), (0, 4)), True),  # where the stream stood, and is put back to
        (("pread 20 5 & from 30 4",), ((20, 5), (2, 4)), False),
        (("seek 11", "pread 20 5 & from 30 4"), ((20, 5), (11, 4)), True),
        (("seek 11", "pread 20 5 & from 30 4"), ((20, 5), (12, 4)), False),
        (("readFully 20 5 & from 0 4",), ((24, 5), (0, 4)), True),  # what the other has read is added
        (("readFully 20 5 & from 0 4",), ((26, 5), (0, 4)), False),
        (("readFully 20 5 & pread 0 4",), ((24, 5), (0, 4)), False),
        (("pread 20 7 & from 38 3",), ((20, 7), (40, 3)), True),  # the end, as two seeks in turn were lost
        (("pread 20 7 & from 2 3",), ((20, 7), (40, 3)), False),  # too far away for all turns
        (("pread 38 7 & pread 20 7",), ((38, 7), (40, 7)), False),
    ],
)
def test_a_position_that_is_put_back_or_moved_on_meanwhile(
    script: tuple[str, ...], places: tuple[tuple[int, int], ...], allowed: bool
) -> None:
    spans = [tuple(map(int, part.split()[1:])) for part in script[-1].split(" & ")]
    answers = [
        " or ".join(dict.fromkeys("-1" if one[0] >= 40 else str(expected(FORTY, *one)) for one in pair))
        for pair in zip(spans, places, strict=True)
    ]
    items = [*(str(number) for number in range(1, len(script) + 1))]
    told_all = (*("done" for _ in script[1:]), " & ".join(answers))
    facts = Facts("input stream", (*zip(items, told_all, strict=True), ("close", "done")))
    found = failing((Create(("a",), FORTY, False), OK), (ReadStream(("a",), script), Returned(facts)))
    assert (found == []) is allowed


# --- listings and names that end in _$folder$

MARKED = ("d", "a_$folder$")
HIDDEN: tuple[Played, ...] = ((Create(MARKED, FIRST, False), OK), (Create(("d", "b"), FIRST, False), OK))
OWN, BESIDE_IT = Status(MARKED, False, 5, 1 << 25), Status(("d", "b"), False, 5, 1 << 25)
LISTED: tuple[tuple[Operation, tuple[Status, ...]], ...] = (
    (ListStatus(MARKED), ()),
    (ListStatus(MARKED, "iterator"), ()),
    (ListStatus(MARKED, "located"), (OWN,)),
    (ListFiltered(MARKED, "a"), ()),
    (Iterate(MARKED, "alone"), ()),
    (Iterate(MARKED, "alone", "files"), (OWN,)),
    (Iterate(("d",), "alone"), (BESIDE_IT,)),
    (Iterate(("d",), "alone", "files"), (BESIDE_IT,)),
    (ListMany((MARKED, ("d",))), (BESIDE_IT,)),
)


@pytest.mark.parametrize(("call", "listed"), LISTED, ids=str)
def test_listings_leave_such_a_name_out(call: Operation, listed: tuple[Status, ...]) -> None:
    assert failing(*HIDDEN, (call, Returned(listed))) == []


@pytest.mark.parametrize(
    ("call", "listed"),
    [
        (ListStatus(MARKED, "located"), ()),
        (Iterate(MARKED, "alone", "located"), ()),
        (ListStatus(("d", "b")), ()),
        (Iterate(("d",), "alone"), ()),
        (ListMany((MARKED, ("d",))), ()),
        (ListMany((MARKED, ("d",))), (BESIDE_IT, BESIDE_IT)),
    ],
    ids=str,
)
def test_listings_leave_nothing_else_out(call: Operation, listed: tuple[Status, ...]) -> None:
    assert failing(*HIDDEN, (call, Returned(listed)))


def test_such_a_name_is_seen_by_path_and_in_no_listing_beside_a_stream() -> None:
    assert failing(*HIDDEN, (Observe(MARKED), seen(5, -1, "5 7f80ff0a0d"))) == []
    assert failing(*HIDDEN, (Observe(("d", "b")), seen(5, -1, "5 7f80ff0a0d")))
    assert failing(*HIDDEN, (Observe(MARKED), seen(5, -1, "5 0000000000")))
