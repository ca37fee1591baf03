"""The jars of a Hadoop version: a locked profile, resolved once into a cache, verified by SHA-256, shared by processes.

A profile is a TOML file that names every artifact with its checksum. The jars come from pyspark's own folder where
that has the very same file, else from a Maven repository: see ``resolver``.
Nothing is resolved transitively: what the profile locks is what is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from fsconform.adapters import resolver

DEFAULT = "3.5.0"
"""The Hadoop version used unless another is asked for."""

LOCK_SECONDS = 900.0
"""How long to wait for another process that is fetching the same profile."""

Progress = Callable[[str], None]
"""Is told, in a sentence, what takes time."""


class JarError(Exception):
    """Jars could not be had. The text says what is wrong and how to mend it."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One locked jar: Maven coordinates, file name, SHA-256 (hexadecimal), size in bytes, and groups."""

    organisation: str
    name: str
    revision: str
    file: str
    sha256: str
    size: int
    groups: tuple[str, ...]
    classifier: str = ""

    @property
    def coordinates(self) -> resolver.Coordinates:
        """What a resolver needs to know."""
        return resolver.Coordinates(self.organisation, self.name, self.revision, self.classifier)


@dataclass(frozen=True, slots=True)
class Profile:
    """The jars of one Hadoop version, in class-path order. ``java_minimum`` is the oldest Java release that runs it.

    The jars of a server that is none of Hadoop's are a profile too; ``hadoop`` is empty there.
    """

    name: str
    hadoop: str
    java_minimum: int
    artifacts: tuple[Artifact, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, sorted."""
        return tuple(sorted({group for artifact in self.artifacts for group in artifact.groups}))

    def members(self, groups: Sequence[str]) -> tuple[Artifact, ...]:
        """The artifacts of any of these groups, in class-path order. Raises JarError if there is no such group."""
        for group in groups:
            if group not in self.groups:
                raise JarError(f"Profile {self.name} has no group {group!r}; its groups are {', '.join(self.groups)}.")
        return tuple(artifact for artifact in self.artifacts if set(artifact.groups) & set(groups))


def known_versions() -> tuple[str, ...]:
    """The Hadoop versions there are profiles for, sorted."""
    names = (entry.name for entry in files("fsconform.adapters").joinpath("profiles").iterdir())
    return tuple(sorted(found[1] for name in names if (found := re.fullmatch(r"hadoop-(.+)\.toml", name))))


def load_profile(version: str = DEFAULT) -> Profile:
    """The profile of a Hadoop version. Raises JarError, with the versions there are, if there is none."""
    if version not in known_versions():
        known = ", ".join(known_versions())
        raise JarError(f"There is no profile for Hadoop {version!r}; there are profiles for {known}.")
    return bundled_profile(f"hadoop-{version}")


def bundled_profile(name: str) -> Profile:
    """The profile of a name, of Hadoop's jars or others. Raises JarError if it is malformed, OSError without one."""
    resource = files("fsconform.adapters").joinpath("profiles", f"{name}.toml")
    return parse_profile(resource.read_text(encoding="utf-8"), name)


def parse_profile(text: str, name: str) -> Profile:
    """The profile that a TOML text describes. Raises JarError, naming the profile, if the text is malformed."""
    try:
        table = tomllib.loads(text)
        artifacts = tuple(_artifact(entry) for entry in table["artifact"])
        return Profile(name, str(table["hadoop"]), int(table["java-minimum"]), artifacts)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise JarError(f"Profile {name} is malformed: {what}. Regenerate it with tools/lock_profile.py.") from error


def _artifact(entry: dict[str, object]) -> Artifact:
    """One artifact of a profile. A file name that could lead out of the cache is refused."""
    file, size, groups = str(entry["file"]), entry["size"], entry["groups"]
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*\.jar", file):
        raise ValueError(f"{file!r} is no file name of a jar")
    if not re.fullmatch(r"[0-9a-f]{64}", str(entry["sha256"])):
        raise ValueError(f"{file} has no SHA-256 of 64 hexadecimal digits")
    if not isinstance(size, int) or not isinstance(groups, list):
        raise TypeError(f"size or groups of {file}")
    return Artifact(
        organisation=str(entry["organisation"]),
        name=str(entry["name"]),
        revision=str(entry["revision"]),
        file=file,
        sha256=str(entry["sha256"]),
        size=size,
        groups=tuple(str(group) for group in groups),
        classifier=str(entry.get("classifier", "")),
    )


def cache_root() -> Path:
    """Where things are kept that need not be made twice: FSCONFORM_CACHE, else in the user's cache folder."""
    named = os.environ.get("FSCONFORM_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("fsconform")


def cache_folder(profile: Profile) -> Path:
    """Where the profile's jars are kept."""
    return cache_root() / "jars" / profile.name


def _silent(message: str) -> None:
    """Progress that nobody wants to hear of."""


def resolve(profile: Profile, groups: Sequence[str] = ("client",), progress: Progress = _silent) -> list[Path]:
    """Verified jars of these groups, in class-path order, fetched first where the cache lacks or has spoiled them.

    Safe in parallel processes. A jar is hashed once and then again only if its size or modification time changes.
    Raises JarError.
    """
    wanted = profile.members(groups)
    folder = cache_folder(profile)
    stamps = _Stamps(folder / "verified.json")
    if any(not stamps.good(folder / artifact.file, artifact) for artifact in wanted):
        _fill(folder, wanted, progress)
    return [folder / artifact.file for artifact in wanted]


def _fill(folder: Path, wanted: tuple[Artifact, ...], progress: Progress) -> None:
    """Bring every wanted jar into the folder, under the folder's lock."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=LOCK_SECONDS):
            stamps = _Stamps(folder / "verified.json")
            missing = [artifact for artifact in wanted if not stamps.sound(folder / artifact.file, artifact)]
            if missing:
                with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
                    _fetch(missing, Path(scratch), progress)
                    for artifact in missing:
                        Path(scratch, artifact.file).replace(folder / artifact.file)
            for artifact in wanted:
                stamps.record(folder / artifact.file, artifact)
            stamps.save()
    except Timeout as error:
        raise JarError(
            f"Another process has held the lock on {folder} for {LOCK_SECONDS:.0f} s. "
            f"If none is fetching jars, remove {folder}."
        ) from error
    except OSError as error:
        raise JarError(
            f"The jar cache {folder} cannot be used: {error}. Set FSCONFORM_CACHE to a folder that can be written."
        ) from error


def _fetch(missing: list[Artifact], scratch: Path, progress: Progress) -> None:
    """Put verified copies of the missing artifacts into ``scratch``."""
    remote = []
    bundled = resolver.pyspark_jars()
    for artifact in missing:
        own = bundled / artifact.file if bundled else None
        if own is not None and _matches(own, artifact):
            progress(f"Copying {artifact.file} from pyspark ({artifact.size / 1e6:.1f} MB).")
            shutil.copyfile(own, scratch / artifact.file)
        else:
            remote.append(artifact)
    if remote:
        progress(f"Downloading {len(remote)} jars ({sum(one.size for one in remote) / 1e6:.1f} MB).")
        try:
            retrieved = resolver.retrieve([artifact.coordinates for artifact in remote], scratch / "retrieved")
        except resolver.ResolverError as error:
            raise JarError(str(error)) from error
        for artifact in remote:
            retrieved[artifact.coordinates].replace(scratch / artifact.file)
    for artifact in missing:
        _demand(scratch / artifact.file, artifact)


def _demand(path: Path, artifact: Artifact) -> None:
    """Raise JarError unless the file at ``path`` is the locked one."""
    found = sha256_of(path)
    if found != artifact.sha256:
        raise JarError(
            f"{artifact.file} is not the locked one: its SHA-256 is {found}, the profile says {artifact.sha256}. "
            "It was not kept. Either the repository or mirror serves something else, or the profile is wrong "
            "(tools/lock_profile.py regenerates it)."
        )


def _matches(path: Path, artifact: Artifact) -> bool:
    """Whether the file is the locked one; cheap where the size tells already."""
    return path.is_file() and path.stat().st_size == artifact.size and sha256_of(path) == artifact.sha256


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class _Stamps:
    """What the cache knows of its jars: the checksum that was verified, and the size and time the file had then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            loaded = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            loaded = {}
        self._known: dict[str, object] = loaded if isinstance(loaded, dict) else {}

    def good(self, path: Path, artifact: Artifact) -> bool:
        """Whether the file was verified and is unchanged since, by size and modification time."""
        return path.is_file() and self._known.get(artifact.file) == self._stamp(path, artifact)

    def sound(self, path: Path, artifact: Artifact) -> bool:
        """Whether the file is the locked one, by its stamp or, where that is missing or stale, by its hash."""
        return self.good(path, artifact) or _matches(path, artifact)

    def record(self, path: Path, artifact: Artifact) -> None:
        """Remember the file, which has just been verified."""
        self._known[artifact.file] = self._stamp(path, artifact)

    def save(self) -> None:
        """Write the stamps so that a reader never sees half of them."""
        draft = self._path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(self._known, indent=1, sort_keys=True), encoding="utf-8")
        draft.replace(self._path)

    @staticmethod
    def _stamp(path: Path, artifact: Artifact) -> list[object]:
        status = path.stat()
        return [artifact.sha256, status.st_size, status.st_mtime_ns]


def class_path(jars: Iterable[Path]) -> str:
    """The jars as one class-path string."""
    return os.pathsep.join(str(jar) for jar in jars)
