"""Stores whose services run in containers: the option that asks for it, and how the built-in services are put there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.services import containers
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.minio import MINIO, MinioService
from fsconform.app.problems import Problem
from fsconform.app.sites import Setup

if TYPE_CHECKING:
    from fsconform.app.presets import Preset

CONTAINER, EMBEDDED = "container", "embedded"
WAYS = (EMBEDDED, CONTAINER)
VARIABLE = "FSCONFORM_VIA"
"""The environment variable that says how services run where no option does."""
JAVA_MINIMUM = 17


def via_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that says how services are brought up, passed on as ``via``."""
    text = f"How services of built-in stores run: as processes of this machine, or in containers; else {VARIABLE} says."
    kind = click.Choice(WAYS)
    return click.option("--via", type=kind, default=EMBEDDED, show_default=True, envvar=VARIABLE, help=text)


def chosen(option: str | None) -> str:
    """The way that an option names, else the environment, else as processes of this machine."""
    return option or os.environ.get(VARIABLE, "") or EMBEDDED


def asked(via: str, stores: tuple[str, ...], uri: str | None, presets: Mapping[str, Preset]) -> tuple[str, ...]:
    """The stores to judge: in containers, where none is named, all whose service can run in one. Raises Problem."""
    if via not in WAYS:
        raise Problem(f"{VARIABLE} is {via!r}: write {' or '.join(WAYS)}")
    if via != CONTAINER:
        return stores
    if uri is not None:
        raise Problem("--via container is for built-in stores: you bring a store of your own up yourself")
    able = tuple(name for name, preset in presets.items() if preset.contained)
    for store in stores:
        if store in presets and store not in able:
            raise Problem(f"{store!r} has no service that could run in a container: {', '.join(able)} have one")
    return stores or able


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
