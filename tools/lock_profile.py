"""Writes the locked jar profile of a Hadoop version: fetches every artifact and records its checksum and size.

Run it as ``python tools/lock_profile.py 3.5.0``. The artifacts and groups are those of the table below; the checksums
are those of the files as the repository serves them now, so look at the difference before you commit it.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import jars, resolver

PROFILES = Path(__file__).resolve().parent.parent / "adapters" / "profiles"

CLIENT = ("client",)
MINICLUSTER = ("minicluster",)
BOTH = ("client", "minicluster")


@dataclass(frozen=True, slots=True)
class Wish:
    """An artifact to lock; an empty revision stands for Hadoop's own."""

    organisation: str
    name: str
    revision: str
    groups: tuple[str, ...]


WISHES = (
    Wish("org.apache.hadoop", "hadoop-client-api", "", BOTH),
    Wish("org.apache.hadoop", "hadoop-client-runtime", "", BOTH),
    Wish("org.apache.hadoop", "hadoop-client-minicluster", "", MINICLUSTER),
    Wish("commons-logging", "commons-logging", "1.3.0", BOTH),
    Wish("org.slf4j", "slf4j-api", "1.7.36", BOTH),
    Wish("org.slf4j", "slf4j-nop", "1.7.36", CLIENT),
    Wish("org.slf4j", "slf4j-reload4j", "1.7.36", MINICLUSTER),
    Wish("ch.qos.reload4j", "reload4j", "1.2.22", MINICLUSTER),
)
"""In class-path order. ``minicluster`` is complete in itself: the daemons log, the client does not."""

JAVA_MINIMUM = {"3.5": 17}
"""The oldest Java for a Hadoop line; 8 where the line is not named."""


def lock(hadoop: str) -> str:
    """The text of the profile. Raises ResolverError if an artifact cannot be had."""
    wanted = {resolver.Coordinates(wish.organisation, wish.name, wish.revision or hadoop): wish for wish in WISHES}
    line = ".".join(hadoop.split(".")[:2])
    parts = [
        "# Written by tools/lock_profile.py. The groups are alternatives: each is complete and has its slf4j binding.",
        f'hadoop = "{hadoop}"',
        f"java-minimum = {JAVA_MINIMUM.get(line, 8)}",
    ]
    with tempfile.TemporaryDirectory() as scratch:
        for coordinates, path in resolver.retrieve(wanted, Path(scratch)).items():
            parts.append(_entry(coordinates, path, wanted[coordinates].groups))
    return "\n".join(parts) + "\n"


def _entry(coordinates: resolver.Coordinates, path: Path, groups: tuple[str, ...]) -> str:
    values = {
        "organisation": coordinates.organisation,
        "name": coordinates.name,
        "revision": coordinates.revision,
        "file": coordinates.file,
        "sha256": jars.sha256_of(path),
    }
    lines = ["", "[[artifact]]", *(f'{key} = "{value}"' for key, value in values.items())]
    lines.append(f"size = {path.stat().st_size}")
    quoted = ", ".join(f'"{group}"' for group in groups)
    lines.append(f"groups = [{quoted}]")
    return "\n".join(lines)


def main() -> None:
    """Write, or with ``--check`` compare, the profile of the version named on the command line."""
    parser = argparse.ArgumentParser(description="Lock the jar profile of a Hadoop version.")
    parser.add_argument("hadoop", nargs="?", default=jars.DEFAULT, help="the Hadoop version")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the profile differs")
    options = parser.parse_args()
    target = PROFILES / f"hadoop-{options.hadoop}.toml"
    text = lock(options.hadoop)
    jars.parse_profile(text, target.stem)
    if not options.check:
        target.write_text(text, encoding="utf-8")
    elif not target.is_file() or target.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{target.name} differs from what the repository serves")


if __name__ == "__main__":
    main()
