"""A canary goes in by every way, through every command, to a store that repeats it in all that it says, and is looked
for in every file, terminal and command line.

The store is a FileSystem of Hadoop's in a jar (java/leaky), as a user has one: it puts all secrets that it is
configured with into the messages of its errors, into names that it lists, and into lines on standard output and
standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from fsconform.adapters.jars import class_path, load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.engine.secrecy import HIDDEN

SOURCE = Path(__file__).parent / "java" / "leaky" / "LeakyFileSystem.java"
RAWLOCAL = Path(__file__).parents[2] / "adapters" / "stores" / "rawlocal" / "contract.xml"

IN_FILES = {
    "element.key": "Elem3nt-Canary<&+/=",
    "attribute.key": "Attr1bute-Canary",
    "included.key": "1ncluded-Canary",
    "entity.key": "Ent1ty-Canary",
    "external.key": "Ext3rnal-Canary",
    "variable.key": "Subst1tuted-Canary",
    "final.key": "F1nal-Canary",
    "digits.pwd": "31415926535",
    "path.key": "c4nary-folder",
    "typed.secret": "org.canary.Cl4ss",
}
"""Properties of configuration files by the form in which they stand there, or the form of their values."""
OF_OPTION, OF_URI, OF_PROVIDER = "Opt10n-Canary=", "Us3rinfo-Canary", "Prov1der-Canary"
OF_VARIABLE, OF_CI, OF_PLAIN = "Var1able-Canary-x", "C1-Canary-xxxxxxxx", "Pl41n-Canary-xxxx"
"""Of the environment: one that a store reads, one of CI, and one that a file names by ``${env.…}``."""
OF_TOOLS = "T00ls-Canary"
"""Of an option in a variable that each JVM prints as it starts."""

ALL = (*IN_FILES.values(), OF_OPTION, OF_URI, OF_PROVIDER, OF_VARIABLE, OF_CI, OF_PLAIN, OF_TOOLS)
STEMS = ("Elem3nt-Canary", "Opt10n-Canary")
"""What stays of a canary however the rest of it is quoted, or where its padding is left away."""

SITE = """\
<!DOCTYPE configuration [<!ENTITY canary "Ent1ty-Canary"><!ENTITY outside SYSTEM "outside.txt">]>
<configuration xmlns:xi="http://www.w3.org/2001/XInclude">
  <property><name>leaky.element.key</name><value>Elem3nt-Canary&lt;&amp;+/=</value></property>
  <property name="leaky.attribute.key" value="Attr1bute-Canary"/>
  <xi:include href="included.xml"/>
  <property><name>leaky.entity.key</name><value>&canary;</value></property>
  <property><name>leaky.external.key</name><value>&outside;</value></property>
  <property><name>leaky.plain</name><value>Subst1tuted-Canary</value></property>
  <property><name>leaky.variable.key</name><value>${leaky.plain}</value></property>
  <property><name>leaky.environment.key</name><value>${env.LEAKY_PLAIN}</value></property>
  <property><name>leaky.final.key</name><value>F1nal-Canary</value><final>true</final></property>
  <property><name>leaky.digits.pwd</name><value>31415926535</value></property>
  <property><name>leaky.path.key</name><value>c4nary-folder</value></property>
  <property><name>leaky.typed.secret</name><value>org.canary.Cl4ss</value></property>
