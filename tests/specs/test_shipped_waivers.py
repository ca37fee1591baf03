"""Shipped waivers: none for a store of the default job, whose bugs are quirks; elsewhere none for just any call."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import resources
from pathlib import Path

import pytest

from fsconform.engine.waivers import load
from fsconform.harness.versions import waivers_of
from fsconform.model.core.operation import OPERATIONS
from fsconform.model.datasets.operations import MODES
from fsconform.model.objects.operations import Request
from fsconform.specs.catalogue import catalogue
from fsconform.specs.layers import layer_clauses

FILES = sorted(Path(str(resources.files("fsconform.adapters.stores"))).glob("*/waivers*.toml"))

OF_FILESYSTEMS = ({"invariant", *OPERATIONS}, catalogue().keys())
OF_OBJECTS = ({one.__name__ for one in Request.__subclasses__()}, layer_clauses("s3").keys())
OF_DATASETS = ({"dynamic overwrite", *MODES, "two jobs at once", "feed", "stream"}, layer_clauses("spark").keys())


def known_to(store: str) -> tuple[set[str], Collection[str]]:
    """The operations, as signatures name them, and the clauses by which a store is judged."""
    return OF_OBJECTS if re.fullmatch("s3(_.*)?", store) else OF_DATASETS if "spark" in store else OF_FILESYSTEMS


def test_no_shipped_waiver_begins_with_a_star() -> None:
    assert FILES
    for file in FILES:
        for waiver in load(file):
            assert not any(one.startswith("*") for one in (waiver.signature, *waiver.others)), (file.name, waiver)


@pytest.mark.parametrize("file", FILES, ids=lambda one: f"{one.parent.name}-{one.stem}")
def test_a_shipped_waiver_names_operations_and_clauses(file: Path) -> None:
    operations, clauses = known_to(file.parent.name)
    for waiver in load(file):
        assert waiver.clauses and set(waiver.clauses) <= set(clauses), waiver
        for one in (waiver.signature, *waiver.others):
            begin = re.split(r" \(|\*|:| (?:lists|omits) ", one)[0].rstrip()
            assert any(name == begin or name.startswith(begin) for name in operations), one


@pytest.mark.parametrize("store", ["local", "file", "rawlocal", "hdfs", "s3a"])
def test_a_store_of_the_default_job_has_quirks_and_no_waivers(store: str) -> None:
    assert waivers_of(store, "") == ()
