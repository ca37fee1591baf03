"""What each error of a library becomes, which paths are never asked, and what file objects of Python are told to be."""

from __future__ import annotations

import errno
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from fsconform.adapters.pythonic import arrow, fsspecs, webhdfs
from fsconform.adapters.pythonic.library import CannotName, Table, name_of
from fsconform.adapters.pythonic.places import KeptPlaces
from fsconform.adapters.pythonic.readers import ended
from fsconform.adapters.pythonic.session import PythonSession
from fsconform.adapters.pythonic.store import PythonStore
from fsconform.engine.protocol import Job, Session, StoreLost
from fsconform.model.core import content as contents
from fsconform.model.core.errors import FULL_NAMES, ancestry, short
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, NotExpressible, Outcome, Raised, Returned, Unknown, Value
from fsconform.model.core.paths import Path as ModelPath
from fsconform.model.filesystem.input.read_stream import ReadStream
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

A, B = ("a",), ("b",)
ONE = contents.of(1, 100)
TABLES = {"pyarrow": arrow.TABLE, "fsspec": fsspecs.TABLE, "webhdfs": webhdfs.TABLE}


def named(table: Table, error: Exception, what: str) -> str:
    raised = table.raised(error, what, "/a")
    assert "/a: " in raised.message and raised.classes[-1] == "java.lang.Throwable"
    return short(raised.classes[0])


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_each_row_names_an_error_of_the_specification(table: Table) -> None:
    for rows in (table.looking, table.making, table.streams):
        assert rows and set(rows.values()) <= set(FULL_NAMES)
        assert all(issubclass(kind, BaseException) for kind in rows)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(
    ("number", "what", "wanted"),
    [
        (errno.ENOENT, "looking", "FileNotFoundException"),
        (errno.ENOTDIR, "looking", "FileNotFoundException"),
        (errno.ENOTDIR, "making", "ParentNotDirectoryException"),
        (errno.EEXIST, "looking", "FileAlreadyExistsException"),
        (errno.EEXIST, "making", "FileAlreadyExistsException"),
        (errno.ENOTEMPTY, "looking", "PathIsNotEmptyDirectoryException"),
        (errno.EACCES, "making", "AccessControlException"),
        (errno.ENAMETOOLONG, "making", "PathIOException"),
        (errno.ENOSYS, "streams", "UnsupportedOperationException"),
        (987654, "looking", "IOException"),
    ],
)
def test_a_number_decides(table: Table, number: int, what: str, wanted: str) -> None:
    assert named(table, OSError(number, "x"), what) == wanted


@pytest.mark.parametrize(
    ("library", "error", "what", "wanted"),
    [
        ("pyarrow", OSError("no number"), "looking", "IOException"),
        ("pyarrow", ValueError("Embedded NUL"), "making", "InvalidPathException"),
        ("pyarrow", ValueError("Invalid position"), "streams", "IllegalArgumentException"),
        ("pyarrow", NotImplementedError("x"), "looking", "UnsupportedOperationException"),
        ("pyarrow", KeyError("x"), "looking", "KeyError"),
        ("fsspec", FileNotFoundError("x"), "making", "FileNotFoundException"),
        ("fsspec", FileExistsError("x"), "making", "FileAlreadyExistsException"),
        ("fsspec", IsADirectoryError("x"), "looking", "PathIsDirectoryException"),
        ("fsspec", NotADirectoryError("x"), "looking", "FileNotFoundException"),
        ("fsspec", shutil.Error("x"), "making", "IOException"),
        ("fsspec", ValueError("x"), "looking", "InvalidPathException"),
        ("webhdfs", io.UnsupportedOperation("seek"), "streams", "UnsupportedOperationException"),
        ("webhdfs", AttributeError("x"), "streams", "AttributeError"),
    ],
)
def test_an_error_without_a_number_is_known_by_its_class(
    library: str, error: Exception, what: str, wanted: str
) -> None:
    assert named(TABLES[library], error, what) == wanted
    known = ancestry(wanted) if wanted in FULL_NAMES else ancestry("RuntimeException")
    assert TABLES[library].raised(error, what, "/a").classes[-len(known) :] == known


