"""Writes the locked jar profile of a Hadoop version: fetches every artifact and records its checksum and size.

Run it as ``python tools/lock_profile.py 3.5.0``, or with ``spark-4.1.2`` for what Spark needs beside its own jars, or
with ``s3proxy-4.1.0`` for that server. The
artifacts and groups are those of the tables below; the checksums are those of the files as the repository serves them
now, so look at the difference before you commit it.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import jars, resolver

PROFILES = Path(__file__).resolve().parent.parent / "adapters" / "profiles"

CLIENT = ("client", "s3a")
S3A = ("s3a",)
MINICLUSTER = ("minicluster",)
ALL = ("client", "minicluster", "s3a")

AWS_SDK, NETTY = "2.35.4", "4.1.126.Final"
"""The versions that hadoop-aws 3.5.0 is built with, by the POM of hadoop-project and that of the SDK."""

AWS_MODULES = (
    "annotations",
    "apache-client",
    "arns",
    "auth",
    "aws-core",
    "aws-query-protocol",
    "aws-xml-protocol",
    "checksums",
    "checksums-spi",
    "crt-core",
    "endpoints-spi",
    "http-auth",
    "http-auth-aws",
    "http-auth-aws-eventstream",
    "http-auth-spi",
    "http-client-spi",
    "identity-spi",
    "json-utils",
    "metrics-spi",
    "netty-nio-client",
    "profiles",
    "protocol-core",
    "regions",
    "retries",
    "retries-spi",
    "s3",
    "s3-transfer-manager",
    "sdk-core",
    "sts",
    "third-party-jackson-core",
    "utils",
    "utils-lite",
)
"""The modules of the SDK that S3A loads, and what they depend on, instead of the bundle of 650 MB."""

NETTY_MODULES = (
    "netty-buffer",
    "netty-codec",
    "netty-codec-http",
    "netty-codec-http2",
    "netty-common",
    "netty-handler",
    "netty-resolver",
    "netty-transport",
    "netty-transport-classes-epoll",
    "netty-transport-native-unix-common",
)


@dataclass(frozen=True, slots=True)
class Wish:
    """An artifact to lock; an empty revision stands for Hadoop's own."""

    organisation: str
    name: str
    revision: str
    groups: tuple[str, ...]
    classifier: str = ""


WISHES = (
    Wish("org.apache.hadoop", "hadoop-client-api", "", ALL),
    Wish("org.apache.hadoop", "hadoop-client-runtime", "", ALL),
    Wish("org.apache.hadoop", "hadoop-client-minicluster", "", MINICLUSTER),
    Wish("commons-logging", "commons-logging", "1.3.0", ALL),
    Wish("org.slf4j", "slf4j-api", "1.7.36", ALL),
    Wish("org.slf4j", "slf4j-nop", "1.7.36", CLIENT),
    Wish("org.slf4j", "slf4j-reload4j", "1.7.36", MINICLUSTER),
    Wish("ch.qos.reload4j", "reload4j", "1.2.22", MINICLUSTER),
    Wish("org.apache.hadoop", "hadoop-aws", "", S3A),
    Wish("software.amazon.s3.analyticsaccelerator", "analyticsaccelerator-s3", "1.3.1", S3A),
    *(Wish("software.amazon.awssdk", name, AWS_SDK, S3A) for name in AWS_MODULES),
    *(Wish("io.netty", name, NETTY, S3A) for name in NETTY_MODULES),
    Wish("commons-codec", "commons-codec", "1.17.1", S3A),
    Wish("org.apache.commons", "commons-collections4", "4.4", S3A),
    Wish("org.apache.commons", "commons-lang3", "3.18.0", S3A),
    Wish("org.apache.httpcomponents", "httpclient", "4.5.13", S3A),
    Wish("org.apache.httpcomponents", "httpcore", "4.4.16", S3A),
    Wish("org.reactivestreams", "reactive-streams", "1.0.4", S3A),
    Wish("software.amazon.eventstream", "eventstream", "1.0.1", S3A),
)
"""In class-path order. ``minicluster`` is complete in itself: the daemons log, the client does not.
``s3a`` is the client with S3A and the modules of the AWS SDK that it loads."""

