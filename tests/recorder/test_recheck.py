"""`fsconform recheck --format recording`: what it prints of recordings, and how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from click.testing import Result
from jsonschema import Draft202012Validator

from fsconform.records.recording_verdicts import schema_bytes

Command = Callable[..., Result]
SCHEMA = resources.files("fsconform.records") / "recording-verdicts.schema.json"


@pytest.fixture
def recheck(fsconform: Command) -> Command:
    """``fsconform recheck --format recording`` with further arguments."""

    def call(*arguments: str | Path) -> Result:
        return fsconform("recheck", "--format", "recording", *arguments)

    return call


def changed(application: Path, folder: Path, *changes: tuple[str, str]) -> Path:
    """The recording of the application with changes of its text."""
    (file,) = application.iterdir()
    text = file.read_text("ascii")
    for before, after in changes:
        text, number = re.subn(before, after, text, count=1)
        assert number, before
    (folder / "calls-changed.jsonl").write_text(text, "ascii")
    return folder / "calls-changed.jsonl"


def test_a_real_application_shows_nothing(recheck: Command, application: Path, tmp_path: Path) -> None:
    done = recheck(application, "--json", tmp_path / "found.json")
    assert done.exit_code == 0, done.output
    assert "0 flagged" in done.output
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    (store,) = found["stores"].values()
    assert (store["flagged"], store["calls"]) == ([], 312)
    assert store["judged"] > 80


def test_a_wrong_answer_is_reported(recheck: Command, application: Path, tmp_path: Path) -> None:
    """The status of the file of 11 bytes says 12."""
    wrong = changed(application, tmp_path, (r'("call":"getFileStatus".*?"length":)11', r"\g<1>12"))
    done = recheck(wrong)
    assert done.exit_code == 1, done.output
    assert re.search(r"calls-changed.jsonl:\d+: violation of filesystem\.\S+: getFileStatus\(/", done.output)


WAIVER = """\
[[waiver]]
store = "rawlocal"
signature = "{signature}"
reason = "its lengths are rounded"
link = "https://example.org/1"
expires = {expires}
"""


@pytest.mark.parametrize(
    ("signature", "expires", "code", "told"),
    [
        ("getFileStatus (*): wrong answer", "2999-01-01", 0, "1 flagged, 1 of them waived"),
        ("listStatus (*): wrong answer", "2999-01-01", 1, "signature: getFileStatus ("),
        ("getFileStatus (*): wrong answer", "2020-01-01", 1, "expired on 2020-01-01"),
    ],
)
def test_waivers_accept_what_they_name(
    recheck: Command, application: Path, tmp_path: Path, signature: str, expires: str, code: int, told: str
) -> None:
    wrong = changed(application, tmp_path, (r'("call":"getFileStatus".*?"length":)11', r"\g<1>12"))
    waivers = tmp_path / "waivers.toml"
    waivers.write_text(WAIVER.format(signature=signature, expires=expires), "utf-8")
    done = recheck(wrong, "--waivers", waivers, "--json", tmp_path / "found.json")
    assert done.exit_code == code, done.output
    assert told in done.output
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(found)
    (flag,) = found["stores"]["file:// (RawLocalFileSystem)"]["flagged"]
    assert (flag["verdict"] == "waived") is (code == 0)


def test_waivers_of_stores_that_there_are_none_of_are_refused(
    recheck: Command, application: Path, tmp_path: Path
) -> None:
    waivers = tmp_path / "waivers.toml"
    waivers.write_text(WAIVER.format(signature="open (*): *", expires="2999-01-01").replace("rawlocal", "rwalocal"))
    done = recheck(application, "--waivers", waivers)
    assert done.exit_code == 2, done.output
    assert "there is no store" in done.output


def test_schema_is_up_to_date() -> None:
    assert SCHEMA.read_bytes() == schema_bytes()


def test_torn_recordings_are_judged_up_to_there(recheck: Command, application: Path, tmp_path: Path) -> None:
    (file,) = application.iterdir()
    data = file.read_bytes()
    (tmp_path / "torn.jsonl").write_bytes(data[:-10])
    done = recheck(tmp_path / "torn.jsonl")
    assert done.exit_code == 3, done.output
    assert "this line was cut off" in done.output


def test_usage_is_refused(recheck: Command, application: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "bad.jsonl").write_text("{}\n", "ascii")
    unknown = changed(application, tmp_path, (r"RawLocalFileSystem", "MyFileSystem"))
    for arguments, told in (
        ((tmp_path / "none",), "has no recording"),
        ((tmp_path / "gone.jsonl",), "No such file"),
        ((tmp_path / "bad.jsonl",), "line 1: no line of a recording"),
        ((unknown,), "name one by --contract"),
        ((application, "--in-flight", "3"), "--contract and --waivers alone"),
    ):
        done = recheck(*arguments)
        assert done.exit_code == 2, done.output
        assert told in done.output


def test_a_contract_of_ones_own_holds(recheck: Command, application: Path, tmp_path: Path) -> None:
    unknown = changed(application, tmp_path, (r"RawLocalFileSystem", "MyFileSystem"))
    assert recheck(unknown, "--contract", "rawlocal").exit_code == 0


def test_recordings_of_several_machines_are_refused(recheck: Command, application: Path, tmp_path: Path) -> None:
    other = changed(application, tmp_path, (r'"machine":"[^"]*"', '"machine":"elsewhere"'))
    done = recheck(application, other)
    assert done.exit_code == 2
    assert "several machines" in done.output
