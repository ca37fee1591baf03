"""What is left of signature waivers for the local stores: what quirks do not model yet, and each of one operation."""

from __future__ import annotations

import pytest

from fsconform.app.hadoop_versions import waivers_of


@pytest.mark.parametrize("store", ["rawlocal", "file", "local"])
def test_no_waiver_of_a_local_store_begins_with_a_star_or_asks_for_names(store: str) -> None:
    for waiver in waivers_of(store, ""):
        assert not waiver.signature.startswith("*")
        assert not waiver.names
