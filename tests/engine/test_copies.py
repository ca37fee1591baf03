"""Copies of trees: each way in which a copy can differ is told, and a copy that is equal is not blamed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconform.engine.copies import METADATA, NAMES, PART, SIZES, Difference, Entry, judge, tree

KEPT = {kind: f"a {kind}" for kind in METADATA}
ORIGINAL = (
    Entry("d", True),
    Entry("d/empty", False, 0, "e3b0"),
    Entry("d/full", False, 7, "beef", KEPT),
)


def test_the_tree_has_what_copies_lose() -> None:
    planned = tree()
    paths = [one.path for one in planned]
    assert len(set(paths)) == len(paths)
    for one in planned:
        parent = one.path.rpartition("/")[0]
        assert not parent or parent in paths[: paths.index(one.path)] or parent.startswith("d1")
    files = [one for one in planned if not one.directory]
    assert {one.length for one in files} >= set(SIZES) and max(SIZES) > PART
    assert {one.path.rpartition("/")[2] for one in files} >= set(NAMES)
    directories = {one.path for one in planned if one.directory}
    assert any(not any(path.startswith(f"{place}/") for path in paths) for place in directories), "an empty directory"
    assert sum(one.length == 0 for one in files) >= 5


def test_an_equal_copy_is_equal_in_any_order() -> None:
    assert judge(ORIGINAL, ORIGINAL[::-1]) == judge(ORIGINAL, ORIGINAL)
    assert judge(ORIGINAL, ORIGINAL).differences == () and judge(ORIGINAL, ORIGINAL).lost == {}


@pytest.mark.parametrize(
    ("copy", "told"),
    [
        (ORIGINAL[:1] + ORIGINAL[2:], Difference("d/empty", "missing", "a file of 0 bytes")),
        ((*ORIGINAL[:2], replace(ORIGINAL[2], length=6)), Difference("d/full", "length", "7", "6")),
        ((*ORIGINAL[:2], replace(ORIGINAL[2], digest="bee0")), Difference("d/full", "content", "beef", "bee0")),
        ((*ORIGINAL, Entry("x", True)), Difference("x", "surplus", copy="a directory")),
        (
            (ORIGINAL[0], Entry("d/empty", True), ORIGINAL[2]),
            Difference("d/empty", "kind", "a file of 0 bytes", "a directory"),
        ),
    ],
)
def test_each_difference_is_told(copy: tuple[Entry, ...], told: Difference) -> None:
    assert judge(ORIGINAL, copy).differences == (told,)


@pytest.mark.parametrize("kind", METADATA)
def test_metadata_that_is_lost_counts_only_where_it_must_be_kept(kind: str) -> None:
    for after in ({**KEPT, kind: "another"}, {name: value for name, value in KEPT.items() if name != kind}):
        copy = (*ORIGINAL[:2], replace(ORIGINAL[2], metadata=after))
        assert judge(ORIGINAL, copy).differences == () and judge(ORIGINAL, copy).lost == {kind: 1}
        kept = judge(ORIGINAL, copy, [kind])
        assert kept.lost == {}
        assert kept.differences == (Difference("d/full", kind, KEPT[kind], after.get(kind, "")),)
    # What the original does not tell can't be lost.
    assert judge(ORIGINAL[:2], (ORIGINAL[0], replace(ORIGINAL[1], metadata=KEPT)), METADATA).differences == ()
