"""Going on after a divergence: from a snapshot of the store's real state, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.protocol import Observation, Snapshot
from fsconform.engine.resync import adopt, is_concealed
from fsconform.engine.trial import Bench, shown, shown_alike
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace
from fsconform.model.filesystem.quirks import NONE, mark
from fsconform.model.filesystem.state import EMPTY, File, locate, put
from fsconform.proving.session import ProvingStore

CONTRACT = Contract({"supports-append": True})
TEXT = "create /a 3 -> ok; delete /a -> false; ?exists /a -> true; create /b 2 -> ok; ?status /b -> file /b 9"


def directory(*path: str) -> Observation:
    status = Status(path, True, 0)
    return Observation(status, status, None)


def file(path: Path, content: contents.Content) -> Observation:
    status = Status(path, False, contents.length(content))
    return Observation(status, status, Data(status.length, contents.digest(content) or ""))


def snapshot(*entries: Observation, consistent: bool = True) -> Snapshot:
    return Snapshot(entries, consistent, "" if consistent else "they differ")


@pytest.fixture
def judge() -> Judge:
    return Judge(Oracle(CONTRACT))


def test_without_a_snapshot_one_is_wanted(judge: Judge, trace: Callable[[str], Trace]) -> None:
    judgement = judge.judge(trace(TEXT))
    assert [one.step for one in judgement.findings] == [1]
    assert judgement.wants_snapshot == 1


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        ("?exists /a -> false", None),
        ("delete /a -> FileNotFoundException", None),
        ("delete /a -> false", 1),
    ],
)
def test_after_the_last_step_only_a_call_that_was_not_refused_is_looked_at(
    judge: Judge, trace: Callable[[str], Trace], last: str, wanted: int | None
) -> None:
    judgement = judge.judge(trace(f"create /a 3 -> ok; {last}"))
    assert [one.step for one in judgement.findings] == [1]
    assert judgement.wants_snapshot == wanted


@pytest.mark.parametrize(
    ("text", "held", "lost"),
    [
        ("create /a 3 -> IOException", (), False),
        ("create /a 3 -> ok; create! /a 5 -> IOException", (("a", 1, 3),), False),
        ("create /a 3 -> ok; create! /a 5 -> IOException", (), True),
        ("create /a 3 -> ok; rename /a /b -> IOException", (("a", 1, 3),), False),
        ("create /a 3 -> ok; rename /a /b -> IOException", (), True),
    ],
)
def test_what_a_call_that_raised_did_not_write_is_not_lost(
    judge: Judge, trace: Callable[[str], Trace], text: str, held: tuple[tuple[str, int, int], ...], lost: bool
) -> None:
    """Its caller still has it; what stood there before and is gone is lost."""
    calls = trace(f"{text}; ?exists /z -> false")
    shot = snapshot(*(file((name,), contents.of(seed, size)) for name, seed, size in held))
    judgement = judge.judge(calls, {len(calls.events) - 2: shot})
    assert [one.verdict for one in judgement.findings] == ["violation"]
    assert judgement.findings[0].signature.endswith(", data lost") is lost


@pytest.mark.parametrize(
    ("held", "harm"),
    [((("a", 1, 3),), False), ((("a", 1, 3), ("b", 8, 4)), True), ((("a", 8, 3),), True)],
)
def test_what_a_call_was_given_to_write_is_no_data_of_others(
    judge: Judge, trace: Callable[[str], Trace], held: tuple[tuple[str, int, int], ...], harm: bool
) -> None:
    """An append that makes the missing file holds the bytes of its caller, and no others."""
    shot = snapshot(*(file((name,), contents.of(seed, size)) for name, seed, size in held))
    [found] = judge.judge(trace("append /a 3 -> ok; ?exists /z -> false"), {0: shot}).findings
    assert found.verdict == "violation" and (", data" in found.signature) is harm


def test_a_later_divergence_is_found(judge: Judge, trace: Callable[[str], Trace]) -> None:
    judgement = judge.judge(trace(TEXT), {1: snapshot(file(("a",), contents.of(1, 3)))})
    assert [(one.step, one.verdict, one.first) for one in judgement.findings] == [
        (1, "violation", True),
        (4, "violation", False),
    ]
    assert judgement.findings[1].after == "create (missing)"


def test_judging_goes_on_from_what_the_store_shows(judge: Judge, trace: Callable[[str], Trace]) -> None:
    judgement = judge.judge(trace(TEXT), {1: snapshot()})
    assert [one.step for one in judgement.findings] == [1, 2]
    assert judgement.wants_snapshot == 2


@pytest.mark.parametrize(("store", "found"), [("s3a", [1]), ("rawlocal", [1, 2])])
def test_what_a_known_bug_hides_from_a_look_is_not_taken_for_gone(
    trace: Callable[[str], Trace], store: str, found: list[int]
) -> None:
    """S3A leaves names in _$folder$ out of listings, and a look at the store is made of listings."""
    name = "x_$folder$"
    calls = trace(f"create /d/{name} 3 -> ok; mkdirs /e -> false; ?status /d/{name} -> file /d/{name} 3")
    judgement = Judge(Oracle(load_shipped(store))).judge(calls, {1: snapshot(directory("d"), directory("e"))})
    assert [one.step for one in judgement.findings if one.verdict in FAILING] == found


def test_what_a_store_remembers_is_in_no_look_at_it() -> None:
    plain = put(EMPTY, ("a",), File(contents.of(1, 3)))
    assert not is_concealed(plain, plain, NONE)
    assert is_concealed(mark(plain, ("a",), "stale", True), plain, NONE)


def test_a_store_that_contradicts_itself_ends_the_program(judge: Judge, trace: Callable[[str], Trace]) -> None:
    shot = snapshot(file(("a",), contents.of(1, 3)), consistent=False)
    judgement = judge.judge(trace(TEXT), {1: shot})
    assert [one.step for one in judgement.findings] == [1]
    assert judgement.wants_snapshot is None


def test_a_broken_invariant_is_told_and_ends_the_program(judge: Judge, trace: Callable[[str], Trace]) -> None:
    judgement = judge.judge(trace(TEXT), {1: snapshot(directory("x", "y"), directory("a"), file(("a",), ()))})
    assert [(one.operation, one.clause, one.first) for one in judgement.findings[1:]] == [
        ("invariant", "model.filesystem.parent-is-directory", False),
        ("invariant", "model.filesystem.exclusivity", False),
    ]
    assert all(one.after == "delete (file)" and one.verdict == "violation" for one in judgement.findings[1:])


def test_content_is_recognised(program: Callable[[str], Program]) -> None:
    wrote = program("create /a 3; append /a 5; create /b 7")
    one, more, other = (contents.of(number, size) for number, size in ((1, 3), (2, 5), (3, 7)))
    strange = contents.of(99, 4)
    adopted = adopt(
        snapshot(
            file(("d", "x"), one + more),
            file(("d", "y"), other),
            file(("d", "z"), strange),
            file(("d", "e"), ()),
            directory("d"),
        ),
        wrote,
    )
    assert adopted.breaches == () and adopted.state is not None
    found = {name: locate(adopted.state, ("d", name)) for name in "xyze"}
    assert found["x"] == File(one + more) and found["y"] == File(other) and found["e"] == File(())
    assert found["z"] == File((contents.Observed(4, contents.digest(strange) or ""),))
    assert adopt(snapshot(), wrote).state == EMPTY


def test_names_that_were_refused_may_be_adopted(program: Callable[[str], Program]) -> None:
    assert adopt(snapshot(directory("a:b")), program("mkdirs /a:b")).breaches == ()


def test_bench_goes_on_by_itself(program: Callable[[str], Program]) -> None:
    wrote = program("mkdirs /a; mkdirs /a; create /b 3; mkdirs /b; mkdirs /a; ?list /")
    bench = Bench(ProvingStore(fault="mkdirs-existing-false").session(), Judge(Oracle(CONTRACT)))
    (trial,) = bench.try_all([wrote])
    assert [one.step for one in trial.judgement.findings] == [1]
    gone_on = bench.go_on(trial)
    assert [(one.step, one.first) for one in gone_on.judgement.findings] == [(1, True), (4, False)]
    assert gone_on.judgement.wants_snapshot is None and bench.store_nanoseconds > 0
    first, last = gone_on.judgement.findings
    assert first.signature == last.signature and first.verdict in FAILING
    assert shown(gone_on.judgement, first.signature) is first
    assert shown(gone_on.judgement, "nothing") is None
    assert shown_alike(gone_on.judgement, last) is first
