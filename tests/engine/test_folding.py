"""Two bugs that meet in one program are two findings: a harmless one is never the cause of one that loses data."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.judge import FAILING
from fsconform.engine.waivers import Waiver, apply
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import FileStatus
from fsconform.records.results import DATA_IMPACTS

Make = Callable[[str], Program]
CREATED = "getFileStatus (file) returned a wrong length after create (missing)"
PROGRAMS = (
    "create /a 3; ?status /a",
    "create /a 3; rename /a /b; ?status /b",
    "create /a 3; rename /a /b; ?open /b",
)


class OneMore(FullStore):
    """The status of a file says one byte more than it has."""

    def get_file_status(self, path: str) -> FileStatus:
        status = super().get_file_status(path)
        return status if status.is_dir else replace(status, length=status.length + 1)


class EmptiesOnRename(FullStore):
    """A file that was renamed is empty."""

    def rename(self, src: str, dst: str) -> bool:
        done = super().rename(src, dst)
        key = self.locate(dst)[1]
        if done and key in self.nodes and self.nodes[key].data is not None:
            self.nodes[key].data = b""
        return done


class Both(EmptiesOnRename, OneMore):
    pass


def found(kind: type[FullStore], make: Make) -> list[Proven]:
    class Store(ProvingStore):
        def make(self) -> FullStore:
            return kind(self.behaviour)

    benches = Benches(Store(), Contract({"supports-strict-exceptions": True}), 1)
    try:
        with benches.lent() as bench:
            collected = Collected()
            for trial in bench.try_all([make(text) for text in PROGRAMS]):
                collected.add(trial, benches.oracle)
        proven = prove_all(benches, collected)
        return [one for one in proven if one.finding.verdict in FAILING]
    finally:
        benches.close()


def test_what_a_store_says_everywhere_is_one_finding(program: Make) -> None:
    assert [one.finding.signature for one in found(OneMore, program)] == [CREATED]


@pytest.mark.parametrize("kind", [EmptiesOnRename, Both])
def test_a_loss_is_no_symptom_of_a_harmless_answer(program: Make, kind: type[FullStore]) -> None:
    proven = found(kind, program)
    lost = [one for one in proven if one.finding.impact in DATA_IMPACTS]
    assert [(one.finding.operation, one.cause) for one in lost] == [("open", "")]
    waiver = Waiver("s", CREATED, "r", "l", datetime.date(2030, 1, 1))
    failing = {one.finding.signature: one.failing for one in proven}
    waived = apply([waiver], "s", failing, datetime.date(2029, 1, 1), complete=False).by_signature
    assert lost[0].finding.signature not in waived
