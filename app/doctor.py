"""``fsconform doctor``: what is installed, in which versions, and what is missing."""

from __future__ import annotations

import shutil

import click

from fsconform.adapters.golang import GoError, built_path, find_go
from fsconform.adapters.jars import JarError, cache_folder, known_versions, load_profile
from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.services.containers import NoEngine, engine
from fsconform.adapters.services.minio import MINIO
from fsconform.adapters.stores.contracts import shipped
from fsconform.adapters.stores.preset import lacks as lacks_of
from fsconform.harness.console import plain
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import INCONCLUSIVE, OK, USAGE
from fsconform.harness.versions import versions
from fsconform.suites.registry import SUITES


@click.command("doctor")
def doctor() -> None:
    """Say what is installed, which versions, and what is missing. Exit codes: 0, 2 no Java, 3 something else."""
    missing, usable = 0, True
    for name, version in versions().items():
        plain.print(f"{name:12} {version}", markup=False)
    try:
        java = find_java()
        plain.print(f"{'java':12} {java.version} at {java.home}", markup=False)
    except NoJava as error:
        missing, usable = missing + 1, False
        plain.print(f"{'java':12} MISSING: {error}", markup=False)
    try:
        for version in known_versions():
            profile = load_profile(version)
            folder = cache_folder(profile)
            held = sum(1 for one in profile.members(profile.groups) if (folder / one.file).is_file())
            total = len(profile.members(profile.groups))
            note = "" if held == total else ": fsconform jars fetches the rest"
            plain.print(f"{'hadoop':12} {version}: {held} of {total} jars in {folder}{note}", markup=False)
    except JarError as error:
        missing += 1
        plain.print(f"{'hadoop':12} MISSING: {error}", markup=False)
    try:
        go = find_go(MINIO.minimum)
        plain.print(f"{'go':12} {'.'.join(map(str, go.version))}: {go.source}", markup=False)
    except GoError as error:
        plain.print(f"{'go':12} MISSING: {error}", markup=False)
    state = "built" if built_path(MINIO).is_file() else "not built yet: fsconform jars builds it"
    plain.print(f"{'minio':12} {MINIO.version}: {state}", markup=False)
    try:
        plain.print(f"{'containers':12} Docker {engine().version()['Version']}", markup=False)
    except NoEngine as error:
        plain.print(f"{'containers':12} optional, not here: {error}", markup=False)
    for tool, use in (("mvn", "another way to fetch jars"), ("javac", "tests of stores in jars of their own")):
        plain.print(f"{tool:12} {shutil.which(tool) or f'not found (optional: {use})'}", markup=False)
    for preset in PRESETS.values():
        lacks = lacks_of(preset)
        missing += bool(lacks and preset.default)
        plain.print(f"store {preset.name:10} {'; '.join(lacks) if lacks else 'ready'}", markup=False)
    plain.print(f"contracts    {', '.join(shipped())}", markup=False)
    plain.print(f"suites       {', '.join(SUITES)}", markup=False)
    raise SystemExit(USAGE if not usable else INCONCLUSIVE if missing else OK)
