"""Our Java classes for faults on purpose, compiled once with the JDK of this machine, if it has one."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from fsconform.adapters.jars import cache_root, class_path
from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.patience import patient

SOURCES = Path(__file__).with_name("java")
COMPILE_SECONDS = 180.0
NO_COMPILER = "no Java compiler: faults can't be put into jobs (install a JDK, or set JAVA_HOME to one)"


class HelperError(Exception):
    """The classes could not be compiled. The text says why."""


def compiler() -> str | None:
    """The path of ``javac``, None if there is none."""
    try:
        beside = find_java().home / "bin" / "javac"
    except NoJava:
        return None
    return str(beside) if beside.is_file() else shutil.which("javac")


def classes(jars: Sequence[Path]) -> Path | None:
    """The folder of the compiled classes, made if need be; None without a compiler. Raises HelperError or OSError.

    ``jars`` are those that the classes are compiled against.
    """
    javac = compiler()
    if javac is None:
        return None
    sources = sorted(SOURCES.rglob("*.java"))
    digest = hashlib.sha256(class_path(jars).encode())
    for source in sources:
        digest.update(source.read_bytes())
    home = cache_root() / "spark"
    folder = home / digest.hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / ".lock", timeout=COMPILE_SECONDS):
        if not folder.is_dir():
            compile_into(folder, sources, jars, javac)
    return folder


def compile_into(folder: Path, sources: Sequence[Path], jars: Sequence[Path], javac: str) -> None:
    """Compile sources into a folder that appears only when all is well. Raises HelperError or OSError."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".javac-") as scratch:
        out = Path(scratch) / "classes"
        command = [javac, "-nowarn", "-d", str(out), "-cp", class_path(jars), *map(str, sources)]
        seconds = patient(COMPILE_SECONDS)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise HelperError(f"{javac} did not end within {seconds:.0f} s") from error
        if done.returncode:
            raise HelperError(f"{javac} ended with {done.returncode}:\n{(done.stderr or done.stdout)[-2000:]}")
        out.replace(folder)
