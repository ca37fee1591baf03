"""Archives: the format against Java's own rules and Hadoop's own tool, and programs that run on archives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_plus

import pytest

from fsconform.adapters.hadoop import archive_format, archived
from fsconform.adapters.hadoop.archive_format import INDEX, MASTER, PART, Elements, Entry, encoded, hash_of, index_of
from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import bundled_profile, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Job
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

CONTENT = ((1, 1000, 0),)
TREE: dict[Elements, Entry] = {
    (): Entry(5000),
    ("a b",): Entry(6000),
    ("a b", "c+%2F~*"): Entry(7000, CONTENT),
    ("a b", "é😀"): Entry(7000, ((2, 3, 0),)),
    ("empty",): Entry(8000, ()),
    ("none",): Entry(9000),
}


def test_names_are_written_as_java_writes_them() -> None:
    assert encoded("a b/c+%~*-_.é") == "a+b%2Fc%2B%25%7E*-_.%C3%A9"
    assert (hash_of("/"), hash_of("/a"), hash_of("/😀")) == (47, 1554, 1818066)
    assert hash_of("/" + "z" * 20) == 914561839, "as Java, which drops what does not fit into 32 bits, and the sign"


def test_the_index_is_sorted_by_hash_and_the_master_index_points_into_it() -> None:
    tree: dict[Elements, Entry] = {(): Entry(1)}
    tree |= {(f"f{number}",): Entry(2, ((1, 10, 0),)) for number in range(1500)}
    index, master = index_of(tree)
    lines, ranges = index.decode().splitlines(), [line.split(" ") for line in master.decode().splitlines()]
    hashes = [hash_of(unquote_plus(line.split(" ")[0])) for line in lines]
    assert hashes == sorted(hashes) and len(lines) == 1501
    assert ranges[0] == ["3", ""]
    assert [one[:2] for one in ranges[1:]] == [["0", str(hashes[999])], [str(hashes[999]), str(hashes[-1])]]
    begins = [int(one[2]) for one in ranges[1:]]
    assert begins == [0, int(ranges[1][3])] and int(ranges[2][3]) == len(index)
    assert index[begins[1] :].decode().splitlines()[0] == lines[1000]
    starts = sorted(int(line.split(" ")[3]) for line in lines if " file " in line)
    assert starts == list(range(0, 15000, 10))


def _told(index: bytes, part: bytes) -> list[tuple[str, ...]]:
    """What an index tells, line by line: of a directory the children in order, of a file the bytes it points to.

    The tool has children, and so the files in the part, in the order in which the folder lists them.
    """
    told = []
    for line in index.decode().splitlines():
        path, kind, *rest = line.split(" ")
        assert rest[-1] == "", "each line ends with a space"
        if kind == "dir":
            told.append((path, kind, *rest[:3], *sorted(rest[3:])))
        else:
            start, length = int(rest[1]), int(rest[2])
            told.append((path, kind, rest[0], rest[3], part[start : start + length].hex()))
    return told


@pytest.mark.long
@pytest.mark.timeout(300)
def test_hadoops_own_tool_writes_the_same(tmp_path: Path) -> None:
    source, owner, group = tmp_path / "source", Path("/").owner(), Path("/").group()
    source.mkdir()
    for path, entry in sorted(TREE.items()):
        there = source.joinpath(*path)
        if entry.content is None:
            there.mkdir(exist_ok=True)
        else:
            there.write_bytes(b"".join(content.chunks(tuple(content.Segment(*row) for row in entry.content))))
        there.chmod(0o755 if entry.content is None else 0o644)
    for path, entry in sorted(TREE.items(), reverse=True):
        os.utime(source.joinpath(*path), (entry.modified / 1000, entry.modified / 1000))
    jars = resolve(bundled_profile("archives-3.4.1"), ("archives",))
    command = [
        *(str(find_java().home / "bin" / "java"), "-cp", ":".join(map(str, jars)), "-Xmx256m"),
        "org.apache.hadoop.tools.HadoopArchives",
        *(f"-Dhadoop.tmp.dir={tmp_path / 'tmp'}", f"-Dmapreduce.cluster.local.dir={tmp_path / 'local'}"),
        *("-archiveName", "x.har", "-p", str(source), str(tmp_path / "out")),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    made = tmp_path / "out" / "x.har"
    assert done.returncode == 0, done.stderr
    archive_format.write(TREE, tmp_path / "mine.har")
    index, master = index_of(TREE, owner, group)
    mine, its = _told(index, (tmp_path / "mine.har" / PART).read_bytes()), (made / PART).read_bytes()
    assert mine == _told((made / INDEX).read_bytes(), its)
    assert len(its) == sum(entry.length for entry in TREE.values())
    ends = int(master.split()[-1]) - int((made / MASTER).read_bytes().split()[-1])
    assert master.split()[:-1] == (made / MASTER).read_bytes().split()[:-1]
    assert ends == len(index) - (made / INDEX).stat().st_size


def store_of_archives(folder: Path) -> HadoopStore:
    archive_format.write({(): Entry(0)}, folder / "empty.har")
    return HadoopStore(
        "har",
        (folder / "empty.har").as_uri().replace("file:", "har:"),
        classpath=resolve(load_profile(), ("client",)),
        configuration={archived.FOLDER: str(folder / "archives"), "fs.file.impl.disable.cache": "true"},
        logs_folder=folder / "logs",
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopSession]:
    folder = tmp_path_factory.mktemp("har")
    store = store_of_archives(folder)
    with store.session() as opened:
        yield opened
    store.close()
    assert not list((folder / "archives").iterdir())


def run(session: HadoopSession, *operations: Operation) -> list[Outcome]:
    (execution,) = session.execute([Job(tuple(map(Step, operations)))])
    assert execution.lost == ""
    return [event.outcome for event in execution.trace.events]


SMALL = content.of(1, 10)


def test_what_a_program_begins_with_is_in_its_archive_and_what_follows_is_the_stores(session: HadoopSession) -> None:
    made, kept, listed, refused, missing = run(
        session,
        Create(("a b", "c+%2F"), SMALL, False),
        Mkdirs(("a b", "d~")),
        ListStatus(("a b",)),
        Create(("n",), SMALL, False),
        Exists(("n",)),
    )
    assert (made, kept, missing) == (Returned(None), Returned(True), Returned(False))
    assert isinstance(listed, Returned) and isinstance(listed.value, tuple)
    assert {one.path[-1]: one.length for one in listed.value} == {"c+%2F": 10, "d~": 0}
    assert isinstance(refused, Raised) and "java.io.IOException" in refused.classes


@pytest.mark.parametrize(
    "first",
    [
        Create((), SMALL, True),
        Mkdirs(("a:b",)),
        Mkdirs(("n" * 256,)),
        Rename(("a",), ("b",)),
        Delete(("a",), False),
    ],
)
def test_a_step_that_no_archive_can_hold_is_the_stores_to_refuse(session: HadoopSession, first: Operation) -> None:
    answer, after, listed = run(session, first, Mkdirs(("d",)), ListStatus(()))
    assert isinstance(answer, Raised) and isinstance(after, Raised)
    assert listed == Returned(())


def test_a_step_that_others_stand_in_the_way_of_is_the_stores_to_refuse(session: HadoopSession) -> None:
    found = run(
        session,
        Create(("a",), SMALL, False),
        Create(("a",), SMALL, True),
        Mkdirs(("a", "b")),
        Open(("a",)),
    )
    assert [type(one) for one in found] == [Returned, Returned, Raised, Returned]


def test_a_snapshot_shows_the_archive(session: HadoopSession) -> None:
    job = Job(tuple(map(Step, (Create(("a", "b"), SMALL, False), Exists(("a",))))), snapshot_after=(0, 1))
    (execution,) = session.execute([job])
    for _, snapshot in execution.snapshots:
        assert snapshot.consistent and sorted(one.listed.path for one in snapshot.entries) == [("a",), ("a", "b")]


LIAR = """
from fsconform.adapters.hadoop import archive_format
honest = archive_format.index_of
def index_of(tree, owner="", group=""):
    index, master = honest(tree, owner, group)
    return index.replace({old!r}, {new!r}), master
archive_format.index_of = index_of
"""
"""Changes the index that is written, as Python runs it at the start of the worker."""


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        (b" ", b" ", ""),
        (b" part-0 3 5 ", b" part-0 0 5 ", "open (file) returned other bytes"),
        (b" 0 0 a b ", b" 0 0 a   ", "listStatus (directory) returned a listing with missing entries"),
    ],
)
def test_an_archive_that_is_not_what_was_archived_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bytes, new: bytes, wrong: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(LIAR.format(old=old, new=new))
    monkeypatch.syspath_prepend(tmp_path)
    store = store_of_archives(tmp_path)
    steps = (
        Create(("a",), content.of(1, 3), False),
        Create(("b",), content.of(2, 5), False),
        *(kind(("a",)) for kind in (GetFileStatus, Open)),
        *(kind(("b",)) for kind in (GetFileStatus, Open)),
        ListStatus(()),
    )
    with store.session() as opened:
        (execution,) = opened.execute([Job(tuple(map(Step, steps)))])
    store.close()
    found = Judge(Oracle(load_shipped("har"))).judge(execution.trace).findings
    assert [one.signature.startswith(wrong) for one in found[:1]] == [True] * bool(wrong), found
