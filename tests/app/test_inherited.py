"""What a store of a user's own inherits from Hadoop is reported as such, and counted only where that is asked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.records.codec import loads
from fsconform.records.results import Divergence

Command = Callable[..., subprocess.CompletedProcess[str]]
QUIRK = "hadoop/overwriting-rename-to-itself-deletes"


def _found(fsconform: Command, folder: Path, *options: str) -> list[Divergence]:
    """What the witnesses of rename with options show of Hadoop's raw local file system as a store of one's own."""
    own = ("--uri", f"file://{folder}/sandbox", "--conf", "fs.file.impl=org.apache.hadoop.fs.RawLocalFileSystem")
    narrow = ("--op", "rename with options", "--explorer", "witnesses", "--out", str(folder / "out"))
    ran = fsconform("run", *own, *narrow, *options)
    assert ran.returncode in (0, 1), ran.stderr
    (store,) = loads(folder / "out" / "latest" / "results.json").stores
    return store.divergences


@pytest.mark.parametrize("counted", [False, True])
def test_a_bug_of_the_base_class_is_counted_only_where_that_is_asked(
    fsconform: Command, tmp_path: Path, counted: bool
) -> None:
    found = _found(fsconform, tmp_path, *(["--count-inherited"] if counted else []))
    known = [one for one in found if one.quirk == QUIRK]
    itself = [one for one in found if one.verdict == "violation" and "to itself" in one.signature]
    assert bool(known) is not counted
    assert bool(itself) is counted
    assert all(one.verdict == "waived" for one in known)
