"""Writes the locked jar profile of the S3A client of a Hadoop release: ``python tools/lock_s3a.py 3.3.6``.

Whole profiles have HDFS too and come from tools/lock_profile.py. These are for clients alone, of releases that no store
is judged with: they read and write buckets beside others (``fsconform markers compatibility``).
"""

from __future__ import annotations

import argparse

from lock_profile import PROFILES, S3A, Wish, lock

from fsconform.adapters import jars

SDK_1 = {"3.1.4": "1.11.271", "3.2.4": "1.11.901", "3.3.6": "1.12.367"}
"""The AWS SDK that hadoop-aws of a release is built with, by the POM of hadoop-project."""


def _common(jackson: str) -> tuple[Wish, ...]:
    """What all clients need beside Hadoop and the SDK."""
    return (
        Wish("commons-logging", "commons-logging", "1.2", S3A),
        Wish("commons-codec", "commons-codec", "1.15", S3A),
        Wish("commons-io", "commons-io", "2.8.0", S3A),  # Hadoop's command writes files through it
        Wish("org.apache.commons", "commons-lang3", "3.12.0", S3A),
        Wish("org.apache.httpcomponents", "httpclient", "4.5.13", S3A),
        Wish("org.apache.httpcomponents", "httpcore", "4.4.13", S3A),
        Wish("org.slf4j", "slf4j-api", "1.7.36", S3A),
        Wish("org.slf4j", "slf4j-nop", "1.7.36", S3A),
        *(
            Wish("com.fasterxml.jackson.core", name, jackson, S3A)
            for name in ("jackson-core", "jackson-databind", "jackson-annotations")
        ),
        Wish("com.fasterxml.jackson.dataformat", "jackson-dataformat-cbor", jackson, S3A),
    )


def _sdk_1(version: str) -> tuple[Wish, ...]:
    """The modules of the first SDK that S3A loads. S3Guard's classes are loaded with the connector: hence DynamoDB."""
    names = ("core", "s3", "kms", "sts", "dynamodb")
    return (
        *(Wish("com.amazonaws", f"aws-java-sdk-{name}", version, S3A) for name in names),
        Wish("com.amazonaws", "jmespath-java", version, S3A),
        Wish("joda-time", "joda-time", "2.9.9", S3A),
        Wish("javax.xml.bind", "jaxb-api", "2.3.1", S3A),  # the oldest SDKs need it, and Java has it no more
        Wish("software.amazon.ion", "ion-java", "1.0.2", S3A),
    )


SHADED = (
    Wish("org.apache.hadoop", "hadoop-client-api", "", S3A),
    Wish("org.apache.hadoop", "hadoop-client-runtime", "", S3A),
)

PLAIN = (
    Wish("org.apache.hadoop", "hadoop-common", "", S3A),
    Wish("org.apache.hadoop", "hadoop-auth", "", S3A),
    Wish("com.google.guava", "guava", "27.0-jre", S3A),
    Wish("com.google.guava", "failureaccess", "1.0", S3A),
    Wish("com.google.protobuf", "protobuf-java", "2.5.0", S3A),
    Wish("com.google.re2j", "re2j", "1.1", S3A),
    Wish("com.fasterxml.woodstox", "woodstox-core", "5.0.3", S3A),
    Wish("org.codehaus.woodstox", "stax2-api", "3.1.4", S3A),
    Wish("commons-beanutils", "commons-beanutils", "1.9.4", S3A),
    Wish("commons-cli", "commons-cli", "1.2", S3A),
    Wish("commons-collections", "commons-collections", "3.2.2", S3A),
    Wish("commons-lang", "commons-lang", "2.6", S3A),
    Wish("org.apache.commons", "commons-configuration2", "2.1.1", S3A),
    Wish("org.apache.commons", "commons-text", "1.4", S3A),
    Wish("org.apache.htrace", "htrace-core4", "4.1.0-incubating", S3A),
    Wish("ch.qos.reload4j", "reload4j", "1.2.22", S3A),
)
"""Before 3.3 S3A and the shaded client do not go together (HADOOP-16080)."""

WISHES: dict[str, tuple[Wish, ...]] = {
    **{
        release: (
            *PLAIN,
            Wish("org.apache.hadoop", "hadoop-aws", "", S3A),
            *_sdk_1(SDK_1[release]),
            *_common("2.12.7"),
        )
        for release in ("3.1.4", "3.2.4")
    },
    "3.3.6": (*SHADED, Wish("org.apache.hadoop", "hadoop-aws", "", S3A), *_sdk_1(SDK_1["3.3.6"]), *_common("2.12.7")),
}
"""By release, in class-path order."""


def main() -> None:
    """Write the profile of the release named on the command line."""
    parser = argparse.ArgumentParser(description="Lock the jar profile of an S3A client.")
    parser.add_argument("release", choices=sorted(WISHES))
    release = parser.parse_args().release
    text = lock(release, WISHES[release])
    jars.parse_profile(text, f"s3a-{release}")
    (PROFILES / f"s3a-{release}.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
