"""How the built-in services are put into containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.services import containers
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.minio import MINIO, MinioService
from fsconform.adapters.stores.site import Setup

JAVA_MINIMUM = 17


def hdfs(work: Path, jars: list[Path], setup: Setup) -> tuple[HdfsService, dict[str, str]]:
    """HDFS in containers, not started yet, with the versions of the engine and the image. Raises ServiceError."""
    client = _engine(setup)
    name, number = containers.base_image(client, setup.say)
    hadoop = _hadoop_of(jars)
    tag = containers.build(client, containers.hdfs_image(jars, hadoop, name, number), setup.say)
    java = containers.java_in(client, tag)
    if java.major < JAVA_MINIMUM:
        raise ServiceError(f"the image {name} has Java {java.version}, and {JAVA_MINIMUM} or later is needed")
    launcher = containers.Containers(tag, work)
    service = HdfsService(
        work, containers.inside(jars), progress=setup.say, java=java, launcher=launcher, start_timeout=120
    )
    return service, containers.versions(client, tag)


def minio(work: Path, setup: Setup) -> tuple[MinioService, dict[str, str]]:
    """MinIO in a container, not started yet, with the versions of the engine and the image. Raises ServiceError."""
    client = _engine(setup)
    try:
        program = built(MINIO, setup.say)
    except GoError as error:
        raise ServiceError(str(error)) from error
    tag = containers.build(client, containers.minio_image(program, MINIO.version), setup.say)
    launcher = containers.Containers(tag, work)
    service = MinioService(work, Path("/minio"), progress=setup.say, launcher=launcher, start_timeout=120)
    return service, containers.versions(client, tag)


def _engine(setup: Setup) -> Any:
    client = containers.engine()
    for name in containers.sweep(client):
        setup.say(f"Removed the container {name}, whose owner is gone.")
    return client


def _hadoop_of(jars: list[Path]) -> str:
    """The version in the name of the client's jar."""
    return next(jar.stem.rpartition("-")[2] for jar in jars if jar.name.startswith("hadoop-client-api-"))
