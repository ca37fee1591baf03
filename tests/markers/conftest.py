"""What the tests of directory markers share: a MinIO, buckets of it, and clients of releases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.hadoop.release import ReleaseClient
from fsconform.adapters.markers.bucket import Bucket
from fsconform.adapters.services.minio import MINIO, MinioService
from fsconform.app.main import main
from fsconform.app.markers.running import jars_of


@dataclass(frozen=True, slots=True)
class Made:
    """A bucket that was made for a test."""

    name: str
    client: Any
    service: MinioService

    @property
    def uri(self) -> str:
        """The URI of its root."""
        return f"s3a://{self.name}/"

    @property
    def bucket(self) -> Bucket:
        """The bucket as the commands see it."""
        return Bucket(self.client, self.name)

    def held(self) -> list[str]:
        """All its keys."""
        return sorted(one.key for one in self.bucket.entries())

    def put(self, *keys: str, content: bytes | None = None) -> None:
        """Put objects: empty ones under keys that end in a slash, of one byte under others, or of this content."""
        for key in keys:
            body = content if content is not None else b"" if key.endswith("/") else b"x"
            self.client.put_object(Bucket=self.name, Key=key, Body=body)

    def versioned(self) -> None:
        """Have all versions of objects kept."""
        self.client.put_bucket_versioning(Bucket=self.name, VersioningConfiguration={"Status": "Enabled"})


@pytest.fixture(scope="session")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinioService]:
    """A MinIO."""
    try:
        executable = built(MINIO, print)
    except GoError as error:
        pytest.skip(str(error))
    with MinioService(tmp_path_factory.mktemp("minio") / "work", executable) as service:
        yield service


@pytest.fixture(scope="session")
def make(minio: MinioService) -> Callable[..., Made]:
    """A maker of buckets, with objects of the keys that it is given."""
    numbers, client = itertools.count(), minio.client()

    def one(*keys: str) -> Made:
        made = Made(f"bucket-{next(numbers)}", client, minio)
        client.create_bucket(Bucket=made.name)
        made.put(*keys)
        return made

    return one


@pytest.fixture
def markers(minio: MinioService, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """The command ``fsconform markers``, with its exit code and what it says."""
    file = tmp_path / "s3a.xml"
    rows = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in minio.s3a_configuration().items()
    )
    file.write_text(f"<configuration>{rows}</configuration>", "utf-8")

    def call(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["markers", arguments[0], "-conf", str(file), *arguments[1:]])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return call


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ReleaseClient]]:
    """A client of the Hadoop release that is named; each is started once."""
    with ExitStack() as stack:
        clients: dict[str, ReleaseClient] = {}

        def one(version: str) -> ReleaseClient:
            if version not in clients:
                log = tmp_path_factory.mktemp("release") / f"{version}.log"
                clients[version] = stack.enter_context(ReleaseClient(jars_of(version, print), log))
            return clients[version]

        yield one
