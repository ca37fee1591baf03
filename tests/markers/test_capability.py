"""``pathcapability`` and ``markers bucket-info`` ask real clients; the relay reads requests as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.services.relay import Request, read
from fsconform.app.main import main

Command = Callable[..., tuple[int, str]]
NIGHT = pytest.mark.long
KEEP = "fs.s3a.capability.directory.marker.action.keep"


def _call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize(("wanted", "code"), [("delete", 46), pytest.param("keep", 0, marks=NIGHT)])
def test_bucket_info(make: Callable[..., Any], markers: Command, wanted: str, code: int) -> None:
    """Hadoop 3.5.0 keeps markers, whatever it is told."""
    made = make()
    found = markers("bucket-info", "-D", "fs.s3a.directory.marker.retention=delete", "-markers", wanted, made.uri)
    assert found[0] == code
    assert "policy keep, aware of kept markers" in found[1]


@NIGHT
def test_a_bucket_that_is_not_there(markers: Command) -> None:
    assert markers("bucket-info", "-D", "fs.s3a.bucket.probe=2", "-markers", "aware", "s3a://no-such-bucket/")[0] == 44


def test_a_path_without_a_capability(tmp_path: Path) -> None:
    code, said = _call("pathcapability", KEEP, tmp_path.as_uri())
    assert (code, "lacks the capability" in said) == (255, True)


@NIGHT
def test_a_filesystem_that_there_is_none_of() -> None:
    code, said = _call("pathcapability", "fs.capability.paths.append", "nowhere://x/")
    assert code == 1
    assert "nowhere" in said


def test_requests_are_read_as_they_are() -> None:
    bulk = b"<Delete xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Object><Key>a&amp;/</Key></Object></Delete>"
    assert read("POST", "/b?delete", bulk).deletes == ("a&/",)
    assert read("DELETE", "/b/a%20/c", b"").deletes == ("a /c",)
    assert read("DELETE", "/b/a?uploadId=1", b"").deletes == ()
    assert read("POST", "/b?delete", b"<").deletes == ()
    assert read("GET", "/b?list-type=2&prefix=", b"") == Request("GET", "b", "", ("list-type", "prefix"))
    assert read("PUT", "/b/a", b"").writes and not read("POST", "/b/a?uploads", b"").writes