</configuration>
"""
INCLUDED = """\
<configuration><property><name>leaky.included.key</name><value>1ncluded-Canary</value></property></configuration>
"""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the store."""
    home = tmp_path_factory.mktemp("leaky")
    try:
        javac = find_java().home / "bin" / "javac"
    except NoJava as error:
        pytest.skip(str(error))
    compiler = str(javac) if javac.is_file() else shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no javac")
    jars = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    subprocess.run([compiler, "-cp", jars, "-d", home / "classes", SOURCE], check=True, timeout=120)
    return Path(shutil.make_archive(str(home / "leaky"), "zip", home / "classes")).rename(home / "leaky.jar")


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A credential provider with a secret that stands nowhere else."""
    path = f"localjceks://file{tmp_path_factory.mktemp('provider')}/canary.jceks"
    jars = class_path(resolve(load_profile(), ("client",)))
    shell = "org.apache.hadoop.security.alias.CredentialShell"
    command = [str(find_java().executable), "-cp", jars, shell, "create", "leaky.provided", "-value", OF_PROVIDER]
    subprocess.run([*command, "-provider", path], check=True, capture_output=True, timeout=60)
    return path


@dataclass
class Seen:
    """What a command showed: its code, what it printed, and where canaries stood on command lines meanwhile."""

    code: int
    text: str
    lines: list[str] = field(default_factory=list)


class Place:
    """A folder from which commands are run against the store, with every way in."""

    def __init__(self, home: Path, jar: Path, provider: str) -> None:
        self.home, self.jar = home, jar
        self.given = home / "given"
        (home / "given").mkdir()
        (home / "work" / "c4nary-folder").mkdir(parents=True)
        (home / "tmp").mkdir()
        (self.given / "site.xml").write_text(SITE)
        (self.given / "included.xml").write_text(INCLUDED)
        (self.given / "outside.txt").write_text("Ext3rnal-Canary")
        reveal = ",".join(f"leaky.{name}" for name in (*IN_FILES, "environment.key", "option.secret", "provided"))
        self.conf = {
            "fs.leaky.impl": "leaky.LeakyFileSystem",
            "leaky.reveal": reveal,
            "leaky.variables": "LEAKY_SESSION_TOKEN",
            "leaky.option.secret": OF_OPTION,
            "hadoop.security.credential.provider.path": provider,
        }
        self.uri = f"leaky://me:{OF_URI}@host{home}/sandbox"
        (home / "sandbox").mkdir()
        self.environment = os.environ | {
            "LEAKY_SESSION_TOKEN": OF_VARIABLE,
            "CI_JOB_TOKEN": OF_CI,
            "LEAKY_PLAIN": OF_PLAIN,
            "JAVA_TOOL_OPTIONS": f"-Dleaky.tool.token={OF_TOOLS} -Dleaky.other=x",
            "TMPDIR": str(home / "tmp"),
            "HADOOP_CONF_DIR": str(self.given),
        }

    def store(self, prefix: str = "--", **more: str) -> list[str]:
        """The options that name the store."""
        conf = [part for name, value in (self.conf | more).items() for part in (f"{prefix}conf", f"{name}={value}")]
        site = str(self.given / "site.xml")
        return [f"{prefix}uri", self.uri, f"{prefix}jars", str(self.jar), *conf, f"{prefix}conf-file", site]

    def run(self, *arguments: str, module: str = "fsconform.app.main", seconds: float = 250) -> Seen:
        """Run a command, and look at all command lines and environments meanwhile."""
        command = [sys.executable, "-m", module, *arguments]
        out = (self.home / "terminal").open("w+b")
        found: set[str] = set()
        with (
            out,
            subprocess.Popen(command, cwd=self.home / "work", env=self.environment, stdout=out, stderr=out) as one,
        ):
            stop = threading.Event()
            watch = threading.Thread(target=_watch, args=(one.pid, stop, found))
            watch.start()
            try:
                code = one.wait(seconds)
            finally:
                stop.set()
                watch.join()
                one.kill()
            out.seek(0)
            return Seen(code, out.read().decode("utf-8", "replace"), sorted(found))

    def leaks(self) -> list[str]:
        """The files that commands left, in which a canary stands."""
        return [
            f"{file.relative_to(self.home)}: {one}"
            for file in sorted(self.home.rglob("*"))
            if file.is_file() and self.given not in file.parents and "sandbox" not in file.parts
            for one in _canaries(_content(file))
        ]

    def check(self, seen: Seen) -> None:
        """Nothing of the canary is anywhere."""
        assert _canaries(seen.text) == []
        assert self.leaks() == []
        assert seen.lines == []


def _content(file: Path) -> str:
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        return repr(pq.read_table(file).to_pylist())
    return file.read_bytes().decode("utf-8", "replace")


def _canaries(text: str) -> list[str]:
    return [one for one in (*ALL, *STEMS) if one in text]


def _watch(process: int, stop: threading.Event, found: set[str]) -> None:
    """Look at all that a command starts, also what outlives its parent; the command was given canaries by us."""
    handed_on = (OF_VARIABLE, OF_CI, OF_PLAIN, OF_TOOLS)
    seen: dict[int, psutil.Process] = {process: psutil.Process(process)}
    while not stop.is_set():
        for one in list(seen.values()):
            with contextlib.suppress(psutil.Error):
                seen |= {child.pid: child for child in one.children(recursive=True)}
        for one in list(seen.values()):
            try:
                line, variables = "\0".join(one.cmdline()), repr(one.environ())
            except psutil.Error:
                continue
            if "\0-m\0fsconform.app.main\0" in line or "\0-m\0pytest\0" in line:
                continue  # the command itself, and a child that is not yet another program
            found.update(f"{line[:200]!r}: {name}" for name in _canaries(line))
            found.update(f"environment of {line[:200]!r}: {x}" for x in _canaries(variables) if x not in handed_on)
        time.sleep(0.05)


@pytest.fixture
def place(tmp_path: Path, jar: Path, provider: str) -> Place:
    return Place(tmp_path, jar, provider)


nightly = pytest.mark.long

FEW = ("--clause", "filesystem.delete.post.file", "--suite", "delete", "--budget", "0", "--shards", "1")


def test_run_and_what_takes_up_its_files(place: Place) -> None:
    ran = place.run("run", *place.store(), "--contract", str(RAWLOCAL), *FEW, "--out", "out")
    assert ran.code == 1, ran.text
    home = place.home / "work" / "out" / "latest"
    results = json.loads((home / "results.json").read_text())
    messages = [one["message"] for one in results["stores"][0]["divergences"]]
    wanted = len(IN_FILES) + 4
    told = f"no delete with {' '.join([HIDDEN] * wanted)}"
    assert any(one.startswith(told) for one in messages)
    (log,) = (home / "logs").iterdir()
    assert f"opened on {' '.join([HIDDEN] * wanted)}" in log.read_text()
    assert f"JAVA_TOOL_OPTIONS: -Dleaky.tool.token={HIDDEN} -Dleaky.other=x" in log.read_text()
    assert (log.stat().st_mode & 0o777, (home / "logs").stat().st_mode & 0o777) == (0o600, 0o700)
    place.check(ran)
    replay = next(one for one in (home / "replays").glob("*delete-file*.json"))
    again = place.run("replay", str(replay), *place.store(), "--itf", "trace.itf.json")
    assert again.code in (1, 2) and HIDDEN in again.text
    place.check(again)
    compared = place.run("compare", str(home), str(home), "--json", "compared.json", "--html", "compared.html")
    assert compared.code == 0, compared.text
    place.check(compared)


def test_a_store_that_is_down_tells_nothing(place: Place) -> None:
    for command in ("run", "clean"):
        more = ("--out", "out", *FEW) if command == "run" else ()
        ran = place.run(command, *place.store(**{"leaky.down": "true"}), *more)
        assert ran.code == 3 and f"no way in with {HIDDEN}" in ran.text, ran.text
        place.check(ran)


def test_a_terminal_shows_nothing(place: Place) -> None:
    """A terminal gets colours, live lines and folded ones."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fsconform.app.main", "clean", *place.store(**{"leaky.down": "true"})]
    variables = place.environment | {"TERM": "xterm-256color", "COLUMNS": "50"}
    with subprocess.Popen(
        command, cwd=place.home / "work", env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    ) as one:
        os.close(theirs)
        told = b""
        with contextlib.suppress(OSError):  # so the other end of a terminal says that it is closed
            while piece := os.read(ours, 1 << 16):
                told += piece
        assert one.wait(60) == 3
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r\n", "", told.decode())
    assert f"no way in with {HIDDEN}" in text
    assert _canaries(text) == []


