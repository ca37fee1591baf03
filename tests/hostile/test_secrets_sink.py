"""Nothing prints or writes past the one sink: held by reading all modules, and by trying what could go past it."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from rich.table import Table
from rich.text import Text

from fsconform.engine.secrecy import HIDDEN, KNOWN, Pump, Secrets, private
from fsconform.harness import console as consoles
from fsconform.harness import output

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("model", "specs", "records", "engine", "pipeline", "adapters", "suites", "reports", "app")
CANARY = "S1nk-Canary/+=<&>'\"é"

SINK = ("harness/output.py", "harness/console.py", "harness/output.py", "harness/output.py")
CHILDREN = (
    "adapters/network/http_addon.py",
    "adapters/hadoop/worker.py",
    "adapters/hadoop/copying.py",
    "adapters/separate/worker.py",
    "adapters/services/container_main.py",
    "adapters/services/ftp_daemon.py",
    "adapters/services/sftp_daemon.py",
    "adapters/services/swift_daemon.py",
    "adapters/volumes/mount.py",
)
"""Processes of their own: what they print goes into a log of their starter's, which takes secrets out of it."""
PLUGIN = "app/pytest_plugin.py"
SIGNALS = "harness/interrupts.py"
"""Writes one of some fixed texts to the terminal, where a signal leaves no other way, and flushes what was printed."""

PRINTS = {
    *("print", "input", "breakpoint"),
    *("click.echo", "click.secho", "click.echo_via_pager", "click.get_text_stream", "click.get_binary_stream"),
    *("traceback.print_exc", "traceback.print_exception", "traceback.print_stack", "logging.basicConfig"),
    *("Console", "rich.print", "rich.get_console", "rich.console.Console", "logging.StreamHandler"),
}
STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
FILES = {"write_text", "write_bytes"}
WRITERS = {
    "app/initialise.py": "what init writes is made of options, and it refuses those with secrets",
    "harness/scrubbing.py": "it takes secrets out of files that are there",
}
"""Modules of app that write files by themselves, with why nothing of a store goes into them."""


@pytest.fixture(autouse=True)
def register() -> Iterator[None]:
    KNOWN.forget()
    KNOWN.learn([CANARY])
    yield
    KNOWN.forget()


