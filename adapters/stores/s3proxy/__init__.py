"""The store ``s3proxy``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.jars import bundled_profile, resolve
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import Together, needs_minio, started
from fsconform.engine.injection import MINIO, S3PROXY


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.minio import MinioService
    from fsconform.adapters.services.s3proxy import PROFILE, S3ProxyService

    jars = resolve(bundled_profile(PROFILE), ("server",), setup.say)
    home = temporary.folder(preset.name)
    minio = MinioService(home / "minio", progress=setup.say)
    kept = started(preset.name, home, setup, [minio])
    try:
        proxy = S3ProxyService(home / "s3proxy", jars, minio.s3a_configuration(), "proxied", setup.say)
        service = Together([kept, started(preset.name, home, setup, [proxy])])
    except BaseException:
        kept.stop()
        raise
    connection = Connection(
        preset.name,
        uri=f"s3a://{proxy.bucket}/sandbox",
        group="s3a",
        configuration=proxy.s3a_configuration()
        | {"fs.s3a.buffer.dir": str(home / "buffer"), "fs.s3a.multipart.size": "5M"},
        versions=proxy.versions | minio.versions,
    )
    return Site(connection, home, service)


STORE = Preset(
    "s3proxy",
    "S3A on S3Proxy: another S3 server, which keeps its objects in MinIO",
    "s3proxy",
    bring_up,
    default=False,
    missing=needs_minio,
    modules=("boto3",),
    like="s3a",
    below="minio",
    pace="slow",
    parts=(S3PROXY, MINIO),
)
