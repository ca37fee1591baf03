"""What applications need of a store, as data: one TOML file an application, whose id is the name of the file.

Each need names clauses of the catalogue and contract options with the values that they must have, and the place in the
application's own source or documents that says so. A *way* is another setting of the application by which it does
without the need. Nothing here knows a store: ``fitting.py`` holds needs against what runs showed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec

FOLDER = Path(__file__).resolve().parent
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ProfileError(ValueError):
    """A file that is no profile; the text names it and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place in the source or the documents of an application: ``place`` is a method, a class or a section."""

    repository: str
    """``owner/name`` on GitHub."""
    commit: str
    file: str
    place: str

    @property
    def link(self) -> str:
        """The file at that commit."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.file}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmless:
    """Divergences that break a clause of a need and do not concern the application: ``signature`` has stars."""

    signature: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How an application is set so that it does without a need of its store: ``says`` names the setting.

    ``filesystem`` is the class of Hadoop that it is for, empty for any. ``clauses`` and ``options`` must hold all the
    same; ``on`` names the store of the atlas on which they were judged, where that is another one.
    """

    id: str
    says: str
    source: tuple[Source, ...]
    clauses: tuple[str, ...] = ()
    options: dict[str, bool] = field(default_factory=dict)
    filesystem: str = ""
    on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What an application needs of a store: all ``clauses`` hold, all ``options`` have these values.

    ``says`` is the need in one sentence, ``harm`` what happens without it. Without a ``must`` the application loses or
    corrupts data or does not work; without a ``should`` it is slower, falls back, or loses data only where machines of
    the store lose their power. ``filesystem`` are the classes of Hadoop that the application asks for by name; ``see``
    are clauses whose divergences explain why the need is not met, and do not decide it.
    """

    id: str
    level: Literal["must", "should"]
    says: str
    harm: str
    source: tuple[Source, ...]
    clauses: tuple[str, ...] = ()
    options: dict[str, bool] = field(default_factory=dict)
    filesystem: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    way: tuple[Way, ...] = ()
    harmless: tuple[Harmless, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one application needs."""

    title: str
    about: str
    need: tuple[Need, ...]
    id: str = ""

    @property
    def ways(self) -> tuple[Way, ...]:
        """All ways of all needs; one that serves several needs stands once."""
        return tuple({way.id: way for need in self.need for way in need.way}.values())


def loads(text: str, name: str) -> Profile:
    """A profile from TOML. Raises ProfileError: it is not TOML, or no profile."""
    try:
        table = tomllib.loads(text)
        profile = msgspec.convert(table, Profile)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ProfileError(f"{name}: {error}") from error
    wrong = [*_unknown(table, msgspec.to_builtins(profile), ""), *_wrong(profile)]
    if "id" in table:
        wrong.append("id is the name of the file")
    if wrong:
        raise ProfileError(f"{name}: {'; '.join(wrong)}")
    return replace(profile, id=name)


def _unknown(given: Any, read: Any, place: str) -> list[str]:
    """The fields that no profile has."""
    if isinstance(given, dict) and isinstance(read, dict):
        found = [f"no field {place}{name}" for name in given if name not in read]
        return found + [
            line for name in given if name in read for line in _unknown(given[name], read[name], f"{place}{name}.")
        ]
    if isinstance(given, list) and isinstance(read, list | tuple):
        return [line for pair in zip(given, read, strict=True) for line in _unknown(*pair, place)]
    return []


def _wrong(profile: Profile) -> list[str]:
    """What the types do not say: names, sources, and that each need can be judged."""
    found = [] if profile.need else ["it has no need"]
    names = [need.id for need in profile.need]
    found += [f"two needs are called {name}" for name in sorted({name for name in names if names.count(name) > 1})]
    for need in profile.need:
        if not need.clauses and not need.options and not need.filesystem:
            found.append(f"{need.id} names no clause, no option and no filesystem")
        parts: tuple[Need | Way, ...] = (need, *need.way)
        for part in parts:
            if not _NAME.fullmatch(part.id):
                found.append(f"{part.id!r} is no name: lower-case words with hyphens")
            if not part.source:
                found.append(f"{part.id} has no source")
            found += [
                f"{part.id}: {source.repository}@{source.commit} is no owner/name with a commit of 40 digits"
                for source in part.source
                if not _REPOSITORY.fullmatch(source.repository) or not _COMMIT.fullmatch(source.commit)
            ]
    return found


def read(path: Path) -> Profile:
    """One profile. Raises ProfileError for a file that is none."""
    try:
        return loads(path.read_text("utf-8"), path.stem)
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.stem}: {error}") from error


@cache
def every() -> Mapping[str, Profile]:
    """All profiles by id."""
    return MappingProxyType({path.stem: read(path) for path in sorted(FOLDER.glob("*.toml"))})
