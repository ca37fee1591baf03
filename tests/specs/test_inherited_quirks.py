"""A method of Hadoop's brings its known bugs where the store does not override it, and nowhere else."""

from __future__ import annotations

import pytest

from fsconform.adapters.stores.quirks import quirks_of
from fsconform.adapters.stores.quirks.hadoop import BY_METHOD, inherited

BASES = {
    "rename with options": "org.apache.hadoop.fs.FileSystem",
    "copyFromLocalFile": "org.apache.hadoop.fs.FileSystem",
    "readVectored": "org.apache.hadoop.fs.PositionedReadable",
}


@pytest.mark.parametrize("method", BY_METHOD)
def test_a_method_brings_its_quirks_where_hadoop_declares_it(method: str) -> None:
    names = inherited({method: BASES[method], "globStatus": "org.apache.hadoop.fs.FileSystem"})
    assert names == (f"hadoop:{method}",)
    assert quirks_of(names).all == BY_METHOD[method] != ()


@pytest.mark.parametrize("method", BY_METHOD)
def test_a_method_of_the_store_s_own_brings_none(method: str) -> None:
    assert inherited({method: "com.example.TheirFileSystem"}) == ()
    assert inherited({}) == ()
