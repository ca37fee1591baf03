"""Properties in Hadoop's configuration files, resolved as Hadoop's own Configuration resolves them.

Elements and attributes, ``xi:include``, entities of a DTD and ``${name}`` are followed, within bounds: files on this
machine that are regular and small, and no addresses. What secrets are is read here before any JVM is up; what only
the client can know, it tells once its Configuration is made (adapters/hadoop/worker.py).
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

FILE_BYTES = 8 << 20
FILES, DEPTH = 64, 16
"""How many files are included by one another, and how deep."""
SUBSTITUTIONS = 20
"""So often Hadoop substitutes in one value."""
LONGEST = 1 << 20

SITES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hadoop-site.xml")
"""What a client finds on its class path."""
FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
"""Variables that name folders with such files: Spark puts them on the class path of its JVM."""

_VARIABLE = re.compile(r"\$\{([^}$\s]+)\}")


class ConfigurationError(Exception):
    """A file that is no configuration of Hadoop's; the text names it and says why, and repeats nothing of it."""


@dataclass(slots=True)
class Properties:
    """Every property that was read, in order, also one that another overrides."""

    pairs: list[tuple[str, str]] = field(default_factory=list)

    def resolved(self, given: Mapping[str, str], environment: Mapping[str, str]) -> list[tuple[str, str]]:
        """All properties, those ``given`` too, with what stands for ``${...}``."""
        values = dict(self.pairs) | dict(given)
        every = [*self.pairs, *given.items()]
        return [*every, *((name, _substituted(value, values, environment)) for name, value in every if "$" in value)]


def read(files: Iterable[Path]) -> Properties:
    """The properties of files. Raises ConfigurationError for one that is no XML or can't be read."""
    found = Properties()
    for file in files:
        try:
            _Reader(found).file(file, 0)
        except OSError as error:
            raise ConfigurationError(f"{file} can't be read: {error.strerror}: name a file of Hadoop's XML") from error
    return found


def found_around(jars: Iterable[Path], environment: Mapping[str, str]) -> Properties:
    """The properties that a client finds by itself: on its class path and in the folders that variables name.

    What can't be read there has none: nobody named it.
    """
    found = Properties()
    for folder in dict.fromkeys(environment.get(name, "") for name in FOLDERS):
        for site in SITES if folder else ():
            _quietly(found, lambda reader, file=Path(folder, site): reader.file(file, 0))
    for jar in jars:
        if jar.is_dir():
            for site in SITES:
                _quietly(found, lambda reader, file=jar / site: reader.file(file, 0))
            continue
        _quietly(found, lambda reader, jar=jar: reader.jar(jar))
    return found


