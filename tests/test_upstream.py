"""The reports in upstream/: up to date with what they are made of, and one for each finding that loses data."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from fsconform.app.reproduce import written
from fsconform.harness import reproducers
from fsconform.harness.languages.content import NotSaid
from fsconform.records import findings
from fsconform.records.results import LOSING_IMPACTS

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "upstream"
TOOL: dict[str, Any] = runpy.run_path(str(REPOSITORY / "tools" / "upstream.py"))
REPLAYS = sorted(FOLDER.glob("replays/*.json"))
WITHOUT = frozenset(
    re.findall(r"^\| `([\w/-]+)` \| [^|]+ \|$", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)
)


def test_each_report_is_up_to_date() -> None:
    assert TOOL["main"](["--check"]) == 0


def test_each_finding_that_loses_data_has_a_report_or_a_reason_for_none() -> None:
    losing = {finding.id for finding in findings.every().values() if finding.impact in LOSING_IMPACTS}
    reported = [finding.id for report in TOOL["reports"]() for finding in report.findings]
    assert len(reported) == len(set(reported)), "a finding has two reports"
    assert losing == set(reported) | WITHOUT
    assert not set(reported) & WITHOUT


def test_each_replay_is_of_a_report_and_of_a_store_that_its_findings_have() -> None:
    reports = {report.name: report for report in TOOL["reports"]()}
    for path in REPLAYS:
        replay = reproducers.read(path)
        assert replay.store in {finding.store for finding in reports[path.stem].findings}, path.name
    assert {path.stem for path in REPLAYS} >= set(json.loads(TOOL["COUNTS"].read_text("utf-8")))


def test_no_count_says_other_than_its_replays() -> None:
    for name, versions in TOOL["counts"]().items():
        for version, row in versions.items():
            assert row["replays"] >= row["reproduced"] + row["gone"], f"{name} {version}"
            assert row["replays"] >= 3, f"{name} {version}: too few to say anything"


@pytest.mark.parametrize("path", REPLAYS, ids=lambda path: path.stem)
def test_a_report_holds_the_junit_test_that_reproduce_writes(path: Path) -> None:
    text = (FOLDER / f"{path.stem}.md").read_text("utf-8")
    try:
        _, source = written(path, "junit5")
    except NotSaid as error:
        assert str(error) in text
    else:
        assert source.strip() in text


def test_a_report_that_is_stale_is_seen(tmp_path: Path) -> None:
    report = TOOL["reports"]()[0]
    stale = tmp_path / report.path.name
    stale.write_text(report.path.read_text("utf-8").replace("| data ", "| no data ", 1), "utf-8")
    copy = TOOL["Report"](stale, report.findings)
    made = TOOL["brought_up"](copy, TOOL["counts"]().get(report.name, {}))
    assert made == report.path.read_text("utf-8") != stale.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [("# A title\n", "does not name its findings"), ("<!-- findings: file/none -->\n", "no such finding: file/none")],
)
def test_a_report_without_findings_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "report.md"
    path.write_text(text, "utf-8")
    with pytest.raises(TOOL["ReportError"], match=said):
        TOOL["_report"](path)
