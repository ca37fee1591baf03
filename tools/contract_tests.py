"""Hadoop's own contract tests of a store, recorded, and judged by the model: where they disagree, one of both is wrong.

``python tools/contract_tests.py rawlocal`` runs them in a JVM as they are in the jars of the release, with the contract
XML that is beside them, and with the recorder between the tests and the store. Then the recording is judged by the
contract that is shipped here. Printed are the calls that are flagged, by the test that made them, and the tests that
failed; ``--json`` has the same. Exit codes: 0 no call is flagged and no test failed, 1 otherwise, 3 nothing ran.

``rawlocal`` and ``file`` are folders below ``--out``; ``hdfs`` is the cluster in one process that the tests bring up;
for ``s3a`` a MinIO is started.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from lxml import etree

from fsconform.adapters.jars import bundled_profile, class_path, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.patience import patient
from fsconform.adapters.recorder.building import DIRECTORY, IMPLEMENTATIONS, JAR, PACKAGE, build
from fsconform.adapters.spark.helper import compiler
from fsconform.adapters.stores.preset import presets
from fsconform.adapters.stores.site import Setup
from fsconform.engine.recordings.judge import Tally
from fsconform.harness.recordings import Rechecked, recheck
from fsconform.records.recording import read

JAVA = Path(__file__).with_name("java")
TESTS = "contract-tests-3.5.0"
SITE = "hdfs-site.xml"
"""Beside the contracts, what the tests of HDFS set of their cluster: the size of the smallest block."""
SECONDS = 3000.0
"""How long the tests of a store may take, on a machine that is not busy."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store of Hadoop's that has contract tests, in ``package``.

    ``property`` is set to ``recorder``, a class, to put it in place. Of a store without ``classes``, a jar, the tests
    are compiled from their sources. ``left_out`` says of tests by the end of their names why they are not run.
    """

    package: str
    implementation: str
    property: str
    recorder: str
    group: str
    classes: str = ""
    left_out: tuple[tuple[str, str], ...] = ()


RAW = "org.apache.hadoop.fs.RawLocalFileSystem"
STORES: Mapping[str, Store] = {
    "rawlocal": Store(
        *("org/apache/hadoop/fs/contract/rawlocal", RAW, "fs.file.impl", "org.fsconform.contracts.RawBelow"),
        *("client", "hadoop-common"),
    ),
    "file": Store(
        "org/apache/hadoop/fs/contract/localfs",
        IMPLEMENTATIONS["file"],
        *("fs.file.impl", f"{PACKAGE}.RecordedLocalFileSystem", "client", "hadoop-common"),
    ),
    "hdfs": Store(
        "org/apache/hadoop/fs/contract/hdfs",
        IMPLEMENTATIONS["hdfs"],
        *("fs.hdfs.impl", f"{PACKAGE}.RecordedDistributedFileSystem", "minicluster", "hadoop-hdfs"),
    ),
    "s3a": Store(
        "org/apache/hadoop/fs/contract/s3a",
        IMPLEMENTATIONS["s3a"],
        *("fs.s3a.impl", f"{PACKAGE}.RecordedS3AFileSystem", "s3a"),
        left_out=(("DistCp", "needs jars of MapReduce and DistCp"),),
    ),
}


@dataclass(frozen=True, slots=True)
class Test:
    """A test that ran: begin and end by the clock of the recording, ``status`` as JUnit has it."""

    begin: int
    end: int
    status: str
    name: str
    said: str


def _jar(jars: Sequence[Path], start: str) -> Path:
    return next(jar for jar in jars if jar.name.startswith(start))


def test_classes(names: Sequence[str], store: Store) -> list[str]:
    """The classes of tests of a store among the names in a jar, as Java calls them."""
    found = []
    for name in sorted(names):
        folder, _, file = name.rpartition("/")
        stem = file.partition(".")[0]
        is_test = folder == store.package and "$" not in stem and stem.startswith(("Test", "ITest"))
        if is_test and not any(stem.endswith(end) for end, _ in store.left_out):
            found.append(f"{folder}/{stem}".replace("/", "."))
    return found


def _compile(sources: Sequence[Path], classes: Path, jars: Sequence[Path], roots: Path | None = None) -> None:
    javac = compiler()
    if javac is None:
        raise SystemExit("there is no Java compiler: install a JDK, or set JAVA_HOME to one")
    below = ["-sourcepath", str(roots)] if roots else []
    command = [javac, "-nowarn", "-Xlint:none", "-proc:none", "-encoding", "UTF-8", "-d", str(classes), *below]
    done = subprocess.run(
        [*map(str, command), "-cp", class_path(jars), *map(str, sources)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-6000:])


def _configuration(properties: Mapping[str, str]) -> bytes:
    root = etree.Element("configuration")
    for name, value in properties.items():
        entry = etree.SubElement(root, "property")
        etree.SubElement(entry, "name").text = name
        etree.SubElement(entry, "value").text = value
    written: bytes = etree.tostring(root, pretty_print=True)
    return written


@contextmanager
def _connection(name: str, folder: Path) -> Iterator[dict[str, str]]:
    """What the tests are told of a store that is brought up for them: nothing of one that they bring up themselves."""
    if name != "s3a":
        yield {}
        return
    preset = presets()[name]
    site = preset.bring_up(preset, Setup(folder, print))
    try:
        connection = site.connection
        bucket = connection.uri.rpartition("/")[0]
        named = {"test.fs.s3a.name": bucket, "fs.contract.test.fs.s3a": bucket}
        yield dict(connection.configuration) | named
    finally:
        site.close()


def run(name: str, out: Path, only: Sequence[str], plain: bool) -> tuple[list[Test], Rechecked]:
    """Run the tests of a store, record and judge them; ``plain`` ones are not recorded, and nothing is judged."""
    store = STORES[name]
    shutil.rmtree(out, ignore_errors=True)
    resources, classes, calls = out / "resources", out / "classes", out / "calls"
    for folder in (resources, classes, calls):
        folder.mkdir(parents=True)
    hadoop = resolve(load_profile(), (store.group,))
    groups = ("tests", "sources", *(("hdfs",) if store.classes == "hadoop-hdfs" else ()))
    tests = resolve(bundled_profile(TESTS), groups)
    sources = [jar for jar in tests if "test-sources" in jar.name]
    tests = [jar for jar in tests if jar not in sources]
    for jar in sources:
        with zipfile.ZipFile(jar) as inside:
            for member in inside.namelist():
                is_contract = member.startswith("contract/") and member.endswith(".xml")
                if is_contract or member == SITE:
                    inside.extract(member, resources)
    recorder = out / JAR
    build(store.implementation, hadoop, recorder)
    own = [jar for jar in tests if jar.name.startswith("hadoop-hdfs")]
    # Hadoop's jar of a small cluster has tests of hadoop-common too, with JUnit renamed; and MiniDFSCluster, as it
    # suits the other classes in it.
    jars = [recorder, *(jar for jar in tests if jar not in own), *hadoop, *own]
    helpers = [JAVA / "TestTimes.java", *([JAVA / "RawBelow.java"] if name == "rawlocal" else [])]
    _compile(helpers, classes, jars)
    listener = classes / "META-INF/services/org.junit.platform.launcher.TestExecutionListener"
    listener.parent.mkdir(parents=True)
    listener.write_text("org.fsconform.contracts.TestTimes\n", encoding="utf-8")
    with zipfile.ZipFile(_jar(tests, store.classes) if store.classes else _jar(sources, "hadoop-aws")) as inside:
        chosen = test_classes(inside.namelist(), store)
        if not store.classes:
            inside.extractall(out / "sources")
    chosen = [one for one in chosen if not only or one.rpartition(".")[2] in only]
    if not store.classes:
        files = [out / "sources" / f"{one.replace('.', '/')}.java" for one in chosen]
        _compile(files, classes, jars, out / "sources")
    times = out / "tests.txt"
    with _connection(name, out / "store") as told:
        recording = {} if plain else {store.property: store.recorder, DIRECTORY: str(calls)}
        properties = told | recording | {"hadoop.tmp.dir": str(out / "tmp")}
        (resources / "core-site.xml").write_bytes(_configuration(properties))
        (resources / "contract-test-options.xml").write_bytes(_configuration({}))
        command = [
            *(str(find_java().executable), f"-Dtest.build.data={out / 'data'}", f"-Dfsconform.tests={times}"),
            *("-Djava.io.tmpdir=" + str(out), "-Xmx1g"),
            *("-cp", class_path([resources, classes, *jars])),
            *("org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=none"),
            *(f"--select-class={one}" for one in chosen),
        ]
        with (out / "junit.log").open("wb") as log:
            subprocess.run(
                command, stdout=log, stderr=subprocess.STDOUT, cwd=out, timeout=patient(SECONDS), check=False
            )
    if plain and times.is_file():
        return ran(times), Rechecked()
    if not times.is_file() or not any(calls.iterdir()):
        print(f"no test ran that made a call: see {out / 'junit.log'}", file=sys.stderr)
        raise SystemExit(3)
    return ran(times), recheck([calls], None)


def ran(file: Path) -> list[Test]:
    """The tests of a list that the listener wrote, in the order in which they ended."""
    found = []
    for text in file.read_text(encoding="utf-8").splitlines():
        begin, end, status, name, said = text.split("\t")
        found.append(Test(int(begin), int(end), status, name, said))
    return found


class Origins:
    """Which test made a call of a recording."""

    def __init__(self, found: Rechecked, tests: Sequence[Test]) -> None:
        self._begins = [{place: line.begin for place, line in read(file)[1]} for file in found.files]
        self._tests = [test for test in tests if "#" in test.name]

    def of(self, place: tuple[int, int]) -> str:
        """The class and method of the test, empty for a call between tests."""
        begin = self._begins[place[0]][place[1]]
        name = next((test.name for test in self._tests if test.begin <= begin <= test.end), "")
        return name.rpartition(".")[2]


def main() -> int:
    """Run the tests of a store and print where they and the model disagree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("store", choices=sorted(STORES))
    parser.add_argument("--out", type=Path, help="a folder that is emptied; by default build/contract-tests/STORE")
    parser.add_argument("--test", action="append", default=[], metavar="CLASS", help="only these classes of tests")
    parser.add_argument("--plain", action="store_true", help="without the recorder, to see what it changes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found")
    options = parser.parse_args()
    out = (options.out or Path("build/contract-tests", options.store)).absolute()
    tests, found = run(options.store, out, options.test, options.plain)
    origins = Origins(found, tests)
    flagged = [(flag, origins.of(flag.place)) for flag in found.flagged]
    excused = [(quirk, origins.of(place)) for tally in found.stores.values() for place, quirk in tally.excused]
    failed = [test for test in tests if test.status == "failed"]
    for flag, name in flagged:
        print(f"{found.place(flag.place)} in {name}: {flag.signature}")
        print(f"    {flag.verdict} of {flag.clause}: {flag.call}: {flag.observed}; expected: {flag.expected}")
    for quirk, name in excused:
        print(f"known bug {quirk} in {name}")
    for test in failed:
        print(f"failed: {test.name}: {test.said}")
    ended = Counter(test.status for test in tests if "#" in test.name)
    print(f"{options.store}: tests {dict(sorted(ended.items()))}")
    for name, tally in found.stores.items():
        print(f"{name}: {_counts(tally)}; {len(tally.flagged)} flagged")
    if options.json:
        document = {
            "tests": [asdict(test) for test in tests],
            "flagged": [asdict(flag) | {"test": name, "place": found.place(flag.place)} for flag, name in flagged],
            "excused": [{"quirk": quirk, "test": name} for quirk, name in excused],
            "judged": msgspec.to_builtins(found.document()),
        }
        options.json.write_text(json.dumps(document, indent=1, default=str), encoding="utf-8")
    return int(bool(flagged or failed))


def _counts(tally: Tally) -> str:
    return (
        f"{tally.calls} calls, {tally.judged} judged, {tally.learned} learned from, {tally.unjudged} not judged, "
        f"{tally.overlapping} by their orders, {tally.given_up} given up"
    )


if __name__ == "__main__":
    sys.exit(main())
