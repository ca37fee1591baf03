"""A loss of data is another finding than the harmless variant of the same wrong answer, and shrinking keeps it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.judge import FAILING
from fsconform.model.core import content as contents
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.programs import Program
from fsconform.proving.session import ProvingStore

CONTRACT = Contract(load_shipped("proving").declared)


def proven(fault: str, *programs: Program) -> list[Proven]:
    """What a store with a fault shows in some programs, minimised and confirmed."""
    benches = Benches(ProvingStore(fault=fault), CONTRACT, 1)
    collected = Collected()
    try:
        with benches.lent() as bench:
            for trial in bench.try_all(programs):
                collected.add(bench.go_on(trial), benches.oracle)
        found = prove_all(benches, collected)
    finally:
        benches.close()
    return [one for one in found if one.finding.verdict in FAILING]


def written(program: Program) -> list[int]:
    """The bytes of each file that a program creates."""
    return [contents.length(one.operation.content) for one in program if isinstance(one.operation, Create)]


def test_a_rename_that_destroys_bytes_is_shown_with_bytes(program: Callable[[str], Program]) -> None:
    """The smaller program with empty files is met first, and does not stand for the loss."""
    harmless = program("create /a 0; mkdirs /d; create /d/e 0; rename /a /d; ?list /d")
    destroying = program("mkdirs /n; create /a 5; mkdirs /d; create /d/e 7; rename /a /d; ?list /d")
    (found,) = proven("rename-replaces-directory", harmless, destroying)
    assert found.finding.impact == "data lost" and found.confirmed == "3/3"
    assert any(written(found.program)), "the minimal program loses no byte"


def test_the_harmless_variant_shrinks_to_no_bytes(program: Callable[[str], Program]) -> None:
    """Where nothing is lost, nothing is said of a loss."""
    harmless = program("create /a 0; mkdirs /d; create /d/e 0; rename /a /d; ?list /d")
    (found,) = proven("rename-replaces-directory", harmless)
    assert found.finding.impact != "data lost" and not any(written(found.program))


@pytest.mark.parametrize("size", [0, 300])
def test_what_a_call_destroyed_belongs_to_its_signature(program: Callable[[str], Program], size: int) -> None:
    """A refusal that was due, and a call that was made instead: a look at the store shows what became of the data."""
    (found,) = proven("delete-non-empty", program(f"mkdirs /n; mkdirs /d; create /d/e {size}; delete /d"))
    assert found.finding.operation == "delete" and found.confirmed == "3/3"
    assert ("data lost" in found.finding.signature) is (size > 0) is (found.finding.impact == "data lost")
    assert written(found.program) == [min(size, 1)]
