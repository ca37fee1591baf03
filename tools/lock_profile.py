"""Writes the locked jar profile of a Hadoop version: fetches every artifact and records its checksum and size.

Run it as ``python tools/lock_profile.py 3.5.0``: the artifacts and groups are those of the tables below. Any other
profile, as ``spark-4.1.2``, is locked anew from the artifacts that it names itself; a new one is written by hand with
``hadoop``, and for each artifact its coordinates and groups. The checksums are those of the files as the repository
serves them now, so look at the difference before you commit it.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import jars, resolver

PROFILES = Path(__file__).resolve().parent.parent / "adapters" / "profiles"

CLIENT = ("client", "s3a")
S3A = ("s3a",)
MINICLUSTER = ("minicluster",)
ALL = ("client", "minicluster", "s3a")


@dataclass(frozen=True, slots=True)
class Release:
    """What one Hadoop release is built with, by the POM of hadoop-project and that of its AWS SDK.

    ``sdk`` and ``netty`` are empty, and ``accelerator`` too, where the release does not use them.
    """

    logging: str
    codec: str
    lang: str
    sdk: str
    netty: str = ""
    accelerator: str = ""
    without: tuple[str, ...] = ()
    """Modules of the SDK that its version does not have yet."""


RELEASES = {
    "3.5.0": Release("1.3.0", "1.17.1", "3.18.0", "2.35.4", "4.1.126.Final", "1.3.1"),
    # It is built with 2.24.6, which has no s3-transfer-manager of its own in the repository: that of 3.4.2 is taken.
    "3.4.1": Release("1.2", "1.15", "3.12.0", "2.29.52", "4.1.126.Final", without=("utils-lite",)),
    "3.3.6": Release("1.2", "1.15", "3.12.0", "1.12.367"),
}

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


def wishes_of(hadoop: str) -> tuple[Wish, ...]:
    """What to lock for a release, in class-path order. Raises KeyError for one that RELEASES lacks.

    ``minicluster`` is complete in itself: the daemons log, the client does not. ``s3a`` is the client with S3A and the
    modules of the AWS SDK that it loads.
    """
    release = RELEASES[hadoop]
    sdk = _sdk_2(release) if release.sdk.startswith("2.") else _sdk_1(release)
    older = Wish("commons-collections", "commons-collections", "3.2.2", S3A)
    newer = Wish("org.apache.commons", "commons-collections4", "4.4", S3A)
    collections = newer if hadoop.startswith("3.5") else older
    return (
        Wish("org.apache.hadoop", "hadoop-client-api", "", ALL),
        Wish("org.apache.hadoop", "hadoop-client-runtime", "", ALL),
        Wish("org.apache.hadoop", "hadoop-client-minicluster", "", MINICLUSTER),
        Wish("commons-logging", "commons-logging", release.logging, ALL),
        Wish("org.slf4j", "slf4j-api", "1.7.36", ALL),
        Wish("org.slf4j", "slf4j-nop", "1.7.36", CLIENT),
        Wish("org.slf4j", "slf4j-reload4j", "1.7.36", MINICLUSTER),
        Wish("ch.qos.reload4j", "reload4j", "1.2.22", MINICLUSTER),
        Wish("org.apache.hadoop", "hadoop-aws", "", S3A),
        *sdk,
        Wish("commons-codec", "commons-codec", release.codec, S3A),
        collections,
        Wish("org.apache.commons", "commons-lang3", release.lang, S3A),
        Wish("org.apache.httpcomponents", "httpclient", "4.5.13", S3A),
        Wish("org.apache.httpcomponents", "httpcore", "4.4.16", S3A),
        *SDK_2_NEEDS * release.sdk.startswith("2."),
    )


def _sdk_2(release: Release) -> tuple[Wish, ...]:
    modules = [name for name in AWS_MODULES if name not in release.without]
    accelerator = Wish("software.amazon.s3.analyticsaccelerator", "analyticsaccelerator-s3", release.accelerator, S3A)
    return (
        *((accelerator,) if release.accelerator else ()),
        *(Wish("software.amazon.awssdk", name, release.sdk, S3A) for name in modules),
        *(Wish("io.netty", name, release.netty, S3A) for name in NETTY_MODULES),
    )


def _sdk_1(release: Release) -> tuple[Wish, ...]:
    return (*(Wish("com.amazonaws", name, release.sdk, S3A) for name in SDK_1_MODULES), *SDK_1_NEEDS)


SDK_2_NEEDS = (
    Wish("org.reactivestreams", "reactive-streams", "1.0.4", S3A),
    Wish("software.amazon.eventstream", "eventstream", "1.0.1", S3A),
)

SDK_1_NEEDS = (
    Wish("com.fasterxml.jackson.core", "jackson-annotations", "2.12.7", S3A),
    Wish("com.fasterxml.jackson.core", "jackson-core", "2.12.7", S3A),
    Wish("com.fasterxml.jackson.core", "jackson-databind", "2.12.7.1", S3A),
    Wish("com.fasterxml.jackson.dataformat", "jackson-dataformat-cbor", "2.12.6", S3A),
    Wish("joda-time", "joda-time", "2.8.1", S3A),
    Wish("software.amazon.ion", "ion-java", "1.0.2", S3A),
)

SDK_1_MODULES = ("aws-java-sdk-core", "aws-java-sdk-s3", "aws-java-sdk-kms", "aws-java-sdk-sts", "jmespath-java")
"""The modules of the first SDK that S3A loads, instead of the bundle of 300 MB."""

JAVA_MINIMUM = {"": 17, "3.5": 17, "3.4": 17}
"""The oldest Java for a Hadoop line, and for what is none of Hadoop's; 8 where the line is not named."""


def named_in(profile: Path) -> tuple[str, tuple[Wish, ...]]:
    """The Hadoop of a profile, and the artifacts that it names. Raises KeyError where it lacks a part of one."""
    table = tomllib.loads(profile.read_text(encoding="utf-8"))
    rows = table["artifact"]
    return table["hadoop"], tuple(
        Wish(row["organisation"], row["name"], row["revision"], tuple(row["groups"]), row.get("classifier", ""))
        for row in rows
    )


def lock(hadoop: str, wishes: tuple[Wish, ...]) -> str:
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
    known = (*RELEASES, *(file.stem for file in sorted(PROFILES.glob("*.toml")) if not file.stem.startswith("hadoop-")))
    parser.add_argument("hadoop", nargs="?", default=jars.DEFAULT, choices=known, help="the Hadoop version, or another")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the profile differs")
    options = parser.parse_args()
    if options.hadoop in RELEASES:
        target, text = PROFILES / f"hadoop-{options.hadoop}.toml", lock(options.hadoop, wishes_of(options.hadoop))
    else:
        target = PROFILES / f"{options.hadoop}.toml"
        text = lock(*named_in(target))
    jars.parse_profile(text, target.stem)
    if not options.check:
        target.write_text(text, encoding="utf-8")
    elif not target.is_file() or target.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{target.name} differs from what the repository serves")


if __name__ == "__main__":
    main()
