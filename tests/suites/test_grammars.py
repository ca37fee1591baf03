"""The grammars of the suites, as data."""

from __future__ import annotations

import pytest

from fsconform.engine.grammar import EIGHTHS, RACK, SIZES
from fsconform.engine.ladders import SPICE
from fsconform.model.core.operation import OPERATIONS
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.suites.registry import DEFAULT, SUITES

CORE = ("namespace", "rename", "delete", "listing", "content", "paths", "root")
BEYOND = (
    "protocols",
    "lookups",
    "metadata",
    "changes",
    "attributes",
    "streams",
    "capabilities",
    "large",
    "limits",
    "full",
)


def test_every_area_has_its_suite() -> None:
    assert sorted({suite.area for suite in SUITES.values()}) == sorted((*CORE, *BEYOND))
    assert all(suite.area.isidentifier() for suite in SUITES.values())
    first, beyond = DEFAULT[:4], DEFAULT[4:]
    assert first == ("namespace", "paths", "content", "listing")
    assert beyond == (
        *BEYOND[:5],
        "input-streams",
        "output-streams",
        "visibility",
        "syncable",
        "leases",
        "capabilities",
    )


def test_every_operation_that_changes_something_is_drawn_by_a_suite() -> None:
    drawn = {kind for suite in SUITES.values() for kind in suite.grammar.kinds}
    assert {kind.NAME for kind in OPERATIONS.values() if kind.MUTATES and kind not in drawn} == {
        "renameSnapshot",
        "setQuota",
        "createSymlink",
    }


@pytest.mark.parametrize("name", SUITES)
def test_grammar_is_sound(name: str) -> None:
    grammar = SUITES[name].grammar
    assert len(set(grammar.kinds)) == len(grammar.kinds) > 0
    assert all(kind in OPERATIONS.values() and weight >= 1 for kind, weight in grammar.weights)
    assert {Create, Delete, Rename} <= set(grammar.kinds)
    assert len(set(grammar.names)) == 3 and 2 <= grammar.depth <= 3
    assert any(one != other and other.startswith(one) for one in grammar.names for other in grammar.names)
    assert set(RACK) <= set(grammar.rack)
    assert 0 <= grammar.spiced <= EIGHTHS and 0 <= grammar.crowded <= EIGHTHS
    assert grammar.sizes == SIZES
    assert sorted(grammar.modes) == ["each", "end"] and grammar.clients in (1, 2)
    assert 8 <= grammar.longest <= 16


def test_sizes_are_on_the_edges() -> None:
    edges = {mark + by for mark in (512, 4096, 65536) for by in (-1, 0, 1)}
    assert tuple(sorted({0, 1} | edges)) == SIZES


BASIC = (Mkdirs, Create, Append, Open, Delete, Rename, GetFileStatus, Exists, ListStatus)


def test_the_rack_has_all_spice_and_what_the_specification_forbids() -> None:
    assert set(RACK) == {*SPICE, ".", ".."} and len(set(RACK)) == len(RACK)


def test_suites_weigh_what_they_are_about() -> None:
    heaviest = {"rename": Rename, "delete": Delete, "listing": ListStatus, "content": Append}
    for name, kind in heaviest.items():
        weights = dict(SUITES[name].grammar.weights)
        assert weights[kind] == max(weights.values()) and list(weights.values()).count(weights[kind]) == 1
    for name in ("namespace", "paths", "root"):
        assert set(SUITES[name].grammar.kinds) == set(BASIC)
    assert SUITES["content"].grammar.kinds.count(Open) == 1
    assert max(SUITES["listing"].grammar.children) == 129 and max(SUITES["paths"].grammar.depths) == 33
    assert max(SUITES["content"].grammar.appends) == 9
    assert {255, 256} <= {len(name) for name in SUITES["paths"].grammar.rack}


def test_enumeration_is_what_it_was() -> None:
    lengths = {name: suite.lengths for name, suite in SUITES.items() if suite.lengths}
    assert lengths == {"namespace": (1, 2, 3), "rename": (1, 2, 3, 4), "delete": (1, 2, 3, 4)}
    assert SUITES["rename"].kinds == (Mkdirs, Create, Rename) and SUITES["delete"].kinds == (Mkdirs, Create, Delete)
