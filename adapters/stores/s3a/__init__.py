"""The store ``s3a``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import CONTAINER, Connection, Setup, Site
from fsconform.adapters.stores.starting import logs_kept, memory, needs_minio
from fsconform.engine.injection import MINIO, S3

IMPATIENT = {
    "fs.s3a.retry.limit": "4",
    "fs.s3a.retry.interval": "100ms",
    "fs.s3a.retry.throttle.limit": "4",
    "fs.s3a.retry.throttle.interval": "100ms",
}
"""What the client is told of a MinIO whose disk may fail: it would try again for minutes.

MinIO answers 507 where there is no room, and 503 where it can't read what it stored.
"""


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.network import known
    from fsconform.adapters.services.minio import MinioService

    home = temporary.folder("s3a", memory())
    service = MinioService(home / "minio", progress=setup.say)
    told: dict[str, str] = {}
    with logs_kept("s3a", home, setup, lambda: service.stop()):
        if setup.via == CONTAINER:
            from fsconform.adapters.stores import boxes

            service, told = boxes.minio(home / "minio", setup)
        if setup.on_volumes:
            service.on_volumes()
        service.start()
    connection = Connection(
        preset.name,
        uri=f"s3a://{service.bucket}/sandbox",
        group="s3a",
        # All else as S3A has it by default: what it buffers goes to a folder that is removed at the end, and parts are
        # as small as S3 allows, so that a file of a few MiB has several.
        configuration=service.s3a_configuration()
        | {"fs.s3a.buffer.dir": str(home / "buffer"), "fs.s3a.multipart.size": "5M"}
        | (IMPATIENT if setup.on_volumes else {}),
        versions=service.versions | told,
        # MinIO refuses what has the empty key of the root; S3A would try that again for more than a minute.
        root_configuration={"fs.s3a.retry.limit": "1"},
        own=True,
    )
    return Site(connection, home, service, known.of_s3a(service))


STORE = Preset(
    "s3a",
    "S3A on MinIO: an S3 server that is built once from source, started, stopped and cleaned up",
    "s3a",
    bring_up,
    missing=needs_minio,
    modules=("boto3",),
    parts=(MINIO,),
    kills=True,
    machines=(MINIO,),
    links=(S3,),
    below="minio",
    pace="slow",
    roots=True,
    contained=True,
    listed=5,
)
