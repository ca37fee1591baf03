"""The object stores that can be judged: MinIO, started for it, and the store in memory that proves the harness."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.s3.client import Endpoint, client_of, refusals
from fsconform.adapters.s3.proving.faults import objects
from fsconform.adapters.s3.proving.store import ObjectError
from fsconform.adapters.s3.session import S3Session
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.services.s3_access import REGION
from fsconform.app.sites import Setup
from fsconform.engine.protocol import StoreLost

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


def _minio(setup: Setup) -> Up:
    home = Path(tempfile.mkdtemp(prefix="fsconform-s3-"))
    service = MinioService(home / "minio", progress=setup.say)
    try:
        service.start()
        endpoint = Endpoint(service.endpoint, service.access_key, service.secret_key, REGION)
        session = S3Session(client_of(endpoint, setup.operation_timeout), refusals(), reuse=REUSE)
    except BaseException:
        service.stop()
        shutil.rmtree(home, ignore_errors=True)
        raise

    def close() -> None:
        try:
            session.close()
        finally:
            service.stop()
            shutil.rmtree(home, ignore_errors=True)

    return Up(service.endpoint, service.versions, session, close)


def _memory(setup: Setup) -> Up:
    session = S3Session(objects(setup.fault), ObjectError)
    return Up("memory:", {}, session, session.close)


STORES: dict[str, tuple[Callable[[Setup], Up], str, str]] = {
    "s3": (_minio, "s3", "MinIO as an object store, which is started for it, asked through boto3"),
    "s3-proving": (_memory, "s3-proving", "An object store in memory that proves the harness: see --fault"),
}
"""Each store with what brings it up, its shipped contract, and what it is."""


def bring_up(name: str, setup: Setup) -> Up:
    """The store of a name. Raises ServiceError, StoreLost or OSError."""
    return STORES[name][0](setup)