def test_an_hdfs_error_is_what_the_server_named() -> None:
    from hdfs import HdfsError

    assert named(webhdfs.TABLE, HdfsError("x", exception="ParentNotDirectoryException"), "looking") == (
        "ParentNotDirectoryException"
    )
    unknown = webhdfs.TABLE.raised(HdfsError("x", exception="QuotaExceededException"), "making", "/a").classes
    own = webhdfs.TABLE.raised(HdfsError("is not a directory"), "looking", "/a").classes
    assert unknown == ("hdfs.QuotaExceededException", *ancestry("IOException"))
    assert own == ("hdfs.HdfsError", *ancestry("IOException"))


def test_a_closed_file_object_says_what_a_closed_stream_says() -> None:
    file = io.BytesIO()
    assert short(ended(arrow.TABLE, file, ValueError("x")).classes[0]) == "IllegalArgumentException"
    file.close()
    assert short(ended(arrow.TABLE, file, ValueError("x")).classes[0]) == "IOException"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/", "../../x", "a\ud800"])
def test_what_might_lead_elsewhere_is_never_asked(name: str) -> None:
    with pytest.raises(CannotName):
        name_of(("a", name))


def outcomes(session: PythonSession, *operations: Operation) -> list[Outcome]:
    (execution,) = session.execute([Job(tuple(map(Step, operations)))])
    assert execution.lost == ""
    return [event.outcome for event in execution.trace.events]


