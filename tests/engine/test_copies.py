"""Copies of trees: each way in which a copy can differ is told, and a copy that is equal is not blamed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconform.engine.copies import (
    METADATA,
    NAMES,
    PART,
    RENAMES,
    SIZES,
    Difference,
    Entry,
    changes,
    judge,
    judge_update,
    tree,
)

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


def test_every_change_is_of_something_that_is_there() -> None:
    known = {one.path: one for one in tree()}
    for one in changes():
        if one.gone:
            assert one.entry.path in known and known[one.entry.path].directory == one.entry.directory
        elif not one.entry.directory and one.entry.path in known:
            old = known[one.entry.path]
            assert (old.length, old.seed) != (one.entry.length, one.entry.seed)
    # Of both sides: a file of the same length and other bytes, and one of another length; a surplus at the target.
    for side in ("source", "target"):
        written = [one.entry for one in changes() if one.side == side and not one.gone]
        lengths = {known[one.path].length == one.length for one in written if one.path in known}
        assert lengths == {True, False}
    # What is renamed between snapshots is there, and is not changed by the source.
    touched = {one.entry.path for one in changes() if one.side == "source"}
    assert all(old in known and old not in touched for old, _ in RENAMES)


AT = {"modification-time": "5"}
SOURCE = (Entry("f", False, 3, "new", AT, "crc:new"),)
OTHER = (Entry("f", False, 3, "old", AT, "crc:old"),)


def test_an_update_must_bring_over_what_checksums_tell_apart() -> None:
    assert judge_update(SOURCE, OTHER, SOURCE) == judge(SOURCE, SOURCE)
    stale = judge_update(SOURCE, OTHER, OTHER)
    assert stale.differences == (Difference("f", "content", "new", "old"),) and stale.left == ()


@pytest.mark.parametrize("lacking", ["source", "target"])
def test_an_update_may_leave_a_file_of_the_same_length_where_no_checksums_compare(lacking: str) -> None:
    source = (replace(SOURCE[0], checksum="" if lacking == "source" else "crc:new"),)
    before = (replace(OTHER[0], checksum="" if lacking == "target" else "crc:old"),)
    left = judge_update(source, before, before)
    assert left.differences == () and left.left == ("f",)
    # Another length is seen without checksums.
    shorter = (replace(before[0], length=2),)
    assert judge_update(source, shorter, shorter).differences == (Difference("f", "length", "3", "2"),)
    assert judge_update(source, shorter, before).differences == (Difference("f", "content", "new", "old"),)


def test_an_update_copies_nothing_again_and_removes_what_is_surplus() -> None:
    again = (replace(SOURCE[0], metadata={"modification-time": "6"}),)
    assert judge_update(SOURCE, SOURCE, again).differences == (Difference("f", "copied-again", "5", "6"),)
    # Checksums of blocks of another size differ though the bytes do not, and the guide has the file copied then.
    blocks = (replace(SOURCE[0], checksum="crc:of-other-blocks"),)
    assert judge_update(SOURCE, blocks, again).differences == ()
    surplus = (*SOURCE, Entry("x", False, 1, "x", AT))
    assert judge_update(SOURCE, surplus, surplus).differences == (Difference("x", "surplus", copy="a file of 1 bytes"),)
