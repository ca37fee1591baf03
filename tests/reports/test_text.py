"""The summary in a terminal."""

from __future__ import annotations

import io
from dataclasses import replace

from lxml import etree
from rich.console import Console

from fsconform.records.results import FAILING, Results, StoreRecord
from fsconform.reports import text
from fsconform.reports.visible import LONGEST_IN_TEXT, short_names


def printed(results: Results, width: int = 120, colour: bool = False) -> str:
    """What the summary prints."""
    file = io.StringIO()
    text.summary(
        results, Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    )
    return file.getvalue()


def test_one_line_for_each_store(example: Results) -> None:
    lines = printed(example).splitlines()
    assert lines[0] == "fsconform run 2031-03-04T09-10-02Z-7, seed 7, 2 min 20 s"
    assert [" ".join(line.split()) for line in lines[2:5]] == [
        "rawlocal fails 2 violation, 1 undeclared, 2 declared 143,768 27.6 s",
        "file fails 1 violation, 1 declared-false, 2 undeclared, 1 deviation, 1 declared 143,768 31.4 s",
        "hdfs inconclusive 1 waived, 1 declared, 1 inconclusive 89,393 1 min 12 s",
    ]


def test_each_failing_divergence_is_told(example: Results) -> None:
    """And no other one."""
    out = printed(example)
    for store in example.stores:
        for one in store.divergences:
            told = f"\n{store.name}: {one.verdict}: {one.signature}\n" in out
            assert told is (one.verdict in FAILING)
            assert (f"  reproduce {one.reproducer}\n" in out) is told
    assert "hdfs: not judged: The bounded explorer was stopped" in out


def test_a_divergence_in_full(example: Results) -> None:
    own = example.stores[1]
    store = replace(own, divergences=[own.divergences[3]], limits=[], survey_notes=[])
    one = store.divergences[0]
    out = printed(replace(example, stores=[store]))
    assert out[out.index("\nfile: undeclared") :] == (
        f"""
file: undeclared: rename (parent of the destination missing) returned false
  clause    filesystem.rename.missing-parent (MAY): {one.statement}
  flaky     confirmed in 2 of 3 replays
     1  create(/a, overwrite=false) + 0 bytes
  >  2  rename(/a, /b/c)
  expected  return true
  observed  returned false
  allow it  fs.contract.rename-creates-dest-dirs: true -> false
  or        fs.contract.fsconform.rename-returns-false-on-failure: absent -> true, """
        f"""fs.contract.supports-strict-exceptions: true -> false
  xml       <property><name>fs.contract.rename-creates-dest-dirs</name><value>false</value></property>
  reproduce {one.reproducer}
  test      {one.test}
"""
    )


def test_calls_that_last_long_are_said_with_what_to_do(example: Results) -> None:
    (slow,) = example.stores[2].slow_calls
    assert f"\nhdfs: 4 calls of rename lasted over 15 s, the longest 31.4 s: {slow.advice}\n" in printed(example)


def test_set_up_and_clients_are_told(example: Results) -> None:
    """Who makes a call is told only if more than one client does."""
    store = example.stores[1]
    one = store.divergences[3]
    first, second = one.sequence
    for client, expected in ((0, ("", "")), (1, ("client 0: ", "client 1: "))):
        sequence = [replace(first, setup=True), replace(second, client=client)]
        shown = printed(replace(example, stores=[replace(store, divergences=[replace(one, sequence=sequence)])]))
        assert f"\n     1  {expected[0]}{first.call}  (set-up)\n  >  2  {expected[1]}{second.call}\n" in shown


def test_many_divergences_are_counted(example: Results) -> None:
    store = example.stores[0]
    many = [replace(store.divergences[0], signature=f"signature {number:02}", cause="") for number in range(20)]
    out = printed(replace(example, stores=[replace(store, divergences=many)]))
    assert out.count("  reproduce ") == text.IN_FULL
    assert f"{20 - text.IN_FULL} more that fail the gate:" in out
    assert "\n  violation: signature 19\n" in out


def test_marked_step_of_a_long_program_is_shown(example: Results) -> None:
    store = example.stores[0]
    one = store.divergences[0]
    plain = replace(one.sequence[0], call="plain()")
    long = replace(one, sequence=[plain] * 50 + [replace(plain, call="bad()", marked=True)])
    out = printed(replace(example, stores=[replace(store, divergences=[long])]))
    assert "  > 51  bad()" in out
    assert f"and {50 - text.STEPS_SHOWN} steps more" in out


def test_store_that_passes_tells_what_it_loses(lossy: Results) -> None:
    """In words and colour; one that fails only says so."""
    for results, says in ((lossy, "passes, with 2 known ways to lose data"), (failing(lossy), "fails")):
        line = next(one for one in printed(results).splitlines() if one.startswith("lossy"))
        assert line.removeprefix("lossy").strip().startswith(f"{says}  ")
    assert "\x1b[1;33mpasses, with 2 known ways to lose data" in printed(lossy, colour=True)


