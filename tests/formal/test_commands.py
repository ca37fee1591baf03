"""The commands of the formal side, with the real checker and without it."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import Result

from fsconform.app.formal import figures
from fsconform.specs import formal

Command = Callable[..., Result]


@pytest.mark.long
@pytest.mark.usefixtures("cache")
def test_small_bounds_hold(fsconform: Command, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    result = fsconform("spec", "check", "--bounds", "small", "--json", told)
    assert result.exit_code == 0, result.output
    assert "0 differences between module and model" in result.output
    table = json.loads(told.read_text("utf-8"))
    compared = {row["name"]: row["transitions"] for row in table["checks"] if "transitions" in row}
    assert compared["namespace"] == formal.checks()["namespace"].generated - 1
    assert table["equality"]["transitions"] == sum(compared.values())
    assert table["equality"]["modules"] == ["Namespace", "OutputStream", "Pipeline"]
    assert {row["name"] for row in table["checks"] if row["result"] == "fault found"} == {
        one.name for one in formal.checks().values() if one.fault and one.size == "small"
    }
    known = figures.kept()
    assert known is not None and known.transitions == table["equality"]["transitions"]
    assert known.modules == table["equality"]["modules"]
    result = fsconform("spec", "check", "--unless-known")
    assert result.exit_code == 0 and "checked before" in result.output


@pytest.mark.usefixtures("cache")
def test_a_check_that_does_not_come_out(fsconform: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = formal.module_texts()
    texts["ObjectStore"] = texts["ObjectStore"].replace('"a part that is put is shown"', '"nothing at all"')
    monkeypatch.setattr(formal, "module_texts", lambda: texts)
    result = fsconform("spec", "check", "objects-fault-upload")
    assert result.exit_code == 1
    assert "UploadsShowAtTheirEnd was to be violated, and is not" in result.output
    texts["ObjectStore"] = texts["ObjectStore"].replace("Init ==", "Init = =")
    result = fsconform("spec", "check", "objects-fault-upload")
    assert result.exit_code == 3 and "parse error (exit code 150)" in result.output
    assert figures.kept() is None


@pytest.mark.usefixtures("no_tlc", "cache")
def test_what_is_not_here_is_not_run(fsconform: Command, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    for command in ("check", "check --unless-known", "traces"):
        result = fsconform("spec", *command.split(), *(("--json", told) if "check" in command else ()))
        assert result.exit_code == 3 and "not run: TLC was not found" in result.output
    assert json.loads(told.read_text("utf-8"))["not_run"]
    result = fsconform("spec", "doctor", "--json", told)
    assert result.exit_code == 3 and "not run" in json.loads(told.read_text("utf-8"))["tlc"]


@pytest.mark.usefixtures("no_tlc", "cache")
def test_a_run_without_the_checker(fsconform: Command, tmp_path: Path) -> None:
    quick = ("--store", "proving", "--budget", "1", "--out", tmp_path)
    result = fsconform("run", *quick, "--explorer", "traces")
    assert result.exit_code == 3 and "traces: not run: TLC was not found" in result.output
    assert not list(tmp_path.glob("2*"))
    result = fsconform("run", *quick)
    assert result.exit_code == 0, result.output
    reasons = json.loads((tmp_path / "latest" / "results.json").read_text("utf-8"))["run"]["formal"]["not_run"]
    assert len(reasons) == 2 and "TLC was not found" in reasons[1]


def test_apalache_is_not_run_where_it_is_not(
    fsconform: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("APALACHE_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    told = tmp_path / "told.json"
    result = fsconform("spec", "check", "--with", "apalache", "--json", told)
    assert result.exit_code == 3 and "not run: Apalache was not found" in result.output
    table = json.loads(told.read_text("utf-8"))
    assert table["not_run"] and table["checks"] == []
    result = fsconform("spec", "traces", "--kind", "apalache")
    assert result.exit_code == 3 and "not run: Apalache was not found" in result.output


@pytest.mark.usefixtures("cache")
def test_what_is_inductive(fsconform: Command) -> None:
    result = fsconform("spec", "check", "--inductive")
    assert result.exit_code == 0, result.output
    assert "namespace-inductive: holds" in result.output and "namespace-inductive-fault: fault found" in result.output
    assert "streams" not in result.output


def test_the_reason_of_apalache_is_shown(fsconform: Command, tmp_path: Path) -> None:
    tool, told = tmp_path / "apalache-mc", tmp_path / "told.json"
    text = Path(__file__).parent / "apalache-0.61.0" / "typecheck-error.txt"
    tool.write_text(f'#!/bin/sh\n[ "$1" = version ] && {{ echo 0.61.0; exit 0; }}\ncat {text}; exit 120\n', "utf-8")
    tool.chmod(0o755)
    call = ("spec", "check", "namespace", "--with", "apalache", "--apalache", tool, "--json", told)
    result = fsconform(*call)
    assert result.exit_code == 3, result.output
    assert "namespace: type error" in result.output
    assert "exit code 120, the modules do not pass the type checker" in result.output
    assert 'Cannot apply o to the argument "dirs"' in result.output and "EXITCODE" not in result.output
    table = json.loads(told.read_text("utf-8"))
    assert table["length"] == 1 and "InBounds" in table["checks"][0]["reason"]
    result = fsconform(*call, "--inductive")
    assert result.exit_code == 2 and "none of these checks begins in every state" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("check", "Namespaces"), "no module or check 'Namespaces': did you mean"),
        (("check", "--contract", "hdfs"), "--contract goes with --trace"),
        (("check", "Namespace", "--trace", "x"), "leave MODULE out"),
        (("check", "--trace", "none.itf.json"), "none.itf.json: "),
        (("fetch-apalache", "--sha256", "12"), "64 hexadecimal digits"),
    ],
)
def test_usage(arguments: tuple[str, ...], told: str, fsconform: Command) -> None:
    result = fsconform("spec", *arguments)
    assert result.exit_code == 2 and told in result.output


@pytest.mark.usefixtures("cache")
def test_random_traces_are_allowed_and_played(fsconform: Command, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    result = fsconform("spec", "traces", "--kind", "random", "--number", 12, "--steps", 6, "--out", folder)
    assert result.exit_code == 0, result.output
    assert "the reference model allows 12 of them" in result.output
    first = sorted(folder.iterdir())[0]
    result = fsconform("spec", "check", "--trace", first, "--contract", contract(tmp_path))
    assert result.exit_code == 0 and "the module allows all 6 steps" in result.output
    wrong = tmp_path / "wrong.itf.json"
    table = json.loads(first.read_text("utf-8"))
    table["states"][4]["act"]["res"] = "list"
    wrong.write_text(json.dumps(table), "utf-8")
    result = fsconform("spec", "check", "--trace", wrong, "--contract", contract(tmp_path))
    assert result.exit_code == 1 and "the module allows 3 steps; not step 4" in result.output
    run = ("run", "--store", "proving", "--budget", "5", "--explorer", "traces", "--out", tmp_path / "out")
    assert fsconform(*run, "--traces", folder).exit_code == 0
    assert fsconform(*run, "--traces", folder, "--fault", "delete-non-empty").exit_code in (0, 1)
    assert "can't be" not in result.output
    (folder / "bad.itf.json").write_text("{", "utf-8")
    result = fsconform(*run, "--traces", folder)
    assert result.exit_code == 2 and "bad.itf.json: not a trace in ITF" in result.output


def contract(folder: Path) -> Path:
    """The contract of the check that traces are taken from."""
    file = folder / "goals.xml"
    names = ("supports-append", "supports-strict-exceptions")
    rows = (f"<property><name>fs.contract.{name}</name><value>true</value></property>" for name in names)
    file.write_text(f"<configuration>{''.join(rows)}</configuration>", "utf-8")
    return file


@pytest.mark.usefixtures("cache")
def test_what_a_store_did_is_checked_against_the_module(fsconform: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = ("run", "--store", "proving", "--suite", "delete", "--budget", "0", "--out", out)
    assert fsconform(*run, "--fault", "delete-non-empty").exit_code == 1
    replay = next(one for one in (out / "latest" / "replays").iterdir() if "delete" in one.name)
    itf = tmp_path / "seen.itf.json"
    fsconform("replay", replay, "--itf", itf)
    result = fsconform("spec", "check", "--trace", itf, "--contract", "proving")
    assert result.exit_code == 0 and "allows all" in result.output
    fsconform("replay", replay, "--itf", itf, "--fault", "delete-non-empty")
    result = fsconform("spec", "check", "--trace", itf, "--contract", "proving")
    assert result.exit_code == 1 and "delete gives true" in result.output


@contextmanager
def served(body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/apalache.tgz"
    finally:
        server.shutdown()
        server.server_close()


def test_what_is_fetched_is_verified(fsconform: Command, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("apalache-0.61.0/bin/apalache-mc"), io.BytesIO())
    body = packed.getvalue()
    with served(body) as url:
        fetch = ("spec", "fetch-apalache", "--url", url, "--to", tmp_path / "home", "--sha256")
        result = fsconform(*fetch, "0" * 64)
        assert result.exit_code == 2 and "nothing was unpacked" in result.output
        assert not list((tmp_path / "home").iterdir())
        result = fsconform(*fetch, hashlib.sha256(body).hexdigest())
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == f"export APALACHE_HOME={tmp_path / 'home' / 'apalache-0.61.0'}"
    result = fsconform(*fetch, "0" * 64)
    assert result.exit_code == 3 and "is there a network" in result.output
