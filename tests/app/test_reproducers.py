"""Pytest files of divergences: readable, true to the program, and safe whatever the names in it are."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.histories.concurrent import Concurrent, encode
from fsconform.harness.presets import Custom
from fsconform.harness.reproducers import (
    call_source,
    named,
    pytest_command,
    pytest_file,
    read,
    replay_command,
    step_source,
)
from fsconform.model.core.content import EMPTY, Content, Segment, of
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Program, Step, encode_program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.records.codec import loads
from fsconform.records.results import Divergence, HistoryCall, HistoryRecord, StepRecord
from fsconform.specs.witness import witnesses

Command = Callable[..., subprocess.CompletedProcess[str]]
HOSTILE = (
    '"""',
    "'''",
    "\"'",
    "\\",
    '\\"""',
    '""""""; import os',
    "\n",
    "\r\n",
    "\x00",
    "\ud800",
    "\u2028",
    "\u202e",
    "{replay}",
    "%s",
    "a\\",
    'a"',
    "\U0001f600",
    "e\u0301",
    "${x}`y`",
    "''' + exit() + '''",
)


def _divergence(program: Program, **given: Any) -> Divergence:
    steps = [StepRecord(str(step.operation), {}, "observed", "expected", marked=True) for step in program]
    words: dict[str, Any] = {
        "signature": "delete (x) returned true",
        "verdict": "violation",
        "clause": "filesystem.delete.pre.not-empty",
        "level": "MUST",
        "statement": "It says so.",
        "operation": "delete",
        "expected": "raise IOException",
        "observed": "returned true",
        "program": encode_program(program),
        "steps": len(program),
        "confirmed": "3/3",
        "options": [],
        "replay": "replays/x.json",
        "sequence": steps,
        "reproducer": "fsconform replay out/replays/x.json --store proving",
    }
    return named(Divergence(**(words | given)), "proving")


def _executed(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "test_x.py", "exec"), names)
    return names


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_breaks_out(text: str) -> None:
    program = (Step(Create(("a", text), of(1, 3), False)), Step(Rename((text,), ("b", text)), client=1, probe=True))
    contract = {"supports-append": True, "max-path": 7}
    fields = dict.fromkeys(("expected", "observed", "statement", "source"), f"{text} x {text}")
    # A signature has no name in it; it must not break out all the same.
    divergence = _divergence(program, signature=text.encode("ascii", "replace").decode() * 2, **fields)
    source = pytest_file(divergence, contract)
    assert source.isascii()
    tree = ast.parse(source)
    docstring = ast.get_docstring(tree, clean=False)
    assert docstring is not None and docstring.startswith("violation: ")
    # Nothing but the docstring, imports, the program and one function is there.
    kinds = [type(statement) for statement in tree.body[1:]]
    assert kinds == [ast.ImportFrom] * (len(kinds) - 2) + [ast.Assign, ast.FunctionDef]
    # A line break in a text makes no line of its own.
    assert docstring.count("\n") == str(ast.get_docstring(ast.parse(_plain(program)), clean=False)).count("\n")
    names = _executed(source)
    assert names["PROGRAM"] == program
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    given: list[Any] = []
    test(lambda program, **more: given.append((program, more)))
    assert given == [(program, {"signature": divergence.signature, "contract": contract})]
    file = divergence.test.rpartition("/")[2]
    assert file.removesuffix(".py").isidentifier() and file.isascii()


def _plain(program: Program) -> str:
    return pytest_file(_divergence(program, source="s"), {})


CONTENTS: tuple[Content, ...] = (EMPTY, of(1, 3), (Segment(1, 3, 7),), (Segment(1, 3), Segment(2, 5, 1)))


@pytest.mark.parametrize(
    "step",
    [
        *(Step(Append(("a",), content)) for content in CONTENTS),
        *(Step(Create(("a",), content, True), setup=True) for content in CONTENTS),
        *(Step(kind(("a", "b"))) for kind in (Mkdirs, Open, GetFileStatus, Exists, ListStatus)),
        Step(Delete((), True)),
        # No string denotes these paths: they are written as they are.
        Step(Delete(("",), False)),
        Step(Rename(("a/b",), ("a", "/", "\n"))),
    ],
)
def test_a_step_is_written_as_the_call_that_makes_it(step: Step) -> None:
    kinds: tuple[type, ...] = (Append, Create, Delete, Exists, GetFileStatus, ListStatus, Mkdirs, Open, Rename)
    names: dict[str, Any] = {kind.__name__: kind for kind in (*kinds, Step, Segment)}
    assert eval(step_source(step), names | {"path": parse, "content": of, "EMPTY": EMPTY}) == step