@nightly
def test_contract_infer(place: Place) -> None:
    files = ("--json", "inferred.json", "--out", "inferred.xml")
    ran = place.run("contract", "infer", *place.store(), "--suite", "delete", "--budget", "0", *files)
    assert ran.code in (0, 1) and (place.home / "work" / "inferred.xml").is_file(), ran.text
    place.check(ran)


@nightly
def test_contract_check_and_clean(place: Place) -> None:
    (place.home / "sandbox" / ".fsconform-sandbox").touch()
    more = ("--suite", "delete", "--budget", "0", "--contract", str(RAWLOCAL))
    for command in (("contract", "check", *more), ("clean",)):
        ran = place.run(*command, *place.store())
        assert ran.code in (0, 1, 2, 3) and ran.code != 70, ran.text
        place.check(ran)


def test_copycheck(place: Place) -> None:
    options = place.store()[2:]
    ran = place.run("copycheck", "file", place.uri, *options, "--json", "copied.json")
    assert ran.code in (1, 3) and HIDDEN in ran.text, ran.text
    place.check(ran)


def test_pathcapability(place: Place) -> None:
    conf = ("-D", f"fs.s3a.secret.key={OF_OPTION}", "-conf", str(place.given / "site.xml"))
    ran = place.run("pathcapability", *conf, "fs.capability", f"leaky://me:{OF_URI}@host/x")
    assert ran.code in (1, 42), ran.text
    place.check(ran)


