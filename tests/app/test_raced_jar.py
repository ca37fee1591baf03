"""A FileSystem of the user's own whose calls others may come between: each such fault is found, without one none is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.meeting import board
from fsconform.engine.effort import Effort
from fsconform.engine.histories.blaming import blame
from fsconform.engine.histories.confirming import Met
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Row
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord
from fsconform.specs.contract_xml import load
from fsconform.suites.crashes import IN_THE_CALL, ONCE_RETURNED, ClientCrash, ending
from fsconform.suites.races import RACE_SUITES, Cell, Watch, planned

Command = Callable[..., subprocess.CompletedProcess[str]]

PROMISE = "<property><name>fs.contract.{}</name><value>true</value></property>"
PROMISED = (
    "supports-append",
    "supports-atomic-rename",
    "supports-atomic-directory-delete",
    "supports-strict-exceptions",
)
SAVED = ("supports-hflush", "supports-hsync")
EXCLUSIVE = ("fsconform.exclusive-writer",)

FOUND: dict[str, set[str]] = {
    "absence-cached": {"filesystem.mkdirs.post", "introduction.consistency.create"},
    "append-lost": {"outputstream.concurrent.writers"},
    "close-publishes-later": {"introduction.consistency.create"},
    "create-checks-then-acts": {"introduction.atomicity.create"},
    "delete-leaves-orphans": {"filesystem.mkdirs.atomic", "filesystem.delete.atomic", "introduction.atomicity.create"},
    "delete-seen-late": {"introduction.consistency.delete"},
    "file-with-children": {"introduction.atomicity.create"},
    "listing-cached": {"introduction.consistency.create", "introduction.consistency.delete"},
    "mkdirs-fails-beside-mkdirs": {"filesystem.mkdirs.atomic"},
    "overwrite-deletes-first": {"introduction.atomicity.create"},
    "positioned-reads-swapped": {"fsdatainputstream.positioned.thread-safe"},
    "rename-child-by-child": {"filesystem.rename.atomic"},
    "rename-copies-and-deletes": {"filesystem.rename.atomic"},
    "rename-onto-what-came-meanwhile": {"filesystem.rename.atomic"},
    "rename-shows-neither-name": {"filesystem.rename.atomic"},
    "status-cached": {"introduction.consistency.delete", "introduction.consistency.rename"},
}
"""Of each fault the clauses of which at least one is told."""

STREAMS = ("positioned-reads-swapped",)
"""What the suite of streams finds; all else the other two find."""


KILLED: dict[str, tuple[str, str, set[str]]] = {
    "close-writes-later": ("close", ONCE_RETURNED, {"outputstream.close.post.metadata"}),
    "create-writes-beside": ("create", IN_THE_CALL, {"introduction.atomicity.create"}),
    "hflush-kept": ("hflush", ONCE_RETURNED, {"outputstream.sync.post.visible"}),
    "rename-child-by-child": ("rename a tree", IN_THE_CALL, {"filesystem.rename.atomic"}),
    "rename-copies-and-deletes": ("rename a file", IN_THE_CALL, {"filesystem.rename.atomic"}),
}
"""Of each fault that the end of a client shows the scenario, the moment, and the clauses of which one is told."""

MOST_KILLS = 48
"""In so many each must be found. A kill takes a new process."""

SEEDS = 3
"""Runs in which a fault must be found."""


def contract(folder: Path, mortal: bool = False) -> Path:
    """The contract that the FileSystem keeps without a fault.

    If its clients may die, there are streams that save what they have, and who appends takes a file from its writer.
    """
    path = folder / "raced.xml"
    promised = "".join(map(PROMISE.format, (*PROMISED, *(SAVED if mortal else EXCLUSIVE))))
    path.write_text(f"<configuration>{promised}</configuration>", "utf-8")
    return path


class Few:
    """Two clients of the FileSystem, in processes of their own, and who judges what they see."""

    def __init__(self, clients: Clients, judge: Judge) -> None:
        self._clients, self._judge, self._delays = clients, judge, Delays()

    def met(self, rows: Sequence[Row], number: int) -> list[Met]:
        """What comes of rows with the delays of a round."""
        histories = self._clients.execute([self._delays.moved(row.program, number) for row in rows])
        self._delays.note(histories)
        return [Met(history, self._judge.judge(history)) for history in histories]


@contextmanager
def few(jar: Path, folder: Path, fault: str, mortal: bool = False) -> Iterator[Few]:
    store = HadoopStore(
        "raced",
        f"raced://{folder}/sandbox",
        jars=[jar],
        classpath=resolve(load_profile(), ("client",)),
        configuration={
            "fs.raced.impl": "raced.RacedFileSystem",
            "raced.state": str(folder / "state"),
            "raced.fault": fault,
            "raced.mortal": str(mortal).lower(),
        },
        logs_folder=folder / "logs",
    )
    sessions = [store.session() for _ in range(2)]
    try:
        yield Few(Clients(sessions, board), Judge(Oracle(load(contract(folder, mortal)))))
    finally:
        for session in sessions:
            session.close()
        store.close()


def _inherits(row: Row) -> bool:
    """Whether a row renames with options: FileSystem's own way, which the connector inherits, is not atomic."""
    return any(isinstance(call, RenameWith) for lane in row.program.lanes for call in lane)


