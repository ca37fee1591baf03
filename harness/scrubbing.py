"""Secrets: which they are, and how they are kept out of everything that leaves the process.

Known are the values of properties whose names tell that they are secrets (of the command line, of configuration files
and what a client finds around them, of the environment), and passwords in URIs; and what the client itself resolves
them to, credential providers among it, once a worker is up. A store may repeat them in the messages of its errors, in
names and in its logs. ``engine.secrecy`` has the register that they go to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from fsconform.engine import secrecy
from fsconform.engine.secrecy import HIDDEN, KNOWN, SECRET
from fsconform.harness import hadoop_configuration
from fsconform.harness.hadoop_configuration import ConfigurationError

__all__ = ["HIDDEN", "SECRET", "ConfigurationError", "arguments", "hidden", "learn", "redacted", "secrets_of", "uri"]

T = TypeVar("T")

_ARGUMENT = re.compile(r"(--(?:fs-)?(?:conf|out-conf|spark-conf)=)?([^=:;,|\s]+)([=:;,|\s].*)", re.DOTALL)

OURS = frozenset(
    (
        *("program", "operation", "clauses", "clause", "verdict", "level", "replay", "test", "root", "kind", "impact"),
        *("verdicts", "contract", "started", "id", "basis", "baseline", "quirk", "quirk_sets"),
    )
)
"""Fields of records that hold nothing of a store's: programs and their operations are ours, and so are ids."""


def redacted(configuration: Mapping[str, str]) -> dict[str, str]:
    """The configuration with the values of secrets taken out."""
    return {name: HIDDEN if SECRET.search(name) else uri(value) for name, value in sorted(configuration.items())}


def uri(text: str) -> str:
    """A URI, or a text with some, without passwords and signatures."""
    return KNOWN.text(secrecy.without_secrets_of_uris(text))


def arguments(given: Iterable[str]) -> list[str]:
    """The arguments of a command without the values of secrets."""
    told = []
    for argument in given:
        found = _ARGUMENT.fullmatch(argument)
        option = found[1] or "" if found else ""
        hide = found is not None and SECRET.search(found[2]) and not found[2].startswith("--")
        told.append(f"{option}{found[2]}={HIDDEN}" if found and hide else uri(argument))
    return told


def secrets_of(
    uris: Iterable[str],
    configuration: Mapping[str, str],
    files: Iterable[Path],
    environment: Mapping[str, str],
    jars: Iterable[Path] = (),
) -> tuple[str, ...]:
    """The values that must not be written down, sorted. ``configuration`` wins over ``files``.

    Raises ConfigurationError for a file that is no configuration, or not there.
    """
    found = secrecy.of_environment(environment)
    for one in uris:
        found |= secrecy.in_uri(one)
    properties = hadoop_configuration.found_around(jars, environment)
    properties.pairs += hadoop_configuration.read(files).pairs
    found |= secrecy.of_properties(properties.resolved(configuration, environment))
    return tuple(sorted(found))


def learn(
    uris: Iterable[str] = (),
    configuration: Mapping[str, str] | None = None,
    files: Iterable[Path] = (),
    jars: Iterable[Path] = (),
) -> None:
    """Note the secrets of a store, and of the environment, in this process's register. Raises as ``secrets_of``."""
    KNOWN.learn(secrets_of(uris, configuration or {}, files, os.environ, jars))


def hidden(value: T) -> T:
    """The same records with secrets taken out of every text. What is ours stays as it is."""
    return KNOWN.records(value, OURS)


def hide_in_files(folder: Path) -> None:
    """Take secrets out of the files of a folder and of those below. Raises OSError."""
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        before = file.read_bytes()
        if (data := KNOWN.data(before)) != before:
            file.write_bytes(data)
