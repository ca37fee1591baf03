"""What options name, looked at before anything starts: one set of checks for all commands, each with its mend.

What is found here ends a command with exit code 2. Nothing is opened that could keep the reader waiting, as a pipe
does.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from lxml import etree

from fsconform.adapters.jars import known_versions
from fsconform.adapters.java import Java, NoJava, find_java
from fsconform.harness.problems import Problem, known

LEAST_HEAP = 32 << 20
"""Bytes: a worker of Hadoop 3.5.0 on rawlocal came up and answered with 12 MiB, and not with 10. Others need more."""
MOST_HEAP = 1 << 42
"""Bytes: more than any machine that this runs on has."""

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def not_plain(path: Path) -> str:
    """What a path leads to that is neither a file nor a folder; empty if it is one, or if there is nothing."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return next((kind for is_one, kind in _KINDS if is_one(mode)), "")


class Named(click.Path):
    """A path that an option or argument names: not the empty text, and for what is read no pipe or device."""

    def __init__(self, read: bool, file: bool = False, folder: bool = False) -> None:
        """``read`` is true of what is read; only a ``file``, or only a ``folder`` may be there already."""
        super().__init__(path_type=Path, dir_okay=not file, file_okay=not folder)
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises BadParameter."""
        if not str(os.fspath(value)):
            self.fail("it is empty: name a path, '.' for this folder", param, ctx)
        if "\0" in str(os.fspath(value)):
            self.fail("no path has a character NUL in it", param, ctx)
        if self._read and (kind := not_plain(Path(value))):
            self.fail(f"{Path(value)} is {kind} and no plain file: write it to a file first", param, ctx)
        return super().convert(value, param, ctx)


INPUT = Named(read=True)
"""A file or folder that is read."""
OUTPUT_FILE = Named(read=False, file=True)
"""A file that is written."""
OUTPUT_FOLDER = Named(read=False)
"""A folder that is made, or made in."""


def plain_files(option: str, paths: Iterable[Path]) -> None:
    """Look at files that are to be read. Raises Problem for what is none."""
    for path in paths:
        if kind := not_plain(path):
            raise Problem(f"{option} {path} is {kind} and no plain file: write it to a file first")
        if path.is_dir():
            raise Problem(f"{option} {path} is a folder: name the file in it")
        try:
            with path.open("rb"):
                pass
        except FileNotFoundError as error:
            raise Problem(f"{option} {path}: no such file") from error
        except (OSError, ValueError) as error:
            raise Problem(f"{option} {path}: {getattr(error, 'strerror', None) or error}") from error


def configuration_files(paths: Iterable[Path]) -> None:
    """Look at files of properties: each is XML as Hadoop reads it. Raises Problem with the line."""
    for path in paths:
        plain_files("--conf-file", (path,))
        # The same as Hadoop's reader takes; entities are left alone, as what they stand for is Hadoop's to say.
        parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
        try:
            root = etree.fromstring(path.read_bytes(), parser)
        except etree.XMLSyntaxError as error:
            raise Problem(
                f"--conf-file {path}:{error.lineno or 1}: not well-formed XML: {error.msg}: mend it, or leave it out"
            ) from error
        except (OSError, ValueError) as error:
            raise Problem(f"--conf-file {path}: {error}") from error
        if etree.QName(root).localname != "configuration":
            raise Problem(
                f"--conf-file {path}:{root.sourceline}: the root element is <{etree.QName(root).localname}>, not "
                "<configuration>: write it as Hadoop's core-site.xml is written"
            )


def archives(option: str, patterns: Iterable[str]) -> tuple[Path, ...]:
    """The jars, or other zip files, that patterns name, in their order.

    Raises Problem for a pattern that names none, and for what is none.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        matched = _matched(option, pattern)
        if not matched:
            raise Problem(f"{option} {pattern!r}: no such file: build it first, or mend the pattern")
        found.update(dict.fromkeys(one.absolute() for one in matched))
    for path in found:
        if path.is_dir():
            raise Problem(f"{option} {path} is a folder: name the jars in it, as {path / '*.jar'}")
        plain_files(option, (path,))
        if not _is_archive(path):
            raise Problem(f"{option} {path} is no jar: no zip archive, or a broken one: build or fetch it anew")
    return tuple(found)