def failing(results: Results) -> Results:
    """The results with a violation more in the first store."""
    store = results.stores[0]
    one = replace(store.divergences[0], verdict="violation", signature="new")
    return replace(results, stores=[replace(store, divergences=[*store.divergences, one])])


def test_one_entry_for_a_cause(example: Results) -> None:
    store = example.stores[0]
    these = [
        replace(store.divergences[0], signature=f"one {name}", operation=name, cause="E for a colon in a name")
        for name in ("open", "create", "append")
    ]
    out = printed(replace(example, stores=[replace(store, divergences=these)]))
    assert out.count("  reproduce ") == 1
    assert "  cause     E for a colon in a name: 3 divergences\n  in        append, create, open\n" in out


def test_worst_impact_comes_first(example: Results) -> None:
    """Of one verdict, however short the other programs are."""
    store = example.stores[0]
    these = [
        replace(store.divergences[0], signature=f"one {number}", cause="", impact=impact, steps=number + 1)
        for number, impact in enumerate(("", "SHOULD", "wrong error", "data wrong", "data lost"))
    ]
    out = printed(replace(example, stores=[replace(store, divergences=these)]))
    places = [out.index(f"violation: one {number}\n") for number in (4, 3, 2, 1, 0)]
    assert places == sorted(places)


def test_long_commands_are_not_broken(example: Results) -> None:
    """They are there to be copied."""
    out = printed(example, width=40)
    assert f"  reproduce {example.stores[0].divergences[0].reproducer}\n" in out


def test_hostile_text_is_no_markup_and_no_control_sequence(hostile: Results) -> None:
    out = printed(hostile)
    assert {one for one in out if not one.isprintable()} == {"\n"}
    assert "[bold]markup[/bold]" in out
    # In colour the only sequences are the console's own, which set colours.
    coloured = printed(hostile, colour=True)
    sequences = coloured.split("\x1b")[1:]
    assert sequences and all(one[0] == "[" and one[1:].lstrip("0123456789;")[0] == "m" for one in sequences)


def test_nothing_to_tell(example: Results) -> None:
    assert "No store was judged." in printed(replace(example, stores=[]))
    empty = StoreRecord("s", "x:/", 0, 0, 0, 0.0, 0.0, {}, {}, {}, [], waiver_problems=["w1 is unused"])
    out = printed(replace(example, stores=[empty]))
    assert "nothing judged" in out and "s: waiver: w1 is unused" in out


def test_each_undeclared_divergence_shows_the_property_to_add(example: Results) -> None:
    """Also those of which only the signature is shown, and nothing that is not XML."""
    own = example.stores[1]
    one = own.divergences[3]
    many = [replace(one, signature=f"number {number}", cause="") for number in range(text.IN_FULL + 5)]
    out = printed(replace(example, stores=[replace(own, divergences=many)]))
    shown = [line.partition("xml       ")[2] for line in out.splitlines() if "xml       " in line]
    assert len(shown) == len(many)
    for line in shown:
        root = etree.fromstring(f"<configuration>{line}</configuration>")
        assert [root.findtext("property/name"), root.findtext("property/value")] == [
            "fs.contract.rename-creates-dest-dirs",
            "false",
        ]
    violation = replace(one, verdict="violation", options=[])
    assert "xml   " not in printed(replace(example, stores=[replace(own, divergences=[violation])]))


def test_long_names_are_shortened_and_commands_are_not(example: Results) -> None:
    own = example.stores[1]
    name = "".join(f"{number:03}" for number in range(86))[:256]
    one = own.divergences[3]
    steps = [replace(step, call=f"mkdirs(/d/{name}/x)") for step in one.sequence]
    long = replace(
        one,
        signature=f"mkdirs {name}",
        sequence=steps,
        observed=f"raised {name}",
        reproducer=f"fsconform replay {name}",
    )
    out = printed(replace(example, stores=[replace(own, divergences=[long])]))
    assert f"mkdirs(/d/{name[:24]}…(256 characters)…{name[-8:]}/x)" in out
    assert f"  observed  raised {name[:24]}…(256 characters)…" in out
    assert out.count(name) == 1 and f"  reproduce fsconform replay {name}\n" in out
    kept = "a" * LONGEST_IN_TEXT
    assert short_names(kept) == kept and short_names(f"{kept}a") != f"{kept}a"


def test_names_of_stores_stay_on_their_line_in_a_narrow_terminal(example: Results) -> None:
    named = replace(example, stores=[replace(example.stores[0], name="spark-file-manifest"), *example.stores[1:]])
    assert any(line.startswith("spark-file-manifest ") for line in printed(named, width=80).splitlines())
