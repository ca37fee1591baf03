"""Daemons of services in containers: the engine, the images built from our Dockerfiles, and how one is started.

A container has the host's network, so that its daemon listens on loopback as one without a container does, and the
service's work directory at the same path. It runs as the user who asks for it. `container_main` starts it and waits.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path, PurePosixPath
from typing import Any

from filelock import FileLock

from fsconform.adapters import offspring
from fsconform.adapters.jars import cache_root
from fsconform.adapters.java import Java
from fsconform.adapters.services.daemon import Daemon, ServiceError

JAVA_IMAGE = "FSCONFORM_JAVA_IMAGE"
"""The environment variable that names an image with Java 17 or later."""
DEFAULT_JAVA_IMAGE = "fsconform-java:17"
"""The image that tools/java_image.sh makes."""
JARS = PurePosixPath("/opt/fsconform/jars")
LABEL = "org.fsconform.owner"
"""The label of our containers: the process that wants one, as its id and the time it was started at."""

GRACE_SECONDS = 20.0
_VERSION = re.compile(r'version "([^"]+)"')
_PASSED_ON = ("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_CONTEXT", "DOCKER_CONFIG")

Say = Callable[[str], None]


class NoEngine(ServiceError):
    """No container engine can be used. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image of ours: ``tag`` names it, ``arguments`` are its Dockerfile's, ``context`` maps names to files."""

    tag: str
    dockerfile: str
    context: Mapping[str, Path]
    arguments: Mapping[str, str] = field(default_factory=dict)


def engine() -> Any:
    """A client of the Docker engine that the environment names. Raises NoEngine."""
    try:
        import docker
        from docker.errors import DockerException
    except ImportError as error:
        raise NoEngine("containers need the extra 'container': pip install 'fsconform[container]'") from error
    try:
        client = docker.from_env()
        told = client.version()
    except (DockerException, OSError) as error:
        raise NoEngine(
            f"no Docker engine answers ({error}): start one (docs/how-to-run-in-containers.md), set DOCKER_HOST, or "
            "leave --via container out"
        ) from error
    if told.get("Os") != "linux":
        raise NoEngine(f"containers share the host's network, which needs an engine on Linux, not {told.get('Os')}")
    return client


def versions(client: Any, image: str) -> dict[str, str]:
    """What results say of the engine and of an image."""
    return {"engine": f"Docker {client.version()['Version']}", "image": f"{image} {client.images.get(image).short_id}"}


def minio_image(program: Path, version: str) -> Image:
    """The image of a MinIO program."""
    return Image(f"fsconform-minio:{version}", "minio", {"program": program})


def hdfs_image(jars: Iterable[Path], hadoop: str, base: str, base_id: str) -> Image:
    """The image of a Hadoop version's daemons on a base image with Java."""
    tag = f"fsconform-hdfs:{hadoop}-{base_id.rpartition(':')[2][:12]}"
    return Image(tag, "hdfs", {f"jars/{jar.name}": jar for jar in jars}, {"JAVA_IMAGE": base})


def base_image(client: Any, say: Say) -> tuple[str, str]:
    """The name and the id of the image with Java: what FSCONFORM_JAVA_IMAGE names is pulled if need be.

    Raises ServiceError.
    """
    from docker.errors import APIError, ImageNotFound

    named = os.environ.get(JAVA_IMAGE, "")
    name = named or DEFAULT_JAVA_IMAGE
    try:
        return name, str(client.images.get(name).id)
    except ImageNotFound:
        pass
    if not named:
        raise ServiceError(
            f"there is no image {name} to run HDFS on: make it with tools/java_image.sh, or set {JAVA_IMAGE} to an "
            "image with Java 17 or later"
        )
    say(f"Pulling {name}.")
    try:
        return name, str(client.images.pull(name).id)
    except APIError as error:
        raise ServiceError(f"{JAVA_IMAGE} is {name}, which can't be had: {error}") from error


