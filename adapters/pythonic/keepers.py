"""What makes and removes the places of programs in services, by another way than the library that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def s3_client(settings: Mapping[str, str]) -> Any:
    """A boto3 client; ``settings`` has endpoint, access.key, secret.key and region."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=settings["endpoint"],
        aws_access_key_id=settings["access.key"],
        aws_secret_access_key=settings["secret.key"],
        region_name=settings["region"],
        config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 5}, proxies={}),
    )


def _delete_all(client: Any, bucket: str, prefix: str) -> None:
    """Delete the objects of a bucket whose keys begin so, a page at a time."""
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        # A store may list what was not asked for, and that is not ours.
        found = [{"Key": one["Key"]} for one in page.get("Contents", ()) if one["Key"].startswith(prefix)]
        if found:
            client.delete_objects(Bucket=bucket, Delete={"Objects": found, "Quiet": True})


class PrefixKeeper:
    """Prefixes of a bucket, through boto3. A place is ``BUCKET/KEY`` without a slash at its end."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def make(self, place: str) -> None:
        """Put the empty object ``KEY/``, by which S3's own console makes a folder."""
        bucket, _, key = place.partition("/")
        self._client.put_object(Bucket=bucket, Key=f"{key}/", Body=b"")

    def remove(self, place: str) -> None:
        """Delete what begins with ``KEY/``, in batches."""
        bucket, _, key = place.partition("/")
        _delete_all(self._client, bucket, f"{key}/")

    def beginning(self, name: str) -> tuple[str]:
        """The place of that name: it holds those that begin so."""
        return (name,)


class BucketKeeper:
    """Buckets, through boto3: a place is the name of one. For what can't have an empty directory elsewhere."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def make(self, place: str) -> None:
        """Make a bucket."""
        self._client.create_bucket(Bucket=place)

    def remove(self, place: str) -> None:
        """Empty a bucket, and delete it."""
        from botocore.exceptions import ClientError

        try:
            _delete_all(self._client, place, "")
            self._client.delete_bucket(Bucket=place)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchBucket":  # a program may have taken it away
                raise

    def beginning(self, name: str) -> list[str]:
        """The buckets whose names begin so."""
        return [one["Name"] for one in self._client.list_buckets()["Buckets"] if one["Name"].startswith(name)]


class WebHdfsKeeper:
    """Directories of HDFS, through the client that is judged: there is no other way in Python."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def make(self, place: str) -> None:
        """Make a directory, and its parents."""
        self._client.makedirs(place)

    def remove(self, place: str) -> None:
        """Delete a directory with all in it."""
        self._client.delete(place, recursive=True)

    def beginning(self, name: str) -> tuple[str]:
        """The place of that name: it holds those that begin so."""
        return (name,)
