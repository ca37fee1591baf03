"""DistCp under the recorder: what it asks of the local filesystem, judged."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from fsconform.adapters.jars import bundled_profile, class_path, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.recorder.building import JAR, XML

SECONDS = 250
RUNS: dict[str, tuple[str, ...]] = {
    "copy": (),
    "update": ("-update", "-delete"),
    "atomic": ("-atomic",),
}


@pytest.fixture(scope="module")
def distcp(fsconform: Callable[..., Result], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """DistCp with further arguments, in a JVM of its own, as `fsconform record` wrote it down."""
    out = tmp_path_factory.getbasetemp() / "distcp-record"
    done = fsconform("record", "--uri", "file:///tmp/x", "--out", out)
    assert done.exit_code == 0, done.output
    jars = [out / JAR, *resolve(bundled_profile("contract-tests-3.5.0"), ("distcp",)), *resolve(load_profile())]
    java = [find_java().executable, "-Xmx512m", f"-Dhadoop.tmp.dir={out / 'tmp'}", "-cp", class_path(jars)]

    def call(*arguments: str) -> None:
        command = [*java, "org.apache.hadoop.tools.DistCp", "-conf", out / XML, f"-Dhadoop.tmp.dir={out / 'tmp'}"]
        done = subprocess.run(
            [*map(str, command), "-m", "2", *arguments], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]

    return call


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", RUNS)
def test_distcp_shows_nothing(
    distcp: Callable[..., None],
    fsconform: Callable[..., Result],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
) -> None:
    """One that is there already is updated by a second run, which deletes what the source has no more."""
    calls = tmp_path_factory.getbasetemp() / "distcp-record" / "calls"
    for old in calls.glob("*"):
        old.unlink()
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "a" / "b").mkdir(parents=True)
    for number in range(5):
        (source / "a" / f"f{number}").write_bytes(bytes(range(256)) * 40 * number)
    (source / "a" / "b" / "x y").write_text("hi", "utf-8")
    if name == "update":
        (target / "a" / "old").mkdir(parents=True)
        (target / "a" / "f3").write_text("other", "utf-8")
    distcp(*RUNS[name], source.as_uri(), target.as_uri())
    copied = sorted(str(path.relative_to(source)) for path in source.rglob("*"))
    assert sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.suffix != ".crc") == copied
    found = tmp_path / "found.json"
    done = fsconform("recheck", "--format", "recording", calls, "--json", found)
    assert done.exit_code == 0, done.output
    (store,) = json.loads(found.read_text("utf-8"))["stores"].values()
    assert store["judged"] > 50
