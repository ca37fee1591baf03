"""Trees that one release wrote before clients of another: healthy cells, and what a client that misses things shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.hadoop.release import ReleaseClient
from fsconform.app.markers.compatibility import Cell, cell, writer
from fsconform.app.markers.judging import capabilities, ghosts, has_probes
from fsconform.app.markers.running import Bench, bench, run
from fsconform.app.markers.settings import Ended
from fsconform.model.markers.policy import Policy, Retention
from fsconform.model.markers.reading import PROBES, Probe, judge
from fsconform.suites.markers import WITNESSES

RELEASE = "3.5.0"
NIGHT = pytest.mark.long
FILES = frozenset(("t/f", "t/s/g"))
BY_NAME = {probe.name: probe for probe in PROBES}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A MinIO behind a relay, and clients."""
    with bench(tmp_path_factory.mktemp("bench"), print) as made:
        yield made


def _lied(monkeypatch: pytest.MonkeyPatch, what: str, lie: Callable[[ReleaseClient, dict[str, Any], Any], Any]) -> None:
    """Have the client give another answer to one kind of call."""
    honest = ReleaseClient.call

    def call(self: ReleaseClient, made: str, /, **arguments: Any) -> Any:
        answer = honest(self, made, **arguments)
        return lie(self, arguments, answer) if made == what else answer

    monkeypatch.setattr(ReleaseClient, "call", call)


def _of(found: Cell) -> set[str]:
    return {loss.probe for loss in found.losses}


@NIGHT
def test_a_release_reads_what_it_wrote(place: Bench) -> None:
    found = cell(place, writer(RELEASE), RELEASE)
    assert (found.keys, found.aware) == (("t/", "t/f", "t/s/", "t/s/e/", "t/s/g"), True)
    assert found.losses == ()


def test_a_client_that_takes_marked_directories_for_empty_is_seen(
    place: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lied(monkeypatch, "list", lambda client, arguments, answer: [] if arguments["path"] == "/t/s" else answer)
    found = cell(place, writer(RELEASE), RELEASE)
    assert "list the directory below" in _of(found)
    assert all(loss.silent for loss in found.losses)


@NIGHT
def test_what_the_oldest_release_does_to_kept_markers(place: Bench) -> None:
    """Its deletes return true and leave the files."""
    found = cell(place, writer(RELEASE), "3.1.4")
    assert found.aware is False
    assert all(loss.silent for loss in found.losses)
    assert _of(found) == {"delete, not recursively", "delete all", "delete the directory, recursively"}


def test_a_policy_that_is_not_heeded_is_seen(place: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hadoop 3.5.0 keeps all markers: judged as a client that has to delete them, it departs in three ways."""
    found = {
        departure.clause
        for program in WITNESSES[:6]
        for step in run(place, RELEASE, Retention(Policy.DELETE), program)
        for departure in step.departures
    }
    assert found == {"markers.delete", "markers.request"}
    assert len(capabilities(place, RELEASE, Retention(Policy.DELETE))) == 20


def test_hadoop_3_5_keeps_all_markers(place: Bench) -> None:
    for versioned in (False, True):
        for program in WITNESSES[2:6]:
            steps = run(place, RELEASE, Retention(Policy.KEEP), program, versioned, not ghosts(place).tombstones)
            assert [step.departures for step in steps if step.departures] == []
    assert capabilities(place, RELEASE, Retention(Policy.KEEP)) == []


@pytest.mark.parametrize(
    ("probe", "value", "error", "ancestors", "files", "silent"),
    [
        ("list the directory", [("/t/f", False, 7)], "", (), FILES, True),
        ("list the directory", None, "FileNotFoundException", ("java.io.IOException",), FILES, False),
        ("list all files", [], "", (), FILES, True),
        ("read a file", "", "", (), FILES, True),
        ("delete, not recursively", True, "", (), FILES, True),
        ("delete, not recursively", None, "NullPointerException", ("java.lang.Throwable",), FILES, False),
        ("rename the directory", True, "", (), frozenset(("r/f",)), True),
        ("delete all", True, "", (), FILES, True),
    ],
)
def test_losses(
    probe: str, value: Any, error: str, ancestors: tuple[str, ...], files: frozenset[str], silent: bool
) -> None:
    loss = judge(BY_NAME[probe], value, error, ancestors, files)
    assert loss is not None
    assert loss.silent is silent


def test_what_is_owed_is_no_loss() -> None:
    refusal = BY_NAME["delete, not recursively"]
    assert judge(refusal, None, "PathIsNotEmptyDirectoryException", ("x", "java.io.IOException"), FILES) is None
    healthy = [probe for probe in PROBES if probe is not refusal]
    assert [judge(one, one.owed, "", (), frozenset(one.left)) for one in healthy] == [None] * len(healthy)
    assert isinstance(refusal, Probe)


@pytest.mark.parametrize("text", ["1.0", "3.5.0:retain", "gcs"])
def test_writers_that_there_are_none_of(text: str) -> None:
    with pytest.raises(Ended):
        writer(text)


def test_writers() -> None:
    assert writer("3.5.0:keep").policy is Policy.KEEP
    assert (writer("s3n").release, has_probes("3.2.4"), has_probes("3.10.0")) == ("", False, True)


def test_a_bench_leaves_nothing(tmp_path: Path) -> None:
    with bench(tmp_path, print) as made:
        pid = made.service.pids["minio"]
    assert not Path(f"/proc/{pid}").exists()
