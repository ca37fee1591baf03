"""Makes the recorder's jar: a subclass of a connector's FileSystem, compiled against the connector's own jars.

A subclass and no FilterFileSystem, as applications cast what they get to the class that they know.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from fsconform.adapters.jars import class_path
from fsconform.adapters.patience import patient
from fsconform.adapters.spark.helper import COMPILE_SECONDS, compiler

SOURCES = Path(__file__).with_name("java")
TEMPLATE = "RecordedFileSystem.java.txt"
JAR, XML = "fsconform-recorder.jar", "record.xml"
"""The files that `fsconform record` writes: the jar, and the properties that put it in place."""
PACKAGE = "org.fsconform.recorder"
DIRECTORY = "fsconform.record.directory"
"""The property that says where a process writes its recording."""

RELEASE = 17
"""The Java release that the classes are for, unless another is asked for: the oldest that runs Hadoop 3.5."""

IMPLEMENTATIONS = {
    "file": "org.apache.hadoop.fs.LocalFileSystem",
    "hdfs": "org.apache.hadoop.hdfs.DistributedFileSystem",
    "s3a": "org.apache.hadoop.fs.s3a.S3AFileSystem",
}
"""The FileSystem of each scheme that Hadoop itself brings, and that the default jars have."""

_CLASS = re.compile(r"(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*", re.ASCII)
_LINES_SHOWN = 30
_STAMP = (2020, 1, 1, 0, 0, 0)


class RecorderError(Exception):
    """The recorder could not be made. The text says why and how to mend it."""


def is_class(name: str) -> bool:
    """Whether a text is the full name of a Java class: what stands in a source that is compiled must be no more."""
    return len(name) <= 512 and _CLASS.fullmatch(name) is not None


def recorded_class(implementation: str) -> str:
    """The full name of the class that records the calls of a connector's class."""
    return f"{PACKAGE}.Recorded{implementation.rpartition('.')[2].replace('$', '_')}"


def source_of(implementation: str) -> str:
    """The source of the class that records a connector's calls. Raises RecorderError for what is no class's name."""
    if not is_class(implementation):
        raise RecorderError(
            f"{implementation[:80]!r} is no full name of a Java class, such as org.example.MyFileSystem"
        )
    more = SOURCES / f"{implementation.rpartition('.')[2]}.more.txt"
    own = more.read_text(encoding="utf-8") if implementation in IMPLEMENTATIONS.values() and more.is_file() else ""
    text = (SOURCES / TEMPLATE).read_text(encoding="utf-8")
    text = text.replace("@NAME@", recorded_class(implementation).rpartition(".")[2])
    return text.replace("@CLASS@", implementation.replace("$", ".")).replace("@MORE@", own)


def build(implementation: str, jars: Sequence[Path], target: Path, release: int = RELEASE) -> None:
    """Write the jar that records the calls of a class which is in ``jars``. Raises RecorderError or OSError."""
    javac = compiler()
    if javac is None:
        raise RecorderError("there is no Java compiler: install a JDK, or set JAVA_HOME to one")
    with tempfile.TemporaryDirectory(prefix="fsconform-recorder-") as scratch:
        source = Path(scratch, f"{recorded_class(implementation).rpartition('.')[2]}.java")
        source.write_text(source_of(implementation), encoding="utf-8")
        classes = Path(scratch, "classes")
        command = [
            *(javac, "-nowarn", "-Xlint:none", "--release", str(release), "-encoding", "UTF-8", "-proc:none"),
            *("-d", str(classes), "-cp", class_path(jars)),
            *map(str, (*sorted(SOURCES.rglob("*.java")), source)),
        ]
        seconds = patient(COMPILE_SECONDS)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise RecorderError(f"{javac} did not end within {seconds:.0f} s") from error
        if done.returncode:
            said = "\n".join((done.stderr or done.stdout).replace(scratch, "").splitlines()[:_LINES_SHOWN])
            raise RecorderError(
                f"a subclass of {implementation} does not compile against these jars: name those of the connector and "
                f"of its Hadoop by --jars\n{said}"
            )
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
            for file in sorted(classes.rglob("*.class")):
                jar.writestr(zipfile.ZipInfo(file.relative_to(classes).as_posix(), _STAMP), file.read_bytes())
