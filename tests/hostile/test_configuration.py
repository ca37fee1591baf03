"""What is wrong with the configuration ends with 2 and the mend, in every command, before anything is started."""

from __future__ import annotations

import argparse
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.errors.exceptions.captured import install_exception_handler

from fsconform.adapters.folders import sandbox
from fsconform.adapters.hadoop.process import WorkerProcess
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.app import main as commands
from fsconform.app.main import main
from fsconform.app.pytest_plugin import DESTINATIONS
from fsconform.app.pytesting.options import order
from fsconform.engine.intake import taken
from fsconform.engine.protocol import Execution, Misconfigured
from fsconform.harness.inputs import store_uri
from fsconform.harness.problems import Problem
from fsconform.model.core.outcomes import Raised, Returned, Unknown
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.pipeline import session
from fsconform.pipeline.depot import DepotError, Place, open_depot
from fsconform.specs.contract_xml import ContractError, load, parse

GOOD = "<configuration/>"
REPLAY = (
    '{"fsconform-replay": 1, "signature": "x", "verdict": "violation", "store": "rawlocal", "contract": {}, '
    '"program": [{"op": "mkdirs", "path": "/a"}]}'
)


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A folder to be in, in which nothing is made; and no process of ours begins."""

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(WorkerProcess, "__init__", begun)
    place = tmp_path / "here"
    place.mkdir()
    (place / "replay.json").write_text(REPLAY, "utf-8")
    with zipfile.ZipFile(place / "good.jar", "w"):
        pass
    os.mkfifo(place / "pipe")
    monkeypatch.chdir(place)
    yield
    assert not (place / "results").exists()


@dataclass(frozen=True, slots=True)
class Bad:
    """A bad input: the option, its value as made in a folder, and what is said of it."""

    option: str
    value: Callable[[Path], str]
    said: str


def written(name: str, text: str | bytes) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return name

    return make


def made(name: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / name).mkdir()
        return name

    return make


def given(value: str) -> Callable[[Path], str]:
    return lambda _: value


BAD = {
    "jars: not a jar": Bad("--jars", written("x.jar", "no zip"), "is no jar"),
    "jars: a broken jar": Bad("--jars", written("x.jar", b"PK\x03\x04half"), "is no jar"),
    "jars: a folder": Bad("--jars", made("libs"), "is a folder: name the jars in it, as"),
    "jars: no match": Bad("--jars", given("target/*.jar"), "no such file"),
    "jars: no pattern": Bad("--jars", given("**x/y.jar"), "is no pattern of paths"),
    "jars: empty": Bad("--jars", given(""), "no such file"),
    "jars: a pipe": Bad("--jars", given("pipe"), "is a pipe"),
    "jars: no home": Bad("--jars", given("~nobody-of-that-name/x.jar"), "is no pattern of paths"),
    "conf-file: broken": Bad(
        "--conf-file", written("x.xml", "<configuration>\n<oops>"), "x.xml:2: not well-formed XML"
    ),
    "conf-file: other root": Bad("--conf-file", written("x.xml", "<project/>"), "is <project>, not <configuration>"),
    "conf-file: none": Bad("--conf-file", given("missing.xml"), "no such file"),
    "conf-file: a folder": Bad("--conf-file", made("conf"), "is a folder"),
    "conf-file: a pipe": Bad("--conf-file", given("pipe"), "is a pipe"),
    "conf-file: empty name": Bad("--conf-file", given(""), "it is empty"),
    "conf-file: an empty file": Bad("--conf-file", written("x.xml", ""), "not well-formed XML"),
    "uri: empty": Bad("--uri", given(""), "has no scheme"),
    "uri: no scheme": Bad("--uri", given("bucket/sandbox"), "has no scheme"),
    "uri: bad scheme": Bad("--uri", given("1s3a://bucket/sandbox"), "has no scheme"),
    "uri: relative": Bad("--uri", given("file:sandbox"), "a path that begins with a slash"),
    "uri: brackets": Bad("--uri", given("hdfs://[::1/sandbox"), "Invalid IPv6 URL"),
    "uri: port": Bad("--uri", given("hdfs://host:99999/sandbox"), "99999 is no port"),
    "uri: space": Bad("--uri", given("s3a://buc ket/x"), "a character that none can have"),
    "uri: line break": Bad("--uri", given("s3a://bucket/x\ny"), "a control character"),
    "contract: a pipe": Bad("--contract", given("pipe"), "is a pipe"),
    "contract: a folder": Bad("--contract", made("contracts"), "no regular file|is a folder"),
    "contract: empty name": Bad("--contract", given(""), "it is empty"),
    "waivers: a pipe": Bad("--waivers", given("pipe"), "is a pipe"),
    "waivers: a folder": Bad("--waivers", made("waivers"), "no regular file|is a folder"),
    "out: empty": Bad("--out", given(""), "empty"),
    "json: empty": Bad("--json", given(""), "it is empty"),
    "report: empty": Bad("--report", given(""), "it is empty"),
    "xmx: no number": Bad("--xmx", given("lots"), "write a number and k, m or g"),
    "xmx: bytes": Bad("--xmx", given("512"), "a worker needs 32m at least: write a number"),
    "xmx: few": Bad("--xmx", given("4m"), "a worker needs 32m at least: write a number"),
    "xmx: a little less": Bad("--xmx", given("32767k"), "a worker needs 32m at least: write a number"),
    "xmx: endless": Bad("--xmx", given("99999999g"), "no machine has that much"),
    "resume: a pipe": Bad("--resume", given("pipe"), "is a pipe"),
    "baseline: a pipe": Bad("--baseline", given("pipe"), "is a pipe"),
    "seed: huge": Bad("--seed", given(str(10**20)), "is not in the range"),
    "seed: very small": Bad("--seed", given(str(-(10**20))), "is not in the range"),
    "hadoop: a path": Bad("--hadoop", given("../x"), r"no Hadoop profile '../x'|../x: there are profiles for"),
    "report: NUL": Bad("--report", given("a\0b"), "no path has a character NUL in it"),
    "apalache: NUL": Bad("--apalache", given("a\0b"), "no path has a character NUL in it"),
    "to: NUL": Bad("--to", given("a\0b"), "no path has a character NUL in it"),
    "out: NUL": Bad("--out", given("a\0b"), "no path has a character NUL in it"),
    "traces: a pipe": Bad("--traces", given("pipe"), "is a pipe"),
}

URI = ("--uri", "my://x/y")
EXAMPLE = str(Path(__file__).resolve().parents[2] / "records" / "example.json")
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", *URI),
    "try": ("try", *URI),
    "replay": ("replay", "replay.json", *URI),
    "clean": ("clean", *URI),
    "contract infer": ("contract", "infer", *URI),
    "contract check": ("contract", "check", *URI),
    "campaign": ("campaign", *URI, "--out", "campaign"),
    "copycheck": ("copycheck", "file:///tmp/a", "file:///tmp/b"),
    "recheck": ("recheck", "campaign"),
    "init": ("init", *URI),
    "spec check": ("spec", "check"),
    "markers audit": ("markers", "audit", "s3a://x/y"),
    "pathcapability": ("pathcapability", "a", "s3a://x/y"),
    "markers judge": ("markers", "judge"),
    "spec traces": ("spec", "traces"),
    "spec doctor": ("spec", "doctor"),
    "spec fetch-apalache": ("spec", "fetch-apalache", "--sha256", "0" * 64),
    "jars": ("jars", "--no-programs"),
    "record": ("record", "--uri", "file:///tmp/x", "--out", "recorder"),
    "fit": ("fit", "--needs", "hbase"),
    "waive": ("waive", "--all", EXAMPLE, "--reason=r", "--link=l", "--waivers", "w.toml"),
}
OWN_CODES = {"markers audit": 42, "pathcapability": 42, "markers judge": 42}
"""Commands whose codes are those of Hadoop's own."""


