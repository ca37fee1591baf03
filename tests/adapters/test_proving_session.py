"""Sessions of the in-memory store: results become outcomes, and programs do not see each other."""

from __future__ import annotations

import hashlib

from fsconform.engine.protocol import Job
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, NotExpressible, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import BLOCK_SIZE

A, AF = ("a",), ("a", "f")


def test_session_turns_results_into_outcomes() -> None:
    content = contents.of(3, 5000)
    digest = hashlib.sha256(b"".join(contents.chunks(content))).hexdigest()
    program = (Create(AF, content, False), Open(AF), GetFileStatus(AF), ListStatus(A), Open(A))
    (execution,) = ProvingStore().session().execute([Job(tuple(Step(each) for each in program), (4,), stacks=True)])
    *good, error = (event.outcome for event in execution.trace.events)
    status = Status(AF, False, 5000, BLOCK_SIZE)
    assert good == [Returned(value) for value in (None, Data(5000, digest), status, (status,))]
    assert isinstance(error, Raised)
    assert error.classes[:2] == ("java.io.FileNotFoundException", "java.io.IOException")
    assert "StoreError" in error.stack
    ((number, snapshot),) = execution.snapshots
    assert (number, snapshot.consistent, len(snapshot.entries)) == (4, True, 2)
    assert snapshot.entries[1].data == Data(5000, digest)
    spent = sum(event.returned - event.invoked for event in execution.trace.events)
    assert execution.store_nanoseconds == spent > 0


def test_programs_do_not_see_each_other() -> None:
    job = Job((Step(Mkdirs(A)), Step(ListStatus(()))))
    for real_root in (False, True):
        for execution in ProvingStore(real_root=real_root).session().execute([job, job]):
            assert execution.trace.events[1].outcome == Returned((Status(A, True, 0, 0),))


def test_real_root_is_the_root_and_elsewhere_it_is_a_directory() -> None:
    job = Job((Step(Rename((), A)), Step(Delete((), True)), Step(Exists(()))))
    (real,) = ProvingStore(real_root=True).session().execute([job])
    (inner,) = ProvingStore().session().execute([job])
    assert [event.outcome for event in real.trace.events[1:]] == [Returned(True), Returned(True)]
    assert inner.trace.events[2].outcome == Returned(False)


def test_what_has_no_string_or_no_room_is_not_expressible() -> None:
    program = (Mkdirs(("a/b",)), Exists(("",)), Create(A, contents.of(1, 1 << 40), False))
    (execution,) = ProvingStore(real_root=True).session().execute([Job(tuple(Step(each) for each in program))])
    assert all(isinstance(event.outcome, NotExpressible) for event in execution.trace.events)
