"""Symptoms of one bug have one cause: the quirk, or the error and the odd name that operations share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.causes import Symptom, causes, odd_traits
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.judge import FAILING
from fsconform.engine.waivers import Waived
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

COLON, LONG = "a colon in a name", "a name of more than 255 bytes"


def test_error_and_trait_that_operations_share() -> None:
    shared = [
        Symptom("s1", "create", "E", (COLON,)),
        Symptom("s2", "mkdirs", "E", (COLON, LONG)),
        Symptom("s3", "open", "E", (LONG,)),
        Symptom("s4", "mkdirs", "E", (COLON,)),
        Symptom("s5", "delete", "E", (COLON,)),
    ]
    own = [
        Symptom("another error", "open", "F", (COLON,)),
        Symptom("no error", "open", "", (COLON,)),
        Symptom("plain", "open", "E"),
        Symptom("harm", "rename", "E", (COLON,), alone=True),
    ]
    found = causes([*shared, *own, Symptom("known", "concat", "E", (COLON,), known="q")])
    assert [found[one.signature] for one in shared] == [f"E for {one}" for one in (COLON, COLON, LONG, COLON, COLON)]
    assert [found[one.signature] for one in own] == [one.signature for one in own]
    assert found["known"] == "q"
    # Two symptoms of one operation are not yet a cause of their own.
    assert causes([shared[1], shared[3]]) == {"s2": "s2", "s4": "s4"}


def test_traits_are_of_the_departing_step(program: Callable[[str], Program]) -> None:
    one = program(f"mkdirs /a:b; rename /x /{'n' * 256}; open /a")
    assert [odd_traits(one, step) for step in (0, 1, 2, 3)] == [(COLON,), (LONG,), (), ()]


class NoColons(FullStore):
    """Every call refuses a name with a colon, by an error that is no IOException."""

    def locate(self, path: str) -> tuple[str, str]:
        if ":" in path:
            self.fail("IllegalArgumentException", path)
        return super().locate(path)


class NoColonsStore(ProvingStore):
    def make(self) -> FullStore:
        return NoColons(self.behaviour)


def test_store_that_refuses_colons_has_one_cause(program: Callable[[str], Program]) -> None:
    contract = Contract({"supports-strict-exceptions": True})
    benches = Benches(NoColonsStore(), contract, 1)
    bench = benches.take()
    collected = Collected()
    for trial in bench.try_all([program(f"{call} /a:b") for call in ("mkdirs", "open", "status", "list", "delete")]):
        collected.add(trial, benches.oracle)
    benches.give_back(bench)
    proven = prove_all(benches, collected)
    records = recorder.divergences(Filesystem(benches.oracle), "mine", proven, Waived({}, ()), "")
    assert len({one.operation for one in records}) >= 3
    assert {one.cause for one in records} == {f"IllegalArgumentException for {COLON}"}


class LeavesParents(FullStore):
    """A rename of what is missing makes the parents of the destination, and is refused."""

    moves = True

    def rename(self, src: str, dst: str) -> bool:
        if self.locate(src)[1] not in self.nodes:
            self.mkdirs(dst.rpartition("/")[0])
        if not self.moves and src.endswith("/b"):
            return True
        return super().rename(src, dst)


class MovesNothing(LeavesParents):
    moves = False


@pytest.mark.parametrize(("kind", "failing"), [(LeavesParents, []), (MovesNothing, ["rename"])])
def test_what_is_right_by_what_a_refused_call_left_is_its_symptom(
    program: Callable[[str], Program], kind: type[FullStore], failing: list[str]
) -> None:
    """That the refused call changed something breaks no clause that binds; what follows from it breaks none either."""

    class Store(ProvingStore):
        def make(self) -> FullStore:
            return kind(self.behaviour)

    benches = Benches(Store(), Contract({"supports-strict-exceptions": True}), 1)
    bench = benches.take()
    collected = Collected()
    for text in ("rename /a /b/b; ?list /", "rename /a /b/b; rename /b /c"):
        (trial,) = bench.try_all([program(text)])
        collected.add(trial, benches.oracle)
    benches.give_back(bench)
    proven = prove_all(benches, collected)
    assert [one.finding.operation for one in proven if one.finding.verdict in FAILING] == failing
    assert any(one.finding.verdict == "deviation" and one.finding.precondition for one in proven)
