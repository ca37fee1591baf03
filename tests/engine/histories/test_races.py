"""Races on the store in memory: a sound one shows none, and each seeded fault is found, confirmed and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from fsconform.adapters.meeting import board
from fsconform.engine.histories.confirming import Confirmer, Met
from fsconform.engine.histories.delays import Delays, parts
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.histories.subject import RACES as SUBJECT
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.proving.faults import RACES
from fsconform.proving.session import ProvingStore
from fsconform.suites.races import Cell, Watch, cells, watches

PROMISED = Contract(
    {
        "supports-append": True,
        "supports-strict-exceptions": True,
        ATOMIC_RENAME: True,
        ATOMIC_DELETE: True,
        EXCLUSIVE_WRITER: True,
    }
)
JUDGE = Judge(Oracle(PROMISED))

FOUND: dict[str, tuple[Cell | Watch, str, str]] = {
    "absence-cached-by-client": (
        Watch("nothing", "mkdirs", "status"),
        "violation",
        "filesystem.mkdirs.post",
    ),
    "append-lost": (Cell("a file", "append", "append"), "declared-false", "outputstream.concurrent.writers"),
    "close-publishes-later": (Cell("nothing", "create", "status"), "violation", "introduction.consistency.create"),
    "create-checks-then-acts": (Cell("nothing", "create", "create"), "violation", "introduction.atomicity.create"),
    "delete-leaves-orphans": (Cell("a tree", "mkdirs deep", "delete all"), "violation", "filesystem.mkdirs.atomic"),
    "delete-seen-late": (Cell("a file", "delete", "status"), "violation", "introduction.consistency.delete"),
    "file-with-children": (Cell("nothing", "create", "mkdirs deep"), "violation", "introduction.atomicity.create"),
    "listing-cached-by-client": (
        Watch("nothing", "create below", "list root"),
        "violation",
        "introduction.consistency.create",
    ),
    "mkdirs-fails-beside-mkdirs": (Cell("nothing", "mkdirs", "mkdirs"), "violation", "filesystem.mkdirs.atomic"),
    "overwrite-deletes-first": (Watch("a file", "create over", "status"), "violation", "introduction.atomicity.create"),
    "rename-child-by-child": (
        Cell("a tree", "delete all", "rename away"),
        "declared-false",
        "filesystem.rename.atomic",
    ),
    "rename-copies-and-deletes": (
        Cell("a file", "rename away", "rename to b"),
        "declared-false",
        "filesystem.rename.atomic",
    ),
    "rename-onto-what-came-meanwhile": (
        Cell("a file", "delete", "rename to b"),
        "declared-false",
        "filesystem.rename.atomic",
    ),
    "rename-shows-neither-name": (Watch("a file", "rename away", "list root"), "violation", "filesystem.rename.atomic"),
    "status-cached-by-client": (Watch("a file", "delete", "status"), "violation", "introduction.consistency.delete"),
}
"""Of each fault a cell that shows it, and with which verdict and clause it is told."""


@contextmanager
def clients(fault: str = "") -> Iterator[Clients]:
    store = ProvingStore(fault=fault or None)
    sessions = [store.session() for _ in range(2)]
    try:
        yield Clients(sessions, board)
    finally:
        for session in sessions:
            session.close()
        store.close()


def met(two: Clients, delays: Delays, chosen: Sequence[Cell | Watch], rounds: int) -> list[Met]:
    """What was met of the chosen cells in so many rounds."""
    found = []
    for number in range(rounds):
        histories = two.execute([delays.moved(cell.program, number) for cell in chosen])
        delays.note(histories)
        found += [Met(history, JUDGE.judge(history)) for history in histories]
    return found


def test_a_sound_store_shows_no_race() -> None:
    chosen = [*cells()][::5] + [*watches()][::5]
    with clients() as two:
        found = met(two, Delays(), chosen, 2)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 2


def test_every_fault_has_its_row() -> None:
    assert FOUND.keys() == RACES.keys()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", RACES)
def test_each_fault_is_found_confirmed_and_told(fault: str) -> None:
    cell, verdict, clause = FOUND[fault]
    with clients(fault) as two:
        delays = Delays()
        first: Met | None = None
        for _ in range(20):
            shown = [one for one in met(two, delays, [cell] * 8, 8) if one.judged.verdict == verdict]
            if shown:
                first = shown[0]
                break
        assert first is not None
        confirmed = Confirmer(two, JUDGE, delays).confirm(first)
        told = SUBJECT.proven(JUDGE, confirmed, 1)
    assert confirmed.is_confirmed and not confirmed.alone
    assert (told.finding.verdict, told.finding.clause) == (verdict, clause)
    assert confirmed.met.history.program.size <= first.history.program.size
    assert told.finding.signature.count(" beside ") == 1 and "/" not in told.finding.signature


def test_the_delays_of_rounds_fill_the_whole_evenly_and_go_beyond() -> None:
    assert [parts(number) for number in range(8)] == [0.0, 0.0, -0.625, 0.625, -0.9375, 0.3125, -0.3125, 0.9375]
    assert len({parts(number) for number in range(1, 64)}) == 63
    assert max(parts(number) for number in range(1, 64)) > 1.1
