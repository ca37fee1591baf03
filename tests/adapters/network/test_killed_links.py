"""What is left of links whose maker is killed: no process, and a folder that the next run names and `clean` removes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.harness import leftovers

pytestmark = pytest.mark.timeout(1800)  # the first test of a new machine builds Toxiproxy and installs mitmproxy

MAKER = """
import sys
from fsconform.adapters import temporary
from fsconform.adapters.network.links import Endpoint, Links
from fsconform.adapters.network.requests import Bytes

work = temporary.folder("links")
links = Links(work, [Endpoint("bytes", "127.0.0.1", 1, Bytes), Endpoint("pages", "127.0.0.1", 1)], lambda text: None)
print(work, flush=True)
sys.stdin.read()
"""


def processes_of(work: Path) -> dict[int, str]:
    """The processes that work in a folder, or are given it: the proxies, and the guards that started them."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                if str(work) in words or work in (entry / "cwd").readlink().parents:
                    found[int(entry.name)] = words
            except OSError:  # another user's, or gone
                continue
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files, of this process and of those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path


@pytest.mark.parametrize("guards_too", [False, True], ids=["the run", "the run and what watches over proxies"])
def test_links_whose_maker_is_killed_leave_no_process(place: Path, guards_too: bool) -> None:
    maker = subprocess.Popen([sys.executable, "-c", MAKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert maker.stdout is not None
        work = Path(maker.stdout.readline().strip())
        there = processes_of(work)
        assert work.parent == place and any("toxiproxy" in words for words in there.values())
        assert any("mitmproxy" in words for words in there.values()), there
        assert work not in leftovers.left().folders
        maker.kill()
        for number, words in there.items():
            if guards_too and "guard.py" in words:
                os.kill(number, signal.SIGKILL)
    finally:
        maker.kill()
        maker.communicate()
    while processes_of(work):
        time.sleep(0.05)
    assert not work.exists() or work in leftovers.left().folders
    removed, problems = leftovers.remove()
    assert not [one for one in problems if str(work) in one] and not work.exists()
    assert guards_too <= (str(work) in removed)
