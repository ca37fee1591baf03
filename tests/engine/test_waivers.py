"""Waivers: broken files are refused with what to mend; expired and unused ones are told."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.engine.patterns import MOST_CHARACTERS
from fsconform.engine.waivers import (
    KINDS,
    MOST_SIGNATURE,
    Failing,
    Known,
    Waiver,
    WaiverError,
    apply,
    load,
    parse,
    traits_of,
)
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step, Trace

UNUSED = "unused, the store does not show it any more"
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
        (
            SOUND.replace('reason = "r"\n', ""),
            "waiver 1 has no reason: it needs exactly store, signature",
        ),
        (SOUND + 'until = "x"\n', "waiver 1: there is no key 'until'"),
        (SOUND + SOUND.replace("2027-01-31", '"2027-01-31"'), "waiver 2: expires is a date"),
        (SOUND.replace("2027-01-31", "2027-01-31T00:00:00"), "expires is a date"),
        (SOUND.replace('"r"', '" "'), "non-empty texts"),
        (SOUND.replace('"l"', "3"), "non-empty texts"),
        (SOUND + "suite = 3\n", "suite is the name"),
        (SOUND + 'names = "["\n', "names is a regular expression"),
        (SOUND + "names = 3\n", "names is a regular expression"),
        (SOUND + 'others = "x"\n', "others is a list of non-empty texts"),
        (SOUND + "clauses = [3]\n", "clauses is a list of non-empty texts"),
        ("waiver = [3]", "waiver 1 is no table"),
        (SOUND + "[[waver]]\n", "line 7: 'waver' is no table of waivers: write [[waiver]] above each"),
        (SOUND + "rare = 1\n", "waiver 1: rare is true or false"),
        (SOUND.replace('"x"', f'"{"x" * (MOST_SIGNATURE + 1)}"'), "use * in it"),
        (SOUND + f'others = ["{"x" * (MOST_SIGNATURE + 1)}"]\n', "use * in it"),
        (SOUND + f'names = "{"x" * (MOST_CHARACTERS + 1)}"\n', f"it has more than {MOST_CHARACTERS} characters"),
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


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('store = "hfds"', "waiver 1: there is no store 'hfds': did you mean 'hdfs'?"),
        ('suite = "path"', "waiver 1: there is no suite 'path': did you mean 'paths'?"),
        ('suite = "paths"', ""),
    ],
)
def test_names_of_what_there_is_not_are_refused(line: str, told: str) -> None:
    known = Known(("hdfs", "s3a"), ("paths", "streams"))
    key = line.partition(" ")[0]
    text = "".join(row for row in (SOUND.replace('"s"', '"hdfs"') + "\n").splitlines(True) if not row.startswith(key))
    text += line + "\n"
    if not told:
        assert len(parse(text, Path("w.toml"), known)) == 1
        return
    with pytest.raises(WaiverError) as caught:
        parse(text, Path("w.toml"), known)
    assert str(caught.value) == f"w.toml: {told}"


def test_parse_names_the_document() -> None:
    assert parse(SOUND, Path("w.toml")) == (waiver("x"),)
    with pytest.raises(WaiverError, match=r"w\.toml: "):
        parse("=", Path("w.toml"))


def test_what_holds() -> None:
    yesterday = TODAY - datetime.timedelta(days=1)
    waivers = [waiver("used"), waiver("late", yesterday), waiver("gone"), waiver("other", store="t")]
    waivers.append(waiver("spare", optional=True))
    applied = apply(waivers, "s", dict.fromkeys(["used", "late", "other"], Failing()), TODAY, complete=True)
    assert list(applied.by_signature) == ["used"]
    assert applied.problems == (
        "expired on 2027-01-30: late",
        f"{UNUSED}: gone",
    )


def test_unused_is_no_problem_of_an_incomplete_run() -> None:
    assert apply([waiver("gone")], "s", {}, TODAY, complete=False).problems == ()
    expired = apply([waiver("gone", TODAY - datetime.timedelta(days=1))], "s", {}, TODAY, complete=False)
    assert len(expired.problems) == 1


def test_a_waiver_may_be_of_one_suite() -> None:
    assert [one.suite for one in parse(SOUND + 'suite = "root"\n' + SOUND, Path("w.toml"))] == ["root", ""]


def test_a_waiver_may_be_of_a_cause() -> None:
    failing = {
        "open (file) raised X after create (missing)": Failing({"a", ".a.crc"}),
        "open (file) raised Y": Failing({"a"}),
    }
    (cause,) = parse(
        SOUND.replace('"x"', '"open * after create (missing*"') + "names = '\\..*\\.crc'\n", Path("w.toml")
    )
    assert list(apply([cause], "s", failing, TODAY, complete=True).by_signature) == list(failing)[:1]
    failing["open (file) raised X after create (missing)"] = Failing({"a", "a.crc"})
    assert apply([cause], "s", failing, TODAY, complete=True).problems == (f"{UNUSED}: {cause.signature}",)


@pytest.mark.parametrize("text", ["*", " * after create (missing*", "*open (file) raised Y"])
def test_a_waiver_of_any_operation_is_refused(text: str) -> None:
    for where in (SOUND.replace('"x"', f'"{text}"'), SOUND + f'others = ["{text}"]\n'):
        with pytest.raises(WaiverError, match="begins with"):
            parse(where, Path("w.toml"))


def test_a_waiver_may_be_of_a_clause() -> None:
    """Two causes with one symptom: what is broken tells them apart."""
    (isolated,) = parse(SOUND.replace('"x"', '"read *"') + "names = 'clause a\\.b'\n", Path("w.toml"))
    failing = {"read one": Failing({"clause a.b", "f"}), "read two": Failing({"clause a.c"})}
    assert list(apply([isolated], "s", failing, TODAY, complete=True).by_signature) == ["read one"]


def test_a_pattern_for_names_is_not_met_by_what_is_more_than_a_name() -> None:
    long = replace(waiver("*"), names=".{20,}")
    for kind in KINDS:
        assert not long.accepts("x", {f"{kind} " + "a" * 40})
    assert long.accepts("x", {"a" * 20})
    below_itself = replace(waiver("*"), names="repeated .*")
    assert below_itself.accepts("x", traits_of((Step(Mkdirs(("b", "a", "a"))),)))
    assert not below_itself.accepts("x", traits_of((Step(Mkdirs(("a", "b"))), Step(Mkdirs(("a", "ba", "a"))))))


def test_what_accepts_a_cause_accepts_its_symptoms() -> None:
    cause = waiver("* after concat (*")
    symptom = {"mkdirs (missing) raised X": Failing({"a"}, "open (missing) returned a file after concat (missing)")}
    assert apply([cause], "s", symptom, TODAY, complete=True).by_signature == dict.fromkeys(symptom, cause)
    assert not apply([cause], "s", dict.fromkeys(symptom, Failing({"a"})), TODAY, complete=False).by_signature


def test_traits_of_the_smallest_program(trace: Callable[[str], Trace]) -> None:
    calls = "create /a 1 -> ok; open /a -> bytes 1 x; ?list / -> [];"
    told = trace(f"{calls} rename /x:y /b -> IllegalArgumentException; status /b -> FileNotFoundException")
    ways = (*told.program[:1], replace(told.program[1], operation=Open(("a",), via="builder")), *told.program[2:])
    paths = {"path /", "path /a", "path /b", "path /x:y"}
    traits = {"a", "b", "x:y", "via builder", "read a"} | paths
    assert traits_of(ways) == traits
    assert "read a" in traits_of((replace(ways[1], probe=True), ways[0]))
    opened = replace(ways[1], operation=OpenFile(("a",), ("x.y=1",), ("fs.option.openfile.length=2",)))
    assert traits_of((opened,)) == {"a", "path /a", "option x.y", "option fs.option.openfile.length"}
    assert traits_of(ways, told.events) == traits | {"refused x:y", "refused b", "raised rename"}
    assert "raised rename" not in traits_of(ways[:-1], told.events[:-1]), "it is what departs, and not what left it"


def test_only_a_waiver_that_says_so_accepts_a_call_that_does_not_return() -> None:
    hung = "delete (missing) did not return"
    assert waiver("delete (*) did not return").accepts(hung, ())
    assert waiver("* did not return").accepts(hung, ())
    assert not waiver("delete (missing) *").accepts(hung, ())
    assert not waiver("*").accepts(hung, ())


@pytest.mark.parametrize(
    "signature", ["open (file)", "open (file) raised X and more", "listStatus open (file) raised X"]
)
def test_a_signature_without_a_star_is_exact(signature: str) -> None:
    assert not waiver("open (file) raised X").accepts(signature, ())
    assert waiver("open (file) raised X").accepts("open (file) raised X", ())


def test_a_waiver_may_name_several_signatures_and_the_clauses_that_they_break() -> None:
    (one,) = parse(SOUND + 'others = ["y (*)"]\nclauses = ["c.d"]\n', Path("waivers.toml"))
    broken = {"clause c.d"}
    assert one.accepts("x", broken) and one.accepts("y (z)", broken)
    assert not one.accepts("z", broken)
    assert not one.accepts("x", {"clause c.e"})
    assert not one.accepts("x", ())