def _modules() -> list[tuple[str, ast.Module]]:
    return [
        (str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8")))
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
    ]


def _past(name: str, tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in PRINTS:
            # A print that names its file is a write to it.
            if ast.unparse(node.func) == "print" and any(one.arg == "file" for one in node.keywords):
                continue
            found.append(f"{name}:{node.lineno}: {ast.unparse(node.func)}")
        if isinstance(node, ast.Attribute) and ast.unparse(node) in STREAMS:
            found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "os.write":
            # A fixed text may be written where a signal leaves no other way.
            to, text = node.args[:2]
            if isinstance(to, ast.Constant) and not isinstance(text, ast.Constant):
                found.append(f"{name}:{node.lineno}: os.write")
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            found.append(f"{name}:{node.lineno}: from sys import")
    return found


def _writes(name: str, tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in FILES:
            found.append(f"{name}:{node.lineno}: {node.func.attr}")
        opens = (isinstance(node.func, ast.Attribute) and node.func.attr == "open") or (
            isinstance(node.func, ast.Name) and node.func.id == "open"
        )
        modes = [
            one.value for one in (*node.args, *(word.value for word in node.keywords)) if isinstance(one, ast.Constant)
        ]
        if opens and any(isinstance(one, str) and one[:1] in "wax" and len(one) < 4 and one for one in modes):
            found.append(f"{name}:{node.lineno}: open")
    return found


def test_nothing_prints_past_the_sink() -> None:
    past = [line for name, tree in _modules() if name not in (*SINK, *CHILDREN, PLUGIN) for line in _past(name, tree)]
    assert [line for line in past if not re.fullmatch(rf"{SIGNALS}:\d+: (os.write|sys.stdout|sys.stderr)", line)] == []


def test_the_plugin_prints_one_line_and_that_without_secrets() -> None:
    text = (ROOT / PLUGIN).read_text("utf-8")
    assert _past(PLUGIN, ast.parse(text)) == [f"{PLUGIN}:{_line_of(text, 'sys.stderr.write(')}: sys.stderr"]
    assert "sys.stderr.write(KNOWN.text(" in text


def _line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_commands_write_files_by_the_sink_alone() -> None:
    past = [
        line
        for name, tree in _modules()
        if name.startswith("app/") and name not in (*SINK, *WRITERS)
        for line in _writes(name, tree)
    ]
    assert past == []


def test_what_prints_past_it_is_found() -> None:
    text = """
import sys, os, click
from sys import stdout
from rich.console import Console
print("x")
print("x", file=stream)
sys.stderr.write("x")
click.echo("x")
Console().print("x")
os.write(2, b"x")
os.write(2, text)
"""
    found = [line.split(": ")[1] for line in _past("x.py", ast.parse(text))]
    assert sorted(found) == ["Console", "click.echo", "from sys import", "os.write", "print", "sys.stderr"]
    assert len(_writes("x.py", ast.parse("p.write_text('x')\nopen('x', 'w')\np.open(mode='wb')\nopen('name')"))) == 3


def test_all_ways_of_printing_lose_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, "utf-8"))
    monkeypatch.setenv("TOLD_SECRET_KEY", "0f-the-Environment")
    with output.scrubbed(["--conf", "a.secret:0f-a-Typo", "my://me:0f-a-Uri@host"]):
        KNOWN.learn([CANARY])
        told = f"{CANARY} 0f-the-Environment 0f-a-Typo 0f-a-Uri"
        print(told)
        click.echo(told)
        click.echo(told, err=True)
        click.ClickException(told).show()
        click.UsageError(told).show()
        sys.stdout.buffer.write(told.encode())
        sys.stderr.write(told[:9])
        sys.stderr.write(told[9:] + "\n")
        try:
            raise ValueError(told)
        except ValueError:
            traceback.print_exc()
        consoles.console.print(told, markup=False)
        consoles.plain.print(Text(told))
        consoles.console_on(sys.stdout, width=20).print(told, markup=False)
        table = Table("one", told)
        table.add_row(Text(told), told)
        consoles.console_on(sys.stdout, width=24).print(table)
        consoles.write_out(told)
    text = raw.getvalue().decode()
    assert text.count(HIDDEN) > 40
    for part in ("S1nk", "Canary", "0f-the", "0f-a"):
        assert part not in text


def test_files_lose_secrets_and_numbers_stay(tmp_path: Path) -> None:
    KNOWN.learn(["31415926"])
    output.write_text(tmp_path / "text", f"told {CANARY}\n")
    output.write_json(tmp_path / "json", {CANARY: [31415926, "31415926"], "program": [CANARY]})
    assert (tmp_path / "text").read_text() == f"told {HIDDEN}\n"
    assert "31415926" in (tmp_path / "json").read_text() and '"31415926"' not in (tmp_path / "json").read_text()


@pytest.mark.parametrize("kind", ["uri", "xml", "attribute", "json", "ascii", "base64", "repr"])
def test_every_form_of_a_secret_is_found(kind: str) -> None:
    import base64
    import html
    import json
    from urllib.parse import quote
    from xml.sax.saxutils import escape, quoteattr

    form = {
        "uri": quote(CANARY, safe=""),
        "xml": escape(CANARY),
        "attribute": quoteattr(CANARY.replace("'", ""))[1:-1],
        "json": json.dumps(CANARY, ensure_ascii=False)[1:-1],
        "ascii": json.dumps(CANARY)[1:-1],
        "base64": base64.b64encode(CANARY.encode()).decode(),
        "repr": repr(CANARY)[1:-1],
    }[kind]
    if kind == "attribute":
        KNOWN.learn([CANARY.replace("'", "")])
    assert KNOWN.text(f"before {form} after") == f"before {HIDDEN} after"
    assert KNOWN.text(html.escape(CANARY)) == HIDDEN


def test_secrets_that_lie_upon_one_another_are_hidden_whole_and_marks_stay() -> None:
    secrets = Secrets()
    secrets.learn(["abcdef", "defghi", "redacted", "key1", "key12"])
    assert secrets.text("xabcdefghix") == f"x{HIDDEN}x"
    assert secrets.text(secrets.text("key12 redacted key1")) == f"{HIDDEN} {HIDDEN} {HIDDEN}"


def test_lines_of_a_long_secret_are_secrets() -> None:
    secrets = Secrets()
    secrets.learn(["-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----"])
    assert "kqhkiG9" not in secrets.text("log: kqhkiG9w0BAQEF")


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_a_secret_in_two_pieces_is_not_logged(tmp_path: Path, size: int) -> None:
    import os

    secrets = Secrets()
    secrets.learn(["Tw0-P1eces"])
    pump = Pump(tmp_path / "log", secrets)
    end = os.dup(pump.end)
    pump.started()
    data = (
        b"told Tw0-P1eces here\n" * 40
        + b"x" * (3 << 20 if size > 100 else 10)
        + b"Tw0-P1eces" * 3
        + b"no end Tw0-P1eces"
    )
    writer = threading.Thread(target=_written, args=(end, data, size))
    writer.start()
    writer.join()
    pump.settle(10)
    told = (tmp_path / "log").read_bytes()
    assert told == data.replace(b"Tw0-P1eces", HIDDEN.encode())
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def _written(end: int, data: bytes, size: int) -> None:
    with open(end, "wb", buffering=0) as stream:
        for place in range(0, len(data), size):
            piece = memoryview(data)[place : place + size]
            while piece:
                piece = piece[stream.write(piece) :]


def test_logs_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("before\n")
    (tmp_path / "log").chmod(0o644)
    with private(tmp_path / "log") as stream:
        stream.write(b"after\n")
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "log").read_text() == "before\nafter\n"


def test_a_process_that_logs_goes_on_where_the_disk_is_full(tmp_path: Path) -> None:
    pump = Pump(Path("/dev/full"), Secrets()) if Path("/dev/full").exists() else Pump(tmp_path / "log", Secrets())
    with subprocess.Popen([sys.executable, "-c", "print('x' * 1_000_000)"], stdout=pump.end) as process:
        pump.started()
        assert process.wait(20) == 0