def test_every_call_of_the_witnesses_is_written_as_what_makes_it() -> None:
    """Whatever an operation takes: modes, names of streams, options, scripts, other ways into the store."""
    calls = {step.operation for witness in witnesses() for step in witness.program}
    kinds = {type(call).__name__: type(call) for call in calls}
    assert len(kinds) == len({type(call) for call in calls}) > 100
    names: dict[str, Any] = {**kinds, "Segment": Segment, "path": parse, "content": of, "EMPTY": EMPTY}
    assert [call for call in calls if eval(call_source(call), names) != call] == []


RACE = Concurrent(
    (Create(("a", '"""'), of(1, 3), False),),
    (
        (OpenWriter(("a",), "w", "append"), Write("w", of(2, 70)), CloseWriter("w")),
        (ReadOn("r", ("read 1", "seek 0")),),
    ),
    (0, 31_000),
    (Open(("a",)),),
)
RACES = (RACE, replace(RACE, beginning=(), ending=(), threads=True), replace(RACE, lanes=((), ()), delays=(5, 0)))


@pytest.mark.parametrize("race", RACES)
def test_the_file_of_a_race_has_its_program_as_data(race: Concurrent) -> None:
    calls = [HistoryCall(lane, "x", "y", "at once", 0.0, 1.0) for lane in (0, 1)]
    history = HistoryRecord(encode(race), calls, 45, 200, "processes")
    divergence = _divergence((Step(Mkdirs(("a",)), client=1),), history=history, confirmed="45/200")
    source = pytest_file(divergence, {"supports-append": True}, ("proving",))
    names = _executed(source)
    assert names["PROGRAM"] == race
    told = str(names["__doc__"])
    assert "race      seen in 45 of 200 runs, by 2 clients, processes" in told
    assert ">  1. client 1: " in told and "runs the program 200 times" in told
    assert "passes when it is gone" not in told
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    given: list[Any] = []
    test(lambda program, **more: given.append((program, more)))
    assert given == [
        (
            race,
            {"signature": divergence.signature, "contract": {"supports-append": True}, "quirks": ("proving",)},
        )
    ]
    assert source == "\n".join(line.rstrip() for line in source.split("\n")) and source.isascii()


def test_paths_are_strings_and_content_is_size_and_seed() -> None:
    assert step_source(Step(Create(("a", "b"), of(7, 4096), overwrite=False))) == (
        'Step(Create(path("/a/b"), content(seed=7, length=4096), overwrite=False))'
    )
    assert step_source(Step(Delete(("a/b",), True), probe=True)) == (
        'Step(Delete(("a/b",), recursive=True), probe=True)'
    )


def test_command_lines_name_the_store_and_no_secret() -> None:
    custom = Custom(
        "my://x/{y}",
        (Path("/lib/my jar.jar"),),
        {"fs.my.secret.key": "hunter2", "fs.my.impl": "org.example.My"},
        (Path("site.xml"),),
    )
    line = replay_command(Path("out{1}/run"), "my", custom, "").format(replay="replays/x.json")
    assert line == (
        "fsconform replay 'out{1}/run'/replays/x.json --uri 'my://x/{y}' --name my --jars '/lib/my jar.jar' "
        "--conf fs.my.impl=org.example.My --conf 'fs.my.secret.key=(redacted)' --conf-file site.xml"
    )
    assert pytest_command("test_x.py", line) == (
        "pytest test_x.py --fs-uri 'my://x/{y}' --fs-name my --fs-jars '/lib/my jar.jar' "
        "--fs-conf fs.my.impl=org.example.My --fs-conf 'fs.my.secret.key=(redacted)' --fs-conf-file site.xml"
    )
    line = replay_command(Path("out"), "proving", None, "delete-non-empty").format(replay="replays/x.json")
    assert pytest_command("test_x.py", line) == "pytest test_x.py --store proving --fs-fault delete-non-empty"


def _pytest(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *map(str, arguments)],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _environment() -> Mapping[str, str]:
    return os.environ | {"PYTEST_ADDOPTS": ""}


def test_what_a_run_found_is_reproduced_until_it_is_gone(fsconform: Command, tmp_path: Path) -> None:
    faulty = ("run", "--store", "proving", "--fault", "delete-non-empty", "--suite", "delete")
    ran = fsconform(*faulty, "--budget", "0", "--out", "out")
    assert ran.returncode == 1, ran.stderr
    latest = tmp_path / "out" / "latest"
    (divergence,) = loads(latest / "results.json").stores[0].divergences
    file = latest / divergence.test
    names = _executed(file.read_text("ascii"))
    assert names["PROGRAM"] == read(latest / divergence.replay).program
    # The docstring says how to run it, in the folder where it is.
    line = next(line.split() for line in str(names["__doc__"]).splitlines() if line.startswith("    pytest "))
    assert line[1] == file.name
    there = _pytest(file.parent, *line[1:])
    assert there.returncode == 1, there.stdout
    assert f"violation: {divergence.signature}" in there.stdout
    assert "  >  2  delete(/a, recursive=false)" in there.stdout
    assert "Traceback" not in there.stdout
    gone = _pytest(file.parent, file.name, "--store", "proving")
    assert gone.returncode == 0, gone.stdout
    other = _pytest(file.parent, file.name, "--store", "proving", "--fs-fault", "ancestors-not-made")
    assert other.returncode == 1, other.stdout
    assert f"It does not show '{divergence.signature}', but departs otherwise:" in other.stdout
    skipped = _pytest(file.parent, file.name, "-rs")
    assert skipped.returncode == 0
    assert "nothing says which store to judge" in skipped.stdout
    # Replaying leaves nothing behind.
    assert not (file.parent / "results").exists()


