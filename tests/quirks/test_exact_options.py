"""Options that permit one exact behaviour: a store that has it passes, and faults beside it are found."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.explorers import both_modes
from fsconform.engine.judge import FAILING
from fsconform.model.core import content as contents
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.core import ACCEPTS_INVALID_PATHS
from fsconform.model.filesystem.options.listing import MISREADS_ESCAPES_IN_PATTERNS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.proving.faults import Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import FileStatus, parent_of

DECLARED = load_shipped("proving").declared
BYTES = contents.of(1, 3)
PATTERNS: Program = (
    Step(Create(("1",), BYTES, False)),
    Step(Create(("d",), BYTES, False)),
    Step(Create(("c",), BYTES, False)),
    *(Step(GlobStatus(pattern)) for pattern in ("\\d*", "\\c*", "\\w", "d", "*")),
)
NAMES: Program = (
    Step(Create(("a:b",), BYTES, False)),
    Step(Create(("a",), BYTES, False)),
    Step(Open(("a:b",))),
    Step(GlobStatus("*")),
    Step(Mkdirs(("d:e", "f"))),
    Step(Rename(("a:b",), ("a:y",))),
    Step(Open(("a:y",))),
    Step(Delete(("a:y",), False)),
    Step(Open(("a",))),
)


class Misreads(FullStore):
    """Reads an escaped letter as a regular expression does."""

    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        if not re.search(r"\\[A-Za-z0-9]", pattern) or not re.search(r"[*?]", pattern):
            return super().glob_status(pattern)
        if "\\c" in pattern:
            return self.unread(pattern)
        expression = pattern.replace("*", ".*").replace("?", ".")
        shown = [one for one in self.list_status(self.base) if re.fullmatch(expression, one.path.rpartition("/")[2])]
        return self.read(sorted(shown, key=lambda one: one.path))

    def unread(self, pattern: str) -> list[FileStatus] | None:
        """What comes of an escape that means nothing."""
        self.fail("IOException", pattern)

    def read(self, shown: list[FileStatus]) -> list[FileStatus]:
        """What is found."""
        return shown


class FindsNothing(Misreads):
    def read(self, shown: list[FileStatus]) -> list[FileStatus]:
        return []


class RefusesAll(Misreads):
    def read(self, shown: list[FileStatus]) -> list[FileStatus]:
        self.fail("IOException", "escapes")


class IsSilent(Misreads):
    def unread(self, pattern: str) -> list[FileStatus] | None:
        return []


class Accepts(FullStore):
    """Takes a colon for a character like any other."""

    def locate(self, path: str) -> tuple[str, str]:
        name = "" if path == "/" else path
        return name, name


class Truncates(Accepts):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data[:-1] if ":" in path else data, overwrite)


class DeletesStem(Accepts):
    def delete(self, path: str, recursive: bool) -> bool:
        done = super().delete(path, recursive)
        key = path.partition(":")[0]
        if ":" in path and key in self.nodes and parent_of(key):
            self.remove_subtree(key)
        return done


class HidesInPatterns(Accepts):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        found = super().glob_status(pattern)
        return found and [one for one in found if ":" not in one.path]


def failing(kind: type[FullStore], option: str, program: Program) -> Iterator[str]:
    """The failing signatures of a program under the contract that declares the option."""
    contract = Contract({**DECLARED, option: True})
    benches = Benches(ProvingStore(fault=Fault("one", "", "", kind, "", {}, {option: True})), contract, 1)
    try:
        bench = benches.take()
        for each in both_modes([program], Oracle(contract)):
            (trial,) = bench.try_all([each])
            yield from (one.signature for one in trial.judgement.findings if one.verdict in FAILING)
    finally:
        benches.close()


@pytest.mark.parametrize(
    ("kind", "option", "program"),
    [(Misreads, MISREADS_ESCAPES_IN_PATTERNS, PATTERNS), (Accepts, ACCEPTS_INVALID_PATHS, NAMES)],
)
def test_the_exact_behaviour_passes(kind: type[FullStore], option: str, program: Program) -> None:
    assert list(failing(kind, option, program)) == []


@pytest.mark.parametrize("kind", [FindsNothing, RefusesAll, IsSilent])
def test_faults_beside_misreading_are_found(kind: type[FullStore]) -> None:
    assert list(failing(kind, MISREADS_ESCAPES_IN_PATTERNS, PATTERNS))


@pytest.mark.parametrize("kind", [Truncates, DeletesStem, HidesInPatterns])
def test_faults_beside_accepting_are_found(kind: type[FullStore]) -> None:
    assert list(failing(kind, ACCEPTS_INVALID_PATHS, NAMES))