def _matched(option: str, pattern: str) -> list[Path]:
    try:
        path = Path(pattern).expanduser()
        if not pattern or path.exists():
            return [path] if pattern else []
        anchor = Path(path.anchor) if path.is_absolute() else Path()
        return sorted(anchor.glob(str(path.relative_to(path.anchor))))
    except (ValueError, RuntimeError, OSError) as error:
        raise Problem(f"{option} {pattern!r} is no pattern of paths: {error}") from error


def _is_archive(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path):
            return True
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeError):
        return False


def store_uri(uri: str, option: str = "--uri") -> str:
    """The URI of a store's directory, if it can be one. Raises Problem."""
    scheme, colon, rest = uri.partition(":")
    mend = "write it as SCHEME://AUTHORITY/DIRECTORY, such as s3a://bucket/sandbox or file:///tmp/sandbox"
    if not colon or not _SCHEME.fullmatch(scheme):
        raise Problem(f"{option} has no scheme: {mend}")
    if not rest.startswith("/"):
        raise Problem(f"{option} {scheme}:...: after the scheme comes a path that begins with a slash: {mend}")
    if not uri.isprintable():
        raise Problem(f"{option} {scheme}:...: there is a control character in it: {mend}")
    authority = rest[2:].partition("/")[0] if rest.startswith("//") else ""
    if any(one.isspace() or one in '<>"{}|\\^`' for one in authority):
        raise Problem(f"{option} {scheme}:...: its authority has a character that none can have: {mend}")
    try:
        port = re.search(r":(\d+)$", urlsplit(uri).netloc)
    except ValueError as error:
        raise Problem(f"{option} {scheme}:...: {error}: {mend}") from error
    if port and int(port[1]) > 65_535:
        raise Problem(f"{option} {scheme}:...: {port[1]} is no port: {mend}")
    return uri


def place(option: str, text: str) -> str:
    """A folder of this machine, or the URI of one elsewhere, in which a campaign stands. Raises Problem."""
    if not text:
        raise Problem(f"{option} is empty: name a folder, or a URI that all executors reach")
    if "\0" in text:
        raise Problem(f"{option}: no path has a character NUL in it")
    scheme, colon, _ = text.partition(":")
    if not (colon and _SCHEME.fullmatch(scheme)) and not text.startswith("//"):
        return text
    if scheme != "file" and "://" not in text:
        raise Problem(f"{option}: write it as a path, or as a URI such as hdfs://host:8020/campaigns/1")
    store_uri(text, option)
    if scheme != "file" and any(map(str.isspace, text)):
        raise Problem(f"{option} {scheme}:...: there is a space in it: name a folder without one")
    return text


def heap(xmx: str) -> str:
    """The size of a JVM's heap, if one can have it. Raises Problem."""
    found = re.fullmatch(r"([1-9][0-9]{0,15})([kKmMgG]?)", xmx)
    if found is None:
        raise Problem(f"--xmx {xmx!r}: write a number and k, m or g, such as 512m")
    size = int(found[1]) << _UNITS[found[2].lower()]
    if size < LEAST_HEAP:
        raise Problem(
            f"--xmx {xmx}: a worker needs {LEAST_HEAP >> 20}m at least: write a number and k, m or g, such as 512m"
        )
    if size > MOST_HEAP:
        raise Problem(f"--xmx {xmx}: no machine has that much: write a number and k, m or g, such as 512m")
    return xmx


def hadoop_profile(profile: str) -> str:
    """A Hadoop version that there are jars of, or the empty text. Raises Problem."""
    return known("Hadoop profile", profile, known_versions()) if profile else profile


def java() -> Java:
    """The Java that there is. Raises Problem."""
    try:
        return find_java()
    except NoJava as error:
        raise Problem(str(error)) from error
