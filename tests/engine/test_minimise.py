"""The minimiser keeps the signature, leaves nothing needless, and asks the store only what is plausible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.minimise import minimise, own_steps, plausible, size_of
from fsconform.engine.probes import MANY_SET_UP
from fsconform.engine.trial import Bench, shown
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.acls import GetAclStatus, ModifyAcl
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.options.attributes import SUPPORTS_ACLS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.faults import Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore
from fsconform.specs.generated import rows

Make = Callable[[str], Program]

ORACLE = Oracle(Contract({"supports-append": True, "supports-strict-exceptions": True}))

NOISE = "mkdirs /n/o; create /n/o/p 700; ?list /n; exists /q; append /n/o/p 9; delete /q; rename /n/o /n/m; "

FAULTS = {
    "delete-file-false": ("create /x/y/z 300; mkdirs /w; ?list /; delete! /x/y/z", "create /a 0; delete /a"),
    "mkdirs-existing-false": ("mkdirs /x/y; mkdirs /x/z; ?list /x; mkdirs /x/y; exists /x", "mkdirs /a; mkdirs /a"),
    "rename-to-self-deletes": (
        "create /x/y 30; create! /x/y 40; rename /x/y /x/y; ?status /x/y; ?list /",
        "create /a 0; rename /a /a; ?status /a",
    ),
    "append-truncates": ("create /p/q 50; append /p/q 60; ?list /p; ?status /p/q", None),
    "rename-copies": ("mkdirs /x/y; create /x/y/f 5; rename /x/y/f /x/g; ?exists /x/y/f; ?list /x", None),
    "overwrite-keeps-tail": ("create /d/e 900; delete /zz; create! /d/e 20; ?list /; ?open /d/e", None),
}


class Asked:
    """A store that is asked whether programs show a finding; it notes what it was asked."""

    def __init__(self, fault: str | Fault, text: Program, oracle: Oracle = ORACLE) -> None:
        self.bench = Bench(ProvingStore(fault=fault).session(), Judge(oracle))
        (trial,) = self.bench.try_all([text])
        self.finding: Finding = next(one for one in trial.judgement.findings if one.verdict in FAILING)
        self.asked: list[Program] = []

    def __call__(self, programs: Sequence[Program]) -> list[bool]:
        self.asked.extend(programs)
        return [shown(trial.judgement, self.finding.signature) is not None for trial in self.bench.try_all(programs)]


@pytest.mark.parametrize("fault", FAULTS)
def test_minimal_program(fault: str, program: Make) -> None:
    long, short = FAULTS[fault]
    text = program(NOISE + long)
    shows = Asked(fault, text)
    found = minimise(ORACLE, text, shows.finding, shows)
    assert shows([found]) == [True]
    assert size_of(found) < size_of(text) and own_steps(found) <= 3
    assert {element for step in found for element in getattr(step.operation, "path", ())} <= {"a", "b", "c"}
    without = [found[:index] + found[index + 1 :] for index in range(len(found)) if len(found) > 1]
    assert shows(without) == [False] * len(without)
    if short is not None:
        wanted = program(short)
        assert [(type(one.operation), one.probe) for one in found] == [
            (type(one.operation), one.probe) for one in wanted
        ]
        assert [step.operation for step in found][-1] == [step.operation for step in wanted][-1]


@pytest.mark.parametrize("fault", ["delete-file-false", "rename-copies"])
def test_only_plausible_candidates_are_tried(fault: str, program: Make) -> None:
    text = program(NOISE + FAULTS[fault][0])
    shows = Asked(fault, text)
    minimise(ORACLE, text, shows.finding, shows)
    assert all(plausible(ORACLE, one, shows.finding) for one in shows.asked)
    assert len(shows.asked) < 300


def test_what_streams_write_shrinks() -> None:
    operations = (OpenWriter(("a",), "w", "create"), Write("w", contents.of(1, 300)), CloseWriter("w"), Open(("a",)))
    text = tuple(Step(operation) for operation in operations)
    shows = Asked("writer-close-keeps-a-byte", text)
    found = minimise(ORACLE, text, shows.finding, shows)
    assert [step.operation for step in found] == [*operations[:1], Write("w", contents.of(1, 1)), *operations[2:]]


def test_what_does_not_shrink_stays(program: Make) -> None:
    text = program("create /a 0; delete /a")
    shows = Asked("delete-file-false", text)
    assert minimise(ORACLE, text, shows.finding, shows) == text


def test_a_program_that_shows_only_as_a_whole_stays(program: Make) -> None:
    text = program("create /x 5; delete /x; exists /y")
    shows = Asked("delete-file-false", text)
    assert minimise(ORACLE, text, shows.finding, lambda programs: [one == text for one in programs]) == text


def test_plausible(program: Make) -> None:
    finding = Asked("delete-file-false", program("create /x 5; delete /x")).finding
    assert finding.operation == "delete" and finding.roles == {"file"}
    for text, expected in (
        ("create /a 0; delete /a", True),
        ("delete /a", False),
        ("create /a 0", False),
        ("mkdirs /a; delete /a", False),
        ("create /a 0; rename /a /b; delete /a", False),
        ("create /a 0; rename /a /b; delete /b", True),
    ):
        assert plausible(ORACLE, program(text), finding) is expected


def test_sizes(program: Make) -> None:
    text = program(":mkdirs /a; create /a/b 1; ?list /; ?list /a")
    assert own_steps(text) == 1 and size_of(text) == (1, 4)


def test_bug_a_name_that_is_taken_again_by_another_file_is_taken_by_the_same(program: Make) -> None:
    """No step and no name could be left out: a file of bytes comes to the name that an empty one gave up."""
    text = program("create /a 0; create /b 1; rename /a /c; rename /b /d; rename /d /a; exists /a")
    shows = Asked("rename-back-loses", text)
    found = minimise(ORACLE, text, shows.finding, shows)
    assert shows([found]) == [True] and own_steps(found) == 4
    wanted = program("create /a 1; rename /a /b; rename /b /a; exists /a")
    assert [type(one.operation) for one in found] == [type(one.operation) for one in wanted]


PAGED = {
    "rename-loses-beyond-a-page": 1001,
    "listing-of-full-pages-loses-the-last": 1000,
    "delete-keeps-beyond-a-page": 1001,
}
"""Faults of large directories, with the entries that the smallest program has."""


@pytest.mark.parametrize("fault", PAGED)
def test_what_a_large_directory_shows_keeps_as_many_entries_as_it_needs(fault: str) -> None:
    (text,) = (program for name, _, program, _ in rows() if name == f"directory of {PAGED[fault]} files")
    shows = Asked(fault, text)
    found = minimise(ORACLE, text, shows.finding, shows)
    assert shows([found]) == [True]
    assert own_steps(found) <= 3
    assert sum(isinstance(step.operation, Create) for step in found) == PAGED[fault]
    assert len(shows.asked) < 60


def made(*operations: Operation, client: int = 0) -> Program:
    return tuple(Step(operation, client=client) for operation in operations)


def test_a_way_and_a_client_that_play_no_part_are_left_out() -> None:
    text = made(Mkdirs(("x",), via="permission"), Mkdirs(("x",), via="static"), client=1)
    shows = Asked("mkdirs-existing-false", text)
    assert minimise(ORACLE, text, shows.finding, shows) == made(Mkdirs(("a",)), Mkdirs(("a",)))


class LosesAlice(FullStore):
    """Of the entries of a list those of one user are lost."""

    def modify_acl(self, path: str, entries: tuple[str, ...]) -> None:
        super().modify_acl(path, tuple(one for one in entries if "alice" not in one))


def test_a_list_shrinks_to_the_one_text_that_is_needed() -> None:
    user, others = "user:alice:r--", ("user:bob:rw-", "user:carol:r-x", "group:staff:r--", "group:wheel:rwx")
    oracle = Oracle(Contract({SUPPORTS_ACLS: True, "supports-strict-exceptions": True}))
    text = made(Mkdirs(("a",)), ModifyAcl(("a",), (*others, user)), GetAclStatus(("a",)))
    shows = Asked(Fault("loses-alice", "", "", LosesAlice), text, oracle)
    found = minimise(oracle, text, shows.finding, shows)
    assert [getattr(step.operation, "entries", ()) for step in found] == [(), (user,), ()]


def test_what_needs_no_large_directory_is_shown_without_one(program: Make) -> None:
    many = "".join(f":create /x/f{number} 0;" for number in range(MANY_SET_UP + 10))
    text = program(f"{many} exists /q; delete /x/f7")
    shows = Asked("delete-file-false", text)
    assert minimise(ORACLE, text, shows.finding, shows) == program(":create /a 0; delete /a")
    assert len(shows.asked) < 40


def test_where_the_model_can_not_tell_a_candidate_is_tried(program: Make) -> None:
    finding = Asked("delete-file-false", program("create /x 5; delete /x")).finding
    text = program("create /a 1; create /a/b 1; mkdirs /c")
    assert not plausible(ORACLE, text, finding)
    below_files = Oracle(Contract({"create-file-under-file-allowed": True}))
    assert plausible(below_files, text, finding), "what comes after a file below a file is not known"
    assert plausible(ORACLE, text, replace(finding, operation="invariant")), "an invariant may break after any call"
