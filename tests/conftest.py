"""What holds for all tests: how workers share them, which are left to the nightly job, and no deadlines."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from fsconform.engine.secrecy import KNOWN

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def nothing_is_secret_from_test_to_test() -> Iterator[None]:
    """The register of secrets is one a process: what a test makes a secret is none in the next."""
    yield
    KNOWN.forget()


ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "</style></title></pre></textarea><script>alert(2)</script>",
    "--><svg onload=alert(3)>]]>",
    "{{ 7 * 191 }}{% raw %}",
    "javascript:alert(4)",
    "../../../etc/passwd",
    "[bold]markup[/bold] [link=file:///x]",
    "&lt;b&gt;&#x202e;",
    "\u202etxt.exe\u2066\u200b\ufeff",
    "\x00\x07\x1b[2J\x1b]0;title\x07\x7f\x9b31m",
    "line\nline\r\u2028\ttab",
    "e\u0301\ud800\udfff\ufffe\U000e0041",
)


@pytest.fixture(scope="session")
def attacks() -> tuple[str, ...]:
    """What a hostile store would name its files."""
    return ATTACKS


LONG_FILES = (
    "tests/pipeline/test_campaign.py",
    "tests/pipeline/test_kills.py",
    "tests/pipeline/test_recheck.py",
    "tests/pipeline/test_depots.py",
    "tests/app/test_spark_writers.py",
    "tests/app/test_recheck_hdfs.py",
    "tests/app/test_pytest_sessions.py",
    "tests/app/test_faulty_streams.py",
    "tests/app/test_scheduling_throttled.py",
    "tests/adapters/test_hdfs_service.py",
    "tests/adapters/test_hadoop_losses.py",
    "tests/adapters/test_hadoop_store.py",
    "tests/adapters/test_posix_judged.py",
    "tests/quirks/test_shadows.py",
    "tests/suites/test_machines.py",
    "tests/suites/test_exploring.py",
    "tests/test_proving_ground.py",
    "tests/test_calibration.py",
    "tests/reports/test_axe.py",
    "tests/test_clause_proofs.py",
    "tests/engine/test_fields.py",
    "tests/engine/test_nonsense.py",
    "tests/specs/test_generated.py",
)
"""Files that take longer than others: they come first, so that no worker is left with one at the end."""

APART = (
    "tests/app/test_declared.py",
    "tests/app/test_infer_jar.py",
    "tests/app/test_own_store.py",
    "tests/app/test_pytest_stores.py",
    "tests/app/test_reproducers.py",
    "tests/app/test_run_folder.py",
    "tests/app/test_scheduling_command.py",
    "tests/app/test_surroundings.py",
    "tests/formal/test_commands.py",
    "tests/reports/test_page_size.py",
)
"""Files of which each test takes long and shares nothing with the others: these are dealt out one by one."""


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.partition("::")[0]


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a worker a file at a time, in order, so that what its tests share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = file_of(nodeid)
        return nodeid if file in APART else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """The scheduler of ``pytest -n``, whatever ``--dist`` says. pytest-xdist's own groups need an older pytest."""
    return ByFile(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Files stay in the order that is given here, and tests that interrupt can do so even where a shell began this."""
    config.option.loadscopereorder = False
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, then long tests; skip those marked ``long``, unless FSCONFORM_LONG=1 is set."""

    def turn(item: pytest.Item) -> int:
        file = file_of(item.nodeid)
        if file in LONG_FILES:
            return LONG_FILES.index(file)
        return len(LONG_FILES) + (file not in APART)

    items.sort(key=turn)
    if os.environ.get("FSCONFORM_LONG") != "1":
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: run by make nightly, or with FSCONFORM_LONG=1"))