def _quietly(found: Properties, action: Any) -> None:
    try:
        action(_Reader(found))
    except (ConfigurationError, OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return


class _Reader:
    """Reads one file, and what it includes."""

    def __init__(self, found: Properties) -> None:
        self._found, self._left = found, FILES

    def file(self, file: Path, depth: int) -> None:
        """Read a file. Raises ConfigurationError, OSError for one that is not there."""
        self._count(file, depth)
        self.data(_bytes(file), file, depth)

    def jar(self, jar: Path) -> None:
        """Read what a jar has for a client. Raises what zipfile raises."""
        if not jar.is_file():
            return
        with zipfile.ZipFile(jar) as archive:
            for site in SITES:
                if site in archive.NameToInfo and archive.getinfo(site).file_size <= FILE_BYTES:
                    self.data(archive.read(site), jar.parent / site, 0)

    def data(self, data: bytes, file: Path, depth: int) -> None:
        """Read the text of a file. Raises ConfigurationError."""
        if expat.version_info < (2, 4, 1):
            raise ConfigurationError(f"{file}: this Python reads XML without a limit to entities: take a newer one")
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        elements = _Elements(lambda href: self._include(href, file, depth), self._found.pairs.append)

        def outside(context: str, base: str | None, system: str | None, public: str | None) -> int:
            """What entities of the DTD name: files of this machine, and nothing of others."""
            told = b""
            with contextlib.suppress(OSError, ConfigurationError):
                self._count(file, 0)
                told = _bytes(_local(system or "", file.parent))
            parser.ExternalEntityParserCreate(context).Parse(told, True)
            return 1

        parser.StartElementHandler, parser.EndElementHandler = elements.start, elements.end
        parser.CharacterDataHandler = elements.text
        parser.ExternalEntityRefHandler = outside
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise ConfigurationError(f"{file}: line {error.lineno}: no XML that can be read: mend it there") from error

    def _count(self, file: Path, depth: int) -> None:
        self._left -= 1
        if self._left < 0 or depth > DEPTH:
            raise ConfigurationError(f"{file}: it includes too many files, one in the other: write the properties out")

    def _include(self, href: str, file: Path, depth: int) -> None:
        with contextlib.suppress(OSError):  # the client says that it is not there, or takes what stands in its place
            self.file(_local(href, file.parent), depth + 1)


class _Elements:
    """Hears the elements of a file, and tells its properties and what it includes."""

    def __init__(self, include: Callable[[str], None], found: Callable[[tuple[str, str]], None]) -> None:
        self._include, self._told = include, found
        self._open: list[tuple[str, int, dict[str, str]]] = []
        self._texts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        local = name.rpartition(" ")[2]
        own = {f"@{key.rpartition(' ')[2]}": value for key, value in attributes.items()}
        self._open.append((local, len(self._texts), own))

    def text(self, text: str) -> None:
        """A piece of text."""
        self._texts.append(text)

    def end(self, _: str) -> None:
        """An element ends. Raises ConfigurationError for what it includes."""
        local, start, parts = self._open.pop()
        if local in ("name", "value") and self._open and self._open[-1][0] == "property":
            self._open[-1][2][local] = "".join(self._texts[start:])
        elif local == "property":
            self._property(parts)
        elif local == "include" and "@href" in parts:
            self._include(parts["@href"])

    def _property(self, parts: dict[str, str]) -> None:
        for name in {parts.get("name", "").strip(), parts.get("@name", "").strip()} - {""}:
            for value in (parts.get("@value"), parts.get("value")):
                for told in dict.fromkeys((value, value.strip())) if value is not None else ():
                    self._told((name, told))


def _local(reference: str, base: Path) -> Path:
    """The file that a reference names. Raises ConfigurationError for what is elsewhere."""
    parts = urlsplit(reference)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise ConfigurationError(f"{base}: it names what is not on this machine: copy it here")
    return base / unquote(parts.path)


def _bytes(file: Path) -> bytes:
    """A file's content. Raises OSError for one that can't be read, ConfigurationError for what is no small file."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ConfigurationError(f"{file}: it is no file: name a file of Hadoop's XML")
    with os.fdopen(handle, "rb") as stream:
        data = stream.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        raise ConfigurationError(f"{file}: it is longer than {FILE_BYTES >> 20} MiB: name a file of Hadoop's XML")
    return data


def _substituted(value: str, values: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """A value as Hadoop resolves it; a variable that nothing is known of stays."""
    done = 0
    for _ in range(SUBSTITUTIONS):
        found = _VARIABLE.search(value, done)
        if found is None or len(value) > LONGEST:
            break
        told = _meaning(found[1], values, environment)
        if told is None or told == found[0]:
            done = found.end()
        else:
            value = value[: found.start()] + told + value[found.end() :]
    return value


def _meaning(name: str, values: Mapping[str, str], environment: Mapping[str, str]) -> str | None:
    if name.startswith("env."):
        parts = re.fullmatch(r"([^:-]+)(:?-)?(.*)", name[4:], re.DOTALL)
        if parts is None:
            return None
        variable, sign, default = parts.groups()
        told = environment.get(variable)
        return default if sign and (told is None or (sign == ":-" and not told)) else told
    return {"user.home": environment.get("HOME"), "user.name": environment.get("USER")}.get(name) or values.get(name)
