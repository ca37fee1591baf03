"""Shipped waivers: none for a store of the default job, whose bugs are quirks; elsewhere none for just any call."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from fsconform.engine.waivers import load
from fsconform.harness.versions import waivers_of
from fsconform.model.core.operation import OPERATIONS
from fsconform.specs.catalogue import catalogue

FILES = sorted(Path(str(resources.files("fsconform.adapters.stores"))).glob("*/waivers*.toml"))

OTHER_MODELS = re.compile("(s3|spark)(_.*)?")
"""Folders of stores whose operations are not those of FileSystem."""


def test_no_shipped_waiver_begins_with_a_star() -> None:
    assert FILES
    for file in FILES:
        for waiver in load(file):
            assert not any(one.startswith("*") for one in (waiver.signature, *waiver.others)), (file.name, waiver)


@pytest.mark.parametrize(
    "file",
    [one for one in FILES if not OTHER_MODELS.fullmatch(one.parent.name)],
    ids=lambda one: f"{one.parent.name}-{one.stem}",
)
def test_a_shipped_waiver_names_operations_and_clauses(file: Path) -> None:
    operations = {"invariant", *OPERATIONS}
    clauses = catalogue().keys()
    for waiver in load(file):
        assert waiver.clauses and set(waiver.clauses) <= clauses, waiver
        for one in (waiver.signature, *waiver.others):
            begin = one.partition(" (")[0].partition("*")[0].rstrip()
            assert any(name == begin or name.startswith(begin) for name in operations), one


@pytest.mark.parametrize("store", ["local", "file", "rawlocal", "hdfs", "s3a"])
def test_a_store_of_the_default_job_has_quirks_and_no_waivers(store: str) -> None:
    assert waivers_of(store, "") == ()
