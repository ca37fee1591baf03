"""Traces: from checkers to programs and back, and what a store did in the module's words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.app.formal.checking import contract_of
from fsconform.engine.formal import namespace, traces
from fsconform.engine.formal.namespace import Call
from fsconform.engine.formal.observed import observed, root_body
from fsconform.engine.formal.traces import INITIAL, Taken, TraceError
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.specs import formal

RECORDED = (Path(__file__).parent / "apalache-0.61.0.itf.json").read_text("utf-8")
A, B = ("a",), ("b",)


def test_a_trace_that_apalache_wrote_is_a_program() -> None:
    states = traces.read_itf(RECORDED)
    assert [len(state["dirs"]) for state in states] == [1, 2, 2]
    taken = traces.steps(states)
    assert [one.call for one in taken] == [Call("create", ("a", "b"), data=("y",)), Call("rename", A, B)]
    program = traces.program(taken)
    assert isinstance(program[0].operation, Create) and program[1].operation == Rename(A, B)
    assert traces.departs(Oracle(Contract()), taken) is None
    assert traces.departs(Oracle(Contract()), [taken[0], replace(taken[1], res="FileNotFoundException")]) == 1


def test_where_the_model_ends_all_that_follows_is_allowed() -> None:
    below_file = Oracle(Contract({"create-file-under-file-allowed": True}))
    trace = [
        Taken(Call(op, path), res)
        for op, path, res in (("create", A, "ok"), ("create", ("a", "b"), "ok"), ("delete", B, "RuntimeException"))
    ]
    assert traces.departs(below_file, trace) is None
    assert traces.departs(below_file, [trace[0], trace[2]]) == 1


def test_sets_that_are_no_filesystem_are_no_state() -> None:
    with pytest.raises(ValueError, match="a parent is no directory"):
        namespace.state([(), A], [(("b", "c"), ())])
    with pytest.raises(ValueError, match="a directory and a file"):
        namespace.state([(), A], [(A, ("x",))])


def test_random_runs_of_apalache_are_allowed() -> None:
    text = (Path(__file__).parent / "apalache-0.61.0" / "goals-simulate.itf.json").read_text("utf-8")
    taken = traces.steps(traces.read_itf(text))
    assert len(taken) == 3 and traces.departs(Oracle(contract_of(formal.checks()["goals"])), taken) is None


SEEN = frozenset({("b", "dir", 0), ("c", "file", 1)})
STEPS = (
    INITIAL,
    Taken(Call("create", A, data=("x",), flag=True), "ok"),
    Taken(Call("open", A), "read", read=("x",)),
    Taken(Call("listStatus", B), "list", SEEN),
    Taken(Call("rename", A, B), "FileNotFoundException", dev=True),
)


def test_itf_there_and_back() -> None:
    states = [{"act": traces.act_of(one)} for one in STEPS]
    text = traces.write_itf(states, "a test", {"x": 3})
    assert traces.steps(traces.read_itf(text)) == STEPS[1:]
    assert traces.sizes_in(text) == {"x": 3} and traces.sizes_in(RECORDED) == {}
    assert json.loads(text)["#meta"]["format"] == "ITF"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"vars": [], "states": [{"x": 1}]}',
        RECORDED.replace('"rename"', '"fly"'),
        RECORDED.replace('"res": "true"', '"res": "perhaps"'),
        RECORDED.replace('"op": "rename",', ""),
    ],
)
def test_what_is_no_trace(text: str) -> None:
    with pytest.raises(TraceError):
        traces.steps(traces.read_itf(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "at its top there is no object"),
        ('{"schema": 1}', "at its top there is no list 'vars'"),
        ('{"vars": [], "states": {}}', "at its top there is no list 'states'"),
        ('{"vars": [], "states": [{}, 7]}', r"states\[1\] is 7 and no object"),
        ('{"vars": [], "states": [{}, {"x": {"#bigint": "y"}}]}', r"states\[1\] holds what is no value of ITF"),
        (RECORDED.replace('"op": "rename",', ""), "step . of the trace: its record 'act' has no 'op'"),
    ],
)
def test_the_place_is_told_where_it_is_no_trace(text: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        traces.steps(traces.read_itf(text))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("path", "ab", "is no sequence of names"),
        ("path", ("a/b",), "is no path"),
        ("dst", ("",), "is no path"),
        ("op", "mkdirs\x1b[2J", "is no text that is printable"),
        ("res", 3, "is no text that is printable"),
        ("data", ("",), "is no sequence of chunks"),
        ("read", ("x" * 100,), "is no sequence of chunks"),
        ("seen", frozenset({("b", "file", -1)}), "is no length of a file"),
        ("seen", frozenset({("b", "file", True)}), "is no length of a file"),
    ],
)
def test_what_no_state_of_the_module_holds_is_refused(field: str, value: object, said: str) -> None:
    act = {**traces.act_of(STEPS[1]), field: value}
    with pytest.raises(TraceError, match=f"step 1 of the trace is none of module Namespace: .*{said}"):
        traces.steps([{"act": traces.act_of(INITIAL)}, {"act": act}])


def test_sizes_that_are_no_sizes_are_none() -> None:
    assert traces.sizes_in('{"#meta": {"sizes": [3]}}') == {}
    assert traces.sizes_in('{"#meta": {"sizes": {"x": 3, "y": -1, "z": "4"}}}') == {"x": 3}


def played(*steps: tuple[Operation, Outcome]) -> Trace:
    return Trace(tuple(Step(one) for one, _ in steps), tuple(Event(outcome) for _, outcome in steps))


def data(*parts: contents.Content) -> Data:
    whole = tuple(part for content in parts for part in content)
    return Data(contents.length(whole), contents.digest(whole) or "")


ONE, TWO = contents.of(1, 513), contents.of(2, 7)
OK, GONE = Returned(None), Raised(ancestry("FileNotFoundException"))
LONG = ("a-longer-name",)


def test_what_a_store_did_in_the_words_of_the_module() -> None:
    one = observed(
        played(
            (Create(LONG, ONE, False), OK),
            (Append(LONG, TWO), OK),
            (Open(LONG), Returned(data(ONE, TWO))),
            (ListStatus(()), Returned((Status(LONG, False, 520, 512),))),
            (GetFileStatus(B), GONE),
        )
    )
    (name,) = one.steps[0].call.path
    first, second = one.sizes
    assert one.sizes == {first: 513, second: 7} and one.steps[2].read == (first, second)
    assert one.steps[3].seen == {(name, "file", 520)} and one.steps[4].res == "FileNotFoundException"
    assert name in root_body(one) and LONG[0] not in root_body(one)


def test_all_calls_of_the_module_have_their_words() -> None:
    told = observed(
        played(
            (CreateNonRecursive(A, ONE, True), OK),
            (Rename(A, B), Returned(True)),
            (RenameWith(B, A, True), OK),
            (CreateSymlink(A, B), Raised(ancestry("UnsupportedOperationException"))),
            (GetFileStatus(A), Returned(Status(A, False, 513, 512))),
            (Delete(A, True), Returned(False)),
        )
    ).steps
    a, b = told[0].call.path, told[1].call.dst
    assert [(one.call.op, one.call.path, one.call.dst, one.call.flag, one.res) for one in told] == [
        ("createNonRecursive", a, (), True, "ok"),
        ("rename", a, b, False, "true"),
        ("rename with options", b, a, True, "ok"),
        ("createSymlink", b, a, False, "UnsupportedOperationException"),
        ("getFileStatus", a, (), False, "status"),
        ("delete", a, (), True, "false"),
    ]
    assert told[4].seen == {("", "file", 513)}


@pytest.mark.parametrize("read", [data(contents.of(9, 513)), data(*[TWO] * 9)], ids=["other bytes", "of many pieces"])
def test_what_is_read_is_told_in_few_pieces_of_what_was_written(read: Data) -> None:
    with pytest.raises(TraceError, match="step 3: what was read is no sequence of what was written"):
        observed(played((Create(A, ONE, False), OK), (Append(A, TWO), OK), (Open(A), Returned(read))))


@pytest.mark.parametrize(
    ("operation", "outcome", "told"),
    [
        (SetTimes(A, 1, 1), OK, "has no call 'setTimes'"),
        (Mkdirs(A, via="context"), Returned(True), "not the way 'context'"),
        (Mkdirs(("x:y",)), Returned(True), "names that a store may forbid"),
        (Mkdirs(A), Unknown("lost"), "is not known"),
        (Open(A), Returned(data(ONE)), "no sequence of what was written"),
    ],
)
def test_what_the_module_does_not_speak_of(operation: Operation, outcome: Outcome, told: str) -> None:
    with pytest.raises(TraceError, match=told):
        observed(played((operation, outcome)))
