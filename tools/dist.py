"""Builds the wheel and the sdist, the same bytes each time: run it as ``python tools/dist.py FOLDER``.

A commit that is tagged as a version, v1.2.3, must have that version in pyproject.toml.
Their times are that of the last commit, or SOURCE_DATE_EPOCH. setuptools keeps to that in wheels; the archive of an
sdist is written anew here, as it has the times and the owners of the files that it was made of. Prints each file's
SHA-256.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
NOT_SOURCE = shutil.ignore_patterns(".*", "build", "dist", "results", "*.egg-info", "__pycache__", "*.jar", "*.class")


def epoch() -> int:
    """Seconds since 1970 that the files in the archives are of."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if told is None:
        command = ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(told)


def tagged_otherwise() -> str:
    """What is wrong with the version where a tag of the commit says another; empty where none does, or without git."""
    version: str = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    command = ["git", "-C", str(REPOSITORY), "tag", "--points-at", "HEAD", "v*"]
    try:
        tags = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    except FileNotFoundError:
        return ""
    if not tags or f"v{version}" in tags:
        return ""
    return f"pyproject.toml has the version {version}, and the commit the tag {tags[0]}: make them one"


def build(folder: Path, moment: int) -> list[Path]:
    """Build both from a copy of the tree, so that nothing of an earlier build is in them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        copy, made = Path(scratch, "copy"), Path(scratch, "made")
        shutil.copytree(REPOSITORY, copy, ignore=NOT_SOURCE)
        for path in copy.rglob("*"):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(made), str(copy)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment)}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        found = []
        for path in sorted(made.iterdir()):
            data = path.read_bytes()
            target = folder / path.name
            target.write_bytes(packed_anew(data, moment) if path.name.endswith(".tar.gz") else data)
            found.append(target)
    return found


def packed_anew(data: bytes, moment: int) -> bytes:
    """The same files as a gzipped archive, by name, of nobody, at one time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as before, tarfile.open(fileobj=packed, mode="w") as after:
        for member in sorted(before.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = moment, 0, 0, "", ""
            member.pax_headers = {}
            after.addfile(member, before.extractfile(member) if member.isfile() else None)
    return gzip.compress(packed.getvalue(), mtime=moment)


def main() -> None:
    """Build into the folder that is named."""
    parser = argparse.ArgumentParser(description="Build the wheel and the sdist.")
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY / "dist")
    if wrong := tagged_otherwise():
        raise SystemExit(wrong)
    for path in build(parser.parse_args().folder, epoch()):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}")


if __name__ == "__main__":
    main()
