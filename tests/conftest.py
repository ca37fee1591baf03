"""What holds for all tests: how workers share them, which are left to the nightly job, and no deadlines."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

APART = (
    "tests/app/test_declared.py",
    "tests/app/test_infer_jar.py",
    "tests/app/test_own_store.py",
    "tests/app/test_pytest_stores.py",
    "tests/app/test_run_folder.py",
    "tests/app/test_scheduling_command.py",
    "tests/app/test_surroundings.py",
    "tests/formal/test_commands.py",
    "tests/reports/test_page_size.py",
)
"""Files of which each test takes long and shares nothing with the others."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a worker a file at a time, so that what its tests share is made once; the tests of some files, one by one.

    Files of many tests come first and single tests last, so that the workers end at about the same time.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file in APART else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """The scheduler of ``pytest -n``, whatever ``--dist`` says. pytest-xdist's own groups need an older pytest."""
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``long`` are skipped, and counted as such, unless FSCONFORM_LONG=1 stands in the environment."""
    if os.environ.get("FSCONFORM_LONG") != "1":
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: run by make nightly, or with FSCONFORM_LONG=1"))
