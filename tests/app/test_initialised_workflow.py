"""The workflow that ``fsconform init`` writes does its work: its steps are run one by one, as a runner runs them.

``Runner`` is as much of GitHub's runner as the workflow needs; what it does not know fails the test. The short test
has stand-ins for pip and for the commands that take long, the long one installs a wheel built here and judges a store.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from fsconform.adapters.java import NoJava, find_java

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "records" / "example.json"
PASSED_ON = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http", "no_proxy", "SSL_", "REQUESTS_", "FSCONFORM_")
"""Beginnings of variables of this machine that say how it reaches an index and where jars are kept."""
_CALL = re.compile(r"hashFiles\('([^']*)'\)\s*!=\s*''")
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_OR = re.compile(r"vars\.(\w+)\s*\|\|\s*'([^']*)'")


def acted_on(output: str) -> Iterator[str]:
    """The lines that a runner acts upon: ``::`` at the beginning, ``##[`` anywhere; none while they are stopped."""
    stopped = ""
    for line in output.splitlines():
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
        elif line.startswith("::stop-commands::"):
            stopped = line.removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            yield line
    assert not stopped, "commands are stopped to the end of the job"


@dataclass
class Runner:
    """Runs the steps of a job in a workspace. ``outcomes`` has success, failure or skipped by the name of the step."""

    workspace: Path
    home: Path
    path: list[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    uploads: dict[str, list[Path]] = field(default_factory=dict)
    commands: dict[str, list[str]] = field(default_factory=dict)
    """The lines of a step's output that a runner takes for commands."""
    java: str = ""

    @property
    def failed(self) -> bool:
        return "failure" in self.outcomes.values()

    @property
    def summary(self) -> Path:
        return self.home / "summary.md"

    def run(self, job: Mapping[str, Any], make_python: bool) -> None:
        """Run a job's steps in order; after a failure only those that say always()."""
        common = {name: self.text(value) for name, value in job.get("env", {}).items()}
        for number, step in enumerate(job["steps"]):
            name = step.get("name") or step.get("uses") or f"step {number}"
            if not self.is_due(step.get("if", "")):
                self.outcomes[name] = "skipped"
            elif "run" in step:
                self.outcomes[name] = self.shell(name, step, common)
            else:
                self.use(step["uses"], step.get("with", {}), make_python)
                self.outcomes[name] = "success"

    def is_due(self, condition: str) -> bool:
        parts = [part.strip() for part in condition.split("&&")] if condition else []
        due = "always()" in parts or not self.failed
        for part in parts:
            if part != "always()":
                found = _CALL.fullmatch(part)
                assert found, f"a condition that the runner does not know: {part}"
                due = due and any(self.workspace.glob(found[1]))
        return due

    def text(self, value: str) -> str:
        """A text with its expressions replaced."""

        def replaced(found: re.Match[str]) -> str:
            inside = found[1].strip()
            if either := _OR.fullmatch(inside):
                return self.variables.get(either[1]) or either[2]
            assert inside.startswith("secrets."), f"an expression that the runner does not know: {inside}"
            return self.secrets.get(inside.removeprefix("secrets."), "")

        return _EXPRESSION.sub(replaced, value)

    def shell(self, name: str, step: Mapping[str, Any], common: Mapping[str, str]) -> str:
        own = {key: self.text(value) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.text(step["run"])],
            cwd=self.workspace,
            env={**self.environment(), **common, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.said[name] = done.stdout
        self.commands[name] = list(acted_on(done.stdout))
        return "failure" if done.returncode else "success"

    def environment(self) -> dict[str, str]:
        """What a runner has, and how this machine reaches an index."""
        return {
            **{name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)},
            "PATH": os.pathsep.join([*self.path, "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            **({"JAVA_HOME": self.java} if self.java else {}),
        }

    def use(self, action: str, given: Mapping[str, Any], make_python: bool) -> None:
        match action.partition("@")[0]:
            case "actions/checkout":
                assert (self.workspace / ".github").is_dir()
            case "actions/setup-python":
                if make_python:
                    subprocess.run([sys.executable, "-m", "venv", self.home / "python"], check=True)
                    self.path.insert(0, str(self.home / "python" / "bin"))
            case "actions/setup-java":
                self.java = str(find_java().home)
            case "actions/upload-artifact":
                self.uploads["artifact"] = sorted((self.workspace / given["path"]).rglob("*"))
            case "github/codeql-action/upload-sarif":
                self.uploads["sarif"] = [self.workspace / given["sarif_file"]]
            case _:
                raise AssertionError(f"an action that the runner does not know: {action}")


def job_of(project: Path) -> dict[str, Any]:
    """The one job of the workflow in a project."""
    read = yaml.safe_load((project / ".github" / "workflows" / "fsconform.yml").read_text("utf-8"))
    (job,) = read["jobs"].values()
    assert isinstance(job, dict)
    return job


def initialised(project: Path, *arguments: str | Path) -> None:
    """Make a project by the command."""
    project.mkdir()
    command = [sys.executable, "-m", "fsconform.app.main", "init", ".", *map(str, arguments)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}")
    path.chmod(0o755)


STAND_IN = """\
case "$1" in
  jars) exit 0 ;;
  run)
    mkdir -p results/r; cp {example} results/r/results.json; ln -s r results/latest
    echo "secret: $FS_X_SECRET_KEY" > asked
    printf '%s\\n' '::add-mask::a' '  ::error::a' 'a ##[error]a' '::stop-commands::' '::resume::' '::::'
    exit {code} ;;
  *) exec {command} "$@" ;;
esac
"""


def stood_in(tmp_path: Path, code: int) -> Runner:
    """A runner in which judging takes no time, and ends with a code."""
    project, home = tmp_path / "project", tmp_path / "home"
    initialised(project, "--uri", "x://y/z", "--conf", "fs.x.secret.key=hunter2", "--install", "fsconform==7")
    command = Path(sys.executable).with_name("fsconform")
    if not command.exists():
        pytest.skip("the command is not installed beside this Python")
    script(home / "bin" / "pip", 'echo "$@" >> installed\n')
    script(home / "bin" / "fsconform", STAND_IN.format(example=EXAMPLE, command=command, code=code))
    runner = Runner(project, home, [str(home / "bin")], secrets={"FS_X_SECRET_KEY": "of-ci"})
    try:
        runner.run(job_of(project), make_python=False)
    except NoJava as error:
        pytest.skip(str(error))
    return runner


def test_divergences_fail_the_job_and_are_reported_all_the_same(tmp_path: Path) -> None:
    runner = stood_in(tmp_path, 1)
    assert [name for name, outcome in runner.outcomes.items() if outcome == "failure"] == ["Judge"], runner.said
    assert "skipped" not in runner.outcomes.values()
    assert (runner.workspace / "installed").read_text() == "install fsconform==7\n"
    assert (runner.workspace / "asked").read_text() == "secret: of-ci\n"
    assert runner.commands["Judge"] == [], "a name of a store was taken for a command"
    assert "::add-mask::a" in runner.said["Judge"]
    assert any(line.startswith("::error") for line in runner.commands["Annotate the commit and write the summary"])
    assert "fsconform/contract.xml" in runner.said["Annotate the commit and write the summary"]
    assert "rawlocal" in runner.summary.read_text("utf-8")
    (sarif,) = runner.uploads["sarif"]
    assert json.loads(sarif.read_bytes())["runs"][0]["results"]
    assert runner.workspace / "results" / "r" / "results.json" in runner.uploads["artifact"]


def test_what_a_runner_acts_upon() -> None:
    """The stand-in for a runner sees commands, and none that are stopped."""
    assert list(acted_on("::error::a\nb\nc ##[d]\n")) == ["::error::a", "c ##[d]"]
    assert list(acted_on("::stop-commands::t\n::error::a\n::x::\n::t::\n::error::b\n")) == ["::error::b"]
    with pytest.raises(AssertionError):
        list(acted_on("::stop-commands::t\n::error::a\n"))


def test_a_run_that_judged_nothing_uploads_no_sarif(tmp_path: Path) -> None:
    """Wrong usage ends before there is a run."""
    runner = stood_in(tmp_path, 1)
    shutil.rmtree(runner.workspace / "results")
    (runner.workspace / "fsconform.sarif").unlink()
    script(runner.home / "bin" / "fsconform", '[ "$1" = jars ] || exit 2\n')
    again = Runner(runner.workspace, runner.home, runner.path)
    again.run(job_of(runner.workspace), make_python=False)
    assert again.outcomes["Judge"] == "failure"
    assert again.outcomes["Annotate the commit and write the summary"] == "skipped"
    assert again.outcomes["Upload to code scanning"] == "skipped"
    assert again.outcomes["Keep the report"] == "success" and "sarif" not in again.uploads


def test_a_variable_of_the_repository_comes_first(tmp_path: Path) -> None:
    runner = stood_in(tmp_path, 0)
    assert set(runner.outcomes.values()) == {"success"}
    again = Runner(runner.workspace, runner.home, runner.path, variables={"FSCONFORM": "fsconform==8"})
    (runner.workspace / "results" / "latest").unlink()
    again.run(job_of(runner.workspace), make_python=False)
    assert (runner.workspace / "installed").read_text().splitlines()[-1] == "install fsconform==8"


def copied(place: Path) -> Path:
    """The repository's tree in a folder."""
    ignored = shutil.ignore_patterns(".*", "build", "dist", "runs", "*.egg-info", "__pycache__")
    shutil.copytree(REPOSITORY, place, ignore=ignored)
    return place


def wheel_in(place: Path) -> Path:
    """A wheel of the repository's tree, built into a folder."""
    place.mkdir(parents=True, exist_ok=True)
    copy = copied(place / "copy")
    built = [sys.executable, "-m", "pip", "--isolated", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*built, "--no-build-isolation", "--wheel-dir", place, copy], check=True, timeout=300)
    shutil.rmtree(copy)
    (wheel,) = place.glob("fsconform-*.whl")
    return wheel


def served(folder: Path) -> tuple[ThreadingHTTPServer, str]:
    """A folder as an index of packages on a port of this machine, until it is shut down."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/simple"


def installing(runner: Runner, **environment: str) -> None:
    """Run the workflow's installation by pip, without what fsconform depends on."""
    job = job_of(runner.workspace)
    (step,) = [one for one in job["steps"] if one.get("name") == "Install fsconform"]
    pip = step | {"run": step["run"].splitlines()[0]}
    python = {"uses": "actions/setup-python@v5"}
    runner.run(job | {"env": job["env"] | environment, "steps": [python, pip]}, make_python=True)
    assert runner.outcomes["Install fsconform"] == "success", runner.said
    assert (runner.home / "python" / "bin" / "fsconform").is_file()


@pytest.mark.long
def test_it_is_installed_from_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    wheel = wheel_in(tmp_path / "simple" / "fsconform")
    initialised(tmp_path / "project", "--uri", "x://y/z", "--install", f"fsconform=={wheel.name.split('-')[1]}")
    (tmp_path / "home").mkdir()
    runner = Runner(tmp_path / "project", tmp_path / "home", [])
    server, url = served(tmp_path)
    try:
        installing(runner, PIP_INDEX_URL=url)
    finally:
        server.shutdown()
        server.server_close()
    assert url in runner.said["Install fsconform"]


@pytest.mark.long
def test_it_is_installed_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a form that the variable of the repository has, as no server is here that speaks https."""
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    if (git := shutil.which("git")) is None:
        pytest.skip("there is no git")
    copy = copied(tmp_path / "copy")
    author = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "x"), ("tag", "v1")):
        subprocess.run([git, *words], cwd=copy, check=True)
    source = "git+https://example.org/fsconform@v1"
    initialised(tmp_path / "project", "--uri", "x://y/z", "--install", source)
    (tmp_path / "home").mkdir()
    job = job_of(tmp_path / "project")
    written = Runner(tmp_path, tmp_path, []).text(job["env"]["FSCONFORM"])
    assert written == f"fsconform @ {source}"
    here = written.replace("git+https://example.org/fsconform", f"git+file://localhost{copy}")
    installing(Runner(tmp_path / "project", tmp_path / "home", [], variables={"FSCONFORM": here}))


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_the_steps_work_in_an_empty_folder_with_a_wheel(tmp_path: Path) -> None:
    """Nothing is declared of Hadoop's local filesystem, so divergences are found, reported and uploaded."""
    wheel = wheel_in(tmp_path / "wheels")
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    initialised(project, "--uri", f"file://{tmp_path}/sandbox", "--install", wheel, "--effort", "quick")
    runner = Runner(project, home, [])
    try:
        runner.run(job_of(project), make_python=True)
    except NoJava as error:
        pytest.skip(str(error))
    assert runner.outcomes["Install fsconform"] == "success", runner.said
    failed = [name for name, outcome in runner.outcomes.items() if outcome == "failure"]
    assert failed == ["Judge"], runner.said
    results = json.loads((project / "results" / "latest" / "results.json").read_bytes())
    assert results["run"]["exit"] == 1
    assert "::error" in runner.said["Annotate the commit and write the summary"]
    assert "file" in runner.summary.read_text("utf-8")
    (sarif,) = runner.uploads["sarif"]
    assert json.loads(sarif.read_bytes())["runs"][0]["results"]
    assert any(path.name == "index.html" for path in runner.uploads["artifact"])