def options_of(words: tuple[str, ...]) -> set[str]:
    found: Any = main
    for word in words:
        if not hasattr(found, "get_command"):
            break
        found = found.get_command(None, word)
    return {name for one in found.params for name in one.opts}


def cases() -> Iterator[Any]:
    for command, words in COMMANDS.items():
        takes = options_of(words)
        for name, bad in BAD.items():
            patterns = command == "init" and bad.option in ("--jars", "--conf-file")  # of what CI is to build
            if command == "spec check" and name == "contract: a folder":
                continue  # it is only read with --trace
            if bad.option in takes and not patterns:
                yield pytest.param(words, bad, OWN_CODES.get(command, 2), id=f"{command}, {name}")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("words", "bad", "code"), list(cases()))
def test_a_bad_input_is_named_before_anything_starts(words: tuple[str, ...], bad: Bad, code: int) -> None:
    if bad.option in words:
        place = words.index(bad.option)
        words = (*words[:place], *words[place + 2 :])
    ended = CliRunner().invoke(main, [*words, f"{bad.option}={bad.value(Path())}"])
    assert ended.exit_code == code, ended.output
    told = " ".join(ended.output.split())
    assert re.search(bad.said.replace(".", r"\."), told), ended.output
    assert "Traceback" not in ended.output and "fault" not in ended.output


