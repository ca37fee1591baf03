"""A divergence that stands on an earlier one is its symptom, however far from the steps the earlier one lies."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import WholeStore
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]


class Haunted(WholeStore):
    """After a delete of something each directory of the name b has a directory that nobody made."""

    def delete(self, path: str, recursive: bool) -> bool:
        """As it should be, and more."""
        done = super().delete(path, recursive)
        for place in [key for key in self.nodes if done and key.endswith("/b")]:
            super().mkdirs(f"{place}/ghost")
        return done


class HauntedStore(ProvingStore):
    def make(self) -> WholeStore:
        return Haunted(self.behaviour)


def causes(program: Program) -> dict[str, str]:
    benches = Benches(HauntedStore(), Contract({"supports-strict-exceptions": True}), 1)
    bench = benches.take()
    collected = Collected()
    for trial in bench.try_all([program]):
        collected.add(trial, benches.oracle)
    benches.give_back(bench)
    return {
        one.finding.signature: one.cause for one in prove_all(benches, collected, lambda signature, number, of: None)
    }


def test_what_an_earlier_step_left_far_from_its_path_is_the_cause(program: Make) -> None:
    ghost = "listStatus (directory) returned a listing with extra entries after"
    found = causes(program("mkdirs /b; create /f 1; delete /f; rename /b /c; ?list /c"))
    assert found == {f"{ghost} rename (directory to a free destination)": f"{ghost} mkdirs (missing)"}


def test_a_first_divergence_has_no_cause(program: Make) -> None:
    assert list(causes(program("mkdirs /b; create /f 1; delete /f; ?list /b")).values()) == [""]
