"""The committers, and what Spark is told so that a job commits by one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_CLOUD = "org.apache.spark.internal.io.cloud."
_OURS = "org.fsconform.spark."
_VERSION = "mapreduce.fileoutputcommitter.algorithm.version"
_MANIFEST = "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory"
_S3A_FACTORY = "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"

SQL_PROTOCOL = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
PATH_PROTOCOL = _CLOUD + "PathOutputCommitProtocol"
SINK_PROTOCOL = "org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol"
WITH_FAULTS = {
    SQL_PROTOCOL: _OURS + "GatedSqlProtocol",
    PATH_PROTOCOL: _OURS + "GatedPathProtocol",
    SINK_PROTOCOL: _OURS + "GatedSinkProtocol",
}
"""Our subclasses of the protocols, which are used by jobs with a fault on purpose alone."""


@dataclass(frozen=True, slots=True)
class Committer:
    """One committer. ``options`` are Hadoop's settings of a job; ``factory`` tells it is made by a factory.

    ``schemes`` are those of the stores it is for, none for all: the manifest committer refuses to work on S3A.
    """

    name: str
    statement: str
    options: Mapping[str, str] = field(default_factory=dict)
    factory: str = ""
    schemes: tuple[str, ...] = ()

    def job_options(self, scheme: str) -> dict[str, str]:
        """The settings of a job that writes to a store of this scheme."""
        found = dict(self.options)
        if self.factory:
            found[f"mapreduce.outputcommitter.factory.scheme.{scheme}"] = self.factory
        elif scheme == "s3a":
            found["fs.s3a.committer.name"] = "file"
        return found

    def session_options(self, faults: bool, dynamic: bool) -> dict[str, str]:
        """The settings of a Spark session in which its jobs run, ``faults`` with our hooks in the commit protocol."""
        protocol = PATH_PROTOCOL if self.factory else SQL_PROTOCOL
        parquet = _CLOUD + "BindingParquetOutputCommitter" if self.factory else _PARQUET
        return {
            "spark.sql.sources.commitProtocolClass": WITH_FAULTS[protocol] if faults else protocol,
            "spark.sql.parquet.output.committer.class": parquet,
            "spark.sql.sources.partitionOverwriteMode": "dynamic" if dynamic else "static",
        }


_PARQUET = "org.apache.parquet.hadoop.ParquetOutputCommitter"


def _s3a(name: str, statement: str) -> Committer:
    return Committer(name, statement, {"fs.s3a.committer.name": name}, _S3A_FACTORY, ("s3a",))


COMMITTERS: dict[str, Committer] = {
    committer.name: committer
    for committer in (
        Committer("file-v1", "FileOutputCommitter, algorithm 1", {_VERSION: "1"}),
        Committer("file-v2", "FileOutputCommitter, algorithm 2", {_VERSION: "2"}),
        Committer("manifest", "the manifest committer", factory=_MANIFEST, schemes=("file", "hdfs")),
        _s3a("magic", "S3A's magic committer"),
        _s3a("directory", "S3A's staging committer of directories"),
        _s3a("partitioned", "S3A's staging committer of partitions"),
    )
}


def for_scheme(scheme: str) -> tuple[Committer, ...]:
    """The committers for stores of a scheme."""
    return tuple(one for one in COMMITTERS.values() if not one.schemes or scheme in one.schemes)


def of_class(factory: str) -> Committer:
    """A committer of the user's own, made by a factory of this class."""
    return Committer(factory, f"a committer made by {factory}", factory=factory)