@pytest.fixture(params=["pyarrow", "fsspec"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> PythonSession:
    library = str(request.param)
    return PythonStore(library, library, (tmp_path / "sandbox").as_uri(), {}, 30.0).session()


def test_nothing_is_left_and_nothing_else_is_touched(session: PythonSession, tmp_path: Path) -> None:
    (tmp_path / "beside").write_text("kept")
    made = outcomes(session, Mkdirs(A), Create(("a", "f"), ONE, True), Create(("..", "x"), ONE, True))
    assert made[:2] == [Returned(True), Returned(None)] and isinstance(made[2], NotExpressible)
    assert outcomes(session, ListStatus(())) == [Returned(())]
    session.close()
    session.close()
    assert [one.name for one in tmp_path.iterdir()] == ["beside"]


def test_what_is_written_step_by_step_is_read_so(session: PythonSession) -> None:
    got = outcomes(
        session,
        *(OpenWriter(A, "w", "create"), Write("w", ONE, "reused"), Write("w", ONE, "slice"), Write("w", ())),
        *(
            CloseWriter("w"),
            Write("w", ONE),
            Observe(A),
            ReadStream(A, ("seek 98", "read 4", "getPos", "close", "read")),
        ),
    )
    session.close()
    assert got[:5] == [Returned(None)] * 5
    assert isinstance(got[5], Raised) and short(got[5].classes[0]) == "IOException"
    seen, read = (one.value for one in got[6:] if isinstance(one, Returned))
    assert isinstance(seen, Facts) and isinstance(read, Facts)
    assert (seen.get("status"), seen.get("length"), seen.get("listed")) == ("file", 200, 200)
    assert read.get("2") == f"4 {b''.join(contents.chunks(ONE + ONE))[98:102].hex()}"
    assert (read.get("3"), read.get("4"), read.get("5")) == ("102", "done", "raised IOException")


def test_what_a_library_has_no_call_for_is_not_expressible(session: PythonSession) -> None:
    got = outcomes(session, Mkdirs(A, via="context"), ReadStream(A, ("vectored 0+1",)), Write("none", ONE))
    session.close()
    assert all(isinstance(one, NotExpressible) for one in got)


def test_pyarrow_is_asked_for_no_creation_that_it_lacks(tmp_path: Path) -> None:
    session = PythonStore("pyarrow", "pyarrow", (tmp_path / "sandbox").as_uri(), {}, 30.0).session()
    got = outcomes(
        session,
        *(Create(A, ONE, False), Create(A, ONE, False), Mkdirs(B), Delete(B, False), Mkdirs(B)),
        *(Create(("b", "f"), ONE, True), Delete(B, False), Delete(B, True), Exists(B)),
    )
    session.close()
    expressible = [not isinstance(one, NotExpressible) for one in got]
    assert expressible == [True, False, True, True, True, True, False, True, True]
    assert got[-1] == Returned(False)


class Silent:
    """A binding whose store does not answer."""

    def __init__(self, answered: Callable[[Callable[[], Any]], Any], error: Exception) -> None:
        self._answered, self._error = answered, error

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """See library.Binding."""
        return lambda: self._answered(self.fail)

    def fail(self) -> Value:
        """Raise the error."""
        raise self._error

    def open_reader(self, path: ModelPath) -> IO[bytes]:
        """See library.Binding."""
        raise AssertionError

    def open_writer(self, path: ModelPath, mode: str) -> IO[bytes]:
        """See library.Binding."""
        raise AssertionError


def silences() -> dict[str, tuple[Callable[[Callable[[], Any]], Any], Exception]]:
    """How each library tells that it got no answer."""
    from botocore.exceptions import ClientError, EndpointConnectionError
    from hdfs import HdfsError
    from requests.exceptions import ConnectTimeout

    busy = OSError(errno.EBUSY, "Please reduce your request rate")
    answer: Any = {"Error": {"Code": "SlowDown"}, "ResponseMetadata": {"HTTPStatusCode": 503}}
    busy.__cause__ = ClientError(answer, "x")
    return {
        "pyarrow": (arrow.answered, OSError("AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 7")),
        "s3fs": (fsspecs.s3_answered, EndpointConnectionError(endpoint_url="http://127.0.0.1:9")),
        "s3fs, busy": (fsspecs.s3_answered, busy),
        "hdfs": (webhdfs.answered, ConnectTimeout("x")),
        "hdfs, busy": (webhdfs.answered, HdfsError("x", exception="SafeModeException")),
    }


@pytest.mark.parametrize("name", ["pyarrow", "s3fs", "s3fs, busy", "hdfs", "hdfs, busy"])
def test_a_store_that_does_not_answer_is_lost_and_told_of(name: str) -> None:
    silent = Silent(*silences()[name])
    places = KeptPlaces("bucket", Nowhere(), "run-0", "-")
    session = PythonSession("x", lambda base: silent, arrow.TABLE, places, 0.0, alone)
    (execution,) = session.execute([Job((Step(ListStatus(())), Step(Exists(A))))])
    session.close()
    (event,) = execution.trace.events
    assert isinstance(event.outcome, Unknown) and execution.lost == event.outcome.reason != ""


def test_a_place_that_cannot_be_made_loses_the_store() -> None:
    session = PythonStore("webhdfs-python", "webhdfs-python", "webhdfs://127.0.0.1:9/x", {}, 1.0).session()
    with pytest.raises(StoreLost, match="could not be made"):
        list(session.execute([Job((Step(Exists(A)),))]))


def alone(clear: Callable[[str], None]) -> Session:
    """Opens no other session."""
    raise AssertionError


class Nowhere:
    """Keeps no places."""

    def beginning(self, name: str) -> tuple[str, ...]:
        """There are none."""
        return ()

    def make(self, place: str) -> None:
        """Do nothing."""

    def remove(self, place: str) -> None:
        """Do nothing."""


def test_settings_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no library 'other'"):
        PythonStore("x", "other", "file:///x", {}, 30.0)
    with pytest.raises(ValueError, match="request_rate is 0"):
        PythonStore("x", "pyarrow", "file:///x", {}, 30.0, 0)


@pytest.mark.parametrize("seekable", [True, False])
def test_a_response_that_cannot_seek_has_no_call_for_it(seekable: bool) -> None:
    class Response(io.BytesIO):
        def seekable(self) -> bool:
            return seekable

    entered = webhdfs._Entered(Response(b"abc"))
    assert entered.read(2) == b"ab"
    assert hasattr(entered, "seek") is seekable
    entered.close()
    assert entered.closed


def test_a_file_object_made_in_part_is_gone_once_its_opening_is_refused() -> None:
    """That of s3fs writes as it goes, which is to show at the step that made it."""
    ended: list[str] = []

    class Part:
        def __init__(self, path: str, mode: str) -> None:
            self.path = path
            raise FileNotFoundError(path)

        def __del__(self) -> None:
            ended.append(self.path)

    class Filesystem:
        open = staticmethod(Part)

    binding = fsspecs.FsspecBinding(Filesystem(), "base", lambda call: call())
    append = binding.call(Append(("a",), contents.of(1, 3)))
    assert append is not None
    with pytest.raises(FileNotFoundError) as first:
        append()
    with pytest.raises(FileNotFoundError) as second:
        binding.open_writer(("b",), "append")
    assert first.tb and second.tb  # which would keep them
    assert ended == ["base/a", "base/b"]
