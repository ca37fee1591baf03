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


_SPACED = (r"\sip=(\S*)\s+cmd=", r"\ssrc=", r"\sdst=", r"\sperm=")
"""What divides the fields where spaces stand for tabs. Each is looked for once: a value may hold what looks like it."""
_DIVIDERS = tuple(map(re.compile, _SPACED))
_HEAD = re.compile(r"allowed=(true|false)\s+ugi=")
_FIELD = re.compile(r"(?:^|(?<=\s))(ugi|ip|cmd|src|dst|perm|proto|callerContext)=")
_TELLING = frozenset(("ugi", "cmd", "callerContext"))
"""Fields that lines of other loggers do not have."""
_LOGGER = "FSNamesystem.audit"
MOST_CHARACTERS = 1 << 20
"""Of a line. A path has 8,000 at most, and six for each in its escape."""
MOST_LEVELS = 1_000
"""Of a path: the NameNode refuses deeper ones."""
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
    """The entry of a line; None for one that is of another logger. Raises LineError for a damaged one.

    A line that has any field of an audit log, and not all of them, was cut off, begun in the middle or written over:
    what it told is not known. So it is where a field comes twice, as the next line was joined to it, and where there
    are NULs, as of a block of the disk that was lost.
    """
    if "\0" in text:
        raise LineError(f"line {number}: there are NULs in this line")
    start = text.find("allowed=")
    if start < 0:
        if _is_part(text):
            raise LineError(f"line {number}: this line of the audit log is not whole")
        return None
    if text[start - 1 : start].isalnum() or text.count(_LOGGER, 0, start) > 1:
        raise LineError(f"line {number}: what stands before this entry is the rest of another one")
    line = text[start:].rstrip("\r\n")
    if len(line) > MOST_CHARACTERS:
        raise LineError(f"line {number}: this line has more than {MOST_CHARACTERS:,} characters")
    parts = line.split("\t")
    fields = _tabbed(parts) if len(parts) > 1 else _spaced(line)
    if fields is None:
        raise LineError(f"line {number}: this line of the audit log is not whole")
    allowed, ugi, ip, command, source, target = fields
    if allowed not in ("true", "false"):
        raise LineError(f"line {number}: allowed is {allowed[:20]!r}, neither true nor false")
    options = None
    if _OPTIONS in command and command.endswith("])"):
        command, _, listed = command.partition(_OPTIONS)
        options = frozenset(listed[:-2].split(", "))
    if not command.strip():
        raise LineError(f"line {number}: this entry names no command")
    port = _PORT.search(line)
    sources = _sources(command, source, target)
    to = names(unescaped(target)) if target.startswith("/") else None
    if any(len(path) > MOST_LEVELS for path in (*sources, to or ())):
        raise LineError(f"line {number}: a path has more than {MOST_LEVELS:,} levels, which no NameNode has")
    return Entry(
        number,
        allowed == "true",
        command,
        options,
        sources,
        to,
        f"{ugi} {ip} {port[1] if port else ''}",
    )


def _is_part(text: str) -> bool:
    """Whether a line without the first field is what is left of one that had it."""
    if _LOGGER in text or "clientPort:" in text:
        return True
    found = set(_FIELD.findall(text[:MOST_CHARACTERS]))
    return len(found) > 1 or not found.isdisjoint(_TELLING)


def _tabbed(parts: list[str]) -> tuple[str, ...] | None:
    """The fields of a line with tabs between them; None for one that lacks some, or has some twice."""
    first, more = parts[1:7], parts[7:]
    whole = len(first) == len(_ORDER) and all(map(str.startswith, first, _ORDER))
    if not whole or any(part.startswith(_ORDER) for part in more):
        return None
    return tuple(part[part.index("=") + 1 :] for part in parts[:6])


def _spaced(line: str) -> tuple[str, ...] | None:
    """The fields of a line in which spaces stand for tabs; None for one that lacks some, or begins twice."""
    head = _HEAD.match(line)
    if head is None or _HEAD.search(line, head.end()):
        return None
    values, at = [head[1]], head.end()
    for divider in _DIVIDERS:
        found = divider.search(line, at)
        if found is None:
            return None
        values.append(line[at : found.start()].rstrip())
        values.extend(found.groups())
        at = found.end()
    return tuple(values)


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
