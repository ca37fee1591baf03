"""What must not be written down, as far as this process knows it, and how texts, records and streams lose it.

There is one register a process, ``KNOWN``. Options, files, the environment and the workers' JVMs fill it; everything
that leaves the process asks it. A value is found in the forms in which errors and files repeat it: as it is, quoted for
URIs, XML, HTML, JSON and source code (``secret_forms``), in Base64, and each line of one that has several.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import os
import re
import shlex
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import unquote

from fsconform.engine.secret_forms import Needle, Text, in_bytes, in_texts

T = TypeVar("T")

HIDDEN = "(redacted)"
SHORTEST, SHORTEST_IN_ENVIRONMENT = 4, 8
"""Shorter values are words of every text: hiding them would tell more than it hides."""

_SHORTEST_LINE = 8
_READ = 1 << 16
_LONGEST_LINE = 1 << 20
"""Bytes of a line that is not ended which are held back, in case that a secret begins in it."""

SECRET = re.compile(
    r"secret|passw(or)?d|passwd|pwd|passphrase|token|credential|signature|jwt|bearer|cookie|authorization"
    r"|connection[._-]?string|private[._-]?key|api[._-]?key|auth[._-]?config"
    r"|(^|[._-])(key|pass|sas)([._-]|$)|key$",
    re.IGNORECASE,
)
"""Names of properties whose values are not written down."""

_COUNTED = re.compile(
    r"(interval|lifetime|length|bits|size|time-?out|expiry|expiration|duration|ttl|retries|attempts|count|port|seconds"
    r"|secs|ms|millis|period|threads|max|min|limit|number|version|enabled?)$",
    re.IGNORECASE,
)
"""Names of what is a number beside secrets, such as a token's renewal interval: a number there is not hidden."""
_NAMED = re.compile(
    r"(provider|providers|path|paths|file|files|dir|folder|location|store|keystore|truststore|keytab|home|sock|class"
    r"|impl|type|algorithm|cipher|format|factory|mapping|mechanism|credentials|uri|url|endpoint|issuer|host|service"
    r"|name|regex)$",
    re.IGNORECASE,
)
"""Names of where secrets lie or how they are had: a class, a path or a URI without a password there is not hidden."""
_NUMBER = re.compile(r"[0-9.]+[a-zA-Z]{0,2}")
_CLASS = r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+\.[A-Z][\w$]*"
_PLACE = re.compile(rf"{_CLASS}(\s*,\s*{_CLASS})*|[a-z][a-z0-9+.-]*:/.*|[./~].*", re.DOTALL)
_TRUTH = re.compile(r"(?i:true|false|none|null|simple|kerberos|\*|yes|no)")
_NO_SECRETS = frozenset(("PWD", "OLDPWD", "FSCONFORM_HADOOP", "FSCONFORM_VIA"))
"""Variables that have the names of secrets and are none."""

