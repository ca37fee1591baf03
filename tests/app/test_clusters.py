"""Two clusters behind one mount table, and a pair of NameNodes: what no program below one directory shows. By night."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.hdfs_pair import HdfsPair
from fsconform.adapters.services.hdfs_policies import DIRECTORY, PolicyHdfs
from fsconform.adapters.stores.starting import START_SECONDS
from fsconform.adapters.stores.viewfs import MOUNTS, mount_table

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
]

MOUNTED = ["far", "folder", "near"]

CLIENT = """
import json, sys
import jpype, jpype.imports
told = json.loads(sys.stdin.readline())
jpype.startJVM("-Xmx256m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", classpath=told["jars"])
from java.io import IOException
from org.apache.hadoop.conf import Configuration
from org.apache.hadoop.fs import FileSystem, FileUtil, Path
conf = Configuration()
for name, value in told["configuration"].items():
    conf.set(name, value)
fs = FileSystem.newInstance(Path(told["uri"]).toUri(), conf)
# HDFS's own rename with options would be taken for that of two paths.
fs = jpype.JObject(fs, FileSystem)
def put(path, text):
    stream = fs.create(Path(path), True)
    stream.write(jpype.JArray(jpype.JByte)(text.encode()))
    stream.close()
def get(path):
    stream = fs.open(Path(path))
    try:
        return bytes(stream.readAllBytes()).decode()
    finally:
        stream.close()
def names(path):
    return sorted(str(one.getPath().getName()) for one in fs.listStatus(Path(path)))
print("ready", flush=True)
for line in sys.stdin:
    try:
        value = eval(line)
        value = bool(value) if isinstance(value, jpype.JBoolean) else value
    except jpype.JException as error:
        value = "raised " + str(error.getClass().getSimpleName())
    print(json.dumps(value if isinstance(value, (str, bool, int, list, type(None))) else str(value)), flush=True)
"""


class Client:
    """A FileSystem in a JVM of its own, asked by lines of Python."""

    def __init__(self, uri: str, configuration: Mapping[str, str]) -> None:
        """Open it."""
        jars = [str(jar) for jar in resolve(load_profile(), ("client",))]
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLIENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._say(json.dumps({"jars": jars, "configuration": dict(configuration), "uri": uri}))
        assert self._hear() == "ready"

    def __call__(self, line: str) -> Any:
        """What an expression gives; ``raised NAME`` where Java raises."""
        self._say(line)
        return json.loads(self._hear())

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(30)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture(scope="module")
def minicluster() -> list[Path]:
    """The jars of the daemons."""
    return resolve(load_profile(), ("minicluster",))


@pytest.fixture(scope="module")
def mounted(minicluster: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of two clusters and a folder, with ``/near`` on one of them and ``/far`` on the other."""
    home = tmp_path_factory.mktemp("mounts")
    (home / "folder").mkdir()
    near, far = (HdfsService(home / name, minicluster, start_timeout=START_SECONDS) for name in ("near", "far"))
    with near, far:
        client = Client(f"viewfs://{MOUNTS}/", mount_table(near, far, home / "folder"))
        yield client
        client.close()


def test_the_mount_table_is_one_tree(mounted: Client) -> None:
    assert mounted("fs.mkdirs(Path('/near/d')), fs.mkdirs(Path('/far/d'))")
    assert mounted("names('/')") == MOUNTED
    assert mounted("put('/near/d/f', 'one'), put('/far/d/f', 'two'), put('/folder/d/f', 'three')")
    assert [mounted(f"get('/{name}/d/f')") for name in ("near", "far", "folder")] == ["one", "two", "three"]


@pytest.mark.parametrize("other", ["far", "folder"])
def test_a_rename_across_mounts_is_refused_and_changes_nothing(mounted: Client, other: str) -> None:
    mounted("put('/near/a', 'one'), fs.mkdirs(Path('/far'))")
    assert mounted(f"fs.rename(Path('/near/a'), Path('/{other}/a'))") == "raised IOException"
    assert (mounted("get('/near/a')"), mounted(f"fs.exists(Path('/{other}/a'))")) == ("one", False)
    assert mounted(f"fs.rename(Path('/near/a'), Path('/near/from-{other}'))") is True


