"""Races on the store in memory: a sound one shows none, and each seeded fault is found, confirmed and told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from fsconform.adapters.stores.quirks import races_of
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.confirming import Confirmed, Met
from fsconform.engine.histories.delays import parts
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.exploration import NOT_PROVEN_BEFORE, Exploration, Plan
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Matrix
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.histories.subject import RACES as SUBJECT
from fsconform.model.core import content
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.faults import RACES
from fsconform.suites.drawn_races import DrawnRace
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
ClientsWith = Callable[[str], AbstractContextManager[Clients]]
JUDGE = Judge(Oracle(PROMISED))
KNOWING = Judge(Oracle(PROMISED), races_of(("rawlocal",)))
"""As if the known races of Hadoop's local filesystems were those of the store."""

HIDDEN = ("create-checks-then-acts",)
"""What is a known race of those."""

_FILE = content.of(2, 5)
INTO_WHAT_LOSES_ITS_CHILD = DrawnRace(
    Concurrent(
        (Create(("a", "f"), _FILE, False), Create(("b",), _FILE, False)),
        ((Delete(("a", "f"), False),), (Rename(("b",), ("a", "h")),)),
        (0, 0),
        (ListStatus(()), ListStatus(("a",))),
    )
)
"""One that is drawn in a hundred."""

FOUND: dict[str, tuple[Cell | Watch | DrawnRace, str, str]] = {
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
    "overwrite-comes-again": (Cell("a file", "create over", "append"), "violation", "filesystem.append.post"),
    "overwrite-deletes-first": (Watch("a file", "create over", "status"), "violation", "introduction.atomicity.create"),
    "parent-vanishes-with-its-last-child": (INTO_WHAT_LOSES_ITS_CHILD, "violation", "filesystem.rename.atomic"),
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
    "rename-seen-late": (Watch("a file", "rename away", "status"), "violation", "introduction.consistency.rename"),
    "rename-shows-neither-name": (Watch("a file", "rename away", "list root"), "violation", "filesystem.rename.atomic"),
    "rename-with-options-deletes-first": (
        Watch("two files", "rename with options over", "status over"),
        "deviation",
        "rename.rename3.atomic",
    ),
    "status-cached-by-client": (Watch("a file", "delete", "status"), "violation", "introduction.consistency.delete"),
}
"""Of each fault a cell that shows it, and with which verdict and clause it is told."""


def test_a_sound_store_shows_no_race(met_of: Callable[..., list[Met]]) -> None:
    found = met_of(JUDGE, [*cells()][::5] + [*watches()][::5], 2)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 2


def test_every_fault_has_its_row() -> None:
    assert {name: fault.clause for name, fault in RACES.items()} == {name: row[-1] for name, row in FOUND.items()}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", RACES)
def test_each_fault_is_found_confirmed_and_told(fault: str, confirmed_of: Callable[..., Confirmed]) -> None:
    """Known races hide none but their own."""
    confirmed = confirmed_of(JUDGE, fault, *FOUND[fault])
    known = KNOWING.judge(confirmed.met.history)
    told = FOUND[fault][1].replace("deviation", "violation")
    assert known.verdict == ("waived" if fault in HIDDEN else told)


def test_the_delays_of_rounds_fill_the_whole_evenly_and_go_beyond() -> None:
    assert [parts(number) for number in range(7)] == [0.0, -0.625, 0.625, -0.9375, 0.3125, -0.3125, 0.9375]
    assert len({parts(number) for number in range(64)}) == 64
    assert max(parts(number) for number in range(1, 64)) > 1.1


@pytest.mark.parametrize("doing", ["races: 192 of", "races: confirming 1 of", "races: confirming 2 of"])
def test_an_interrupt_takes_away_nothing_of_what_was_met(doing: str, clients_with: ClientsWith) -> None:
    cells = (Cell("nothing", "mkdirs", "mkdirs"), Cell("nothing", "create", "mkdirs"))
    rows = tuple((row, number) for number in range(112) for row in cells)

    def tick(told: str) -> None:
        if told.startswith(doing):
            raise KeyboardInterrupt

    with clients_with("mkdirs-fails-beside-mkdirs") as those:
        found = Exploration(those, Matrix(SUBJECT, JUDGE), Plan(rows), tick)
        with pytest.raises(KeyboardInterrupt):
            found.run()
    met = found.matrix.samples
    assert len(met) > 1 and sum(one.count for one in found.proven) == sum(sample.count for sample in met.values())
    assert NOT_PROVEN_BEFORE in {one.note for one in found.proven} <= {"", NOT_PROVEN_BEFORE}


def test_what_is_met_first_is_confirmed_at_once_and_counted_to_the_end(clients_with: ClientsWith) -> None:
    rows = tuple((Cell("nothing", "mkdirs", "mkdirs"), number) for number in range(400))
    heard: list[str] = []
    with clients_with("mkdirs-fails-beside-mkdirs") as those:
        found = Exploration(those, Matrix(SUBJECT, JUDGE), Plan(rows), heard.append)
        found.run()
    first, last = heard.index("races: confirming the first that was met"), heard.index("races: 384 of 400 programs")
    assert first < last and found.confirmed_after is not None and found.confirmed_after < found.seconds
    samples = found.matrix.samples
    assert sum(one.count for one in found.proven) == sum(sample.count for sample in samples.values())


def test_a_store_without_a_fault_confirms_nothing(clients_with: ClientsWith) -> None:
    rows = tuple((Cell("nothing", "mkdirs", "mkdirs"), number) for number in range(40))
    with clients_with("") as those:
        found = Exploration(those, Matrix(SUBJECT, JUDGE), Plan(rows))
        found.run()
    assert found.confirmed_after is None and found.proven == []
