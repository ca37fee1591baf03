"""The judge of audit logs: what it flags, what it can't know, lines in another order than their effects."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from fsconform.engine.audit import judge
from fsconform.engine.audit.alterations import KINDS, altered, apply
from fsconform.engine.audit.effects import Assumptions
from fsconform.engine.audit.judge import AuditJudge, Tally
from fsconform.engine.audit.lines import entries

REAL = Path(__file__).with_name("hdfs-3.5.0.log.gz")
"""The first 6,000 lines of a run of the suites on an HDFS 3.5.0, three clients at once."""

IN_ORDER = Assumptions(in_flight=1)
STRICT = Assumptions(in_flight=1, no_half_done_calls=True, from_empty=True, no_path_handles=True)


def _judged(rows: list[str], assumptions: Assumptions = IN_ORDER) -> Tally:
    """Judge rows of the form ``command src [dst]``, a ``!`` in front for one that was refused."""
    lines: list[str] = []
    for row in rows:
        command, src, dst = [*row.lstrip("!").replace("_", " ").split("|"), "null"][:3]
        lines.append(
            f"allowed={'false' if row[0] == '!' else 'true'}\tugi=u{len(lines) % 3}\tip=/127.0.0.1\tcmd={command}\t"
            f"src={src}\tdst={dst}\tperm=null\tproto=rpc\n"
        )
    return AuditJudge(assumptions).follow(entries(lines, [], [0]))


def _flagged(rows: list[str], assumptions: Assumptions = IN_ORDER) -> list[int]:
    return [flag.line for flag in _judged(rows, assumptions).flags]


@pytest.mark.parametrize(
    "rows",
    [
        ["create|/f", "mkdirs|/f"],
        ["create|/f", "create|/f/x"],
        ["create|/f", "delete|/f/x"],
        ["mkdirs|/d", "create|/d"],
        ["mkdirs|/d", "append|/d"],
        ["mkdirs|/d", "truncate|/d"],
        ["mkdirs|/d", "setReplication|/d"],
        ["create|/f", "setQuota|/f"],
        ["create|/f", "setPermission|/f/x"],
        ["create|/f", "delete|/f", "append|/f"],
        ["create|/f", "rename|/f|/g", "append|/f"],
        ["mkdirs|/d", "create|/f", "rename|/f|/d", "mkdirs|/d/f"],
        ["mkdirs|/d/e", "rename|/d|/d/e/x"],
        ["create|/f", "create|/g", "rename|/f|/g"],
        ["create|/f", "create|/g", "rename_(options=[NONE])|/f|/g"],
        ["create|/f", "mkdirs|/g", "rename_(options=[OVERWRITE])|/f|/g"],
        ["create|/d/f", "mkdirs|/e", "rename_(options=[OVERWRITE])|/e|/d"],
        ["create|/f", "rename_(options=[OVERWRITE])|/f|/f"],
        ["create|/a/f", "create|/b/g", "concat|[/a/f]|/b/g"],
        ["create|/a/f", "create|/a/g", "concat|[/a/f]|/a/g", "append|/a/f"],
        ["create|/a/f", "concat|[/a/f]|/a/f"],
        ["mkdirs|/a", "delete|/"],
        ["mkdirs|/a", "rename|/|/a"],
        ["create|/f", "createSymlink|/f|/x"],
    ],
)
def test_the_last_line_can_not_have_been(rows: list[str]) -> None:
    """It is flagged, and what comes before is not."""
    assert _flagged(rows) == [len(rows)]


@pytest.mark.parametrize(
    "rows",
    [
        ["delete|/never-seen", "append|/old", "rename|/x|/y"],
        ["create|/f", "!delete|/f", "append|/f"],
        ["create|/f", "delete|/f", "open|/f", "listStatus|/f", "getfileinfo|/f"],
        ["create|/f", "delete|/f", "delete|/f"],
        ["mkdirs|/d", "create|/f", "rename|/f|/d", "append|/d/f"],
        ["create|/f", "rename|/f|/unknown", "append|/unknown"],
        ["create|/f", "rename|/f|/unknown", "append|/unknown/f"],
        ["create|/f", "rename|/f|/f", "append|/f"],
        ["create|/d/f", "rename|/d/f|/d", "append|/d/f"],
        ["create|/f", "create|/g", "rename_(options=[OVERWRITE])|/f|/g"],
        ["create|/f", "delete|/.reserved/.inodes/17", "mkdirs|/f"],
        ["create|/f", "fsck|/", "mkdirs|/f"],
        ["create|/f", "append|/.reserved/raw/f"],
        ["create|/f", "append|/f/.snapshot/s", "create|/f"],
        ["create|/f", "doSomethingNew|/f", "append|/f"],
    ],
)
def test_what_a_log_can_not_tell_is_possible(rows: list[str]) -> None:
    assert not _flagged(rows)


@pytest.mark.parametrize(
    "rows",
    [
        ["mkdirs|/d", "delete|/d/x"],
        ["create|/f", "delete|/f", "open|/f"],
        ["create|/f", "delete|/f", "delete|/f"],
        ["mkdirs|/d", "rename|/d/x|/y"],
    ],
)
def test_each_assumption_tells_more(rows: list[str]) -> None:
    """Without it the same line is possible."""
    assert _flagged(rows, STRICT) == [len(rows)]
    assert not _flagged(rows)


def test_renamed_where_to_is_one_of_two_and_later_lines_decide() -> None:
    """A file was moved onto a path, or into the directory there: what was seen of one excludes the other."""
    moved = ["create|/f", "rename|/f|/u", "append|/u"]
    assert not _flagged(moved)
    assert _flagged([*moved, "append|/u/f"]) == [4]


def test_lines_of_calls_under_way_together_may_change_places() -> None:
    """The append took effect before the delete, and was logged after it; with one call at a time that can't be."""
    rows = ["create|/f", "delete|/f", "append|/f"]
    assert _flagged(rows, IN_ORDER) == [3]
    assert not _flagged(rows, Assumptions(in_flight=2))


