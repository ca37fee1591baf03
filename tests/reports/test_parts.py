"""Where stores part: situations, families of operations, and who agrees with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconform.records.results import Divergence, Latency, Results, StoreRecord
from fsconform.reports import parts, words
from fsconform.reports.clauses import Judged
from fsconform.reports.divergences import divergence_view


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("boolean rename(Path src, Path d)", "rename"),
        ("FileStatus[] listStatus(Path path, PathFilter filter)", "listStatus"),
        ("FSDataOutputStream create(Path, ...)", "create"),
        ("rename", "rename"),
        ("Paths and Path Elements", "Paths and Path Elements"),
        ("", "other"),
    ],
)
def test_family_is_the_name_of_the_operation(heading: str, name: str) -> None:
    assert words.family(heading) == name


def test_area_of_older_records_is_the_operation(example: Results) -> None:
    one = example.stores[0].divergences[0]
    assert words.area_of(replace(one, area="", operation="listStatus")) == "listStatus"
    assert words.area_of(replace(one, area="boolean rename(Path src, Path d)", operation="listStatus")) == "rename"


@pytest.mark.parametrize(
    ("signature", "situation"),
    [
        ("rename (root) returned true", ("rename (root)", "returned true")),
        ("mkdirs (a; b) raised an error of another class", ("mkdirs (a; b)", "raised an error of another class")),
        (
            "getFileStatus (file) raised X after rename (file to itself)",
            ("getFileStatus (file) after rename (file to itself)", "raised X"),
        ),
        ("anything else", ("anything else", "departs")),
        ("open (a)", ("open (a)", "departs")),
    ],
)
def test_situation_of_a_signature(signature: str, situation: tuple[str, str]) -> None:
    """What was asked apart from what was observed."""
    assert parts.situation_of(signature) == situation


def store(name: str, example: Results, *divergences: Divergence, judged: bool = True) -> Judged:
    """A store that was judged by the clause c and shows some divergences."""
    template = example.stores[0]
    record = replace(
        template, name=name, divergences=list(divergences), clauses={"c": 5} if judged else {}, latencies={}
    )
    views = [divergence_view(one, f"d-{number}") for number, one in enumerate(divergences)]
    return Judged(record, f"{name}.html", views)


@pytest.fixture
def departs(example: Results) -> Divergence:
    """A divergence of rename."""
    return replace(
        example.stores[0].divergences[0],
        signature="rename (root) returned true",
        operation="rename",
        area="rename",
        clause="c",
        verdict="declared",
    )


def told(found: list[parts.Situation]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Situations with their outcomes, each with its verdict, its text and its stores."""
    return [
        (one.text, [(out.verdict, out.text, " ".join(name for name, _ in out.stores)) for out in one.outcomes])
        for one in found
    ]


def test_stores_that_agree_stand_together(example: Results, departs: Divergence) -> None:
    false = replace(departs, signature="rename (root) returned false")
    found = parts.situations(
        [
            store("a", example, departs),
            store("b", example, false),
            store("c", example, departs),
            store("d", example),
            store("e", example, judged=False),
            store("f", example, replace(departs, verdict="violation")),
        ]
    )
    assert told(found) == [
        (
            "rename (root)",
            [
                ("violation", "returned true", "f"),
                ("declared", "returned true", "a c"),
                ("declared", "returned false", "b"),
                ("conforms", parts.AS_SPECIFIED, "d"),
                ("", parts.NOT_JUDGED, "e"),
            ],
        )
    ]
    assert found[0].outcomes[1].stores == [("a", "a.html#d-0"), ("c", "c.html#d-0")]


def test_stores_that_were_not_judged_part_from_nobody(example: Results, departs: Divergence) -> None:
    """Nor does a store from itself, nor stores that all do the same."""
    assert parts.situations([store("a", example, departs), store("b", example, judged=False)]) == []
    assert parts.situations([store("a", example, departs), store("b", example, departs)]) == []
    assert parts.situations([store("a", example, departs)]) == []
    assert len(parts.situations([store("a", example, departs), store("b", example)])) == 1


def test_the_most_serious_area_comes_first(example: Results, departs: Divergence) -> None:
    bad = replace(departs, signature="open (file) raised X", area="open", verdict="violation")
    mild = replace(departs, signature="open (root) raised X", area="open", verdict="deviation")
    found = parts.situations([store("a", example, departs, bad, mild), store("b", example)])
    assert [(one.area, one.text) for one in found] == [
        ("open", "open (file)"),
        ("open", "open (root)"),
        ("rename", "rename (root)"),
    ]


def test_rows_of_operations(example: Results, departs: Divergence) -> None:
    bad = replace(departs, signature="rename (file) raised X", verdict="violation")
    first = store("a", example, departs, bad)
    calls = {"rename": Latency(7, 1.0, 2.0, 3.0, 4.0), "open": Latency(3, 1.0, 2.0, 3.0, 4.0)}
    second = Judged(replace(store("b", example).record, latencies=calls), "b.html", [])
    third = store("c", example, judged=False)
    rows = parts.area_rows([first, second, third], {"c": "boolean mkdirs(Path p)"})
    assert [(row.name, row.parts) for row in rows] == [("rename", True), ("open", False)]
    cells = rows[0].cells
    assert [(cell.verdict, cell.others, cell.judged) for cell in cells] == [
        ("violation", 1, 0),
        ("conforms", 0, 7),
        ("", 0, 0),
    ]
    assert cells[0].link == "a.html#d-1" and cells[0].counts == (("violation", 1), ("declared", 1))


def test_area_that_is_no_operation_counts_its_clauses(example: Results, departs: Divergence) -> None:
    rows = parts.area_rows(
        [store("a", example, replace(departs, area="Paths and Names")), store("b", example)],
        {"c": "Paths and Names"},
    )
    assert [(row.name, [cell.judged for cell in row.cells]) for row in rows] == [("Paths and Names", [5, 5])]


def test_nothing_to_compare() -> None:
    empty = StoreRecord("s", "x:/", 0, 0, 0, 0.0, 0.0, {}, {}, {}, [])
    assert parts.area_rows([Judged(empty, "s.html", [])], {}) == []
    assert parts.situations([]) == []