def test_some_pairs_show_no_race_without_a_fault(raced_jar: Path, tmp_path: Path) -> None:
    rows = [row for name in ("races", "freshness") for row, _ in islice(planned(RACE_SUITES[name], 500, 0), 60)]
    with few(raced_jar, tmp_path, "none") as store:
        found = store.met([row for row in rows if not _inherits(row)], 0)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 10


def test_one_fault_is_seen_by_its_pair(raced_jar: Path, tmp_path: Path) -> None:
    rows: list[Row] = [Cell("nothing", "create", "create"), Watch("a file", "delete", "status")]
    with few(raced_jar, tmp_path, "create-checks-then-acts") as store:
        found = [one for number in range(10) for one in store.met(rows, number)]
    both, watched = found[::2], found[1::2]
    assert any(one.judged.verdict == "violation" for one in both)
    assert all(one.judged.verdict == "conforms" for one in watched)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("fault", "verdict"), [("none", "conforms"), ("hflush-kept", "violation")])
def test_the_end_of_a_client_shows_what_hflush_kept(raced_jar: Path, tmp_path: Path, fault: str, verdict: str) -> None:
    promised = load(contract(tmp_path, mortal=True))
    rows: list[Row] = [ClientCrash("hflush", ONCE_RETURNED, ending(promised, "hflush"))] * 2
    with few(raced_jar, tmp_path, fault, mortal=True) as store:
        found = store.met(rows, 0)
    assert [one.judged.verdict for one in found] == [verdict] * 2


def ran(fsconform: Command, folder: Path, jar: Path, fault: str, *suites: str, seed: int = 0) -> StoreRecord:
    mortal = "crash" in suites
    words = [word for suite in suites for word in ("--suite", suite)]
    done = fsconform(
        *("run", "--uri", f"raced://{folder}/sandbox", "--jars", jar, "--conf", "fs.raced.impl=raced.RacedFileSystem"),
        *("--conf", f"raced.state={folder}/state", "--conf", f"raced.fault={fault}"),
        *("--conf", f"raced.mortal={str(mortal).lower()}"),
        *("--contract", contract(folder, mortal), "--out", "out", "--seed", str(seed), *words),
        seconds=800,
    )
    assert done.returncode in ((0,) if fault == "none" else (0, 1)), done.stderr
    (store,) = loads(folder / "out" / "latest" / "results.json").stores
    return store


def suites_of(fault: str) -> tuple[str, ...]:
    return ("stream-races",) if fault in STREAMS else ("races", "freshness")


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("suites", [("races", "freshness"), ("stream-races",), ("drawn-races",), ("crash",)])
def test_without_a_fault_nothing_is_found(
    fsconform: Command, tmp_path: Path, raced_jar: Path, suites: tuple[str, ...]
) -> None:
    store = ran(fsconform, tmp_path, raced_jar, "none", *suites)
    assert store.races is not None and not store.divergences
    assert store.races.programs == sum(
        getattr(Effort().amounts("fast"), name) for name in map(AMOUNT.__getitem__, suites)
    )


AMOUNT = {"races": "races", "freshness": "watches", "stream-races": "streams", "drawn-races": "drawn", "crash": "kills"}
"""Where the effort says how many programs of a suite are tried."""


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", FOUND)
def test_each_fault_is_found_and_confirmed(fsconform: Command, tmp_path: Path, raced_jar: Path, fault: str) -> None:
    """Of most faults the first run tells. Where two calls meet is chance: one that few rows show may take another."""
    for seed in range(SEEDS):
        store = ran(fsconform, tmp_path, raced_jar, fault, *suites_of(fault), seed=seed)
        told = [one for one in store.divergences if one.clause in FOUND[fault]]
        if told:
            break
    assert any(one.verdict in ("violation", "declared-false") for one in told), store.divergences
    assert any(not one.confirmed.startswith("0/") for one in told)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", KILLED)
def test_each_fault_that_the_end_of_a_client_shows_is_found(tmp_path: Path, raced_jar: Path, fault: str) -> None:
    scenario, moment, clauses = KILLED[fault]
    promised = load(contract(tmp_path, mortal=True))
    judge = Judge(Oracle(promised))
    rows: list[Row] = [ClientCrash(scenario, moment, ending(promised, scenario))] * 4
    with few(raced_jar, tmp_path, fault, mortal=True) as store:
        for number in range(MOST_KILLS // len(rows)):
            failed = [one for one in store.met(rows, number) if one.judged.fails]
            if failed:
                break
    assert {blame(judge, one.history, one.judged.options).clause for one in failed} & clauses
