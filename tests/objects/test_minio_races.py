"""Races on MinIO itself: two clients meet, and only what is known of conditional writes with versions is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import lacks_minio
from fsconform.engine.histories.exploration import Plan
from fsconform.harness.layer_plans import plan_objects
from fsconform.harness.layer_stores import bring_up_objects
from fsconform.harness.object_races import exploration
from fsconform.model.objects import operations as ops
from fsconform.suites.s3_races import planned

pytestmark = pytest.mark.timeout(1800)  # the first test of a new machine builds MinIO


def test_requests_at_once_overlap_and_are_judged(tmp_path: Path) -> None:
    for lacking in lacks_minio():
        pytest.skip(lacking)
    (target,) = plan_objects(("s3",), (), None, (), (), "").targets
    store = bring_up_objects("s3", Setup(tmp_path, print))
    try:
        found = exploration(store, target.contract, Plan(planned(0, 40)), lambda doing: None)
        found.run()
    finally:
        store.close()
    assert found.matrix.programs == 40 and found.matrix.overlaps > 20
    for one in found.proven:
        assert ops.needs_bucket(one.program) and "if-match" in one.finding.signature
