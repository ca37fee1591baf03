"""The stores behind WebHDFS: what their waivers accept, and what is told of a stream to what can't be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fsconform.adapters.stores.site import Setup
from fsconform.engine.protocol import Job
from fsconform.engine.waivers import traits_of
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.harness.versions import waivers_of
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.core.paths import Path as StorePath
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.list_status import ListStatus

STORES = ("webhdfs", "webhdfs-python")
A, DATA = ("a",), contents.of(1, 3)
COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
COMPOSES = {
    "webhdfs": (
        ("getFileStatus (file) raised FileNotFoundException after create (missing)", "filesystem.create.post"),
        ("open (file) returned other bytes after rename (file to a free destination)", "filesystem.rename.post.file"),
        ("create (directory) succeeded", "filesystem.create.pre.not-a-directory"),
    ),
    "webhdfs-python": (
        (
            "getFileStatus (file) raised FileNotFoundException after create (a name that a store may forbid; missing)",
            "filesystem.create.post",
        ),
        (
            "open (file) returned too few bytes after rename "
            "(a name that a store may forbid; file to a free destination)",
            "filesystem.rename.post.file",
        ),
        ("create (directory) succeeded", "filesystem.create.pre.not-a-directory"),
    ),
}
"""What is seen of composed names, and the clause that it breaks."""

SYMPTOMS = [(store, *symptom) for store, symptoms in COMPOSES.items() for symptom in symptoms]

BEFORE: dict[str, tuple[tuple[Operation, ...], StorePath]] = {
    "the root": ((), ()),
    "an empty directory": ((Mkdirs(A),), A),
    "a directory with a file": ((Create(("a", "b"), DATA, False),), A),
    "below a file": ((Create(A, DATA, False),), ("a", "b", "c")),
}
"""What can't be written: the calls that make it, and its path."""

CALLS = [(mode, data) for mode in ("create", "overwrite", "append") for data in (True, False)]


def accepted(store: str, signature: str, program: Sequence[Operation], clause: str = "") -> bool:
    traits = traits_of(tuple(map(Step, program)), clause=clause)
    return any(one.accepts(signature, traits) for one in waivers_of(store))


@pytest.mark.parametrize(("store", "signature", "clause"), SYMPTOMS)
def test_symptoms_of_composed_names_are_waived_for_such_names_alone(store: str, signature: str, clause: str) -> None:
    assert accepted(store, signature, (Create((DECOMPOSED,), DATA, False),), clause)
    assert accepted(store, signature, (Create(("a", DECOMPOSED, "b"), DATA, False),), clause)
    for name in ("a", COMPOSED, "\U0001f600", "a*b"):
        assert not accepted(store, signature, (Create((name,), DATA, False),), clause), name


@pytest.mark.parametrize("signature", [signature for signature, _ in COMPOSES["webhdfs-python"]])
def test_a_composed_name_excuses_no_other_clause(signature: str) -> None:
    program = (Create((DECOMPOSED,), DATA, False),)
    assert not accepted("webhdfs-python", signature, program, "filesystem.delete.pre.not-empty")


@pytest.mark.parametrize("store", STORES)
def test_no_waiver_of_names_takes_a_call_that_does_not_return(store: str) -> None:
    assert not accepted(store, "create (missing) did not return", (Create((DECOMPOSED,), DATA, False),))


@pytest.mark.parametrize("store", STORES)
def test_a_stream_is_waived_where_nothing_can_be_written_alone(store: str) -> None:
    program = (OpenWriter(A, "w", "create"),)
    assert accepted(store, "open to write (directory) succeeded", program, "filesystem.create.pre.not-a-directory")
    assert not accepted(store, "open to write (a file) succeeded", program, "filesystem.create.pre.no-overwrite")
    assert not accepted(store, "open to write (missing) succeeded", program, "filesystem.append.pre.exists")


def written(what: str, mode: str, data: bool) -> Program:
    """A stream to what can't be written, and what is there before and after."""
    before, path = BEFORE[what]
    looks: tuple[Operation, ...] = (ListStatus(()), ListStatus(A), Open(A))
    write = (Write("w", DATA),) if data else ()
    return tuple(map(Step, (*before, *looks, OpenWriter(path, "w", mode), *write, CloseWriter("w"), *looks)))


def looked(outcomes: Sequence[Outcome]) -> list[object]:
    """What was seen: values, and the class of each error, whose text may tell of the moment."""
    return [one.classes[0] if isinstance(one, Raised) else one for one in outcomes]


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", STORES)
def test_closing_a_stream_to_what_cant_be_written_raises_and_nothing_has_changed(name: str, tmp_path: Path) -> None:
    """As its finding says: judging ends where such a stream was opened."""
    store = build_preset(PRESETS[name], Setup(tmp_path, print, 60.0))
    session = store.session()
    try:
        programs = {(what, *call): written(what, *call) for what in BEFORE for call in CALLS}
        found = session.execute([Job(program) for program in programs.values()])
        for (what, mode, _), execution in zip(programs, found, strict=True):
            outcomes = [event.outcome for event in execution.trace.events]
            assert looked(outcomes[-3:]) == looked(outcomes[len(BEFORE[what][0]) :][:3])
            opened = next(
                one
                for step, one in zip(execution.trace.program, outcomes, strict=True)
                if isinstance(step.operation, OpenWriter)
            )
            if (what, mode) == ("below a file", "append"):
                assert isinstance(opened, Raised)
                continue
            closed = outcomes[-4]
            assert isinstance(opened, Returned) and isinstance(closed, Raised)
            wanted = "ParentNotDirectoryException" if what == "below a file" else "FileAlreadyExistsException"
            assert closed.classes[0].endswith(wanted)
    finally:
        session.close()
        store.close()
