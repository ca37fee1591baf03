"""``fsconform record``: the jar that records an application's calls, and the properties by which it is put in place."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import click
from lxml import etree

from fsconform.adapters.jars import DEFAULT, JarError, load_profile, resolve
from fsconform.adapters.recorder.building import (
    DIRECTORY,
    IMPLEMENTATIONS,
    JAR,
    RELEASE,
    XML,
    RecorderError,
    build,
    is_class,
    recorded_class,
)
from fsconform.harness.console import console
from fsconform.harness.inputs import OUTPUT_FOLDER, hadoop_profile, java, store_uri
from fsconform.harness.output import write_whole
from fsconform.harness.problems import ManyValues, Problem
from fsconform.harness.targets import learn_secrets, user_jars
from fsconform.reports.visible import visible

SPARK = "spark-submit.txt"


@click.command("record", cls=ManyValues)
@click.option(
    "--uri", required=True, metavar="URI", help="The store whose calls are to be recorded: its scheme counts."
)
@click.option("--impl", "implementation", metavar="CLASS",
              help="The connector's FileSystem class; known for file, hdfs and s3a.")  # fmt: skip
@click.option("--jars", multiple=True, metavar="GLOB", help="The connector's jars.")
@click.option("--profile", default=DEFAULT, show_default=True, metavar="VERSION", help="Hadoop's jars beside them.")
@click.option("--java-release", "release", type=click.IntRange(11, 99), default=RELEASE, show_default=True,
              help="The Java release that the application runs on, or an older one.")  # fmt: skip
@click.option("--recording", type=OUTPUT_FOLDER, metavar="FOLDER",
              help="Where the application is to write its recording; by default calls in --out.")  # fmt: skip
@click.option(
    "--out", required=True, type=OUTPUT_FOLDER, metavar="FOLDER", help="Where jar and properties are written."
)
def record(
    uri: str,
    implementation: str | None,
    jars: tuple[str, ...],
    profile: str,
    release: int,
    recording: Path | None,
    out: Path,
) -> None:
    """Make the jar that records every call of an application, and write the properties that put it in place.

    Exit codes: 0 written; 2 usage, or the jar can't be made of these jars.
    """
    scheme = store_uri(uri).partition(":")[0]
    learn_secrets((uri,), {}, ())
    hadoop_profile(profile)
    chosen = implementation or IMPLEMENTATIONS.get(scheme, "")
    if not chosen:
        raise Problem(f"--impl: name the class of {scheme}: as fs.{scheme}.impl does, such as org.example.MyFileSystem")
    if not is_class(chosen):
        raise Problem(f"--impl {chosen[:80]!r} is no full name of a Java class, such as org.example.MyFileSystem")
    java()
    where = (recording or out / "calls").absolute()
    jar = out.absolute() / JAR
    properties = {
        f"fs.{scheme}.impl": recorded_class(chosen),
        DIRECTORY: str(where),
    }
    groups = ("client", "s3a") if chosen == IMPLEMENTATIONS["s3a"] else ("client",)
    try:
        classpath = [*user_jars(jars), *resolve(load_profile(profile), groups)]
        out.mkdir(parents=True, exist_ok=True)
        build(chosen, classpath, jar, release)
        write_whole(out / XML, _configuration(properties))
        write_whole(out / SPARK, _spark_lines(jar, properties).encode())
    except (JarError, RecorderError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(
            f"{error.filename or out}: {error.strerror or error}: choose another folder with --out"
        ) from error
    for text in (
        f"{out / JAR}: put it on the class path of the application, beside the jars of the connector",
        f"{out / XML}: the properties to set, as a configuration file of Hadoop",
        f"{out / SPARK}: the same as options of spark-submit",
        f"then run the application, and: fsconform recheck --format recording {shlex.quote(str(where))}",
    ):
        console.print(visible(text), markup=False, soft_wrap=True)


def _configuration(properties: Mapping[str, str]) -> bytes:
    """Properties as a configuration file of Hadoop."""
    root = etree.Element("configuration")
    for name, value in properties.items():
        entry = etree.SubElement(root, "property")
        etree.SubElement(entry, "name").text = name
        etree.SubElement(entry, "value").text = value
    written: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return written


def _spark_lines(jar: Path, properties: Mapping[str, str]) -> str:
    """Properties as options of spark-submit, quoted as a shell wants them."""
    spark = {"spark.driver.extraClassPath": str(jar), "spark.executor.extraClassPath": str(jar)}
    spark |= {f"spark.hadoop.{name}": value for name, value in properties.items()}
    return "".join(f"--conf {shlex.quote(f'{name}={value}')}\n" for name, value in spark.items())
