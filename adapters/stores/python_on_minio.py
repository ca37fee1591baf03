"""MinIO behind a library of Python: what the stores fsspec-s3 and pyarrow-s3 share."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import logs_kept, memory


def on_minio(sandbox: str, preset: Preset, setup: Setup) -> Site:
    """A store of a library of Python on a MinIO of its own."""
    from fsconform.adapters.services.minio import MinioService

    name = preset.name
    home = temporary.folder(name, memory())
    service = MinioService(home / "minio", progress=setup.say)
    with logs_kept(name, home, setup, service.stop):
        service.start()
    reached = service.s3a_configuration()
    settings = {
        "endpoint": service.endpoint,
        "access.key": reached["fs.s3a.access.key"],
        "secret.key": reached["fs.s3a.secret.key"],
        "region": reached["fs.s3a.endpoint.region"],
    }
    uri = f"s3://{service.bucket}{sandbox}"
    return Site(Connection(name, "python", uri, configuration=settings, versions=service.versions), home, service)
