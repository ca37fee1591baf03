"""The CI workflow and tox.ini: valid, and they speak of the same environments, versions and stores as the harness.

What needs GitHub itself is not tried here; the schema of workflows is the one that check-jsonschema carries.
"""

from __future__ import annotations

import configparser
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fsconform.adapters.jars import known_versions
from fsconform.harness.layer_stores import OBJECT_STORES
from fsconform.harness.presets import PRESETS

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "conformance.yml"
NAMED = "${{ fromJSON(needs.stores.outputs.further) }}"


def checked(file: Path) -> subprocess.CompletedProcess[str]:
    """The workflow held against the schema of GitHub's workflows."""
    command = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", "vendor.github-workflows"]
    return subprocess.run([*command, str(file)], capture_output=True, text=True, check=False, timeout=120)


def expanded(pattern: str) -> list[str]:
    """A name with braces, as tox expands it: ``a-{b,c}`` is a-b and a-c."""
    parts = [part.split(",") if number % 2 else [part] for number, part in enumerate(re.split(r"[{}]", pattern))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def environments() -> set[str]:
    """The environments that tox.ini names in its section headings."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    return {name for section in tox.sections() for name in expanded(section.removeprefix("testenv:"))}


def commands(lines: str, environment: str) -> list[str]:
    """What tox runs for an environment: a line may begin with factors that it must have, or not have behind a ``!``."""
    has = set(environment.split("-"))
    found = []
    for line in lines.strip().splitlines():
        factors, colon, command = line.strip().partition(": ")
        asked = factors.split("-") if colon else []
        if all((factor.removeprefix("!") in has) != factor.startswith("!") for factor in asked):
            found.append(command or line.strip())
    return found


def test_the_factors_of_a_line() -> None:
    lines = "first\nb-c: second\nb-!c: third"
    assert commands(lines, "a-b-c") == ["first", "second"]
    assert commands(lines, "a-b") == ["first", "third"]
    assert commands(lines, "a-c") == ["first"]


def named() -> list[str]:
    """What the workflow asks, before anything is installed, for its matrix of further stores."""
    tool = [sys.executable, "-I", "-S", str(ROOT / "tools" / "stores.py")]
    names: list[str] = json.loads(subprocess.run(tool, capture_output=True, text=True, check=True, timeout=60).stdout)
    return names


def steps(workflow: Any) -> list[tuple[str, str]]:
    """Each command of the workflow with its job, once for each place in the job's matrix."""
    found = []
    for name, job in workflow["jobs"].items():
        matrix = job.get("strategy", {}).get("matrix", {})
        lists = [named() if values == NAMED else values for values in matrix.values()]
        for values in itertools.product(*lists):
            for step in job["steps"]:
                command = step.get("run", "")
                for key, value in zip(matrix, values, strict=True):
                    command = command.replace(f"${{{{ matrix.{key} }}}}", value)
                found.append((name, command))
    return found


@pytest.fixture(scope="module")
def workflow() -> Any:
    return YAML(typ="safe").load(WORKFLOW)


def test_the_workflow_fits_the_schema_and_a_broken_one_does_not(tmp_path: Path) -> None:
    assert checked(WORKFLOW).returncode == 0, checked(WORKFLOW).stdout
    broken = tmp_path / "conformance.yml"
    broken.write_text(WORKFLOW.read_text("utf-8").replace("runs-on: ubuntu-24.04", "run-on: ubuntu-24.04", 1), "utf-8")
    refused = checked(broken)
    assert refused.returncode == 1 and "run-on" in refused.stdout + refused.stderr


def test_every_environment_that_the_workflow_runs_is_one_of_tox(workflow: Any) -> None:
    asked = {name for _, command in steps(workflow) for name in re.findall(r"tox run -e (\S+)", command)}
    assert len(asked) == 16
    assert asked <= environments()
    assert not any("matrix" in command for _, command in steps(workflow)), "an expression that nothing fills in"


def test_the_workflow_has_every_hadoop_version_and_built_in_store(workflow: Any) -> None:
    matrix = workflow["jobs"]["embedded"]["strategy"]["matrix"]
    assert set(matrix["hadoop"]) == set(known_versions())
    assert set(matrix["store"]) <= set(PRESETS)
    for job in workflow["jobs"].values():
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(workflow["jobs"])


def test_every_environment_of_tox_judges_the_store_that_it_names() -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    (default,) = [name for name in tox.sections() if name.startswith("testenv:conformance-")]
    settings = tox[default]["set_env"]
    for name in expanded(default.removeprefix("testenv:")):
        parts = re.fullmatch(r"conformance-(.+?)-(embedded|container)(?:-(.+))?", name)
        assert parts is not None
        store, _, factor = parts.groups()
        assert store in PRESETS
        judging = f"fsconform run --store {store} {{posargs}}"
        assert commands(tox[default]["commands"], name) == ["fsconform jars", judging]
        if factor:
            number = factor.removeprefix("hadoop")
            assert number in known_versions() and f"{factor}: FSCONFORM_HADOOP = {number}" in settings
    assert "container: FSCONFORM_VIA = container" in settings


def expanded_environments(lines: str) -> set[str]:
    """The stores of conformance environments in a list of tox's."""
    found = set()
    for name in re.findall(r"conformance-\S+-embedded(?=\s|$)", lines):
        found |= {one.removeprefix("conformance-").removesuffix("-embedded") for one in expanded(name)}
    return found


def test_every_list_of_stores_is_the_folders_of_the_stores(workflow: Any) -> None:
    """A store put into adapters/stores is judged by tox, the workflow and `make nightly`."""
    default = {name for name, preset in PRESETS.items() if preset.default}
    contained = {name for name, preset in PRESETS.items() if preset.contained}
    more = {name for name, preset in PRESETS.items() if not (preset.default or preset.draft or name == "proving")}
    assert set(named()) == more | {"s3"} <= {*PRESETS, *OBJECT_STORES}
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    labels = dict(re.findall(r"^(\w+) = (.+)$", tox["tox"]["labels"], re.MULTILINE))
    assert expanded_environments(labels["stores"]) == expanded_environments(tox["tox"]["env_list"]) == default
    assert "further" in tox["tox"]["env_list"].split()
    assert tox["testenv:further"]["commands"].split("\n")[-1] == "python tools/stores.py run {posargs}"
    assert labels["containers"] == f"conformance-{{{','.join(sorted(contained))}}}-container"
    jobs = {name: job["strategy"]["matrix"]["store"] for name, job in workflow["jobs"].items() if "strategy" in job}
    assert jobs["further"] == NAMED
    assert workflow["jobs"]["stores"]["outputs"] == {"further": "${{ steps.names.outputs.further }}"}
    assert set(jobs["container"]) == contained
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.findall(r"^DEEP_STORES := (.+)$", makefile, re.MULTILINE) == [
        " ".join(name for name, preset in PRESETS.items() if preset.default)
    ]
    assert "tools/stores.py run --budget 600" in makefile


def test_each_further_store_is_run_and_those_that_fail_are_named(tmp_path: Path) -> None:
    program = tmp_path / "fsconform"
    program.write_text('#!/bin/sh\necho "$@" >> asked\ncase "$3" in swift) exit 3;; viewfs) exit 1;; esac\n', "utf-8")
    program.chmod(0o755)
    (tmp_path / "python").symlink_to(sys.executable)
    tool = [str(tmp_path / "python"), "-S", str(ROOT / "tools" / "stores.py"), "run"]
    more = ("--store", "viewfs", "--budget", "60", "--store", "swift", "--store", "har")
    done = subprocess.run([*tool, *more], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    asked = (tmp_path / "asked").read_text("utf-8").splitlines()
    assert asked == [f"run --store {name} --budget 60" for name in ("viewfs", "swift", "har")]
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (
        3,
        ["what did not pass (store:exit code): viewfs:1 swift:3"],
    )
