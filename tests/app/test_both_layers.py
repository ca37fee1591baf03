"""S3A on MinIO, both layers side by side: a divergence that the store below explains, and one that is S3A's alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import lacks_minio
from fsconform.app.main import main
from fsconform.engine.judge import Judge
from fsconform.engine.trial import Bench
from fsconform.harness.both_layers import Beneath, beneath_of, has_one, looked
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.harness.problems import USAGE
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, decode_program

# The first test of a new machine builds MinIO.
pytestmark = pytest.mark.timeout(1800)

# A file comes to stand beside a directory of its name, and MinIO lists nothing below it.
BESIDE = decode_program(
    [
        {"op": "create", "path": "/x/d/f", "content": [], "overwrite": False},
        {"op": "create", "path": "/d", "content": [[1, 3, 0]], "overwrite": False},
        {"op": "rename", "src": "/d", "dst": "/x"},
        {"op": "listStatus", "path": "/x/d"},
    ]
)

# S3A copies a file that is renamed into its own directory onto itself, and then deletes it.
ITSELF = decode_program(
    [
        {"op": "create", "path": "/a", "content": [[1, 3, 0]], "overwrite": False},
        {"op": "rename", "src": "/a", "dst": "/"},
        {"op": "getFileStatus", "path": "/a"},
    ]
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, Beneath, Any]]:
    """A session on S3A, and the store below it."""
    for lacking in lacks_minio():
        pytest.skip(lacking)
    store = build_preset(PRESETS["s3a"], Setup(tmp_path_factory.mktemp("logs"), print))
    session = store.session()
    below = beneath_of(store)
    # What S3A is known for is looked at here as what it is: by the contract alone, without quirks.
    yield Bench(session, Judge(Oracle(replace(load_shipped("s3a"), quirks=None)))), below, store
    below.close()
    session.close()
    store.close()


def first_violation(bench: Bench, program: Program) -> Any:
    (trial,) = bench.try_all([program])
    return next(one for one in trial.judgement.findings if one.verdict == "violation")


def test_which_layer_departs_is_told(place: tuple[Bench, Beneath, Any]) -> None:
    bench, below, store = place
    assert has_one(store)
    beside = looked(bench, below, BESIDE, first_violation(bench, BESIDE))
    assert beside.shown and [one.changed for one in beside.steps] == [
        ["+ x/d/f"],
        ["+ d"],
        ["+ x/d", "- d"],
        [],
    ]
    assert beside.steps[-1].objects == ["x/d, 3 bytes", "x/d/f, 0 bytes"]
    assert beside.verdict == "departs"
    # Once in what S3A left, once in the same changes by boto3: from the step that put the file there.
    told = {(one.layer, one.step, one.clause) for one in beside.breaches}
    assert {("left", 3, "ListObjectsV2.all-keys"), ("requests", 3, "ListObjectsV2.all-keys")} <= told
    assert min(one.step for one in beside.breaches) == 3

    alone = looked(bench, below, ITSELF, first_violation(bench, ITSELF))
    assert alone.shown and [one.changed for one in alone.steps] == [["+ a"], ["- a"], []]
    assert (alone.verdict, alone.breaches, alone.note) == ("kept", [], "")
    assert alone.judged > 10


def test_nothing_is_left_in_the_bucket_and_a_store_that_is_not_there_is_not_known(
    place: tuple[Bench, Beneath, Any],
) -> None:
    bench, below, _ = place
    before = below.window.look("sandbox/", (), ()).held()
    looked(bench, below, ITSELF, None)
    left = set(below.window.look("sandbox/", (), ()).held()) - set(before)
    assert not [key for key in left if "-below/" in key]

    class Gone:
        def __getattr__(self, name: str) -> Any:
            raise ConnectionError("no answer")

    lost = Beneath("nowhere", type(below.window)(Gone(), ValueError, "none"), below.session)
    found = looked(bench, lost, ITSELF, None)
    assert (found.verdict, found.note) == ("not known", "ConnectionError: no answer")


def test_below_is_for_s3a_alone(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(
        '{"fsconform-replay": 1, "signature": "x", "verdict": "violation", "store": "proving", "contract": {},'
        ' "program": [{"op": "mkdirs", "path": "/a"}]}'
    )
    for arguments, told in (
        (["replay", str(file), "--below"], "--below needs S3A"),
        (["run", "--store", "s3-proving", "--below"], "--below is not for object stores"),
    ):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == USAGE and told in done.stderr
