"""``markers audit`` and ``markers clean`` on a real MinIO: codes, what is told, and that nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.markers.bucket import Bucket, Deleted
from fsconform.app.markers import commands
from fsconform.model.markers.scan import Scan, scan

Command = Callable[..., tuple[int, str]]
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
SURPLUS = ("tables/", "tables/tables-4/", "tables/tables-4/tables-5/")
HOSTILE = (
    "évil <&>\"'/",
    "évil <&>\"'/x",
    "a\x1b[31mred\n/",
    "a\x1b[31mred\n/b",
    "[bold]/",
    "[bold]/x",
    "%2F+?#/",
    "%2F+?#/x",
)


def test_the_example_of_the_document(make: Callable[..., Any], markers: Command, tmp_path: Path) -> None:
    london = make(*LONDON)
    out = tmp_path / "surplus"
    authoritative = (
        *("-D", f"fs.s3a.bucket.{london.name}.directory.marker.retention=authoritative"),
        *("-D", f"fs.s3a.bucket.{london.name}.authoritative.path=/tables"),
    )
    code, said = markers("audit", "-out", str(out), *authoritative, london.uri)
    assert code == 46
    assert "8 objects" in said and "3 surplus markers" in said and "5 leaf markers" in said
    assert out.read_text("utf-8").splitlines() == [f"{london.uri}{key}" for key in SURPLUS]
    assert markers("audit", "-nonauth", *authoritative, london.uri)[0] == 0
    assert markers("audit", "-nonauth", london.uri)[0] == 46
    assert markers("audit", "-limit", "2", "-max", "3", london.uri)[0] == 3
    assert markers("audit", "-limit", "2", london.uri)[0] == 46
    for fewest, most, expected in ((0, 3, 0), (3, 3, 0), (4, 5, 46), (0, 2, 46), (3, 0, 0)):
        assert markers("audit", "--min", str(fewest), "--max", str(most), london.uri)[0] == expected
    assert london.held() == sorted(LONDON)
    code, said = markers("clean", "-verbose", london.uri)
    assert (code, london.held()) == (0, sorted(set(LONDON) - set(SURPLUS)))
    assert markers("audit", london.uri)[0] == 0


def test_clean_keeps_below_its_path(make: Callable[..., Any], markers: Command) -> None:
    keys = ("a/", "a/b/", "a/b/c", "ab/", "ab/x", "d/", "d/e")
    made = make(*keys)
    assert markers("clean", f"{made.uri}a/b/c")[0] == 0  # a file
    assert made.held() == sorted(keys)
    assert markers("clean", f"{made.uri}a")[0] == 0
    assert set(keys) - set(made.held()) <= {"a/", "a/b/"}
    assert "a/b/" not in made.held()
    assert {"ab/", "d/"} <= set(made.held())


def test_a_limit_deletes_what_was_found(make: Callable[..., Any], markers: Command) -> None:
    made = make("a/", "a/1", "b/", "b/1")
    assert markers("clean", "-limit", "2", made.uri)[0] == 3
    assert made.held() == ["a/1", "b/", "b/1"]


def test_pages(make: Callable[..., Any], markers: Command) -> None:
    made = make(*(f"{number}/{end}" for number in range(7) for end in ("", "x")))
    code, said = markers("clean", "-D", "fs.s3a.bulk.delete.page.size=3", made.uri)
    assert (code, len(made.held())) == (0, 7)
    assert "7 markers deleted in 3 requests" in said


def test_hostile_keys(make: Callable[..., Any], markers: Command) -> None:
    made = make(*HOSTILE)
    code, said = markers("audit", made.uri)
    assert code == 46 and "4 surplus markers" in said
    assert "\x1b" not in said and "[bold]/" in said
    assert markers("clean", made.uri)[0] == 0
    assert made.held() == sorted(key for key in HOSTILE if not key.endswith("/"))


def test_data_is_never_deleted(make: Callable[..., Any], markers: Command) -> None:
    made = make("a/b", "c_$folder$")
    made.put("a/", content=b"held")
    code, said = markers("clean", made.uri)
    assert (code, made.held()) == (0, ["a/", "a/b", "c_$folder$"])
    assert "1 keys that end in a slash and hold bytes" in said and "1 markers of s3n" in said


@pytest.mark.parametrize(
    ("path", "code"), [("", 0), ("empty", 0), ("file", 0), ("missing", 44), ("file/x", 44), ("fil", 44)]
)
def test_paths(make: Callable[..., Any], markers: Command, path: str, code: int) -> None:
    made = make("empty/", "file")
    assert markers("audit", made.uri + path)[0] == code


def test_what_cannot_be_reached(markers: Command) -> None:
    assert markers("audit", "s3a://no-such-bucket/")[0] == 44
    code, said = markers("audit", "-D", "fs.s3a.secret.key=wrong-and-secret", "s3a://fsconform/")
    assert (code, "wrong-and-secret" in said) == (43, False)
    assert markers("audit", "-D", "fs.s3a.endpoint=http://127.0.0.1:1", "s3a://fsconform/")[0] == 53


def _clean_is_right(make: Callable[..., Any], markers: Command) -> bool:
    """Whether clean leaves exactly what the definition leaves, in a bucket with all kinds of keys."""
    made = make("a/", "a/b/", "a/b/c", "leaf/", "d/", "d/leaf/", "other/", "other/x")
    made.put("full/", content=b"held")
    made.put("full/x")
    markers("clean", made.uri)
    markers("clean", f"{made.uri}leaf")
    return bool(made.held() == sorted(["a/b/c", "leaf/", "d/leaf/", "other/x", "full/", "full/x"]))


FAULTS: dict[str, Callable[[Scan], Scan]] = {
    "leaves are called surplus": lambda found: replace(found, surplus=found.markers, leaf=()),
    "one leaf is called surplus": lambda found: replace(found, surplus=(*found.surplus, *found.leaf[:1])),
    "surplus markers stay": lambda found: replace(found, surplus=()),
    "data under a marker's name goes": lambda found: replace(found, surplus=(*found.surplus, *found.full)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_seeded_faults_of_the_scan(
    make: Callable[..., Any], markers: Command, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(commands, "scan", lambda *given: FAULTS[fault](scan(*given)))
    assert not _clean_is_right(make, markers)


def test_a_seeded_fault_of_deleting(
    make: Callable[..., Any], markers: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Bucket.delete

    def first_page_only(self: Bucket, keys: Any, page: int) -> Deleted:
        return whole(self, keys[:1], page)

    monkeypatch.setattr(Bucket, "delete", first_page_only)
    assert not _clean_is_right(make, markers)


def test_without_a_fault_clean_is_right(make: Callable[..., Any], markers: Command) -> None:
    assert _clean_is_right(make, markers)