def test_an_order_that_can_not_be_told_leaves_both_outcomes() -> None:
    """Deleted, then created anew, though logged the other way round: the file may be there. Far apart it can't."""
    rows = ["create|/f", *["mkdirs|/x"] * 60, "create|/f", "delete|/f", *["mkdirs|/x"] * 60, "append|/f"]
    assert not _flagged(rows, Assumptions(in_flight=2))
    apart = ["create|/f", *["mkdirs|/x"] * 60, "delete|/f", *["mkdirs|/x"] * 60, "append|/f"]
    assert _flagged(apart, Assumptions(in_flight=2)) == [len(apart)]


def test_a_client_that_waits_for_answers_is_in_order() -> None:
    """The lines of other clients still change places; here every third line is of the same client."""
    in_order = Assumptions(clients_in_order=True)
    assert not _flagged(["create|/f", "delete|/f", "append|/f"], in_order)
    rows = ["create|/f", "mkdirs|/x", "mkdirs|/y", "delete|/f", "mkdirs|/x", "mkdirs|/y", "append|/f"]
    assert _flagged(rows, in_order) == [7]
    assert not _flagged(rows, Assumptions())


def test_what_a_flagged_line_did_in_truth_explains_later_ones() -> None:
    """A create was really of another file: it is there now, and that is not flagged again; anything else is."""
    rows = ["mkdirs|/d", "create|/d/f", "create|/d/f/x", "append|/d/new", "mkdirs|/d/new"]
    tally = _judged(rows, STRICT)
    assert [flag.line for flag in tally.flags] == [3, 5]
    assert [(flag.line, flag.due_to) for flag in tally.explained] == [(4, 3)]


def test_a_root_that_was_told_to_be_deleted_keeps_what_is_below_it() -> None:
    rows = ["create|/f", "create|/g", "create|/h", "delete|/", "rename|/f|/g/x"]
    assert _flagged(rows) == [4]  # what the fourth did in truth may have been at /g
    assert _flagged([*rows, "rename|/f|/h/x"]) == [4, 6]


def test_of_what_is_gone_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much is remembered as there is room for: what was forgotten may be there or not."""
    monkeypatch.setattr(judge, "MAX_GONE", 2)
    gone = [row for name in "abcd" for row in (f"create|/x/{name}", f"delete|/x/{name}")]
    assert _flagged([*gone, "append|/x/d"]) == [9] and _flagged([*gone, "append|/x/c"]) == [9]
    assert not _flagged([*gone, "append|/x/a"])
    made_again = [*gone[:2], "create|/x/a", *gone[2:]]
    assert _flagged([*made_again, "mkdirs|/x/a"]) == [10], "what is there again is not forgotten"


def test_a_damaged_line_leaves_nothing_known() -> None:
    lines = ["allowed=true\tugi=u\tip=/1\tcmd=create\tsrc=/f\tdst=null\tperm=null\n", "allowed=true\tugi=u\tip=/1\tcm"]
    lines.append("allowed=true\tugi=u\tip=/1\tcmd=mkdirs\tsrc=/f\tdst=null\tperm=null\n")
    damaged: list[int] = []
    tally = AuditJudge(IN_ORDER).follow(entries(lines, damaged, [0]))
    assert (damaged, tally.damaged, tally.flags) == ([2], 1, [])


@pytest.fixture(scope="module")
def real() -> list[str]:
    with gzip.open(REAL, "rt", encoding="utf-8", newline="\n") as log:
        return log.readlines()


@pytest.mark.parametrize("assumptions", [Assumptions(), Assumptions(clients_in_order=True), IN_ORDER], ids=str)
def test_a_real_log_has_no_false_alarm(real: list[str], assumptions: Assumptions) -> None:
    tally = AuditJudge(assumptions).follow(entries(real, [], [0]))
    assert (tally.entries, tally.flags, tally.explained, tally.unheard_of) == (6000, [], [], {})
    assert tally.telling > 2000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_kind_of_alteration_is_flagged_and_nothing_else(real: list[str], kind: str, seed: int) -> None:
    """What the altered line did in truth is not flagged where it shows later."""
    one = next(found[0] for dice in range(seed, seed + 40) if (found := altered(real, 1, dice, [kind])))
    assert one.text != real[one.line - 1]
    tally = AuditJudge(Assumptions(clients_in_order=True)).follow(entries(apply(real, [one]), [], [0]))
    assert [flag.line for flag in tally.flags] == [one.line]
