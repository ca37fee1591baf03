"""Spark's writers judged end to end: real Spark, real stores, real committers, and some of our own that are faulty."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.jars import class_path
from fsconform.adapters.resolver import pyspark_jars
from fsconform.adapters.spark.helper import compiler
from fsconform.adapters.stores.contracts import shipped_commit_contract
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import lacks_minio
from fsconform.engine.datasets.subject import DATASETS
from fsconform.harness.layer_replays import DATASET_FILES as FILES
from fsconform.harness.layer_stores import SparkStore
from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets.contract import PERFECT
from fsconform.model.datasets.operations import Fault, Feed, Gate, Program, Stream, Write, WriteBoth

from fsconform.adapters.spark.committers import COMMITTERS, of_class  # isort: skip

SOURCES = Path(__file__).parent / "java" / "committers"
SIX = (0, 1, 2, 3, 4, 5)
MORE = (6, 7, 8, 9, 10, 11)

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no javac")


@pytest.fixture(scope="module")
def own_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Committers of our own with seeded faults, as a user would bring them."""
    folder = tmp_path_factory.mktemp("committers")
    jars = pyspark_jars()
    assert jars is not None
    javac = str(compiler())
    out = folder / "classes"
    command = [
        javac,
        "-nowarn",
        "-d",
        str(out),
        "-cp",
        class_path(jars.glob("*.jar")),
        *map(str, SOURCES.glob("*.java")),
    ]
    subprocess.run(command, check=True)
    return Path(shutil.make_archive(str(folder / "own"), "zip", out)).rename(folder / "own.jar")


@pytest.fixture(scope="module")
def file_store(own_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = SparkStore("spark-file", Setup(tmp_path_factory.mktemp("logs"), lambda text: None), [own_jar])
    yield store
    store.close()


Breaches = Callable[..., set[tuple[str, str]]]


@pytest.fixture
def breaches() -> Breaches:
    """The clauses that a program shows to be broken, each with the first option that permits it."""

    def find(store: SparkStore, committer: str, *program: Any, contract: Any = PERFECT) -> set[tuple[str, str]]:
        chosen = COMMITTERS.get(committer) or of_class(f"seeded.SeededCommitter${committer}")
        session = store.session(chosen)
        tried = DATASETS.attempt(session, tuple(program), contract)
        session.close()
        assert not tried.judgement.skipped
        return {
            (one.clause, one.changes[0][0][0] if one.changes else "") for one in tried.judgement.findings if one.failing
        }

    return find


LOST_TASK = Write(MORE, fault=Fault("fail", "task-commit", 1))


def test_the_second_algorithm_loses_atomicity_and_that_is_found_without_being_told(
    file_store: SparkStore, breaches: Breaches
) -> None:
    assert breaches(file_store, "file-v1", Write(SIX), LOST_TASK) == set()
    assert breaches(file_store, "file-v2", Write(SIX), LOST_TASK) == {(ids.ABORTABLE, options.FAILED_JOB_LEAVES_ROWS)}
    watched = Write(SIX, fault=Fault("hold", "job-commit"))
    assert breaches(file_store, "file-v1", watched) == set()
    assert breaches(file_store, "file-v2", watched) == {(ids.HIDDEN, options.ROWS_SEEN_BEFORE_JOB_COMMIT)}
    shipped = shipped_commit_contract("spark-file-file-v2")
    assert breaches(file_store, "file-v2", Write(SIX), LOST_TASK, watched, contract=shipped) == set()


def test_two_jobs_at_once_lose_rows_with_the_second_algorithm_and_replace_partitions_in_order(
    file_store: SparkStore, breaches: Breaches
) -> None:
    held = Write(SIX, "overwrite", fault=Fault("hold", "task-commit", 1))
    both = WriteBoth(held, Write(MORE))
    assert breaches(file_store, "file-v2", both) == {(ids.SAVE_OVERWRITE, options.CONCURRENT_JOBS_DISTURB)}
    assert breaches(file_store, "file-v2", both, contract=shipped_commit_contract("spark-file-file-v2")) == set()
    over = replace(held, partitioned=True, dynamic=True)
    same = replace(over, rows=MORE, fault=None)
    assert breaches(file_store, "file-v1", Write(SIX, partitioned=True), WriteBoth(over, same)) == set()


@pytest.mark.parametrize(("fault", "clause"), [("Sound", ""), ("Twice", ids.ONCE), ("Forgets", ids.COMPLETE)])
def test_a_committer_of_ones_own_with_a_seeded_fault_is_caught(
    file_store: SparkStore, breaches: Breaches, fault: str, clause: str
) -> None:
    found = breaches(file_store, fault, Write(SIX), Write(MORE))
    assert {broken for broken, _ in found} == ({clause} if clause else set())


@pytest.mark.long
def test_a_stream_whose_driver_is_killed_has_each_row_once(file_store: SparkStore, breaches: Breaches) -> None:
    program: Program = (Feed(SIX), Stream(fault=Fault("halt", "job-committed")), Feed(MORE), Stream())
    assert breaches(file_store, "file-v1", *program) == set()


def needs_minio() -> None:
    for lacking in lacks_minio():
        pytest.skip(lacking)


@pytest.mark.long
def test_commits_by_rename_on_an_object_store_and_pending_uploads_are_found(
    own_jar: Path, tmp_path: Path, breaches: Breaches
) -> None:
    needs_minio()
    store = SparkStore("spark-s3a", Setup(tmp_path, lambda text: None), [own_jar])
    try:
        assert breaches(store, "magic", Write(SIX)) == set()
        assert breaches(store, "file-v1", Write(SIX)) == {(ids.STORE_RENAMES, options.COMMITS_BY_COPYING)}
        part = Write(SIX, partitioned=True, records=1, gate=Gate("fail", 2))
        assert (ids.ALL_OR_NOTHING, options.JOB_COMMIT_IN_STEPS) in breaches(store, "file-v1", part)
        assert (ids.UPLOADS, options.LEAVES_UPLOADS) in breaches(store, "Uploads", Write(SIX))
        shipped = shipped_commit_contract("spark-s3a-file-v1")
        assert breaches(store, "file-v1", Write(SIX), contract=shipped) == set()
        assert breaches(store, "file-v1", part, contract=shipped) == set()
    finally:
        store.close()


@pytest.mark.long
def test_the_command_judges_a_committer_of_ones_own_and_its_divergence_can_be_replayed(
    own_jar: Path, tmp_path: Path, fsconform: Any
) -> None:
    class_name = "seeded.SeededCommitter$Forgets"
    options_given = ("--store", "spark-file", "--committer", class_name, "--jars", own_jar, "--group", "modes")
    done = fsconform("run", *options_given, seconds=280)
    assert done.returncode == 1, done.stderr
    results = json.loads((tmp_path / "results" / "latest" / "results.json").read_text())
    (store,) = results["stores"]
    broken = [one for one in store["divergences"] if one["clause"] == ids.COMPLETE]
    assert broken and broken[0]["verdict"] == "violation" and broken[0]["confirmed"] == "3/3"
    page = (tmp_path / "results" / "latest" / "report" / "index.html").read_text()
    assert store["name"] in page
    replay = tmp_path / "results" / "latest" / broken[0]["replay"]
    assert FILES.read(replay).signature == broken[0]["signature"]
