"""Verdicts on hand-made traces, the blame for what shows later, and signatures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import with_quirks
from fsconform.engine.explain import explain
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING, Judge, Judgement
from fsconform.engine.protocol import Job
from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, put
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour

Make = Callable[[str], Trace]

MISSING_FALSE = "rename-returns-false-if-source-missing"
EXISTS_FALSE = "rename-returns-false-if-dest-exists"
FAILURE_FALSE = "fsconform.rename-returns-false-on-failure"
OVERWRITES = "rename-overwrites-dest"
POSIX = "rename-remove-dest-if-empty-dir"
TWO_FILES = "create /a 3 -> ok; create /b 4 -> ok; "


def judged(trace: Trace, declared: dict[str, OptionValue] | None = None) -> Judgement:
    return Judge(Oracle(Contract(declared or {}))).judge(trace)


def only(judgement: Judgement) -> Finding:
    (finding,) = judgement.findings
    return finding


def test_conforms(trace: Make) -> None:
    judgement = judged(trace("mkdirs /a -> true; ?status /a -> dir /a 0; rename /a /a -> false"))
    assert judgement.findings == [] and judgement.wants_snapshot is None
    assert (judgement.operations, judgement.probes, len(judgement.states)) == (2, 1, 4)
    for clause in ("mkdirs.post", "getFileStatus.post.directory", "rename.post.directory-to-itself"):
        assert judgement.clauses[f"filesystem.{clause}"] == 1
    assert judgement.clauses["model.filesystem.exclusivity"] == 1


VERDICTS: dict[str, tuple[str, dict[str, OptionValue], str, str, tuple[object, ...]]] = {
    "declared": (
        "rename /a /b -> false",
        {MISSING_FALSE: True},
        "declared",
        "filesystem.rename.pre.source-exists",
        (((MISSING_FALSE, True),),),
    ),
    "declared and permitted": (
        "mkdirs /a -> true; create! /a 3 -> ok",
        {"create-overwrites-directory": True},
        "declared",
        "filesystem.create.pre.not-a-directory",
        ((("create-overwrites-directory", True),),),
    ),
    "exact value not shown": (
        TWO_FILES + "rename /a /b -> FileAlreadyExistsException",
        {OVERWRITES: True},
        "declared-false",
        "filesystem.rename.pre.no-file-at-destination",
        (((OVERWRITES, False),),),
    ),
    "strict errors not shown": (
        "rename /a /b -> IOException",
        {"supports-strict-exceptions": True},
        "declared-false",
        "filesystem.rename.pre.source-exists",
        ((("supports-strict-exceptions", False),),),
    ),
    "exact value not declared": (
        TWO_FILES + "rename /a /b -> true",
        {},
        "undeclared",
        "filesystem.rename.pre.no-file-at-destination",
        (((OVERWRITES, True),),),
    ),
    "permission declared away": (
        "mkdirs /a -> true; create! /a 3 -> ok",
        {"create-overwrites-directory": False},
        "undeclared",
        "filesystem.create.pre.not-a-directory",
        ((("create-overwrites-directory", True),),),
    ),
    "two changes at once": (
        TWO_FILES + "rename /a /b -> false",
        {OVERWRITES: True},
        "declared-false",
        "filesystem.rename.pre.no-file-at-destination",
        (((OVERWRITES, False), (EXISTS_FALSE, True)),),
    ),
    "two ways to change": (
        "create /f 1 -> ok; rename /a /f/b -> false",
        {},
        "undeclared",
        "filesystem.rename.pre.parent-not-a-file",
        (((FAILURE_FALSE, True),), ((MISSING_FALSE, True),)),
    ),
    "declared ones are changed first": (
        "create /f 1 -> ok; rename /a /f/b -> false",
        {MISSING_FALSE: False},
        "declared-false",
        "filesystem.rename.pre.source-exists",
        (((MISSING_FALSE, True),), ((FAILURE_FALSE, True),)),
    ),
    "violation": ("mkdirs /a -> false", {}, "violation", "filesystem.mkdirs.post", ()),
    "violation of a query": ("exists /a -> true", {}, "violation", "filesystem.exists", ()),
    "invalid path taken": (
        "mkdirs /a:b -> true",
        {},
        "undeclared",
        "model.paths.valid-elements",
        ((("fsconform.accepts-invalid-paths", True),),),
    ),
    "deviation": ("delete /a -> true", {}, "deviation", "filesystem.delete.post.missing", ()),
    "runtime error": (
        "open /a -> RuntimeException",
        {},
        "deviation",
        "introduction.failures.no-runtime-exception",
        (),
    ),
    "inconclusive": ("mkdirs /a -> unknown", {}, "inconclusive", "filesystem.mkdirs.post", ()),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str, trace: Make) -> None:
    text, declared, verdict, clause, changes = VERDICTS[name]
    whole = trace(text)
    finding = only(judged(whole, declared))
    assert (finding.verdict, finding.clause, finding.changes) == (verdict, clause, changes)
    assert finding.step == finding.noticed == len(whole.program) - 1
    assert finding.first and finding.expected and finding.observed
    assert (verdict in FAILING) == (verdict in ("violation", "declared-false", "undeclared"))


def test_permission_need_not_be_used(trace: Make) -> None:
    whole = trace("mkdirs /a -> true; create! /a 3 -> FileAlreadyExistsException")
    assert judged(whole, {"create-overwrites-directory": True}).findings == []


def test_needed_options_are_counted(trace: Make) -> None:
    used = judged(trace("rename /a /b -> FileNotFoundException; rename /c /b -> FileNotFoundException")).used
    assert used == {((MISSING_FALSE, False), "filesystem.rename.pre.source-exists"): 2}


def test_what_cannot_be_said_is_left_out(trace: Make) -> None:
    judgement = judged(trace("mkdirs /a -> not-expressible; exists /a -> false; mkdirs /a -> true; exists /a -> true"))
    assert judgement.findings == [] and judgement.operations == 3


def test_a_call_that_was_not_made_is_not_blamed(trace: Make) -> None:
    finding = only(judged(trace("mkdirs /a -> true; rename /a /b -> not-expressible; status /a -> file /a 3")))
    assert finding.after == "mkdirs (missing)" and finding.clause == "filesystem.mkdirs.post"


def test_an_unknown_outcome_ends_the_program(trace: Make) -> None:
    judgement = judged(trace("mkdirs /a -> true; delete /a -> unknown; exists /a -> true; exists /x -> true"))
    assert [finding.verdict for finding in judgement.findings] == ["inconclusive"]
    assert judgement.wants_snapshot is None


def test_a_trace_may_end_before_its_program(trace: Make) -> None:
    judgement = judged(trace("mkdirs /a -> true; exists /a"))
    assert judgement.findings == [] and judgement.operations == 1


def test_declared_departures_do_not_make_a_later_one_doubtful(trace: Make) -> None:
    judgement = judged(trace("rename /a /b -> false; delete /a -> true; mkdirs /a -> false"), {MISSING_FALSE: True})
    assert [(one.verdict, one.first) for one in judgement.findings] == [
        ("declared", True),
        ("deviation", True),
        ("violation", True),
    ]


def played(text: Program, behaviour: Behaviour) -> Trace:
    (execution,) = ProvingStore(behaviour=behaviour).session().execute([Job(text)])
    return execution.trace


BLAME = "mkdirs /a/x; mkdirs /b; mkdirs /c; rename /a /b; mkdirs /d; ?list /c; ?status /b/a; ?list /b; ?list /"


@pytest.mark.parametrize("replaces", [True, False])
@pytest.mark.parametrize("declares", [True, False])
def test_a_later_probe_is_blamed_on_the_rename(
    replaces: bool, declares: bool, program: Callable[[str], Program]
) -> None:
    trace = played(program(BLAME), Behaviour(rename_remove_dest_if_empty_dir=replaces))
    findings = judged(trace, {POSIX: declares}).findings
    if replaces is declares:
        assert [one.verdict for one in findings] == (["declared"] if replaces else [])
        return
    finding = next(one for one in findings if one.verdict in FAILING)
    assert (finding.step, finding.noticed, finding.operation) == (3, 6, "rename")
    assert (finding.verdict, finding.changes) == ("declared-false", (((POSIX, replaces),),))
    assert finding.clause == "filesystem.rename.post.into-directory"
    assert sum(one.verdict in FAILING for one in findings) == 1


def test_an_absent_option_is_undeclared(program: Callable[[str], Program]) -> None:
    finding = only(judged(played(program(BLAME), Behaviour(rename_remove_dest_if_empty_dir=True))))
    assert (finding.verdict, finding.step) == ("undeclared", 3)


def test_one_value_must_explain_all(trace: Make) -> None:
    text = (
        "mkdirs /a -> true; mkdirs /b -> true; rename /a /b -> true; mkdirs /c -> true; mkdirs /d -> true; "
        "rename /c /d -> true; ?exists /b/a -> false; ?exists /d/c -> true"
    )
    assert [(one.verdict, one.step) for one in judged(trace(text)).findings] == [("undeclared", 2), ("violation", 7)]


def test_bug_create_below_a_file_names_its_option(trace: Make) -> None:
    option = "create-file-under-file-allowed"
    whole = trace("create /a 1 -> ok; create /a/b 1 -> ok")
    assert only(judged(whole, {option: True})).verdict == "declared"
    finding = only(judged(whole))
    assert (finding.verdict, finding.changes) == ("undeclared", (((option, True),),))


def test_nothing_explains_past_an_unknown(trace: Make) -> None:
    oracle = Oracle(Contract())
    whole = trace("mkdirs /x -> unknown; rename /a /b -> false")
    assert explain(oracle, whole, 1, EMPTY) is None
    found = explain(oracle, whole, 1, EMPTY, first=1)
    assert found is not None and found.changes == (((MISSING_FALSE, True),),)
    assert explain(oracle, trace("mkdirs /a -> true"), 0, EMPTY) is None


SAME_BUG = (
    ("create /a 3 -> ok; delete /a -> false", "create /x/yy 500 -> ok; mkdirs /q -> true; delete! /x/yy -> false"),
    ("create /a 3 -> ok; ?status /a -> file /a 2", "create /d/e 30 -> ok; ?status /d/e -> file /d/e 77"),
    ("mkdirs /a -> true; ?list / -> []", "mkdirs /b -> true; mkdirs /b/c -> true; ?list /b -> []"),
)


@pytest.mark.parametrize(("one", "other"), SAME_BUG)
def test_one_bug_is_one_signature(one: str, other: str, trace: Make) -> None:
    first, second = only(judged(trace(one))), only(judged(trace(other)))
    assert first.signature == second.signature
    assert first.expected != second.expected or first.observed != second.observed or one in SAME_BUG[0]


OTHER_BUG = (
    ("create /a 3 -> ok; delete /a -> false", "mkdirs /a -> true; delete /a -> false"),
    ("create /a 3 -> ok; delete /a -> false", "create /a 3 -> ok; delete /a -> IOException"),
    ("create /a 3 -> ok; ?list / -> []", "create /a 3 -> ok; ?list / -> [file /a 3, file /b 3]"),
    ("create /a 3 -> ok; ?status /a -> file /a 2", "create /a 3 -> ok; ?status /a -> dir /a 0"),
    (
        "create /a 3 -> ok; ?status /a -> FileNotFoundException",
        "create /b 3 -> ok; rename /b /a -> true; ?status /a -> FileNotFoundException",
    ),
)


@pytest.mark.parametrize(("one", "other"), OTHER_BUG)
def test_other_bugs_are_other_signatures(one: str, other: str, trace: Make) -> None:
    assert only(judged(trace(one))).signature != only(judged(trace(other))).signature


def test_invariants_are_checked_where_quirks_have_something_to_say(trace: Make) -> None:
    """A store with quirks is followed on several lines; what is settled is held against the invariants too."""
    invalid = put(EMPTY, (".",), EMPTY_DIR)
    contract = load_shipped("hdfs")
    known = with_quirks(contract, "hdfs")
    assert known.quirks is not None and known.quirks.shows(Mkdirs)
    for declared in (contract, known):
        judgement = Judge(Oracle(declared)).judge(trace("mkdirs /a -> true; ?status /a -> dir /a 0"), start=invalid)
        assert [found.clause for found in judgement.findings] == ["model.paths.valid-elements"]
        assert judgement.clauses["model.filesystem.exclusivity"] == 1
