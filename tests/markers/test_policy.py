"""Retention policies: which options choose one, and what follows for a path."""

from __future__ import annotations

import pytest

from fsconform.model.markers.policy import CAPABILITIES, CAPABILITY, Policy, PolicyError, Retention, retention

LONDON = {
    "fs.s3a.directory.marker.retention": "keep",
    "fs.s3a.bucket.london.directory.marker.retention": "Authoritative",
    "fs.s3a.bucket.london.authoritative.path": "/tables, s3a://london/more/, s3a://paris/else, hdfs://london/x",
}


def test_options_of_a_bucket_win() -> None:
    assert retention(LONDON, "london") == Retention(Policy.AUTHORITATIVE, ("tables/", "more/"))
    assert retention(LONDON, "paris") == Retention(Policy.KEEP)
    assert retention({}, "paris") == Retention(Policy.DELETE)


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        ("tables/", True),
        ("tables", True),
        ("tables/a/b", True),
        ("more/x", True),
        ("tables2/a", False),
        ("tempdir", False),
        ("", False),
    ],
)
def test_authoritative_keeps_below_its_paths_only(key: str, kept: bool) -> None:
    assert retention(LONDON, "london").keeps(key) is kept


def test_the_root_may_be_authoritative() -> None:
    assert retention(LONDON | {"fs.s3a.bucket.london.authoritative.path": "/"}, "london").keeps("any/thing")


@pytest.mark.parametrize(
    ("policy", "held"),
    [
        (Policy.DELETE, {"aware", "policy.delete", "action.delete"}),
        (Policy.KEEP, {"aware", "policy.keep", "action.keep"}),
        (Policy.AUTHORITATIVE, {"aware", "policy.authoritative", "action.delete"}),
    ],
)
def test_the_six_probes(policy: Policy, held: set[str]) -> None:
    found = {one for one in CAPABILITIES if Retention(policy, ("tables/",)).capability(one, "tempdir")}
    assert found == {CAPABILITY + one for one in held}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("fs.s3a.directory.marker.retention", "retain", "the policies are delete, keep, authoritative"),
        ("fs.s3a.authoritative.path", "tables", "write an absolute path"),
    ],
)
def test_options_without_meaning_are_named(name: str, value: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        retention({name: value}, "london")