def test_every_command_that_takes_such_an_option_is_in_the_table() -> None:
    """A new command, or a new option of one, is not left out."""
    lacking = []
    asked = {bad.option for bad in BAD.values()} - {"--json", "--out"}
    told = list(COMMANDS.values())

    def look(found: Any, path: tuple[str, ...]) -> None:
        for name in found.list_commands(None) if hasattr(found, "list_commands") else ():
            look(found.get_command(None, name), (*path, name))
        options = {name for one in found.params for name in one.opts} & asked
        if options and not hasattr(found, "list_commands") and not any(one[: len(path)] == path for one in told):
            lacking.append((" ".join(path), sorted(options)))

    look(main, ())
    allowed = {"compare", "markers clean", "markers bucket-info"}  # the same options as markers audit, by one decorator
    assert [one for one in lacking if one[0] not in allowed] == []
    assert {COMMANDS[one][0] for one in COMMANDS} <= set(commands.main.places)


NEEDS_JAVA = [
    ("run", "--store", "rawlocal"),
    ("run", *URI),
    ("try", *URI),
    ("replay", "replay.json"),
    ("clean", *URI),
    ("contract", "infer", "--store", "rawlocal"),
    ("contract", "check", "--store", "rawlocal"),
    ("campaign", "--store", "rawlocal", "--out", "campaign"),
    ("copycheck", "file:///tmp/a", "file:///tmp/b"),
    ("doctor",),
    ("stores", "--check", "rawlocal"),
    ("spec", "check"),
]


@pytest.mark.parametrize("words", NEEDS_JAVA, ids=" ".join)
@pytest.mark.parametrize("home", ["missing", "", "."])
def test_java_that_is_not_there(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], home: str) -> None:
    monkeypatch.setenv("FSCONFORM_JAVA_HOME", "")
    monkeypatch.setenv("JAVA_HOME", home)
    if not home:
        monkeypatch.setenv("FSCONFORM_JAVA_HOME", "elsewhere")
    ended = CliRunner().invoke(main, list(words))
    assert ended.exit_code == 2, ended.output
    assert "JAVA_HOME" in ended.output and "Install a Java runtime" in " ".join(ended.output.split())


def opened(uri: str, **more: Any) -> HadoopStore:
    return HadoopStore("x", uri, classpath=resolve(load_profile(), ("client",)), **more)


WORKER = WorkerProcess.__init__


@pytest.mark.parametrize(
    ("uri", "more", "said"),
    [
        ("nowhere://x/y", {}, 'No FileSystem for scheme "nowhere": name the jar that has one with --jars'),
        ("my://x/y", {"configuration": {"fs.my.impl": "com.acme.Mine"}}, "add the jar that holds it"),
        ("file:///tmp/x", {"jvm_arguments": ("-Xmx1",)}, "choose another --xmx"),
    ],
)
def test_what_only_the_client_can_tell_is_for_the_user_to_mend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uri: str, more: dict[str, Any], said: str
) -> None:
    monkeypatch.setattr(WorkerProcess, "__init__", WORKER)
    with pytest.raises(Misconfigured, match=said):
        opened(uri, logs_folder=tmp_path / "logs", **more).session()


@pytest.mark.parametrize(
    "uri", ["s3a://a_b/x", "file:///x", "file:/x y", "abfs://c@a.dfs.core.windows.net/x", "viewfs:///x", "my://a:b/c"]
)
def test_uris_that_are_none_of_ours_to_refuse(uri: str) -> None:
    assert store_uri(uri) == uri


ELSEWHERE = {
    "s3a://u:p4ssword@h/x y": "s3a:...: there is a space in it",
    "hdfs://[::1/x": "Invalid IPv6 URL",
    "hdfs://u:p4ssword@h:99999/x": "99999 is no port",
    "nope:x": "write it as a path, or as a URI such as hdfs://host:8020/campaigns/1",
    "//host/x": "write it as a path, or as a URI such as hdfs://host:8020/campaigns/1",
    "s3a://b/x\ny": "a control character",
    "a\0b": "no path has a character NUL in it",
    "s3a://b/a\0b": "no path has a character NUL in it",
}


@pytest.mark.parametrize("words", [("campaign", "--store", "proving", "--out"), ("recheck",)], ids=" ".join)
@pytest.mark.parametrize("uri", ELSEWHERE)
def test_where_a_campaign_stands_is_looked_at_before_spark(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], uri: str
) -> None:
    def begun(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(session, "session", begun)
    ended = CliRunner().invoke(main, [*words, uri])
    assert ended.exit_code == 2, ended.output
    assert ELSEWHERE[uri] in " ".join(ended.output.split()) and "p4ssword" not in ended.output


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("nope://h/x", 'No FileSystem for scheme "nope": name the jar that has it, by --out-jars'),
        ("s3a://b/x", "S3AFileSystem not found: name the jar that has it, by --out-jars"),
    ],
)
def test_a_campaign_elsewhere_without_the_jar_names_it_once(uri: str, said: str) -> None:
    install_exception_handler()  # as any Spark session of this process leaves it, also when it has ended
    with pytest.raises(DepotError) as told:
        open_depot(Place(uri))
    assert said in str(told.value) and "by --jars of `fsconform recheck`" in str(told.value)
    assert str(told.value).count(uri) == 1