def build(client: Any, image: Image, say: Say) -> str:
    """Build an image unless it is there; its tag. Raises ServiceError."""
    from docker.errors import APIError, BuildError, ImageNotFound

    lock = cache_root() / "images"
    lock.mkdir(parents=True, exist_ok=True)
    with FileLock(lock / f"{image.tag.replace(':', '-')}.lock"):
        try:
            client.images.get(image.tag)
            return image.tag
        except ImageNotFound:
            say(f"Building the image {image.tag}.")
        with tempfile.TemporaryDirectory(prefix=f"fsconform-image-{offspring.owner()}-") as place:
            context = Path(place)
            source = files("fsconform.adapters") / "services" / "images" / image.dockerfile / "Dockerfile"
            with as_file(source) as dockerfile:
                shutil.copyfile(dockerfile, context / "Dockerfile")
            for name, file in image.context.items():
                (context / name).parent.mkdir(exist_ok=True)
                shutil.copy2(file, context / name)
            try:
                client.images.build(
                    path=place, tag=image.tag, buildargs=dict(image.arguments), rm=True, labels={LABEL: "image"}
                )
            except BuildError as error:
                said = "".join(str(line.get("stream", "")) for line in error.build_log).splitlines()
                raise ServiceError(f"the image {image.tag} can't be built: {error}\n{_indented(said)}") from error
            except APIError as error:
                raise ServiceError(f"the image {image.tag} can't be built: {error}") from error
    return image.tag


def java_in(client: Any, tag: str) -> Java:
    """The Java of an image. Raises ServiceError for one without."""
    from docker.errors import DockerException

    try:
        said = client.containers.run(tag, ["java", "-version"], remove=True, stderr=True, network_mode="none")
    except DockerException as error:
        raise ServiceError(f"the image {tag} has no java on its PATH that runs: {error}") from error
    found = _VERSION.search(said.decode(errors="replace"))
    if found is None:
        raise ServiceError(f"the image {tag} has a java of unknown version: {said[:200]!r}")
    version = found[1]
    return Java(Path("/"), version, int(version.split(".")[0]), Path("java"), Path("/"), f"the image {tag}")


def inside(jars: Sequence[Path]) -> list[Path]:
    """Where the jars of an HDFS image are in it."""
    return [Path(JARS / jar.name) for jar in jars]


@dataclass(frozen=True, slots=True)
class Containers:
    """Starts daemons in containers of one image. ``work`` is the folder that they share with the host."""

    image: str
    work: Path

    def __call__(
        self, name: str, command: Sequence[str], home: Path, log: Path, variables: Mapping[str, str] | None = None
    ) -> Daemon:
        """The daemon of a command, to be run in a container; its process here is the one that waits for it."""
        order = home / f"{log.stem}-container.json"
        passwd = home / "passwd"
        user = _user()
        passwd.write_text(f"root:x:0:0:root:/:/\n{'' if user[1] == 0 else _passwd_line(user)}", "utf-8")
        order.write_text(
            json.dumps(
                {
                    "image": self.image,
                    "command": list(command),
                    "user": f"{user[1]}:{user[2]}",
                    "environment": {"HOME": str(home), "LC_ALL": "C.UTF-8", **(variables or {})},
                    "volumes": [[str(self.work), str(self.work), "rw"], [str(passwd), "/etc/passwd", "ro"]],
                    "directory": str(home),
                    "label": owner(os.getpid()),
                    "grace": GRACE_SECONDS / 2,
                }
            ),
            "utf-8",
        )
        order.chmod(0o600)
        here = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        starter = (sys.executable, "-m", "fsconform.adapters.services.container_main", str(order))
        return Daemon(name, starter, home, log, grace=GRACE_SECONDS, variables=here)


def owner(process: int) -> str:
    """What tells a process from all others: its id and when it was started. Empty if there is none."""
    import psutil

    try:
        return f"{process}-{psutil.Process(process).create_time():.2f}"
    except psutil.NoSuchProcess:
        return ""


def sweep(client: Any) -> list[str]:
    """Remove containers of ours whose owner is gone: it was killed, and its helper with it. The names removed."""
    from docker.errors import APIError

    removed = []
    for one in client.containers.list(all=True, filters={"label": LABEL}):
        label = str(one.labels.get(LABEL, ""))
        number = label.partition("-")[0]
        if number.isdecimal() and owner(int(number)) != label:
            try:
                one.remove(force=True)
                removed.append(str(one.name))
            except APIError:  # another harness was quicker
                continue
    return removed


def _user() -> tuple[str, int, int]:
    try:
        return pwd.getpwuid(os.getuid()).pw_name, os.getuid(), os.getgid()
    except KeyError:
        return "fsconform", os.getuid(), os.getgid()


def _passwd_line(user: tuple[str, int, int]) -> str:
    name, number, group = user
    return f"{name}:x:{number}:{group}::/:/\n"


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines[-15:])
