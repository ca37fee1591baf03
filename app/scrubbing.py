"""Secrets: which they are, and how they are kept out of everything that a run writes.

Known are the values of properties whose names tell that they are secrets (of ``--conf``, of configuration files and of
the environment), and passwords in URIs. A store may repeat them in the messages of its errors and in its logs. What
only the client resolves, as from a credential provider, this process never sees.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from defusedxml import DefusedXmlException, ElementTree

T = TypeVar("T")

SECRET = re.compile(
    r"secret|passw(or)?d|passphrase|token|credential|signature|(^|[._-])(key|pass|sas)([._-]|$)|key$", re.IGNORECASE
)
"""Names of properties whose values are not written down."""
HIDDEN = "(redacted)"

_SHORTEST, _SHORTEST_IN_ENVIRONMENT = 4, 8
"""Shorter values are words of every text: hiding them would tell more than it hides."""
_CLASS = r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+\.[A-Z][\w$]*"
_HARMLESS = re.compile(rf"(?i:true|false)|[0-9.]+[a-zA-Z]?|{_CLASS}(\s*,\s*{_CLASS})*|[a-z][a-z0-9+.-]*:/.*")
"""Truth values, numbers, names of classes, URIs: what properties of such names hold beside secrets."""
_USER = re.compile(r"(?<=://)([^/?#@\s:]*):([^/?#@\s]+)@")
_PARAMETER = re.compile(r"([?&](?:sig|signature|token|secret|password|key)=)[^&#\s]+", re.IGNORECASE)
_ARGUMENT = re.compile(r"(--(?:fs-)?(?:conf|out-conf|spark-conf)=)?([^=\s]+)=(.*)", re.DOTALL)


def redacted(configuration: Mapping[str, str]) -> dict[str, str]:
    """The configuration with the values of secrets taken out."""
    return {name: HIDDEN if SECRET.search(name) else uri(value) for name, value in sorted(configuration.items())}


def uri(text: str) -> str:
    """A URI, or a text with some, without passwords and signatures."""
    return _PARAMETER.sub(rf"\1{HIDDEN}", _USER.sub(rf"\1:{HIDDEN}@", text))


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
) -> tuple[str, ...]:
    """The values that must not be written down, the longest first. A file that can't be read has none."""
    found = {value for name, value in configuration.items() if _is_secret(name, value, _SHORTEST)}
    for file in files:
        found |= {value for name, value in _properties(file) if _is_secret(name, value, _SHORTEST)}
    for name, value in environment.items():
        if _is_secret(name, value, _SHORTEST_IN_ENVIRONMENT) and not name.startswith("FSCONFORM_"):
            found.add(value)
    for one in uris:
        if password := urlsplit(one).password:
            found |= {password, unquote(password)}
    forms = found | {quote(value, safe="") for value in found}
    return tuple(sorted(forms, key=lambda value: (-len(value), value)))


def hidden(value: T, secrets: Iterable[str]) -> T:
    """The same records with secrets taken out of every text. Programs are ours and stay as they are."""
    pattern = _pattern(secrets)
    return value if pattern is None else _hidden(value, pattern)


def hide_in_files(folder: Path, secrets: Iterable[str]) -> None:
    """Take secrets out of the files of a folder and of those below. Raises OSError."""
    wanted = [secret.encode("utf-8", "surrogateescape") for secret in secrets]
    for file in sorted(folder.rglob("*")) if wanted else ():
        if file.is_symlink() or not file.is_file():
            continue
        before = data = file.read_bytes()
        for secret in wanted:
            data = data.replace(secret, HIDDEN.encode())
        if data != before:
            file.write_bytes(data)


def _hidden(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(HIDDEN, value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _hidden(getattr(value, field.name), pattern)
            for field in dataclasses.fields(value)
            if field.name not in ("program", "operation", "clauses")
        }
        return dataclasses.replace(value, **changed)
    if isinstance(value, dict):
        return {key: _hidden(part, pattern) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_hidden(part, pattern) for part in value)
    return value


def _pattern(secrets: Iterable[str]) -> re.Pattern[str] | None:
    parts = [re.escape(secret) for secret in secrets]
    return re.compile("|".join(parts)) if parts else None


def _is_secret(name: str, value: str, shortest: int) -> bool:
    if not SECRET.search(name) or len(value) < shortest or _HARMLESS.fullmatch(value):
        return False
    try:
        return not Path(value).exists()
    except (OSError, ValueError):
        return True


def _properties(file: Path) -> Iterable[tuple[str, str]]:
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError, DefusedXmlException):
        return  # the client says what is wrong with it
    for one in root.iter("property") if root is not None else ():
        yield (one.findtext("name") or "").strip(), (one.findtext("value") or "").strip()
