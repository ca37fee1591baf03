"""The import rules in pyproject.toml bite: a small tree that obeys keeps each contract, and one fault breaks it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = [contract["name"] for contract in PYPROJECT["tool"]["importlinter"]["contracts"]]

OBEDIENT = {
    "model/core/paths.py": "import dataclasses\n",
    "specs/clauses.py": "import fsconform.model.core.paths\n",
    "records/results.py": "import msgspec\n",
    "adapters/hadoop/calls.py": "import jpype\n",
    "adapters/hadoop/handlers/input.py": "import fsconform.adapters.hadoop.calls\n",
    "engine/explain.py": "import fsconform.engine.judge\n",
    "engine/judge.py": "import fsconform.specs.clauses\nimport fsconform.records.results\n",
    "adapters/java.py": "import os\n",
    "adapters/checkers/tlc.py": "import subprocess\n",
    "adapters/hadoop/worker.py": "import jpype\nimport jpype.imports\nimport fsconform.engine.judge\n",
    "adapters/posix/calls.py": "import errno\n",
    "proving/store.py": "import posixpath\n",
    "proving/faults/names.py": "import unicodedata\n",
    "proving/session.py": "import fsconform.proving.store\nimport fsconform.model.core.paths\n",
    "adapters/pythonic/session.py": "import errno\n",
    "adapters/s3/client.py": "import boto3\nimport botocore.config\n",
    "proving/objects/store.py": "import io\n",
    "adapters/services/hdfs.py": "import subprocess\n",
    "adapters/spark/worker.py": "import pyspark.sql\n",
    "adapters/volumes/journal.py": "import dataclasses\n",
    "suites/tree.py": "import fsconform.engine.judge\n",
    "suites/machines.py": "import hypothesis.stateful\n",
    "pipeline/session.py": "import pyspark.sql\nimport py4j.protocol\nimport fsconform.engine.judge\n",
    "reports/html.py": "import fsconform.records.results\n",
    "app/main.py": "import fsconform.reports.html\nimport fsconform.adapters.hadoop.worker\n"
    "import fsconform.pipeline.session\n",
    "harness/plans.py": "import fsconform.suites.machines\n",
}
# One fault for each contract, in the order of pyproject.toml.
FAULTS = [
    ("specs/clauses.py", "import fsconform.engine.judge"),
    ("records/results.py", "import fsconform.model.core.paths"),
    ("model/core/paths.py", "import fsconform.records.results"),
    ("reports/html.py", "import fsconform.model.core.paths"),
    ("engine/judge.py", "import fsconform.reports.html"),
    ("adapters/services/hdfs.py", "import fsconform.adapters.hadoop.worker"),
    ("adapters/volumes/journal.py", "import fsconform.adapters.services.hdfs"),
    ("engine/judge.py", "import fsconform.engine.explain"),
    ("proving/store.py", "import fsconform.model.core.paths"),
    ("app/main.py", "import boto3"),
    ("engine/judge.py", "import jpype"),
    ("app/main.py", "import hypothesis"),
    ("app/main.py", "import pyspark.sql"),
]


def broken(project: Path, *extra: tuple[str, str]) -> tuple[int, set[str]]:
    """Exit status of import-linter on the obedient tree with these lines added, and the contracts that are broken."""
    for name in ("pyproject.toml", "tools/lint_tree.py"):
        (project / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, project / name)
    added = dict(OBEDIENT)
    for name, line in extra:
        added[name] += f"{line}\n"
    for name, text in added.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        for folder in file.relative_to(project).parents[:-1]:
            (project / folder / "__init__.py").touch()
    subprocess.run([sys.executable, "tools/lint_tree.py"], cwd=project, check=True, stdin=subprocess.DEVNULL)
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "build" / "lint")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    report = " ".join((done.stdout + done.stderr).split())  # it wraps long names
    assert "Contracts: " in report, report
    return done.returncode, {name for name in CONTRACTS if f"{name} BROKEN" in report}


def test_obedient_tree_keeps_every_contract(tmp_path: Path) -> None:
    """JPype in adapters.hadoop, and app above all, are allowed."""
    assert broken(tmp_path) == (0, set())


def test_every_contract_has_its_fault() -> None:
    """A contract that is added to pyproject.toml needs a line here that breaks it."""
    assert len(FAULTS) == len(CONTRACTS)


@pytest.mark.parametrize(("contract", "fault"), list(zip(CONTRACTS, FAULTS, strict=False)))
def test_fault_breaks_its_contract(contract: str, fault: tuple[str, str], tmp_path: Path) -> None:
    """The contract meant for this fault is among the broken ones."""
    status, names = broken(tmp_path, fault)
    assert status == 1
    assert contract in names


def test_circle_below_a_package_of_adapters_is_found(tmp_path: Path) -> None:
    """Also where the one module is in a package of the other's siblings."""
    status, names = broken(tmp_path, ("adapters/hadoop/calls.py", "import fsconform.adapters.hadoop.handlers.input"))
    assert (status, names) == (1, {"Siblings do not import one another in circles"})


@pytest.mark.parametrize(
    "module",
    [
        "fsconform.adapters",
        "fsconform.adapters.java",
        "fsconform.proving",
        "fsconform.proving.faults.names",
        "fsconform.adapters.hadoop.worker",
        "fsconform.records.results",
        "fsconform",
    ],
)
def test_store_that_proves_the_harness_takes_nothing_of_ours(module: str, tmp_path: Path) -> None:
    """Neither from other rooms nor from its siblings, nor from what stands directly in adapters."""
    status, names = broken(tmp_path, ("proving/store.py", f"import {module}"))
    assert status == 1
    assert "The store that proves the harness takes nothing from it" in names
