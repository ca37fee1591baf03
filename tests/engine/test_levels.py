"""What a broken clause weighs: by where it comes from, and by whether data come to harm."""

from __future__ import annotations

from itertools import count

import pytest
from immutables import Map

from fsconform.engine.findings import Finding
from fsconform.engine.judge import Judge
from fsconform.engine.levels import WEIGHED, basis_of, harms_data, weighed
from fsconform.engine.subject import Verdict
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Observed
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.branches import REFUSED_CLAUSE
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.state import Dir, File, State
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.specs.catalogue import BASES, BINDING, catalogue

BYTES: Content = (Observed(3, "0" * 64),)
NODES: dict[str, File | Dir] = {"d": Dir(Map()), "f": File(BYTES)}
STATE = State(Dir(Map(NODES)))
MISSING = Raised(ancestry("FileNotFoundException"))
PLAIN = Raised(ancestry("IOException"))


def status(path: str, length: int = 0, is_dir: bool = False) -> Status:
    return Status((path,), is_dir, length, 0 if is_dir else 1)


WHOLE = (status("d", is_dir=True), status("f", 3))

ANSWERS: list[tuple[Operation, Outcome, bool]] = [
    (GetFileStatus(("f",)), MISSING, True),
    (GetFileStatus(("d",)), MISSING, True),
    (GetFileStatus(("x",)), Returned(status("x")), True),
    (GetFileStatus(("x",)), Returned(status("x", is_dir=True)), False),
    (GetFileStatus(("f",)), Returned(status("f", 2)), True),
    (GetFileStatus(("f",)), Returned(status("f", is_dir=True)), True),
    (GetFileStatus(("d",)), Returned(status("d")), True),
    (ListStatus(()), Returned((*WHOLE, status("x"))), True),
    (ListStatus(()), Returned((*WHOLE, status("x", is_dir=True))), False),
    (ListStatus(()), Returned(WHOLE[1:]), True),
    (ListStatus(()), Returned(WHOLE[:1]), True),
    (ListStatus(()), Returned((WHOLE[0], status("f", 4))), True),
    (ListStatus(("x",)), Returned(()), False),
    (ListStatus(("d",)), MISSING, True),
    (ListStatus(("f",)), Returned((status("f", 3),)), False),
    (ListStatus(("f",)), Returned((status("f", 2),)), True),
    (ListStatus(("f",)), Returned(()), True),
    (Open(("f",)), Returned(Data(3, "1" * 64)), True),
    (Open(("f",)), Returned(Data(2, "0" * 64)), True),
    (Open(("f",)), PLAIN, True),
    (Open(("x",)), Returned(Data(0, contents.digest(()) or "")), True),
    (RenameWith(("f",), ("f",), True), MISSING, False),
    (RenameWith(("f",), ("d", "f"), True), Returned(None), True),
]


@pytest.mark.parametrize(("operation", "outcome", "harm"), ANSWERS)
def test_harm_is_what_loses_corrupts_or_makes_up_data(operation: Operation, outcome: Outcome, harm: bool) -> None:
    assert harms_data(STATE, operation, outcome) is harm


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("verdict", ["violation", "undeclared", "declared-false", "declared", "deviation", "waived"])
def test_what_does_not_bind_is_a_deviation_unless_data_come_to_harm(verdict: Verdict, basis: str) -> None:
    softened = verdict in WEIGHED and basis not in BINDING
    assert weighed(verdict, basis, harms=True) == verdict
    assert weighed(verdict, basis, harms=False) == ("deviation" if softened else verdict)


def test_each_basis_is_in_the_catalogue() -> None:
    assert {one.basis for one in catalogue().values()} == set(BASES)
    assert {one.document for one in catalogue().values() if one.basis == "proposal"} == {"rename.md", "trashpolicy.md"}
    assert basis_of(REFUSED_CLAUSE) == "derived"
    assert basis_of("a clause of another catalogue") == "published"


def judged(*steps: tuple[Operation, Outcome]) -> list[Finding]:
    ticks = count()
    trace = Trace(
        tuple(Step(operation) for operation, _ in steps),
        tuple(Event(outcome, next(ticks), next(ticks)) for _, outcome in steps),
    )
    return Judge(Oracle(Contract({}))).judge(trace).findings


REFUSED = ((Create(("f",), BYTES, overwrite=False), Returned(None)), (Mkdirs(("f", "x", "y")), PLAIN))


def test_a_refused_call_that_leaves_a_directory_deviates_and_names_its_precondition() -> None:
    listed = Returned((status("f", 3), status("e", is_dir=True)))
    (found,) = judged(*REFUSED, (ListStatus(()), listed))
    assert (found.verdict, found.clause, found.level) == ("deviation", REFUSED_CLAUSE, "MUST")
    assert found.precondition == "filesystem.mkdirs.pre.ancestors"


@pytest.mark.parametrize("length", [None, 0, 4])
def test_a_refused_call_that_harms_a_file_fails(length: int | None) -> None:
    seen = MISSING if length is None else Returned(status("f", length))
    (found,) = judged(*REFUSED, (GetFileStatus(("f",)), seen))
    assert (found.verdict, found.clause) == ("violation", REFUSED_CLAUSE)
    assert found.precondition == "filesystem.mkdirs.pre.ancestors"


def test_a_published_clause_fails_without_any_harm() -> None:
    (found,) = judged((GetFileStatus(("x",)), PLAIN))
    assert (found.verdict, found.precondition) == ("violation", "")


def test_a_proposal_is_a_deviation_and_losing_the_file_by_it_is_none() -> None:
    made = (Create(("f",), BYTES, overwrite=False), Returned(None))
    accepted = (RenameWith(("f",), ("f",), True), Returned(None))
    (found,) = judged(made, accepted, (GetFileStatus(("f",)), Returned(status("f", 3))))
    assert (found.verdict, found.clause) == ("deviation", "rename.rename3.pre.not-itself")
    assert judged(made, accepted, (GetFileStatus(("f",)), MISSING))[-1].verdict == "violation"