@pytest.mark.parametrize("other", ["far", "folder"])
def test_a_copy_across_mounts_keeps_the_bytes(mounted: Client, other: str) -> None:
    mounted("put('/near/c', 'three'), fs.mkdirs(Path('/far'))")
    assert mounted(f"FileUtil.copy(fs, Path('/near/c'), fs, Path('/{other}/c'), False, conf)") is True
    assert (mounted(f"get('/{other}/c')"), mounted("get('/near/c')")) == ("three", "three")


@pytest.mark.parametrize(
    "line",
    [
        "fs.mkdirs(Path('/new'))",
        "put('/new', '')",
        "fs.delete(Path('/near'), True)",
        "fs.rename(Path('/near'), Path('/elsewhere'))",
        "fs.setPermission(Path('/'), fs.getFileStatus(Path('/')).getPermission())",
    ],
)
def test_what_lies_above_the_mounts_is_read_only(mounted: Client, line: str) -> None:
    mounted("fs.mkdirs(Path('/near'))")
    # create asks for the block size first, which is refused by an UnsupportedOperationException.
    read_only = ("raised AccessControlException", "raised IOException")
    assert mounted(line) in (("raised NotInMountpointException",) if "put" in line else read_only)
    assert mounted("names('/')") == MOUNTED


@pytest.fixture(scope="module")
def zoned(minicluster: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a cluster in which ``/kept`` is an encryption zone."""
    service = PolicyHdfs("encrypted", tmp_path_factory.mktemp("zone") / "hdfs", minicluster)
    service.start()
    client = Client(service.uri.removesuffix(DIRECTORY) + "/", service.client_configuration())
    yield client
    client.close()
    service.stop()


@pytest.mark.parametrize(("source", "target"), [("/kept", "/plain"), ("/plain", "/kept")])
def test_a_rename_across_the_border_of_a_zone_is_refused_and_changes_nothing(
    zoned: Client, source: str, target: str
) -> None:
    zoned(f"fs.mkdirs(Path('/plain')), put('{source}/a', 'one'), fs.delete(Path('{target}/a'), True)")
    assert zoned(f"fs.rename(Path('{source}/a'), Path('{target}/a'))") == "raised RemoteException"
    assert (zoned(f"get('{source}/a')"), zoned(f"fs.exists(Path('{target}/a'))")) == ("one", False)
    assert zoned(f"fs.rename(Path('{source}/a'), Path('{source}/b'))") is True
    assert zoned(f"get('{source}/b')") == "one"
    assert zoned("fs.getFileStatus(Path('/kept')).isEncrypted()") is True
    assert zoned(f"fs.getFileStatus(Path('{source}/b')).isEncrypted()") is (source == "/kept")


def test_the_pair_keeps_files_and_open_streams_when_the_other_takes_over(
    minicluster: list[Path], tmp_path: Path
) -> None:
    pair = HdfsPair(tmp_path / "pair", minicluster, start_timeout=START_SECONDS)
    pair.start()
    try:
        client = Client(f"{pair.uri}/", pair.client_configuration())
        client("put('/a', 'one')")
        client("globals().update(stream=fs.create(Path('/b'), False))")
        client("stream.write(jpype.JArray(jpype.JByte)(b'tw')), stream.hflush()")
        assert (pair.active, pair.alive()) == ("one", True)
        pair.fail_over()
        assert pair.active == "two"
        assert client("get('/a')") == "one"
        assert client("fs.rename(Path('/a'), Path('/c'))") is True
        client("stream.write(jpype.JArray(jpype.JByte)(b'o')), stream.close()")
        assert client("get('/b')") == "two"
        pair.fail_over()
        assert client("names('/')") == ["b", "c"]
        client.close()
    finally:
        pair.stop()
    assert not (tmp_path / "pair").exists()


def test_the_pair_takes_turns_while_a_client_works(minicluster: list[Path], tmp_path: Path) -> None:
    """Without any pause between the turns: whatever the moment, no rename is lost or done twice."""
    pair = HdfsPair(tmp_path / "pair", minicluster, turn=0.5, start_timeout=START_SECONDS)
    pair.start()
    try:
        client = Client(f"{pair.uri}/", pair.client_configuration())
        client("put('/f0', 'x')")
        number, enough = 0, threading.Event()
        threading.Timer(20, enough.set).start()
        while not enough.is_set():
            assert client(f"fs.rename(Path('/f{number}'), Path('/f{number + 1}'))") is True, (number, pair.active)
            number += 1
        assert client("names('/')") == [f"f{number}"]
        assert pair.failovers >= 3
        client.close()
    finally:
        pair.stop()
