"""An object store that lists more than it was asked for: nothing outside what the user named is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fsconform.adapters.markers.bucket import Bucket
from fsconform.adapters.pythonic.keepers import PrefixKeeper
from fsconform.adapters.s3.session import S3Session
from fsconform.harness.languages.s3_player import Player
from fsconform.model.objects.operations import PutObject

YOURS = "yours/data"


class ListsAll:
    """A client of a store that lists all of a bucket, whatever prefix is asked for, with or without versions."""

    def __init__(self, versions: bool = True) -> None:
        self.keys = {YOURS}
        self.uploads = {YOURS}
        self._versions = versions

    def put_object(self, *, Bucket: str, Key: str, **_: object) -> dict[str, Any]:
        self.keys.add(Key)
        return {"ETag": '"e"'}

    def delete_object(self, *, Bucket: str, Key: str, **_: object) -> dict[str, Any]:
        self.keys.discard(Key)
        return {}

    def delete_objects(self, *, Bucket: str, Delete: Any) -> dict[str, Any]:
        self.keys -= {row["Key"] for row in Delete["Objects"]}
        return {}

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> dict[str, Any]:
        self.uploads.discard(Key)
        return {}

    def list_objects_v2(self, **_: object) -> dict[str, Any]:
        return {"Contents": [{"Key": key, "Size": 1} for key in sorted(self.keys)]}

    def list_object_versions(self, **_: object) -> dict[str, Any]:
        if not self._versions:
            return {}
        return {"Versions": [{"Key": key, "IsLatest": True, "VersionId": "null"} for key in sorted(self.keys)]}

    def list_multipart_uploads(self, **_: object) -> dict[str, Any]:
        return {"Uploads": [{"Key": key, "UploadId": "u"} for key in sorted(self.uploads)]}

    def get_paginator(self, name: str) -> Any:
        pages = getattr(self, name)

        class Paginator:
            def paginate(self, **asked: object) -> Iterator[Any]:
                yield pages(**asked)

        return Paginator()


class Refused(Exception):
    """No store raises it."""


def test_a_session_below_a_prefix() -> None:
    store = ListsAll()
    session = S3Session(store, Refused, "bucket", "ours/")
    session.execute((PutObject("k"),))
    session.close()
    assert store.keys == store.uploads == {YOURS}


def test_a_place_of_a_python_store() -> None:
    store = ListsAll()
    keeper = PrefixKeeper(store)
    keeper.make("bucket/ours")
    assert store.keys == {YOURS, "ours/"}
    keeper.remove("bucket/ours")
    assert store.keys == {YOURS}


@pytest.mark.parametrize("what", ["entries", "versions"])
def test_markers_are_looked_for_below_the_path_alone(what: str) -> None:
    store = ListsAll()
    store.keys.add("ours/a/")
    bucket = Bucket(store, "bucket")  # type: ignore[arg-type]
    assert [one.key for one in getattr(bucket, what)("ours/")] == ["ours/a/"]


def test_a_reproducer() -> None:
    store = ListsAll()
    store.keys.add("ours/a")
    Player(store, "bucket", "ours/").clean()
    assert store.keys == {YOURS}