SPARK = "4.1.2"
"""The last Spark that spark-hadoop-cloud is published for."""
SPARK_HADOOP, SPARK_AWS_SDK = "3.4.2", "2.29.52"
"""The Hadoop that it brings, and the SDK that hadoop-aws of that version is built with."""

SPARK_WISHES = (
    Wish("org.apache.spark", "spark-hadoop-cloud_2.13", SPARK, S3A),
    Wish("org.apache.hadoop", "hadoop-aws", SPARK_HADOOP, S3A),
    Wish("software.amazon.s3.analyticsaccelerator", "analyticsaccelerator-s3", "1.2.1", S3A),
    *(Wish("software.amazon.awssdk", name, SPARK_AWS_SDK, S3A) for name in AWS_MODULES if name != "utils-lite"),
    Wish("org.reactivestreams", "reactive-streams", "1.0.4", S3A),
    Wish("software.amazon.eventstream", "eventstream", "1.0.1", S3A),
)
"""What comes before the jars of PySpark itself on the class path; all else S3A needs is among those."""

S3PROXY = "4.1.0"

S3PROXY_WISHES = (Wish("org.gaul", "s3proxy", S3PROXY, ("server",), "jar-with-dependencies"),)
"""The server with all it needs, as its makers publish it."""

JAVA_MINIMUM = {"": 17, "3.5": 17, "3.4": 17}
"""The oldest Java for a Hadoop line, and for what is none of Hadoop's; 8 where the line is not named."""

OTHERS = {f"spark-{SPARK}": (SPARK_HADOOP, SPARK_WISHES), f"s3proxy-{S3PROXY}": ("", S3PROXY_WISHES)}
"""The profiles that are not of a Hadoop version: the Hadoop they belong to, and their artifacts."""


def lock(hadoop: str, wishes: tuple[Wish, ...] = WISHES) -> str:
    """The text of the profile. Raises ResolverError if an artifact cannot be had."""
    wanted = {
        resolver.Coordinates(wish.organisation, wish.name, wish.revision or hadoop, wish.classifier): wish
        for wish in wishes
    }
    line = ".".join(hadoop.split(".")[:2])
    parts = [
        "# Written by tools/lock_profile.py. The groups are alternatives: each is complete and has its slf4j binding.",
        f'hadoop = "{hadoop}"',
        f"java-minimum = {JAVA_MINIMUM.get(line, 8)}",
    ]
    with tempfile.TemporaryDirectory() as scratch:
        for coordinates, path in resolver.retrieve(wanted, Path(scratch)).items():
            parts.append(_entry(coordinates, path, wanted[coordinates].groups))
    return "\n".join(parts) + "\n"


def _entry(coordinates: resolver.Coordinates, path: Path, groups: tuple[str, ...]) -> str:
    values = {
        "organisation": coordinates.organisation,
        "name": coordinates.name,
        "revision": coordinates.revision,
        "file": coordinates.file,
        "sha256": jars.sha256_of(path),
    }
    if coordinates.classifier:
        values["classifier"] = coordinates.classifier
    lines = ["", "[[artifact]]", *(f'{key} = "{value}"' for key, value in values.items())]
    lines.append(f"size = {path.stat().st_size}")
    quoted = ", ".join(f'"{group}"' for group in groups)
    lines.append(f"groups = [{quoted}]")
    return "\n".join(lines)


def main() -> None:
    """Write, or with ``--check`` compare, the profile of the version named on the command line."""
    parser = argparse.ArgumentParser(description="Lock the jar profile of a Hadoop version.")
    parser.add_argument("hadoop", nargs="?", default=jars.DEFAULT, help="the Hadoop version, or " + " or ".join(OTHERS))
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the profile differs")
    options = parser.parse_args()
    if options.hadoop in OTHERS:
        target, text = PROFILES / f"{options.hadoop}.toml", lock(*OTHERS[options.hadoop])
    else:
        target, text = PROFILES / f"hadoop-{options.hadoop}.toml", lock(options.hadoop)
    jars.parse_profile(text, target.stem)
    if not options.check:
        target.write_text(text, encoding="utf-8")
    elif not target.is_file() or target.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{target.name} differs from what the repository serves")


if __name__ == "__main__":
    main()
