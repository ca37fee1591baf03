"""A capability that is claimed and not lived up to is one divergence, whichever calls show it."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.engine.claims import Claim
from fsconform.engine.confirm import Proven, one_a_claim
from fsconform.engine.judge import FAILING
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour

Proving = Callable[..., list[Proven]]
OPTION = "supports-unix-permissions"
A, B = ("a",), ("b",)


def steps(*operations: Operation) -> Program:
    return tuple(map(Step, operations))


IN_MANY_WAYS = (
    steps(Create(A, (), False), SetPermission(A, 0o600), GetAttributes(A)),
    steps(Mkdirs(A), SetPermission(A, 0o700), GetAttributes(A)),
    steps(Mkdirs(A), SetPermission(A, 0o700), Rename(A, B), GetAttributes(B)),
)


def test_all_that_shows_it_is_told_once(proving: Proving) -> None:
    found = proving(ProvingStore(fault="set-permission-ignored"), IN_MANY_WAYS, {OPTION: True})
    failing = [one for one in found if one.finding.verdict in FAILING]
    assert len(failing) == 2
    assert {(one.claim.option, one.claim.calls) for one in failing if one.claim is not None} == {
        (OPTION, (SetPermission.NAME,))
    }
    told, *others = one_a_claim(found)
    assert others == [one for one in found if one not in failing]
    assert told.count == 2
    assert told.note.startswith(f"{OPTION} is claimed and not lived up to by setPermission; also shows as: ")


def test_what_comes_of_no_capability_is_told_beside_it(proving: Proving) -> None:
    found = proving(ProvingStore(fault="delete-file-false"), [steps(Create(A, (), False), Delete(A, False))])
    assert [one.claim for one in found] == [None] and one_a_claim(found) == found


def test_a_call_that_the_store_has_not_is_a_claim_of_its_own(proving: Proving) -> None:
    program = steps(Create(A, (), False), Append(A, contents.of(1, 3)))
    store = ProvingStore(behaviour=Behaviour(supports_append=False))
    (one,) = proving(store, [program], {"supports-append": True})
    assert one.finding.verdict == "declared-false"
    assert one.claim == Claim("supports-append", ("append",)) and one_a_claim([one]) == [one]
