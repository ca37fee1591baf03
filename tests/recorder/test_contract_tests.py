"""Hadoop's own contract tests, recorded: they and the model disagree where docs/hadoop-contracts.md says so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "hadoop-contracts.md"
STORES = ("rawlocal", "file", "hdfs", "s3a")
LEAST_JUDGED = 400


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that begins with a heading, without their marks of code."""
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = text[text.index(heading) :].splitlines()[2:]
    table = lines[: next((number for number, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table]


@pytest.mark.long
@pytest.mark.timeout(4000)
@pytest.mark.parametrize("store", STORES)
def test_they_disagree_where_the_document_says_so(store: str, tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    command = [sys.executable, ROOT / "tools" / "contract_tests.py", store, "--out", tmp_path / "out", "--json", found]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT, check=False)
    assert found.is_file(), done.stdout + done.stderr
    document = json.loads(found.read_text("utf-8"))
    assert sum(judged["judged"] for judged in document["judged"]["stores"].values()) >= LEAST_JUDGED
    flagged = {(flag["test"], flag["signature"]) for flag in document["flagged"]}
    flagged |= {(known["test"], f"*known bug* `{known['quirk']}") for known in document["excused"]}
    said = {(test, signature) for name, test, signature, *_ in rows("| store | test | signature |") if name == store}
    assert flagged == said
    failed = {test["name"].rpartition(".")[2] for test in document["tests"] if test["status"] == "failed"}
    known = {test for name, test, *_ in rows("| store | test that fails |") if name == store}
    assert failed == known


def test_the_document_has_each_store() -> None:
    counted = [row[0].partition(",")[0] for row in rows("| store | tests | passed |")]
    assert set(STORES) <= set(counted)
    for name, test, signature, *_ in rows("| store | test | signature |"):
        assert name in counted
        assert re.fullmatch(r"I?Test\w+#\w+", test)
        assert re.fullmatch(r"\w[\w ]* \([^)]*\): .+|\*known bug\* `[\w/-]+", signature)
