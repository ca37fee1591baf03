"""MinIO itself: its oddities are found from the clauses of listings, and only shipped waivers let them pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.stores.layers import Up
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import lacks_minio
from fsconform.engine.exploration import Outcome
from fsconform.engine.layers import Place, met
from fsconform.engine.objects.subject import OBJECTS, Collected
from fsconform.engine.protocol import StoreLost
from fsconform.harness.layer_plans import plan_objects as plan
from fsconform.harness.layer_stores import bring_up_objects as bring_up
from fsconform.model.core import content as contents
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.contract import STRICT
from fsconform.records.results import StoreRecord
from fsconform.suites.s3_objects import S3_OBJECTS

pytestmark = pytest.mark.timeout(1800)  # the first test of a new machine builds MinIO


def put(key: str) -> ops.PutObject:
    return ops.PutObject(key, contents.of(1, 3))


@pytest.fixture(scope="module")
def old_minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    for lacking in lacks_minio():
        pytest.skip(lacking)
    store = bring_up("s3-minio-2021", Setup(tmp_path_factory.mktemp("logs"), print))
    yield store
    store.close()


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    for lacking in lacks_minio():
        pytest.skip(lacking)
    store = bring_up("s3", Setup(tmp_path_factory.mktemp("logs"), print))
    yield store
    store.close()


def judged(store: Up, program: ops.Program, contract: Path | None, name: str = "s3") -> StoreRecord:
    """The record of one program, with the waivers that come with the contract."""
    (target,) = plan((name,), (), contract, (), (), "").targets
    tried = OBJECTS.attempt(store.session, program, target.contract)
    outcome: Outcome[Collected] = Outcome(Collected())
    outcome.collected.take(tried)
    proven = [
        OBJECTS.prove(store.session, met(one, tried), target.contract)
        for one in tried.judgement.findings
        if one.failing
    ]
    place = Place(name, store.uri, "MinIO", target.contract)
    return OBJECTS.record(place, outcome, proven, target.waivers, "", complete=False)


ODDITIES = {
    "nothing is listed below an object": (
        (put("file_1"), put("file_1/file_2/x"), put("z"), ops.ListObjectsV2("file_1/file_2")),
        ids.LIST_PREFIX,
        ["PutObject('a')", "PutObject('a/b')", "ListObjectsV2(prefix='a')"],
    ),
    "pages end at a directory object with keys below it": (
        (put("dir/"), put("dir/x"), put("y"), ops.ListObjectsV2("", "/", 1)),
        ids.LIST_PAGES,
        ["PutObject('a/')", "PutObject('a/b')", "PutObject('c')", "ListObjectsV2(delimiter='/', max_keys=1)"],
    ),
}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_an_oddity_is_found_from_its_clause_and_passes_by_its_waiver_alone(minio: Up, oddity: str) -> None:
    program, clause, smallest = ODDITIES[oddity]
    strict = judged(minio, program, Path("strict"))
    (found,) = strict.divergences
    assert (found.verdict, found.confirmed, found.clause) == ("violation", "3/3", clause)
    assert [step.call for step in found.sequence] == smallest
    shipped = judged(minio, program, None)
    assert [one.verdict for one in shipped.divergences] == ["waived"]


MARKER = "ListObjectsV2 (ends in a slash; prefix) omits a key"


def test_the_suite_asks_for_an_empty_directory_marker_by_its_own_prefix(minio: Up) -> None:
    program = next(one for one in sets_of_keys() if one[0] == ops.PutObject("a/", contents.of(1, 0)))
    assert ops.ListObjectsV2("a/") in program and ops.ListObjectsV2("a/", "/") in program
    assert OBJECTS.attempt(minio.session, program, STRICT).judgement.findings == [], "MinIO of today lists it"


def sets_of_keys() -> Iterator[ops.Program]:
    return next(group for group in S3_OBJECTS.groups if group.name == "sets of keys").programs(0)


@pytest.mark.long
def test_the_suite_finds_that_old_minio_omits_a_directory_marker_from_its_own_listing(old_minio: Up) -> None:
    found: set[str] = set()
    for program in sets_of_keys():
        found |= {one.signature for one in OBJECTS.attempt(old_minio.session, program, STRICT).judgement.findings}
    assert MARKER in found, sorted(found)
    program = (ops.PutObject("dir/"), ops.ListObjectsV2("dir/"))
    (strict,) = judged(old_minio, program, Path("strict"), "s3-minio-2021").divergences
    assert (strict.signature, strict.verdict, strict.confirmed) == (MARKER, "violation", "3/3")
    assert strict.clause == ids.LIST_PREFIX
    assert [step.call for step in strict.sequence] == ["PutObject('a/')", "ListObjectsV2(prefix='a/')"]
    shipped = judged(old_minio, program, None, "s3-minio-2021")
    assert [one.verdict for one in shipped.divergences] == ["waived"]


def test_what_minio_answers_as_documented_is_no_divergence(minio: Up) -> None:
    part = ops.UploadPart(1, 1, contents.of(2, 7))
    program = (
        *(put("a"), ops.GetObject("a", "bytes=1-1"), ops.PutObject("a", contents.of(2, 5), "", ops.ANY)),
        *(ops.CopyObject("a", "b"), ops.HeadObject("b"), ops.ListObjectsV2("", "/", 1)),
        *(ops.CreateMultipartUpload("c"), part, ops.CompleteMultipartUpload(1, ("1",)), ops.GetObject("c")),
        *(ops.DeleteObjects(("a", "b", "none")), ops.GetObject("a"), ops.ListObjectsV2()),
    )
    tried = OBJECTS.attempt(minio.session, program, STRICT)
    assert tried.judgement.findings == [] and tried.judgement.operations == len(program)


def test_a_store_of_ones_own_is_judged_below_its_prefix_with_credentials_of_the_environment(
    minio: Up, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MinioService(tmp_path / "own") as service:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", service.access_key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", service.secret_key)
        client = service.client()
        client.put_object(Bucket=service.bucket, Key="given/other", Body=b"not ours")
        conf = (f"endpoint={service.endpoint}",)
        uri = f"s3://{service.bucket}/given"
        (target,) = plan(("s3",), (), None, (), (), "", uri, conf, "mine").targets
        assert (target.name, target.contract) == ("mine", STRICT)
        store = target.bring_up(Setup(tmp_path, print))
        program = (put("a"), put("b/c"), ops.ListObjectsV2("", "/"), ops.CreateMultipartUpload("d"))
        tried = OBJECTS.attempt(store.session, program, target.contract)
        store.close()
        assert tried.judgement.findings == [] and tried.judgement.operations == len(program)
        left = [row["Key"] for row in client.list_objects_v2(Bucket=service.bucket)["Contents"]]
        assert left == ["given/other"]
        assert not client.list_multipart_uploads(Bucket=service.bucket).get("Uploads")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
        with pytest.raises(StoreLost, match="could not be listed"):
            target.bring_up(Setup(tmp_path, print))


def test_a_delete_does_not_look_at_if_match_and_the_contract_says_so(minio: Up) -> None:
    program = (put("a"), ops.DeleteObject("a", 0, ops.OTHER))
    (found,) = judged(minio, program, Path("strict")).divergences
    assert (found.verdict, found.clause) == ("undeclared", ids.DELETE_MATCH)
    shipped = OBJECTS.attempt(minio.session, program, plan(("s3",), (), None, (), (), "").targets[0].contract)
    assert [one.verdict for one in shipped.judgement.findings] == ["declared"]
