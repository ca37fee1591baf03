"""The releases of S3A that the commands on markers can use as clients, and their jars."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from fsconform.adapters.jars import JarError, Progress, known_versions, load_profile, parse_profile, resolve


def known_releases() -> tuple[str, ...]:
    """The releases there are profiles for: whole ones, and those of S3A alone. Oldest first."""
    names = (entry.name for entry in files("fsconform.adapters").joinpath("profiles").iterdir())
    alone = {found[1] for name in names if (found := re.fullmatch(r"s3a-(.+)\.toml", name))}
    return tuple(sorted(alone | set(known_versions()), key=lambda one: [int(part) for part in re.findall(r"\d+", one)]))


def jars_of(release: str, progress: Progress) -> list[Path]:
    """The jars of a release's S3A client, fetched first if need be. Raises JarError.

    A profile of S3A alone comes first: it has what Hadoop's own commands need beside the client.
    """
    entry = files("fsconform.adapters").joinpath("profiles", f"s3a-{release}.toml")
    if entry.is_file():
        return resolve(parse_profile(entry.read_text("utf-8"), f"s3a-{release}"), ("s3a",), progress)
    if release not in known_versions():
        raise JarError(f"There is no profile for {release!r}; there are profiles for {', '.join(known_releases())}.")
    return resolve(load_profile(release), ("s3a",), progress)
