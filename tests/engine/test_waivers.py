"""Waivers: broken files are refused with what to mend; expired and unused ones are told."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from fsconform.engine.waivers import Waiver, WaiverError, apply, load, parse

TODAY = datetime.date(2027, 1, 31)
SOUND = '[[waiver]]\nstore = "s"\nsignature = "x"\nreason = "r"\nlink = "l"\nexpires = 2027-01-31\n'


def waiver(signature: str, expires: datetime.date = TODAY, store: str = "s", optional: bool = False) -> Waiver:
    return Waiver(store, signature, "r", "l", expires, optional)


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text(SOUND * 2, "utf-8")
    assert load(path) == (waiver("x"), waiver("x"))
    path.write_text("", "utf-8")
    assert load(path) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[waiver]", "waivers.toml"),
        ('waiver = "x"', "[[waiver]] tables"),
        ("[waiver]\nstore = 's'", "[[waiver]] tables"),
        (SOUND.replace('reason = "r"\n', ""), "waiver 1 needs exactly store, signature, reason, link, expires"),
        (SOUND + 'until = "x"\n', "waiver 1 needs exactly"),
        (SOUND + SOUND.replace("2027-01-31", '"2027-01-31"'), "waiver 2: expires is a date"),
        (SOUND.replace("2027-01-31", "2027-01-31T00:00:00"), "expires is a date"),
        (SOUND.replace('"r"', '" "'), "non-empty texts"),
        (SOUND.replace('"l"', "3"), "non-empty texts"),
        (SOUND + "suite = 3\n", "suite is the name"),
        ("waiver = [3]", "waiver 1 needs exactly"),
    ],
)
def test_broken_files(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(WaiverError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ") and told in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WaiverError, match=r"none\.toml"):
        load(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(WaiverError, match=r"latin\.toml"):
        load(path)


def test_parse_names_the_document() -> None:
    assert parse(SOUND, Path("w.toml")) == (waiver("x"),)
    with pytest.raises(WaiverError, match=r"w\.toml: "):
        parse("=", Path("w.toml"))


def test_what_holds() -> None:
    yesterday = TODAY - datetime.timedelta(days=1)
    waivers = [waiver("used"), waiver("late", yesterday), waiver("gone"), waiver("other", store="t")]
    waivers.append(waiver("spare", optional=True))
    applied = apply(waivers, "s", ["used", "late", "other"], TODAY, complete=True)
    assert list(applied.by_signature) == ["used"]
    assert applied.problems == (
        "expired on 2027-01-30: late",
        "unused, the store does not show it any more: gone",
    )


def test_unused_is_no_problem_of_an_incomplete_run() -> None:
    assert apply([waiver("gone")], "s", [], TODAY, complete=False).problems == ()
    expired = apply([waiver("gone", TODAY - datetime.timedelta(days=1))], "s", [], TODAY, complete=False)
    assert len(expired.problems) == 1


def test_a_waiver_may_be_of_one_suite() -> None:
    assert [one.suite for one in parse(SOUND + 'suite = "root"\n' + SOUND, Path("w.toml"))] == ["root", ""]
