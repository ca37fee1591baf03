"""Text of others never acts upon a terminal nor forges a line of ours, whichever command shows it."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fsconform.app.main import main
from fsconform.harness.console import SafeConsole
from fsconform.harness.problems import Inconclusive, Problem
from fsconform.reports.escaping import line, lines
from fsconform.reports.visible import visible

HOSTILE = "\x1b[2J\x1b]0;t\x07\u009b2K\u202egone\u2066\u200b\u0301\r\ngone: nothing\x7f\x85\u2028\ud800"
HOSTILE = f"{HOSTILE[:-1]}##vso[task.x]##[add-mask]\ud800"
FORGED = "gone: nothing"
AUDIT = "allowed=true\tugi={0}\tip=/127.0.0.1\tcmd={1}\tsrc={2}\tdst={3}\tperm=null\tproto=rpc\n"


def _checked(result: Result) -> str:
    """The output, in which nothing acts upon a terminal and no line is forged."""
    text = result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    _check_output(text)
    return text


def _check(text: str) -> None:
    odd = [one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Mn")]
    assert not odd, (odd, text)
    assert not any(one.startswith(FORGED) for one in text.split("\n")), text


def _check_output(text: str) -> None:
    """What is printed gives no command to a build server either."""
    _check(text)
    assert not re.search(r"##(vso|teamcity)?\[", text), text
    assert not re.search(r"(?m)^\s*::", text), text


def _run(*arguments: object) -> str:
    return _checked(CliRunner().invoke(main, [str(one) for one in arguments]))


def _replay(folder: Path, **more: Any) -> Path:
    row = {"fsconform-replay": 1, "signature": f"mkdirs {HOSTILE}", "verdict": "violation", "store": "proving"}
    program = [{"op": "mkdirs", "path": "/a"}, {"op": "getFileStatus", "path": f"/{HOSTILE}"}]
    file = folder / "replay.json"
    file.write_text(json.dumps(row | {"contract": {}, "program": program} | more), "utf-8")
    return file


@pytest.mark.parametrize(
    "text", ["##[add-mask]x", "a ##vso[task.setvariable variable=a]b", "###teamcity[x]", "a##[##[b"]
)
def test_no_name_is_a_command_of_a_build_server(text: str) -> None:
    for told in (line(text), lines(f"a\n{text}"), Problem(text).format_message(), Inconclusive(f"a\n{text}").message):
        out = io.StringIO()
        SafeConsole(file=out, width=200).print(told, markup=False)
        _check_output(out.getvalue())
    assert "u0023" in line(text)
    _check_output(Inconclusive(f"a\n::{text}").format_message())
    _check_output(lines("::add-mask::x\n  ::error::y\na::b"))
    assert lines("a::b") == "a::b" and line("## a [x]") == "## a [x]"


@given(st.text())
def test_what_is_escaped_is_plain(text: str) -> None:
    for told in (line(text), visible(text)):
        assert told.isprintable()
    assert lines(text).replace("\n", "").isprintable()
    assert lines(text).count("\n") == text.count("\n")


@given(st.text())
def test_what_is_printed_or_ends_a_command_is_plain(text: str) -> None:
    out = io.StringIO()
    SafeConsole(file=out, width=200, highlight=False).print(text, markup=False, soft_wrap=True)
    assert out.getvalue().replace("\n", "").isprintable()
    assert Problem(text).format_message().isprintable()
    first, *more = Inconclusive(text).format_message().split("\n")
    assert first.isprintable() and all(one.isprintable() and one.startswith("    ") for one in more)


def test_a_console_that_is_a_terminal_gets_no_escapes_of_others() -> None:
    out = io.StringIO()
    SafeConsole(file=out, width=200, force_terminal=True, color_system=None).print(HOSTILE, markup=False)
    assert "\x1b" not in out.getvalue() and isinstance(SafeConsole(), Console)


@pytest.mark.parametrize("signature", [HOSTILE, f"x\n{FORGED}", "\x1b[1A\x1b[2Kgone: x"])
def test_replay(tmp_path: Path, signature: str) -> None:
    told = _run("replay", _replay(tmp_path, signature=signature))
    assert "getFileStatus(" in told


@pytest.mark.parametrize(
    "more",
    [
        {"store": HOSTILE},
        {"contract": {HOSTILE: True}},
        {"contract": {"supports-append": HOSTILE}},
        {"program": [{"op": HOSTILE}]},
        {"program": [{"op": "mkdirs", "path": HOSTILE}]},
        {"program": [{"op": "mkdirs", "path": "/a", HOSTILE: 1}]},
        {"program": [{"op": "mkdirs", "path": "/a", "via": HOSTILE}]},
        {"fsconform-replay": HOSTILE},
        {"quirks": [HOSTILE]},
        {"traceback": HOSTILE},
    ],
)
def test_errors_about_a_replay_file(tmp_path: Path, more: dict[str, Any]) -> None:
    _run("replay", _replay(tmp_path, **more))


@pytest.mark.parametrize("kind", ["fsconform-dataset-replay", "request"])
def test_replays_of_other_layers(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "replay.json"
    row = {kind: 1, "signature": HOSTILE, "verdict": "violation", "store": "s3-proving", "contract": {}}
    request = {"request": "GetObject", "key": HOSTILE.replace("\ud800", "")}
    for program in ([request], [{kind: HOSTILE}], [{"dataset": HOSTILE}], [HOSTILE], []):
        file.write_text(json.dumps(row | {"program": program}), "utf-8")
        _run("replay", file)


@pytest.mark.parametrize(
    "program", [[], [{"op": "setOwner", "path": "/a", "owner": "", "group": "", "via": "context"}]]
)
def test_a_replay_that_asks_nothing_is_judged_as_nothing(tmp_path: Path, program: list[Any]) -> None:
    result = CliRunner().invoke(main, ["replay", str(_replay(tmp_path, program=program)), "--store", "local"])
    told = _checked(result)
    assert result.exit_code == 3 and "inconclusive: " in told, told
    assert not any(one.startswith("gone") for one in told.split("\n"))


@pytest.mark.parametrize("key", ["fsconform-object-replay", "request"])
def test_an_empty_replay_of_objects_is_judged_as_nothing(tmp_path: Path, key: str) -> None:
    from fsconform.harness.layer_replays import OBJECT_FILES as FILES

    file = tmp_path / "replay.json"
    row = {FILES.key: 1, "signature": "s", "verdict": "violation", "store": "s3-proving", "contract": {}, "program": []}
    file.write_text(json.dumps(row), "utf-8")
    result = CliRunner().invoke(main, ["replay", str(file)])
    assert result.exit_code == 3 and "inconclusive: s: the program has no steps" in result.output, (key, result.output)


def test_waivers_contracts_and_configurations(tmp_path: Path) -> None:
    plain = HOSTILE.replace("\ud800", "")
    bad = {
        "--waivers": f"[[waiver]]\n{json.dumps(plain)} = 1\n",
        "--contract": "<configuration><property><name>fs.contract.\u202e\u009b\u200b</name>"
        "<value>x</value></property></configuration>",
    }
    for option, text in bad.items():
        file = tmp_path / f"x{HOSTILE[8:14]}.txt"
        file.write_text(text, "utf-8")
        _run("replay", _replay(tmp_path), option, file)
        _run("run", "--store", "proving", option, file, "--out", tmp_path / "out")
    _run("contract", "show", tmp_path / f"{plain}")
    _run("contract", "diff", file, file)
    _run("spec", "check", "--trace", file)
    _run("run", "--store", "proving", "--traces", file, "--out", tmp_path / "out")
    _run("run", "--store", "proving", "--resume", tmp_path / plain, "--out", tmp_path / "out")
    _run("run", "--store", "proving", "--baseline", tmp_path / plain, "--out", tmp_path / "out")
    _run("run", "--store", plain, "--out", tmp_path / "out")


def test_recheck(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    odd = HOSTILE.replace("\n", "").replace("\r", "").replace("\ud800", "")
    row = AUDIT.format(odd, "create", f"/{odd}", "null")
    gone = AUDIT.format(odd, "rename", f"/{odd}/b", f"/{odd}/c")
    log.write_text(row * 3 + gone * 3 + AUDIT.format("u", odd, "/a", "null") + AUDIT[:20] + "\n", "utf-8", newline="\n")
    told = _run("recheck", log, "--format", "hdfs-audit", "--json", tmp_path / "x.json")
    assert "\\u202e" in told
    _run("recheck", tmp_path / odd, "--format", "hdfs-audit")
    folder = tmp_path / "campaign"
    shutil.copytree(Path(__file__).resolve().parents[1] / "pipeline" / "schema-1", folder)
    (marker, *_) = sorted((folder / "markers").iterdir())
    whole = json.loads(marker.read_bytes())
    for name in (f"traces/store={odd}/suite=x/unit-00000000.a.parquet", HOSTILE):
        whole["files"]["traces"][0] = name
        marker.write_text(json.dumps(whole), "utf-8")
        _run("recheck", folder, "--master", "local[1]")


def _results(folder: Path) -> Path:
    """The results of a run on the store in memory with a fault, in which all free text is hostile."""
    out = folder / "out"
    arguments = [
        "run",
        "--store",
        "proving",
        "--fault",
        "rename-copies",
        "--explorer",
        "witnesses",
        "--suite",
        "rename",
    ]
    subprocess.run(
        [sys.executable, "-m", "fsconform.app.main", *arguments, "--out", out], capture_output=True, check=False
    )
    file = out / "latest" / "results.json"
    row = json.loads(file.read_bytes())
    for store in row["stores"]:
        store["problems"] = store["survey_notes"] = [HOSTILE[:-1]]
        for one in store["divergences"]:
            for name in ("signature", "expected", "observed", "cause", "statement"):
                one[name] = f"{one[name]} {HOSTILE[:-1]}"
    changed = folder / "results.json"
    changed.write_text(json.dumps(row), "utf-8")
    return changed


def test_compare_and_reports(tmp_path: Path) -> None:
    from fsconform.records.codec import loads
    from fsconform.reports.html import write_report
    from fsconform.reports.junit import junit_xml
    from fsconform.reports.text import summary

    first = _results(tmp_path)
    page = tmp_path / "page.html"
    told = _run("compare", tmp_path / "out" / "latest", first, "--html", page, "--json", tmp_path / "c.json")
    assert "\\u202e" in told
    found = loads(first)
    out = io.StringIO()
    summary(found, SafeConsole(file=out, width=120))
    _check_output(out.getvalue())
    ElementTree.fromstring(junit_xml(found))
    _check(junit_xml(found).decode())
    write_report(found, tmp_path)
    for file in (page, *tmp_path.joinpath("report").rglob("*.html")):
        text = file.read_text("utf-8")
        assert not any(one in text for one in "\x1b\u009b\u202e\u2066\u200b\x07\x7f\x85\u2028"), file
