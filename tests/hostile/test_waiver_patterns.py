"""Patterns of waivers can't make a run hang, and a waiver that would never accept anything is an error."""

from __future__ import annotations

import datetime
import time
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fsconform.app.main import main
from fsconform.engine.patterns import PatternError, compiled, is_met, matches
from fsconform.engine.waivers import Waiver

SOUND = '[[waiver]]\nstore = "proving"\nsignature = "x"\nreason = "r"\nlink = "l"\nexpires = 2027-01-31\n'
SECONDS = 2.0


def _waiver(signature: str, names: str = "") -> Waiver:
    return Waiver("s", signature, "r", "l", datetime.date(2027, 1, 31), names=names)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+", "a" * 5000 + "!"),
        ("(a|a)*", "a" * 5000 + "!"),
        ("(a|aa)+", "a" * 5000 + "!"),
        ("(.*a){20}", "a" * 5000 + "!"),
        ("(x+x+)+y", "x" * 5000),
        ("([a-zA-Z]+)*", "a" * 5000 + "!"),
    ],
)
def test_patterns_of_names_take_linear_time(pattern: str, text: str) -> None:
    began = time.process_time()
    matches(pattern, text)
    assert time.process_time() - began < SECONDS


@pytest.mark.timeout(60)
def test_patterns_of_signatures_take_linear_time() -> None:
    began = time.process_time()
    assert not _waiver("*a" * 2000 + "b").accepts("a" * 20_000, ())
    assert not _waiver("*" * 5000 + "b").accepts("a" * 20_000, ())
    assert _waiver("*a" * 2000 + "*").accepts("a" * 20_000, ())
    assert time.process_time() - began < SECONDS


@given(st.text("ab*", max_size=8), st.text("ab\n", max_size=12))
def test_a_star_stands_for_any_text(pattern: str, text: str) -> None:
    assert is_met(pattern, text) == fnmatchcase(text, pattern)


def test_back_references_are_refused_and_say_so() -> None:
    for pattern in (r"(a)\1", "(?=a)", "[", "a" * 5000, "(a{1000}){1000}"):
        with pytest.raises(PatternError):
            compiled(pattern)
    assert matches(r".*[\u0300-\u036f].*", "e\u0301") and not matches(r".*[\u0300-\u036f].*", "e")
    assert matches(".", "\n") and matches("[^a]", "\ud800")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SOUND.replace("[[waiver]]", "[[waivers]]"), "write [[waiver]] above each"),
        (SOUND + "[settings]\nx = 1\n", "'settings' is no table of waivers"),
        (SOUND.replace("reason", "reasons"), "no key 'reasons': did you mean 'reason'?"),
        (SOUND.replace('"proving"', '"provign"'), "no store 'provign': did you mean 'proving'?"),
        (SOUND + 'suite = "namespaces"\n', "no suite 'namespaces': did you mean 'namespace'?"),
        (SOUND + 'names = "(a)\\\\1"\n', "names is a regular expression of RE2"),
        (SOUND.replace('"x"', '"' + "x" * 20_000 + '"'), "signature has more than"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "run"])
def test_what_would_never_accept_anything_is_an_error(tmp_path: Path, command: str, text: str, told: str) -> None:
    file = tmp_path / "waivers.toml"
    file.write_text(text, "utf-8")
    replay = tmp_path / "replay.json"
    row = '"signature": "s", "verdict": "violation", "store": "proving", "contract": {}, "program": []'
    replay.write_text(f'{{"fsconform-replay": 1, {row}}}', "utf-8")
    what = [str(replay)] if command == "replay" else ["--store", "proving", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, [command, *what, "--waivers", str(file)])
    assert result.exit_code == 2, result.output
    assert str(file) in result.output and told in result.output