def test_recheck_names_the_place_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong there is told by what reads it, with the place."""

    def refused(*_: object, **__: object) -> None:
        raise DepotError("nope://h/x: no way")

    monkeypatch.setattr(session, "session", refused)
    ended = CliRunner().invoke(main, ["recheck", "nope://h/x"])
    assert ended.exit_code == 2 and ended.output.count("nope://h/x") == 1, ended.output


def test_a_folder_to_make_with_a_nul_in_its_name_is_refused() -> None:
    ended = CliRunner().invoke(main, ["init", "a\0b", "--uri", "my://x/y"])
    assert ended.exit_code == 2 and "NUL" in ended.output, ended.output


@pytest.mark.parametrize("seed", [(1 << 63) - 1, -(1 << 63)])
def test_a_run_with_any_seed_that_is_taken_can_be_resumed(tmp_path: Path, seed: int) -> None:
    run = ("run", "--store", "proving", "--op", "append", "--budget", "0", "--out", str(tmp_path / "out"))
    assert CliRunner().invoke(main, [*run, "--seed", str(seed)]).exit_code == 0
    ended = CliRunner().invoke(main, [*run, "--resume", str(tmp_path / "out" / "latest")])
    assert ended.exit_code == 3 and "nothing judged" in ended.output, ended.output  # of what was done already


PROPERTY = "<property><name>fs.contract.{}</name><value>{}</value></property>\n"


def test_contradictory_properties_of_a_contract() -> None:
    once, again = PROPERTY.format("supports-append", "true"), PROPERTY.format("supports-append", "false")
    with pytest.raises(ContractError, match=r"x:3: fs\.contract\.supports-append is false here, and true in line 2"):
        parse(f"<configuration>\n{once}{again}</configuration>".encode(), "x")
    assert parse(f"<configuration>{once}{once}</configuration>".encode(), "x").declared == {"supports-append": True}


def test_a_pipe_that_nobody_writes_to_is_not_waited_for() -> None:
    with pytest.raises(ContractError, match="no regular file"):
        load(Path("pipe"))
    with pytest.raises(Problem):
        commands_of_show("pipe")


def commands_of_show(name: str) -> None:
    ended = CliRunner().invoke(main, ["contract", "show", f"./{name}"])
    if ended.exit_code == 2:
        raise Problem(ended.output)


STEP = Step(Mkdirs(("a",)))


@pytest.mark.parametrize(
    "message", ["java.io.IOException: No space left on device", "a: No space left on device (ENOSPC)", "(EDQUOT)"]
)
def test_a_full_disk_says_nothing_of_a_store(message: str) -> None:
    full = Event(Raised(("java.io.IOException",), message), 3, 4)
    done = Event(Returned(True), 1, 2)
    found = taken((STEP, STEP, STEP), Execution(Trace((STEP, STEP, STEP), (done, full, done))))
    assert found.trace.events[0] == done and len(found.trace.events) == 2
    last = found.trace.events[1].outcome
    assert isinstance(last, Unknown) and "no space left" in last.reason
    filling = (Step(FillUp(("a",), False)), STEP)
    trace = Trace(filling, (done, full))
    assert taken(filling, Execution(trace)).trace == trace


def test_a_sandbox_without_space_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sandbox.Sandbox, "_take", full)
    ended = CliRunner().invoke(main, ["run", "--store", "local", "--op", "append", "--budget", "0", "--out", "out"])
    assert ended.exit_code == 3 and "No space left on device" in ended.output


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("fs_seed", str(10**20), "--fs-seed: .* is not in the range"),
        ("fs_jars", ["missing.jar"], "--fs-jars 'missing.jar': no such file"),
        ("fs_jars", ["pipe"], "--fs-jars .*pipe is a pipe"),
        ("fs_conf_file", ["pipe"], "--fs-conf-file pipe is a pipe"),
        ("fs_contract", "pipe", "--fs-contract pipe is a pipe"),
        ("fs_contract", "", "--fs-contract: it is empty"),
        ("fs_out", "", "--fs-out: it is empty"),
        ("fs_waivers", ["pipe"], "--fs-waivers pipe is a pipe"),
        ("fs_uri", "", "--fs-uri"),
        ("fs_uri", "bucket", "--fs-uri has no scheme"),
        ("fs_hadoop", "9.9.9", "no Hadoop profile"),
    ],
)
def test_options_of_pytest_are_looked_at_by_the_same_checks(option: str, value: Any, said: str) -> None:
    options: dict[str, Any] = dict.fromkeys((*DESTINATIONS, "fs_store")) | {"fs_uri": "my://x/y"} | {option: value}
    with pytest.raises(Problem, match=said):
        order(argparse.Namespace(**options))
