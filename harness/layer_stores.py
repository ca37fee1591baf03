"""The stores of the layers beside the filesystem, brought up: objects in S3, and those that Spark writes to."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconform.adapters import temporary
from fsconform.adapters.jars import class_path, parse_profile, resolve
from fsconform.adapters.resolver import pyspark_jars
from fsconform.adapters.s3.client import Endpoint, client_of, refusals
from fsconform.adapters.s3.session import S3Session
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.spark import helper
from fsconform.adapters.spark.committers import Committer, for_scheme
from fsconform.adapters.spark.driver import Driver, Settings
from fsconform.adapters.spark.session import SparkSession
from fsconform.adapters.stores.layers import Up, object_presets, writer_presets
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import logs_kept
from fsconform.engine.protocol import StoreLost
from fsconform.harness import scrubbing
from fsconform.proving.objects.faults import raced
from fsconform.proving.objects.store import ObjectError

OBJECT_STORES, SPARK_STORES = object_presets(), writer_presets()


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
    endpoint = Endpoint(own.url, region=own.region)
    client = client_of(endpoint, setup.operation_timeout)
    try:
        client.list_objects_v2(Bucket=own.bucket, Prefix=own.prefix, MaxKeys=1)
    except Exception as error:
        raise StoreLost(f"{own.uri}: could not be listed: {type(error).__name__}: {error}") from error
    session = S3Session(client, refusals(), own.bucket, own.prefix)
    return Up(own.uri, {}, session, session.close, lambda: client_of(endpoint, setup.operation_timeout))


def _memory(setup: Setup) -> Up:
    store = raced(setup.fault)
    session = S3Session(store.client(0), ObjectError)
    return Up("memory:", {}, session, session.close, lambda: store.client(1))


def bring_up_objects(name: str, setup: Setup) -> Up:
    """The store of a name. Raises ServiceError, StoreLost or OSError."""
    bring_up = OBJECT_STORES[name].bring_up
    return bring_up(setup) if bring_up is not None else _memory(setup)


PROFILE = "spark-4.1.2"
"""The profile of the jars that Spark needs beside its own."""

GATED = {"file": "org.fsconform.spark.GatedLocalFileSystem", "hdfs": "org.fsconform.spark.GatedHdfs"}


def spark_jars(say: Callable[[str], None]) -> list[Path]:
    """The jars beside Spark's own, fetched first if need be. Raises JarError."""
    text = (Path(helper.SOURCES).parent.parent / "profiles" / f"{PROFILE}.toml").read_text("utf-8")
    return resolve(parse_profile(text, PROFILE), ("s3a",), say)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Pending uploads of a bucket, asked of the service itself. They are listed as a whole: some services answer a
    list below a prefix for whole keys alone."""

    client: Any
    name: str

    def pending(self, path: str) -> list[str]:
        """The keys of uploads below a path that were begun and neither completed nor aborted."""
        return [key for key, _ in self._below(path)]

    def abort(self, path: str) -> None:
        """Abort the pending uploads below a path."""
        for key, upload in self._below(path):
            self.client.abort_multipart_upload(Bucket=self.name, Key=key, UploadId=upload)

    def _below(self, path: str) -> list[tuple[str, str]]:
        prefix = path.partition("://")[2].partition("/")[2] + "/"
        pages = self.client.get_paginator("list_multipart_uploads").paginate(Bucket=self.name)
        return [
            (upload["Key"], upload["UploadId"])
            for page in pages
            for upload in page.get("Uploads", [])
            if upload["Key"].startswith(prefix)
        ]


class SparkStore:
    """A store that is up, with a driver. It is for one thread."""

    def __init__(self, name: str, setup: Setup, own_jars: Sequence[Path] = ()) -> None:
        """Bring the store up. Raises JarError, NoJava, ServiceError, HelperError or OSError."""
        self.name = name
        self.scheme = SPARK_STORES[name].scheme
        self._home = temporary.folder(name)
        self._service: HdfsService | MinioService | None = None
        self._bucket: Bucket | None = None
        with logs_kept(name, self._home, setup, self._stop):
            self.sandbox, configuration = self._bring_up(setup)
            jars = spark_jars(setup.say)
            bundled = pyspark_jars()
            classes = helper.classes([*jars, *(sorted(bundled.glob("*.jar")) if bundled else ())])
            if classes is not None and self.scheme in GATED:
                configuration[f"fs.{self.scheme}.impl"] = GATED[self.scheme]
            if classes is not None and self.scheme == "s3a":
                configuration["fs.s3a.audit.execution.interceptors"] = "org.fsconform.spark.RequestGate"
            self.helper = classes is not None
            path = class_path([*([classes] if classes is not None else []), *own_jars, *jars])
            work = self._home / "driver"
            work.mkdir()
            self.log = setup.logs / f"{name}-driver.log"
            self.driver = Driver(Settings(work, path, self.log, configuration, self.helper))

    def _bring_up(self, setup: Setup) -> tuple[str, dict[str, str]]:
        if self.scheme == "file":
            return (self._home / "sandbox").as_uri(), {}
        if self.scheme == "hdfs":
            hdfs = HdfsService(self._home / "hdfs", setup.jars("minicluster"), progress=setup.say)
            self._service = hdfs
            hdfs.start()
            return f"{hdfs.uri}/fsconform", hdfs.client_configuration()
        minio = MinioService(self._home / "minio", progress=setup.say)
        self._service = minio
        minio.start()
        self._bucket = Bucket(minio.client(), minio.bucket)
        staging = (self._home / "staging").as_uri()
        return f"s3a://{minio.bucket}/sandbox", minio.s3a_configuration() | {
            "fs.s3a.buffer.dir": str(self._home / "buffer"),
            "fs.s3a.committer.staging.tmp.path": staging,
            "fs.s3a.multipart.size": "5M",
        }

    @property
    def committers(self) -> tuple[Committer, ...]:
        """The committers for this store."""
        return for_scheme(self.scheme)

    @property
    def versions(self) -> dict[str, str]:
        """What runs."""
        return self.driver.versions | (self._service.versions if self._service is not None else {})

    def session(self, committer: Committer) -> SparkSession:
        """A session that writes through a committer, in a directory of its own."""
        bucket = self._bucket
        return SparkSession(
            self.driver,
            committer,
            self.sandbox,
            self.helper,
            bucket.pending if bucket is not None else None,
            bucket.abort if bucket is not None else None,
        )

    def close(self) -> None:
        """Stop the driver and the service. May be called twice."""
        try:
            self.driver.close()
        finally:
            self._take_down()

    def _stop(self) -> None:
        if self._service is not None:
            self._service.stop()

    def _take_down(self) -> None:
        try:
            self._stop()
        finally:
            shutil.rmtree(self._home, ignore_errors=True)


def bring_up_spark(name: str, setup: Setup, own_jars: Sequence[Path] = ()) -> SparkStore:
    """The store of a name. Raises what :class:`SparkStore` raises."""
    return SparkStore(name, setup, own_jars)