_USER = re.compile(r"://([^/?#@\s:]*):([^/?#\s]*)@")
_ODD_USER = re.compile(r"://([^/?#@\s:]*):(?![0-9]*[/?#])((?:(?!://)\S)+)@")
"""A password with an unquoted sign that ends the authority: no URI, and yet what somebody typed."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
"""A SHA-256, in which digits stand by chance."""
_PROPERTY_OPTION = re.compile(r"conf$|^-D$")
"""Options that take a property."""
_PARAMETER = re.compile(r"([?&;#])([^=?&;#\s/]{1,200})=([^&#\s]+)")
"""A parameter of a query, a fragment or a path."""
_SIGNATURE = re.compile(r"(^|[._-])sig([._-]|$)", re.IGNORECASE)
"""What a parameter of a URI may be called too."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_WRONG_SIGN = re.compile(r"([^:;,|\s]*)[:;,|\s](?!//)")
"""A name and what no name of a secret has in it, but somebody types who means an equals sign."""
_AROUND = " \t\r\n'\"="
"""What may stand around a value that is mistyped, and be left away by who repeats it."""
_OPTION = re.compile(r"(^|\s)['\"]?(-D|--)")
"""An option of a JVM, or of a command, among others in one text."""


def is_secret(name: str, value: str, shortest: int = SHORTEST) -> bool:
    """Whether the value of a property of this name must not be written down."""
    if not SECRET.search(name) or len(value) < shortest or _TRUTH.fullmatch(value.strip()):
        return False
    if _COUNTED.search(name) and _NUMBER.fullmatch(value.strip()):
        return False
    return not (_NAMED.search(name) and _PLACE.fullmatch(value.strip()))


def in_uri(text: str) -> set[str]:
    """The passwords and signatures in the URIs of a text, as they stand there and decoded."""
    found = {password for _, password in _USER.findall(text)} | {password for _, password in _ODD_USER.findall(text)}
    for _, name, value in _PARAMETER.findall(text):
        if _is_secret_parameter(name, value):
            found |= {value, value.partition(";")[0]}
    return {form for one in found if one for form in (one, unquote(one))}


def without_secrets_of_uris(text: str) -> str:
    """A text with a mark in the place of passwords and signatures in its URIs, whether or not they are known."""

    def hidden(parameter: re.Match[str]) -> str:
        sign, name, value = parameter.groups()
        return f"{sign}{name}={HIDDEN if _is_secret_parameter(name, value) else value}"

    return _PARAMETER.sub(hidden, _USER.sub(rf"://\1:{HIDDEN}@", text))


def _is_secret_parameter(name: str, value: str) -> bool:
    name = unquote(name)
    return is_secret(name, value, 1) or (_SIGNATURE.search(name) is not None and not _TRUTH.fullmatch(value))


def misspelt(name: str) -> bool:
    """Whether what stands as a property's name holds a secret's name and, behind a wrong sign, perhaps the secret."""
    found = _WRONG_SIGN.match(name)
    return found is not None and SECRET.search(found[1]) is not None


def of_properties(properties: Iterable[tuple[str, str]], shortest: int = SHORTEST) -> set[str]:
    """The secrets among properties: the values of those of such names, passwords in URIs, and options in values."""
    found: set[str] = set()
    for name, value in properties:
        if is_secret(name.removeprefix("-D"), value, shortest):
            found.add(value)
        if _URI.search(value):
            found |= {one for one in in_uri(value) if len(one) >= shortest}
        if _OPTION.search(value):
            found |= _in_options(value)
    return found


def of_environment(environment: Mapping[str, str]) -> set[str]:
    """The secrets among variables of the environment; they are longer than other secrets."""
    named = [(name, value) for name, value in environment.items() if name not in _NO_SECRETS]
    return of_properties(named, SHORTEST_IN_ENVIRONMENT)


def _in_options(text: str) -> set[str]:
    """The secrets in options of a JVM or a command, as ``JAVA_TOOL_OPTIONS`` has them, quoted in one way or another."""
    words = set(text.split())
    for escapes in ("", "\\"):  # a JVM knows quotes and no escapes
        splitter = shlex.shlex(text, posix=True, punctuation_chars=False)
        splitter.whitespace_split, splitter.commenters, splitter.escape = True, "", escapes
        with contextlib.suppress(ValueError):  # a quote without an end
            words |= set(splitter)
    found = set()
    for word in words:
        # -Dname=value, --name=value, or --conf=name=value
        name, _, value = word.removeprefix("-D").partition("=")
        inner, _, rest = value.partition("=")
        for key, told in ((name, value), (inner, rest)):
            found |= {one for one in (told, told.strip("'\"")) if is_secret(key, one)}
    return found


def of_arguments(arguments: Iterable[str]) -> set[str]:
    """The secrets on a command line, also of one that is mistyped, as ``--conf key:SECRET`` is."""
    found: set[str] = set()
    option = awaited = ""
    for argument in arguments:
        found |= of_properties([("", argument)])
        if awaited and not argument.startswith("-"):
            found |= _mistyped(awaited, argument)
        option, before, awaited = (argument if argument.startswith("-") else ""), option, ""
        rest = argument
        while rest:
            part, sign, after = rest.partition("=")
            if sign:
                found |= of_properties([(part, after)])
            if wrong := _WRONG_SIGN.match(part):
                found |= _mistyped(wrong[1], rest[wrong.end() :])
            elif not sign and _PROPERTY_OPTION.search(before) and SECRET.search(part):
                awaited = part
            rest = after
    return found


def _mistyped(name: str, value: str) -> set[str]:
    """What a secret may be that was given in a wrong way: all that stands there, its beginning, with padding or not."""
    ways = {value, value.partition("=")[0]}
    ways |= {one.strip(_AROUND) for one in ways} | {one.strip() for one in ways}
    return of_properties([(name, one) for one in ways])


def forms(value: str) -> set[str]:
    """A secret in the forms in which it is looked for, each however it is quoted. None is shorter than SHORTEST."""
    whole = {value, value.strip()}
    if len(value.strip().rstrip("=")) >= _SHORTEST_LINE:
        whole.add(value.strip().rstrip("="))  # the padding of Base64, which who repeats it may leave away
    if "\n" in value or "\r" in value:
        whole |= {line for line in map(str.strip, value.splitlines()) if len(line) >= _SHORTEST_LINE}
    found = set(whole)
    for one in whole:
        data = one.encode("utf-8", "surrogatepass")
        found |= {base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode().rstrip("=")}
    return {one for one in found if len(one.strip()) >= SHORTEST}


class Secrets:
    """A register of secrets. For use by several threads; what is learned holds for all texts that come after."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: frozenset[str] = frozenset()
        self._forms: frozenset[str] = frozenset()
        self._texts: tuple[Needle[str], ...] = ()
        self._bytes: tuple[Needle[bytes], ...] = ()

    def learn(self, values: Iterable[str]) -> None:
        """Add secrets, each in all its forms."""
        with self._lock:
            new = {one for one in values if len(one) >= SHORTEST} - self._values
            if not new:
                return
            self._values |= new
            looked_for = frozenset[str]().union(*map(forms, new)) - self._forms
            self._forms |= looked_for
            self._texts += tuple(one for form in sorted(looked_for) for one in in_texts(form))
            self._bytes += tuple(one for form in sorted(looked_for) for one in in_bytes(form))

    def forget(self) -> None:
        """Forget all, as where a process begins another command."""
        with self._lock:
            self._values, self._forms, self._texts, self._bytes = frozenset(), frozenset(), (), ()

    @property
    def values(self) -> tuple[str, ...]:
        """The secrets as they were learned, sorted. For handing on to another process of ours."""
        return tuple(sorted(self._values))

    def text(self, text: str) -> str:
        """A text without them."""
        return _without(text, self._texts, HIDDEN)

    def data(self, data: bytes) -> bytes:
        """Bytes without them, as UTF-8 has them."""
        return _without(data, self._bytes, HIDDEN.encode())

    def cut(self, data: bytes, kept: int) -> int:
        """Where data can be cut, so that at least ``kept`` bytes stay and no secret lies on both sides."""
        place = max(0, len(data) - kept)
        for start, end in _found(data, self._bytes):
            if start < place < end:
                place = start
        return place

    @property
    def longest(self) -> int:
        """Bytes of the longest form."""
        return max((one.longest for one in self._bytes), default=0)

    def records(self, value: T, kept: Iterable[str] = (), same: Iterable[str] = ()) -> T:
        """The same records with secrets taken out of every text.

        Left as they are: fields and keys named in ``kept``, texts that are one of ``same``, and digests.
        """
        return self._records(value, frozenset(kept), frozenset(same)) if self._texts else value

    def _records(self, value: Any, kept: frozenset[str], same: frozenset[str]) -> Any:
        if isinstance(value, str):
            ours = value in same or (_DIGEST.fullmatch(value) is not None and value not in self._forms)
            return value if ours else self.text(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changed = {
                field.name: self._records(getattr(value, field.name), kept, same)
                for field in dataclasses.fields(value)
                if field.name not in kept
            }
            return dataclasses.replace(value, **changed)
        if isinstance(value, dict):
            return {
                self._records(key, kept, same): part if key in kept else self._records(part, kept, same)
                for key, part in value.items()
            }
        if isinstance(value, list | tuple | set | frozenset):
            return type(value)(self._records(part, kept, same) for part in value)
        return value


KNOWN = Secrets()
"""The register of this process."""


class Pump:
    """Copies what a process writes into a log, line by line and without secrets; the log is the owner's alone.

    What is told of secrets before a line is read holds for the line. Where the process that pumps is killed, what it
    had read last is lost, and what it wrote has none.
    """

    def __init__(self, log: Path, secrets: Secrets = KNOWN) -> None:
        """Open the log, to append to it. Raises OSError. ``end`` is where the process is to write to."""
        self._log, self._secrets = private(log), secrets
        reader, self.end = os.pipe()
        self._thread = threading.Thread(target=self._copy, args=(reader,), name="log", daemon=True)

    def started(self) -> None:
        """Begin, once the process has its end: ours is closed. May be called twice."""
        if self.end >= 0:
            os.close(self.end)
            self.end = -1
            self._thread.start()

    def settle(self, seconds: float) -> None:
        """Wait until all is written that was; for so many seconds at most, as a child of it may still hold the end."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _copy(self, reader: int) -> None:
        held = b""
        with os.fdopen(reader, "rb", buffering=0) as source, self._log as log:
            while piece := source.read(_READ):
                held = self._written(log, held + piece)
            self._write(log, held)

    def _written(self, log: BinaryIO, held: bytes) -> bytes:
        """Write what can be; what is held back."""
        end = held.rfind(b"\n") + 1
        if not end and len(held) > _LONGEST_LINE:
            end = self._secrets.cut(held, self._secrets.longest)
        self._write(log, held[:end])
        return held[end:]

    def _write(self, log: BinaryIO, data: bytes) -> None:
        if data:
            try:
                log.write(self._secrets.data(data))
                log.flush()
            except OSError:
                pass  # the disk is full: the process is read on, or it would stand still


def private(file: Path) -> BinaryIO:
    """A file to append to that only its owner may read. Raises OSError."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        os.fchmod(handle, 0o600)
    return os.fdopen(handle, "ab")


def _found(text: Text, needles: Iterable[Needle[Text]]) -> Iterator[tuple[int, int]]:
    """Where any of the needles stands, those that lie upon one another too."""
    for needle in needles:
        if needle.anchor in text:  # nearly never: what is left of the time is this
            yield from needle.found(text)


def _without(text: Text, needles: Iterable[Needle[Text]], instead: Text) -> Text:
    """The text with one mark in the place of each stretch of what is wanted; marks that are there stay."""
    places = sorted(_found(text, needles))
    if not places:
        return text
    marks = list(Needle(instead, (), ()).found(text))
    merged: list[list[int]] = []
    for start, end in places:
        if any(first <= start and end <= last for first, last in marks):
            continue
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    parts: list[Any] = []  # mypy can't tell that all are of one type
    done = 0
    for start, end in merged:
        parts += [text[done:start], instead]
        done = end
    return instead[:0].join([*parts, text[done:]])