@nightly
def test_pytest_sessions(place: Place) -> None:
    suite = Path(__file__).parents[2] / "suites" / "test_areas.py"
    options = place.store("--fs-")
    ran = place.run(
        *("-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", str(suite), *options, "--fs-budget", "0"),
        *("--fs-contract", str(RAWLOCAL), "-rA", "--junit-xml", "junit.xml", "-k", "test_delete"),
        module="pytest",
    )
    assert ran.code in (1, 3) and HIDDEN in ran.text, ran.text
    place.check(ran)


def test_sigkill_leaves_no_secret(place: Place) -> None:
    command = [
        sys.executable,
        "-m",
        "fsconform.app.main",
        "run",
        *place.store(**{"leaky.hang": "3000"}),
        "--out",
        "out",
    ]
    with subprocess.Popen(
        command, cwd=place.home / "work", env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        try:
            until = time.monotonic() + 120
            told = ""
            while told.count("waiting with") < 3 and time.monotonic() < until:
                time.sleep(0.2)
                told = "".join(_content(one) for one in place.home.rglob("worker-*.log"))
        finally:
            run.send_signal(signal.SIGKILL)
    assert told.count("waiting with") >= 3 and HIDDEN in told
    assert place.leaks() == []
    for log in place.home.rglob("worker-*.log"):
        assert log.stat().st_mode & 0o777 == 0o600 and log.parent.stat().st_mode & 0o777 == 0o700


@nightly
def test_campaign_and_recheck(place: Place) -> None:
    """Spark's JVM has HADOOP_CONF_DIR on its class path, and executors write Parquet."""
    shutil.copy(place.given / "site.xml", place.given / "core-site.xml")
    of_out = ("--out-conf", f"fs.canary.secret.key={OF_OPTION}", "--spark-conf", f"spark.hadoop.x.pwd={OF_PROVIDER}")
    options = ("--suite", "delete", "--programs", "60", "--unit", "30", "--master", "local[1]", "--out", "campaign")
    ran = place.run("campaign", *place.store(), "--contract", str(RAWLOCAL), *options, *of_out, seconds=900)
    assert ran.code == 1, ran.text
    tables = [_content(one) for one in (place.home / "work").rglob("*.parquet")]
    assert any(f"no delete with {HIDDEN}" in one for one in tables)
    place.check(ran)
    conf = ("--conf", f"fs.canary.secret.key={OF_OPTION}", "--json", "rechecked.json")
    again = place.run("recheck", "campaign", "--master", "local[1]", *conf, seconds=900)
    assert again.code in (0, 1), again.text
    place.check(again)
