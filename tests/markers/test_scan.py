"""Leaf and surplus markers of a listing: the document's example, every small bucket by the definition, odd keys."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import pytest

from fsconform.model.markers.scan import Entry, Scan, scan

LONDON = (
    "tables/",
    "tables/tables-2/",
    "tables/tables-3/",
    "tables/tables-4/",
    "tables/tables-4/tables-5/",
    "tables/tables-4/tables-5/06/",
    "tables2/",
    "tables3/",
)
KEYS = ("a", "a/", "a/b", "a/b/", "a/b/c", "ab", "ab/", "a/b_$folder$")


def _of(*keys: str, limit: int = 0) -> Scan:
    return scan(map(Entry, keys), limit)


def test_the_example_of_the_document() -> None:
    found = _of(*LONDON)
    assert found.objects == 8
    assert found.surplus == ("tables/", "tables/tables-4/", "tables/tables-4/tables-5/")
    assert len(found.leaf) == 5
    assert found.markers == tuple(sorted(LONDON))


def _wrong(find: Callable[[Iterable[Entry]], Scan]) -> list[tuple[str, ...]]:
    """The buckets of which a scan says other than the definition, over all orders of listing that matter."""
    found = []
    for size in range(len(KEYS) + 1):
        for keys in itertools.combinations(KEYS, size):
            seen = [key for key in keys if not key.endswith("_$folder$")]
            markers = {key for key in seen if key.endswith("/")}
            surplus = {key for key in markers if any(other != key and other.startswith(key) for other in seen)}
            for order in (keys, keys[::-1]):
                got = find(map(Entry, order))
                if (set(got.surplus), set(got.leaf)) != (surplus, markers - surplus) or got.objects != len(seen):
                    found.append(keys)
    return found


def test_every_small_bucket() -> None:
    assert _wrong(scan) == []


@pytest.mark.parametrize(
    "fault",
    [
        lambda found: Scan(found.objects, found.files, (), found.markers),  # leaves are called surplus
        lambda found: Scan(found.objects, found.files, found.markers, ()),  # nothing is surplus
        lambda found: Scan(found.objects + len(found.s3n), found.files, found.leaf, found.surplus),
        lambda found: Scan(found.objects, found.files, found.leaf, found.surplus[1:]),
    ],
)
def test_seeded_faults_are_caught(fault: Callable[[Scan], Scan]) -> None:
    assert _wrong(lambda listing: fault(scan(listing)))


@pytest.mark.parametrize(
    ("limit", "complete", "surplus"), [(0, True, 3), (1, False, 0), (2, False, 1), (8, False, 3), (9, True, 3)]
)
def test_a_limit(limit: int, complete: bool, surplus: int) -> None:
    found = _of(*LONDON, limit=limit)
    assert (found.complete, len(found.surplus)) == (complete, surplus)


@pytest.mark.parametrize("odd", ["a//", "a//b", "/b", "a/./b", "a/../b", "a/.", "//", "a/b//"])
def test_a_key_of_no_path_makes_nothing_surplus(odd: str) -> None:
    found = _of("a/", odd)
    assert (found.leaf, found.surplus, found.odd, found.objects) == (("a/",), (), (odd,), 2)


def test_a_marker_that_holds_bytes_is_data() -> None:
    found = scan((Entry("a/", 3), Entry("a/b", 1), Entry("c/", 2)))
    assert (found.full, found.surplus, found.leaf) == (("a/", "c/"), (), ())
    assert scan((Entry("a/"), Entry("a/b/", 1))).surplus == ("a/",)
