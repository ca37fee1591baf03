"""The local store under its contract: nothing is undeclared, and a wrong row of its table does not stay hidden."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.adapters import errnos
from fsconform.adapters.posix.store import PosixStore
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Plan, explore
from fsconform.engine.explorers import both_modes, enumeration, from_list
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.model.filesystem.contract import Contract
from fsconform.specs.witness import witnesses

CORE = ("filesystem.", "model.")
"""The documents that speak of what the tables of errors and the tested declarations bear on."""


def judged(folder: Path, contract: Contract, documents: str | tuple[str, ...] = "") -> list[Finding]:
    """What all single calls show, and the witnesses of what these documents say, or of all."""
    benches = Benches(PosixStore("local", folder / "sandbox"), contract, 1)
    try:
        wanted = [
            one
            for one in witnesses()
            if not one.root and one.group != "full" and any(each.startswith(documents) for each in one.decides)
        ]
        programs = both_modes([one.program for one in wanted], benches.oracle)
        explorers = (from_list("witnesses", programs, whole=True), enumeration(1, benches.oracle, 1, whole=True))
        outcome = explore(benches, Plan(explorers, 0))
    finally:
        benches.close()
    assert outcome.problems == [] and outcome.collected.programs > 100
    return [sample.finding for sample in outcome.collected.samples.values()]


def failing(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.verdict in FAILING]


def test_nothing_is_undeclared_and_every_declaration_is_needed(tmp_path: Path) -> None:
    findings = judged(tmp_path, load_shipped("local"))
    assert failing(findings) == []
    assert {finding.verdict for finding in findings} == {"declared"}
    assert {name for finding in findings for change in finding.changes for name, _ in change} >= {
        *("rename-overwrites-dest", "rename-remove-dest-if-empty-dir", "fsconform.accepts-invalid-paths")
    }


@pytest.mark.parametrize(
    "option",
    (
        *("rename-overwrites-dest", "rename-remove-dest-if-empty-dir"),
        *("supports-append", "fsconform.accepts-invalid-paths"),
    ),
)
def test_a_declaration_taken_out_is_named(tmp_path: Path, option: str) -> None:
    contract = load_shipped("local")
    left = replace(contract, declared={name: value for name, value in contract.declared.items() if name != option})
    found = failing(judged(tmp_path, left, CORE))
    assert found and {finding.verdict for finding in found} == {"undeclared"}
    assert all(((option, True),) in finding.changes for finding in found)


WRONG = [
    ("LOOKING", errno.ENOENT, "IOException", "filesystem.getFileStatus.pre.exists"),
    ("LOOKING", errno.ENOTDIR, "ParentNotDirectoryException", "filesystem.listStatus.pre.exists"),
    ("LOOKING", errno.EISDIR, "Throwable", "filesystem.append.pre.is-file"),
    ("LOOKING", errno.ENOTEMPTY, "Throwable", "filesystem.delete.pre.not-empty"),
    ("MAKING", errno.ENOENT, "IOException", "filesystem.rename.pre.source-exists"),
    ("MAKING", errno.ENOTDIR, "IOException", "filesystem.mkdirs.pre.ancestors"),
    ("MAKING", errno.EEXIST, "IOException", "filesystem.create.pre.no-overwrite"),
    ("MAKING", errno.EISDIR, "IOException", "filesystem.create.pre.not-a-directory"),
    ("MAKING", errno.EINVAL, "Throwable", "filesystem.rename.pre.not-below-itself"),
]


@pytest.mark.parametrize(("table", "number", "wrong", "clause"), WRONG, ids=lambda value: str(value))
def test_a_wrong_row_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, number: int, wrong: str, clause: str
) -> None:
    monkeypatch.setitem(getattr(errnos, table), number, wrong)
    found = failing(judged(tmp_path, load_shipped("local"), CORE))
    assert clause in {finding.clause for finding in found}
    assert any(wrong in finding.observed_kind for finding in found)
