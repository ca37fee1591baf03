"""The lines of an HDFS audit log.

Source: Hadoop 3.5.0, FSNamesystem.FSNamesystemAuditLogger: fields of the form ``name=value`` with tabs between them, of
which ``src`` and ``dst`` are escaped as Java's string literals are. What stands before ``allowed=`` is the layout of
whoever configured the logging and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Names = tuple[str, ...]
"""A path as the names from the root down; the root is the empty tuple."""


class LineError(ValueError):
    """A line of the audit log that can't be read: cut off, or written over."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a call that the NameNode says it allowed or refused.

    ``number`` counts from 1 over the whole log. ``options`` are those of a rename that has any, else None. ``sources``
    are the paths that the line gives for ``src`` (several for concat), ``target`` the one for ``dst``; None where it
    gives no path. ``caller`` is who called: user, address and, where the log tells it, the client's port.
    """

    number: int
    allowed: bool
    command: str
    options: frozenset[str] | None
    sources: tuple[Names, ...]
    target: Names | None
    caller: str

    @property
    def paths(self) -> tuple[Names, ...]:
        """All paths of the line."""
        return self.sources if self.target is None else (*self.sources, self.target)


_FIELDS = re.compile(
    r"allowed=(?P<allowed>true|false)\s+ugi=(?P<ugi>.*?)\s+ip=(?P<ip>\S*)\s+cmd=(?P<cmd>.*?)\s+src=(?P<src>.*?)"
    r"\s+dst=(?P<dst>.*?)\s+perm=(?P<rest>.*)$"
)
_AUDIT = re.compile(r"\ballowed=")
_PORT = re.compile(r"clientPort:(\d+)")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_OPTIONS = " (options=["
_ORDER = ("ugi=", "ip=", "cmd=", "src=", "dst=", "perm=")


def unescaped(text: str) -> str:
    """A path as it was before the log escaped it; what is no escape stays as it is."""
    if "\\" not in text:
        return text
    units = _ESCAPE.sub(_unescape, text)
    # Two units of UTF-16 make one character; one that stands alone stays alone.
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unescape(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _PLAIN.get(match[2], match[2])


def names(path: str) -> Names:
    """The names of an absolute path; empty names are left out, as the NameNode does."""
    return tuple(name for name in path.split("/") if name)


def parse(number: int, text: str) -> Entry | None:
    """The entry of a line; None for one that is of another logger. Raises LineError for a damaged one."""
    start = text.find("allowed=")
    if start < 0:
        return None
    line = text[start:].rstrip("\r\n")
    parts = line.split("\t")
    if len(parts) >= 7 and all(part.startswith(name) for part, name in zip(parts[1:7], _ORDER, strict=True)):
        allowed, ugi, ip, command, source, target = (part[part.index("=") + 1 :] for part in parts[:6])
        rest = line
    elif (match := _FIELDS.match(line)) is not None:
        allowed, ugi, ip, command, source, target, rest = match.group(
            "allowed", "ugi", "ip", "cmd", "src", "dst", "rest"
        )
    elif "cmd=" in line or "ugi=" in line:
        raise LineError(f"line {number}: this line of the audit log is not whole")
    else:
        return None
    if allowed not in ("true", "false"):
        raise LineError(f"line {number}: allowed is {allowed!r}, neither true nor false")
    options = None
    if _OPTIONS in command and command.endswith("])"):
        command, _, listed = command.partition(_OPTIONS)
        options = frozenset(listed[:-2].split(", "))
    port = _PORT.search(rest)
    return Entry(
        number,
        allowed == "true",
        command,
        options,
        _sources(command, source, target),
        names(unescaped(target)) if target.startswith("/") else None,
        f"{ugi} {ip} {port[1] if port else ''}",
    )


def _sources(command: str, source: str, target: str) -> tuple[Names, ...]:
    if command == "concat" and source.startswith("[") and source.endswith("]"):
        return _listed(unescaped(source[1:-1]), names(unescaped(target))[:-1])
    return (names(unescaped(source)),) if source.startswith("/") else ()


def _listed(text: str, parent: Names) -> tuple[Names, ...]:
    """The sources of a concat, which stand in one directory: a name may hold what divides them."""
    found: list[str] = []
    for piece in text.split(", /"):
        path = piece if not found else "/" + piece
        if found and names(path)[:-1] != parent and names(f"{found[-1]}, {path}")[:-1] == parent:
            found[-1] += ", " + path
        else:
            found.append(path)
    return tuple(names(path) for path in found)


def entries(texts: Iterable[str], damaged: list[int], other: list[int]) -> Iterator[Entry]:
    """The entries of a log as they come; numbers of damaged lines, and how many are of other loggers, are noted.

    A damaged line is given as an entry with the command ``""``: what it did is not known. ``other`` has one number.
    """
    for number, text in enumerate(texts, 1):
        try:
            entry = parse(number, text)
        except LineError:
            damaged.append(number)
            yield Entry(number, True, "", None, (), None, "")
            continue
        if entry is None:
            other[0] += 1
        else:
            yield entry
