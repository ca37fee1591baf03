"""What holds for all tests of the project: which are left to the nightly job, and that time is no property tested."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``long`` are skipped, and counted as such, unless FSCONFORM_LONG=1 stands in the environment."""
    if os.environ.get("FSCONFORM_LONG") != "1":
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: run by make nightly, or with FSCONFORM_LONG=1"))
