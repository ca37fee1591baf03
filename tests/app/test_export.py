"""`fsconform export`: a run on disk in each format, to a file or to standard output, and a step's summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from fsconform.app.export import FORMATS, SUMMARY
from fsconform.app.main import main

EXAMPLE = Path(__file__).resolve().parents[2] / "records" / "example.json"


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_is_written_to_a_file_or_printed(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SUMMARY, raising=False)
    printed = call(form, EXAMPLE)
    assert printed.exit_code == 0, printed.output
    file = tmp_path / "file"
    written = call(form, EXAMPLE, "--out", file)
    assert (written.exit_code, written.output) == (0, "")
    assert file.read_text("utf-8") == printed.output
    if form in ("sarif", "gitlab"):
        json.loads(file.read_bytes())
    if form in ("badge", "junit"):
        etree.fromstring(file.read_bytes())


def test_the_summary_of_a_step_is_written_at_the_end_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of another\n")
    monkeypatch.setenv(SUMMARY, str(summary))
    assert call("github", EXAMPLE).exit_code == 0
    assert summary.read_text("utf-8").startswith("of another\n<!-- fsconform -->\n## fsconform:")
    before = summary.read_bytes()
    assert call("sarif", EXAMPLE).exit_code == 0
    assert summary.read_bytes() == before


@pytest.mark.parametrize("place", ["/etc/passwd", "../x", "a b", "a\nb", "x::y\x1b"])
def test_a_file_that_is_none_of_the_repository_is_refused(place: str) -> None:
    result = call("sarif", EXAMPLE, "--file", place)
    assert result.exit_code == 2 and "--file" in result.output


def test_a_run_that_can_not_be_read_or_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SUMMARY, raising=False)
    assert call("sarif", tmp_path).exit_code == 2
    assert call("srif", EXAMPLE).exit_code == 2
    result = call("sarif", EXAMPLE, "--out", tmp_path / "missing" / "f")
    assert result.exit_code == 2 and "choose another file with --out" in result.output
    monkeypatch.setenv(SUMMARY, str(tmp_path / "missing" / "s"))
    assert call("github", EXAMPLE).exit_code == 2