LOOKS = (ListStatus(()), Open(("a",)))
TORN = (OpenWriter(("a",), "w", "create"),), ((Write("w", of(3, 700)),), (Write("w", of(4, 7)),))
SHOWN: dict[str, tuple[str, str, Concurrent]] = {
    "create-checks-then-acts": (
        "create returned none beside create returned none",
        "hflush-seen-late",
        Concurrent((), tuple((Create(("a",), of(seed, 3), False),) for seed in (1, 2)), (0, 0), LOOKS),
    ),
    "stream-writes-torn": (
        "write returned none beside write returned none",
        "create-checks-then-acts",
        Concurrent(*TORN, (0, 0), (CloseWriter("w"), *LOOKS), threads=True),
    ),
}
"""Of each fault the race that a program shows, and a fault that it does not show."""


@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", SHOWN)
def test_a_race_fails_as_long_as_one_run_shows_it(fault: str, tmp_path: Path) -> None:
    signature, other, race = SHOWN[fault]
    calls = [HistoryCall(lane, "x", "y", "at once", 0.0, 1.0) for lane in (0, 1)]
    history = HistoryRecord(encode(race), calls, 45, 200, "processes")
    divergence = _divergence((), signature=signature, history=history, confirmed="45/200")
    file = divergence.test.rpartition("/")[2]
    (tmp_path / file).write_text(pytest_file(divergence, load_shipped("proving").declared), "ascii")
    there = _pytest(tmp_path, file, "--store", "proving", "--fs-fault", fault)
    assert there.returncode == 1, there.stdout
    assert f"violation: {signature}" in there.stdout and "Traceback" not in there.stdout
    assert re.search(r"replays   seen in [1-9][0-9]* of 200 runs", there.stdout)
    # The lanes of one run are drawn.
    assert re.search(r"client 1  .*\[.*=.*\]", there.stdout) and "no order from here" in there.stdout
    gone = _pytest(tmp_path, file, "--store", "proving")
    assert gone.returncode == 0 and "1 passed" in gone.stdout, gone.stdout
    sound = _pytest(tmp_path, file, "--store", "proving", "--fs-fault", other)
    assert sound.returncode == 0 and "1 passed" in sound.stdout, sound.stdout


def test_a_race_that_departs_otherwise_is_told_so(tmp_path: Path) -> None:
    """And one that can't be judged is skipped: that no run shows it says nothing then."""
    _, _, race = SHOWN["create-checks-then-acts"]
    for name, program in (("other", race), ("unknown", replace(race, lanes=((RecoverLease(("a",)),), race.lanes[1])))):
        history = HistoryRecord(encode(program), [], 45, 200, "processes")
        divergence = _divergence((), signature="another signature", history=history, confirmed="45/200")
        (tmp_path / f"test_{name}.py").write_text(pytest_file(divergence, {}), "ascii")
    other = _pytest(tmp_path, "test_other.py", "--store", "proving", "--fs-fault", "create-checks-then-acts")
    assert other.returncode == 1, other.stdout
    assert "It does not show 'another signature', but departs otherwise:" in other.stdout
    unknown = _pytest(tmp_path, "test_unknown.py", "--store", "local", "-rs")
    assert unknown.returncode == 3, unknown.stdout
    assert "inconclusive: another signature: 200 of 200 runs were not judged" in unknown.stdout


def test_hostile_names_reach_the_store_and_the_terminal_unharmed(tmp_path: Path) -> None:
    names = tuple(text for text in HOSTILE if "/" not in text)
    program = (Step(Create((*names, "x"), EMPTY, False)), Step(Delete(names, False)))
    signature = "delete (non-empty directory, not recursive) returned true"
    divergence = _divergence(program, signature=signature)
    (tmp_path / "test_hostile.py").write_text(pytest_file(divergence, {}), "ascii")
    ran = _pytest(tmp_path, "test_hostile.py", "--store", "proving", "--fs-fault", "delete-non-empty", "-n", "1")
    assert ran.returncode == 1, ran.stdout
    assert f"violation: {signature}" in ran.stdout
    assert "\\ud800" in ran.stdout
