"""Stores of the layers beside the filesystem, as their folders declare them: object stores, and those Spark writes to.

An object store is ``OBJECTS`` in ``__init__.py``, one that Spark writes to ``WRITERS``; all that declare one are found.
"""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from typing import Literal as Choice

from fsconform.adapters import temporary
from fsconform.adapters.stores.folders import folders
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import logs_kept

if TYPE_CHECKING:
    from fsconform.adapters.golang import Program
    from fsconform.adapters.s3.session import S3Session

REUSE = 64
"""So many programs play in a bucket of MinIO's one after another: making a bucket takes longer than most programs."""


@dataclass(frozen=True, slots=True)
class Up:
    """An object store that is up. ``close`` takes it down with all that was made; ``another`` gives one more client."""

    uri: str
    versions: dict[str, str]
    session: S3Session
    close: Callable[[], None]
    another: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class ObjectPreset:
    """A built-in object store; one without ``bring_up`` is in this process. ``listed`` is as of a Preset."""

    name: str
    statement: str
    bring_up: Callable[[Setup], Up] | None = None
    listed: int = 100


@dataclass(frozen=True, slots=True)
class WriterPreset:
    """A built-in store that Spark writes to, through Hadoop's client of a scheme."""

    name: str
    statement: str
    scheme: Choice["file", "hdfs", "s3a"]
    listed: int = 100


_Found = TypeVar("_Found", ObjectPreset, WriterPreset)


def _declared(attribute: str, kind: type[_Found]) -> dict[str, _Found]:
    modules = (importlib.import_module(f"fsconform.adapters.stores.{folder.name}") for folder in folders())
    found = [one for module in modules if isinstance(one := getattr(module, attribute, None), kind)]
    return {one.name: one for one in sorted(found, key=lambda one: (one.listed, one.name))}


def object_presets() -> dict[str, ObjectPreset]:
    """All built-in object stores, in the order in which they are listed."""
    return _declared("OBJECTS", ObjectPreset)


def writer_presets() -> dict[str, WriterPreset]:
    """All built-in stores that Spark writes to."""
    return _declared("WRITERS", WriterPreset)


def objects_on_minio(program: Callable[[], Program], setup: Setup) -> Up:
    """MinIO, of a program, asked through boto3. Raises ServiceError or OSError."""
    from fsconform.adapters.s3.client import Endpoint, client_of, refusals
    from fsconform.adapters.s3.session import S3Session
    from fsconform.adapters.services.minio import MinioService
    from fsconform.adapters.services.s3_access import REGION

    home = temporary.folder("s3")
    service = MinioService(home / "minio", progress=setup.say, program=program())
    with logs_kept("minio", home, setup, service.stop):
        service.start()
        endpoint = Endpoint(service.endpoint, service.access_key, service.secret_key, REGION)
        session = S3Session(client_of(endpoint, setup.operation_timeout), refusals(), reuse=REUSE)

    def close() -> None:
        try:
            session.close()
        finally:
            service.stop()
            shutil.rmtree(home, ignore_errors=True)

    return Up(service.endpoint, service.versions, session, close, lambda: client_of(endpoint, setup.operation_timeout))
