"""A worker with a real JVM on the local file systems: operations, names, snapshots, the sandbox."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fsconform.adapters.folders.marker import MARKER, NOTE
from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.java import find_java
from fsconform.engine.protocol import Job, Misconfigured, SandboxRefused, StoreLost
from fsconform.model.core import content, errors
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.read_stream import ReadStream
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

RAW = {"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"}
QUICK = ("-XX:TieredStopAtLevel=1",)
"""Starts sooner: these tests start many JVMs."""

BYTES = content.of(1, 100)
MakeStore = Callable[..., HadoopStore]


def hadoop_jars() -> list[Path]:
    specification = importlib.util.find_spec("pyspark")
    assert specification is not None and specification.submodule_search_locations
    folder = Path(specification.submodule_search_locations[0]) / "jars"
    patterns = ("hadoop-client-api-*", "hadoop-client-runtime-*", "slf4j-api-*", "jcl-over-slf4j-*")
    return [jar for pattern in patterns for jar in folder.glob(f"{pattern}.jar")]


def program(*operations: Operation) -> Program:
    return tuple(map(Step, operations))


def run(session: HadoopSession, *operations: Operation) -> list[Outcome]:
    (execution,) = session.execute([Job(program(*operations))])
    assert execution.lost == ""
    assert all(0 < event.invoked <= event.returned for event in execution.trace.events)
    return [event.outcome for event in execution.trace.events]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeStore]:
    stores = []
    logs = tmp_path_factory.mktemp("logs")

    def build(folder: Path | str, **settings: Any) -> HadoopStore:
        uri = folder if isinstance(folder, str) else f"file://{folder}"
        arguments: dict[str, Any] = {
            "classpath": hadoop_jars(),
            "configuration": RAW,
            "logs_folder": logs,
            "jvm_arguments": QUICK,
        } | settings
        stores.append(HadoopStore("local", uri, **arguments))
        return stores[-1]

    yield build
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def session(make: MakeStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopSession]:
    with make(tmp_path_factory.mktemp("raw") / "sandbox").session() as opened:
        yield opened


@pytest.mark.parametrize("configuration", [RAW, {}], ids=["rawlocal", "file"])
def test_a_stream_with_checksums_is_not_asked_for_another_source(
    make: MakeStore, tmp_path: Path, configuration: dict[str, str]
) -> None:
    """LocalFileSystem would move the file, as a bad one, to a folder of its own beside all that is on the disk."""
    with make(tmp_path / "sandbox", configuration=configuration).session() as session:
        asked, status = run(
            session, Create(("a",), BYTES, False), ReadStream(("a",), ("newSource 0",)), GetFileStatus(("a",))
        )[1:]
    assert isinstance(asked, Returned if configuration else NotExpressible)
    assert isinstance(status, Returned)


@pytest.mark.parametrize(("size", "asked"), [(4096, False), (4095, True)])
def test_a_concat_that_never_ends_is_not_asked_for(session: HadoopSession, size: int, asked: bool) -> None:
    """The target is one of its own sources, and has grown by the time that it is read: the disk would fill."""
    target = Concat(("whole",), (("part",), ("whole",)))
    outcome, status = run(session, Create(("part",), content.of(1, size), True), target, Exists(("part",)))[1:]
    assert isinstance(outcome, Returned if asked else NotExpressible)
    assert status == Returned(True)


@pytest.mark.parametrize("configuration", [RAW, {}], ids=["rawlocal", "file"])
def test_round_trip(make: MakeStore, tmp_path: Path, configuration: dict[str, str]) -> None:
    store = make(tmp_path / "sandbox", configuration=configuration)
    file, moved, more = ("a", "f"), ("a", "g"), content.of(2, 70_000)
    with store.session() as session:
        assert store.versions["filesystem"].endswith("RawLocalFileSystem" if configuration else ".LocalFileSystem")
        assert store.versions["hadoop"] and store.versions["java"]
        got = run(
            session,
            Mkdirs(("a", "b")),
            Create(file, BYTES, False),
            Create(file, BYTES, False),
            Open(file),
            GetFileStatus(file),
            GetFileStatus(("x",)),
            Exists(("x",)),
            Exists(("a",)),
            Create(file, more, True),
            Open(file),
            Rename(file, moved),
            ListStatus(()),
            Delete(("a",), False),
            Delete(("a", "b"), False),
            Create(("empty",), (), False),
            Open(("empty",)),
        )
        if configuration:
            assert run(session, Create(file, BYTES, False), Append(file, more), Open(file))[1:] == [
                Returned(None),
                Returned(Data(70_100, content.digest(BYTES + more) or "")),
            ]
    exists, missing, not_empty = got[2], got[5], got[12]
    assert isinstance(exists, Raised) and exists.classes == errors.ancestry("FileAlreadyExistsException")
    assert isinstance(missing, Raised) and missing.classes == errors.ancestry("FileNotFoundException")
    assert missing.message and not missing.stack
    assert isinstance(not_empty, Raised) and "java.io.IOException" in not_empty.classes
    assert got[0] == got[7] == got[10] == got[13] == Returned(True)
    assert got[1] == got[8] == got[14] == Returned(None)
    assert got[3] == Returned(Data(100, content.digest(BYTES) or ""))
    assert isinstance(got[4], Returned) and isinstance(got[4].value, Status)
    assert (got[4].value.path, got[4].value.is_dir, got[4].value.length) == (file, False, 100)
    assert got[4].value.block_size > 1
    assert got[6] == Returned(False)
    assert got[9] == Returned(Data(70_000, content.digest(more) or ""))
    assert isinstance(got[11], Returned) and isinstance(got[11].value, tuple)
    assert [(status.path, status.is_dir) for status in got[11].value] == [(("a",), True)]
    assert got[15] == Returned(Data(0, content.digest(()) or ""))


SPICE = [
    "a+b",
    "%2F",
    "#",
    ":",
    "a:b",
    "?q",
    "a ",
    "a.",
    "ü",
    "u\u0308",
    "😀",
    "\x01",
    "~",
    "x_$folder$",
    "\\",
    "*",
    "é" * 127,
]


def test_hostile_names_are_taken_literally(session: HadoopSession) -> None:
    for name in SPICE:
        created, listed, read = run(
            session, Create((name, name), BYTES, False), ListStatus((name,)), Open((name, name))
        )
        assert created == Returned(None), name
        assert isinstance(listed, Returned) and isinstance(listed.value, tuple)
        assert [status.path for status in listed.value] == [(name, name)]
        assert read == Returned(Data(100, content.digest(BYTES) or ""))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/", "a\ud800", "a/../../../x"])
@pytest.mark.parametrize("place", [(), ("d",)])
def test_names_that_hadoop_cannot_say(session: HadoopSession, name: str, place: tuple[str, ...]) -> None:
    path = (*place, name)
    calls = (Mkdirs(path), Rename(("ok",), path), Create((*path, "x"), BYTES, True), ListStatus(()))
    *refused, listed = run(session, *calls)
    assert all(isinstance(outcome, NotExpressible) for outcome in refused), refused
    assert listed == Returned(())


def test_programs_do_not_see_each_other(session: HadoopSession) -> None:
    jobs = [Job(program(ListStatus(()), Mkdirs((f"d{number}",)), ListStatus(()))) for number in range(70)]
    for number, execution in enumerate(session.execute(jobs)):
        before, _, after = (event.outcome for event in execution.trace.events)
        assert before == Returned(())
        assert isinstance(after, Returned) and isinstance(after.value, tuple)
        assert [status.path for status in after.value] == [(f"d{number}",)]


def test_snapshots_and_stacks(session: HadoopSession) -> None:
    steps = program(Create(("a", "f"), BYTES, False), Delete(("a",), True), Open(("a", "f")))
    (execution,) = session.execute([Job(steps, (1, 0), stacks=True)])
    (first, full), (second, empty) = execution.snapshots
    assert (first, second) == (0, 1)
    assert full.consistent and not full.problem and empty.consistent and empty.entries == ()
    assert [(entry.listed.path, entry.data) for entry in full.entries] == [
        (("a",), None),
        (("a", "f"), Data(100, content.digest(BYTES) or "")),
    ]
    assert all(entry.status == entry.listed for entry in full.entries)
    raised = execution.trace.events[2].outcome
    assert isinstance(raised, Raised) and "\tat org.apache.hadoop.fs.RawLocalFileSystem" in raised.stack
    assert 0 < execution.store_nanoseconds < 60e9


def test_every_client_has_its_instance(session: HadoopSession) -> None:
    steps = (Step(Mkdirs(("a",)), client=0), Step(Exists(("a",)), client=3))
    (execution,) = session.execute([Job(steps)])
    assert [event.outcome for event in execution.trace.events] == [Returned(True), Returned(True)]


def test_iterator_given_up_early(session: HadoopSession) -> None:
    jobs = [Job(program(*[Exists(("a",))] * 50)) for _ in range(100)]
    executions = session.execute(jobs)
    next(executions)
    with pytest.raises(ValueError, match="still being read"):
        session.execute(jobs)
    executions.close()  # type: ignore[attr-defined]
    assert run(session, Mkdirs(("a",))) == [Returned(True)]


def test_big_file_takes_little_memory(session: HadoopSession) -> None:
    big = content.of(5, 64 << 20)
    assert session.worker_pid is not None
    worker = psutil.Process(session.worker_pid)
    run(session, Create(("warm",), content.of(5, 1 << 20), False), Open(("warm",)))
    before = worker.memory_info().rss
    made, read = run(session, Create(("big",), big, False), Open(("big",)))
    assert made == Returned(None)
    assert read == Returned(Data(64 << 20, content.digest(big) or ""))
    assert worker.memory_info().rss - before < 200 << 20


def test_request_rate(make: MakeStore, tmp_path: Path) -> None:
    with make(tmp_path / "s", request_rate=100.0).session() as session:
        start = time.monotonic()
        run(session, *[Exists(("a",))] * 50)
        assert time.monotonic() - start > 0.45


def test_sandbox_is_made_and_removed(make: MakeStore, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x")
    store = make(tmp_path / "p" / "sandbox")
    first, second = store.session(), store.session()
    assert (tmp_path / "p" / "sandbox" / MARKER).is_file()
    run(first, Mkdirs(("a",)))
    first.close()
    first.close()
    assert run(second, Mkdirs(("a",))) == [Returned(True)]
    second.close()
    assert not (tmp_path / "p" / "sandbox").exists()
    assert sorted(os.listdir(tmp_path)) == ["other", "p"]


def test_sandbox_that_was_there_stays(make: MakeStore, tmp_path: Path) -> None:
    with make(tmp_path).session() as session:
        run(session, Mkdirs(("a",)))
        assert (tmp_path / MARKER).is_file()
    assert os.listdir(tmp_path) == []
    (tmp_path / MARKER).write_bytes(NOTE)
    (tmp_path / "keep").touch()
    (tmp_path / "run-old" / "p0").mkdir(parents=True)
    store = make(tmp_path)
    with store.session() as session:
        run(session, Mkdirs(("a",)))
    assert sorted(os.listdir(tmp_path)) == [MARKER, "keep", "run-old"]
    assert store.clean_up() == (("run-old",), ())
    assert sorted(os.listdir(tmp_path)) == [MARKER, "keep"]


def test_foreign_directory_is_refused(make: MakeStore, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(SandboxRefused, match=f"{tmp_path.name}.*'mine'.*{MARKER}"):
        make(tmp_path).session()
    assert os.listdir(tmp_path) == ["mine"]
    with pytest.raises(SandboxRefused, match="is a file"):
        make(tmp_path / "mine").session()
    assert (tmp_path / "mine").read_text() == "x"


@pytest.mark.parametrize("uri", ["file:///", "file:/", "file:///tmp/.."])
def test_root_is_no_sandbox(make: MakeStore, uri: str) -> None:
    with pytest.raises(SandboxRefused, match="no directory below the root"):
        make(uri).session()


def test_local_root_is_never_emptied(make: MakeStore) -> None:
    with pytest.raises(SandboxRefused, match="real root"):
        make("file:///", real_root=True).session()


def test_missing_class_is_named(make: MakeStore, tmp_path: Path) -> None:
    store = make(f"acme://x{tmp_path}", configuration={"fs.acme.impl": "com.acme.AcmeFileSystem"})
    with pytest.raises(Misconfigured, match=r"has the class com\.acme\.AcmeFileSystem: add the jar"):
        store.session()
    with pytest.raises(Misconfigured, match=r'No FileSystem for scheme "acme": name the jar that has one with --jars'):
        make(f"acme://x{tmp_path}").session()
    with pytest.raises(StoreLost, match=r"org\.apache\.hadoop"):
        make(tmp_path, classpath=[]).session()


def test_jvm_that_cannot_start(make: MakeStore, tmp_path: Path) -> None:
    java = dataclasses.replace(find_java(), libjvm=tmp_path / "libjvm.so")
    with pytest.raises(StoreLost, match=r"libjvm\.so"):
        make(tmp_path / "s", java=java).session()
    with pytest.raises(StoreLost, match=r"worker-.*\.log"):
        make(tmp_path / "s", jvm_arguments=("-Xms2g",)).session()


def test_no_java(make: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSCONFORM_JAVA_HOME", str(tmp_path))
    with pytest.raises(Misconfigured, match="FSCONFORM_JAVA_HOME"):
        make(tmp_path / "s").session()


def test_configuration_files(make: MakeStore, tmp_path: Path) -> None:
    site = tmp_path / "site.xml"
    site.write_text(
        f"<configuration><property><name>fs.file.impl</name><value>{RAW['fs.file.impl']}</value></property></configuration>"
    )
    store = make(tmp_path / "s", configuration={}, configuration_files=[site])
    store.session().close()
    assert store.versions["filesystem"] == RAW["fs.file.impl"]
    site.write_text("<configuration><oops>")
    with pytest.raises(Misconfigured, match=r"site\.xml"):
        store.session()


def test_arguments_are_checked_early(make: MakeStore, tmp_path: Path) -> None:
    for settings in ({"xmx": "lots"}, {"operation_timeout": 0}, {"request_rate": -1}, {"jars": [tmp_path / "no.jar"]}):
        with pytest.raises(ValueError):
            make(tmp_path, **settings)


def test_the_classes_that_declare_what_calls_end_in_are_known(make: MakeStore, tmp_path: Path) -> None:
    """Of methods of the file system, and of the stream by which the file that marks the sandbox is read."""
    store = make(tmp_path / "s")
    store.session().close()
    assert store.declared_by["copyFromLocalFile"] == "org.apache.hadoop.fs.FileSystem"
    assert store.declared_by["readVectored"] == "org.apache.hadoop.fs.BufferedFSInputStream"
