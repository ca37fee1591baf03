"""Hadoop's local filesystems on a volume that loses its power: what each way to end a write leaves. Facts, not demands.

On ``rawlocal`` hsync syncs the file, and nothing else syncs anything; on ``file``, the same with checksums, nothing
does, hsync neither. No call of either syncs a directory, so that by POSIX alone no new file ever survives.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.java import Java, NoJava, find_java
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.volume import Volume

WRITING = """
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/** Writes a file, makes some calls, and is gone without an end, as on a machine that loses its power. */
public class Writing {
  public static void main(String[] given) throws Exception {
    FileSystem local = FileSystem.newInstance(URI.create("file:///"), new Configuration());
    FileSystem fs = given[0].equals("rawlocal") ? ((LocalFileSystem) local).getRaw() : local;
    Path path = new Path(given[1], "file");
    FSDataOutputStream out = fs.create(path);
    out.write(new byte[10000]);
    for (String call : given[2].split(" ")) {
      switch (call) {
        case "hflush" -> out.hflush();
        case "hsync" -> out.hsync();
        case "close" -> out.close();
        case "rename" -> fs.rename(path, new Path(given[1], "renamed"));
        default -> throw new IllegalArgumentException(call);
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
"""
WAYS = ("hflush", "hsync", "close", "hsync close", "close rename", "hsync close rename")


@pytest.fixture(scope="module")
def java() -> Java:
    try:
        return find_java()
    except NoJava as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def classpath(java: Java, tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = java.home / "bin" / "javac"
    javac = str(compiler) if compiler.is_file() else shutil.which("javac")
    if javac is None:
        pytest.skip("there is no javac")
    home = tmp_path_factory.mktemp("writing")
    (home / "Writing.java").write_text(WRITING, "utf-8")
    jars = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    command = [javac, "-nowarn", "-cp", jars, "-d", str(home), str(home / "Writing.java")]
    subprocess.run(command, check=True, timeout=200)
    return f"{home}{os.pathsep}{jars}"


def written(volume: Volume, java: Java, classpath: str, store: str, calls: str) -> tuple[dict[str, int], int]:
    """The files with their sizes that a loss of power leaves after some calls, and how often anything was synced."""
    place = volume.place / calls.replace(" ", "-")
    place.mkdir()
    volume.sync()
    before = volume.statistics()
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classpath]
    command = [str(java.executable), *options, "Writing", store, str(place), calls]
    subprocess.run(command, check=True, timeout=250, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = volume.statistics()
    volume.drop_all()
    syncs = after.fsync + after.fdatasync + after.fsyncdir + after.synced_writes
    syncs -= before.fsync + before.fdatasync + before.fsyncdir + before.synced_writes
    return {one.name: one.stat().st_size for one in place.iterdir()}, syncs


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("discipline", list(Discipline))
@pytest.mark.parametrize("store", ["rawlocal", "file"])
def test_what_local_stores_leave(
    mounted: Callable[..., Volume], java: Java, classpath: str, store: str, discipline: Discipline
) -> None:
    volume = mounted(discipline)
    found = {calls: written(volume, java, classpath, store, calls) for calls in WAYS}
    for calls, (left, syncs) in found.items():
        synced = store == "rawlocal" and "hsync" in calls
        assert syncs == synced, f"{calls}: {syncs}"
        # The rename comes after the sync, and is lost with all that no later sync keeps.
        assert left == ({"file": 10000} if synced and discipline is Discipline.ORDERED else {}), calls
