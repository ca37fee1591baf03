"""The object stores that can be judged: MinIO, new and old, started for it, and one in memory, to prove the harness."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from fsconform.adapters import temporary
from fsconform.adapters.golang import Program
from fsconform.adapters.s3.client import Endpoint, client_of, refusals
from fsconform.adapters.s3.session import S3Session
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.minio import MINIO, MINIO_2021, MinioService
from fsconform.adapters.services.s3_access import REGION
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.startup_logs import logs_kept
from fsconform.app import scrubbing
from fsconform.engine.protocol import StoreLost
from fsconform.proving.objects.faults import objects
from fsconform.proving.objects.store import ObjectError

REUSE = 64
"""So many programs play in a bucket of MinIO's one after another: making a bucket takes longer than most programs."""

RECOVERABLE = (ServiceError, StoreLost, OSError)
"""What keeps a store from being judged."""


@dataclass(frozen=True, slots=True)
class Up:
    """A store that is up. ``close`` takes it down and removes all that was made."""

    uri: str
    versions: dict[str, str]
    session: S3Session
    close: Callable[[], None]


def _minio(program: Program, setup: Setup) -> Up:
    home = temporary.folder("s3")
    service = MinioService(home / "minio", progress=setup.say, program=program)
    with logs_kept(program.name, home, setup, service.stop):
        service.start()
        endpoint = Endpoint(service.endpoint, service.access_key, service.secret_key, REGION)
        session = S3Session(client_of(endpoint, setup.operation_timeout), refusals(), reuse=REUSE)

    def close() -> None:
        try:
            session.close()
        finally:
            service.stop()
            shutil.rmtree(home, ignore_errors=True)

    return Up(service.endpoint, service.versions, session, close)


@dataclass(frozen=True, slots=True)
class Own:
    """An object store of the user's own: programs play below ``prefix`` of ``bucket``, and nothing else is touched."""

    uri: str
    bucket: str
    prefix: str
    url: str
    region: str

    def options(self) -> list[str]:
        """The options that name it."""
        told = ["--uri", self.uri, "--conf", f"region={self.region}"]
        return [*told, *(("--conf", f"endpoint={self.url}") if self.url else ())]


def own_store(uri: str, settings: Mapping[str, str]) -> Own:
    """The store that a URI and settings name. Raises ValueError with the mend."""
    scheme, found, rest = uri.partition("://")
    bucket, _, prefix = rest.partition("/")
    if scheme != "s3" or not found or not bucket or not prefix.strip("/"):
        raise ValueError(
            f"--uri {scrubbing.uri(uri)!r}: write it as s3://BUCKET/PREFIX; nothing outside the prefix is touched"
        )
    for name in settings:
        if name not in ("endpoint", "region"):
            raise ValueError(f"--conf {name}: an object store has endpoint and region; credentials are boto3's to find")
    endpoint, region = settings.get("endpoint", ""), settings.get("region", "us-east-1")
    if "@" in endpoint:
        raise ValueError("--conf endpoint: leave credentials out of it; boto3 finds them in the environment")
    return Own(uri, bucket, prefix.strip("/") + "/", endpoint, region)


def bring_up_own(own: Own, setup: Setup) -> Up:
    """Reach a store of the user's own. Raises StoreLost."""
    client = client_of(Endpoint(own.url, region=own.region), setup.operation_timeout)
    try:
        client.list_objects_v2(Bucket=own.bucket, Prefix=own.prefix, MaxKeys=1)
    except Exception as error:
        raise StoreLost(f"{own.uri}: could not be listed: {type(error).__name__}: {error}") from error
    session = S3Session(client, refusals(), own.bucket, own.prefix)
    return Up(own.uri, {}, session, session.close)


def _memory(setup: Setup) -> Up:
    session = S3Session(objects(setup.fault), ObjectError)
    return Up("memory:", {}, session, session.close)


STORES: dict[str, tuple[Callable[[Setup], Up], str, str]] = {
    "s3": (partial(_minio, MINIO), "s3", "MinIO as an object store, which is started for it, asked through boto3"),
    "s3-proving": (_memory, "s3-proving", "An object store in memory that proves the harness: see --fault"),
    "s3-minio-2021": (
        partial(_minio, MINIO_2021),
        "s3-minio-2021",
        "MinIO of February 2021 as an object store, kept as an exhibit (a draft: see docs/s3.md)",
    ),
}
"""Each store with what brings it up, its shipped contract, and what it is."""


def bring_up(name: str, setup: Setup) -> Up:
    """The store of a name. Raises ServiceError, StoreLost or OSError."""
    return STORES[name][0](setup)
