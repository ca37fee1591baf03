"""``fsconform spec fetch-apalache``: an opt-in download of Apalache, verified before anything of it is unpacked."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO

import click

from fsconform.adapters.checkers.tools import APALACHE_HOME, APALACHE_TESTED
from fsconform.app.console import console, plain
from fsconform.app.formal import figures
from fsconform.app.inputs import Named
from fsconform.app.problems import Inconclusive, Problem

RELEASES = "https://github.com/apalache-mc/apalache/releases/download"
SECONDS = 120.0
CHUNK = 1 << 20


@click.command("fetch-apalache")
@click.option(
    "--sha256", required=True, metavar="HEX", help="The checksum that the release's page gives for the archive."
)
@click.option("--version", default=APALACHE_TESTED, show_default=True, metavar="VERSION")
@click.option("--url", default="", metavar="URL", help="Another place of the archive apalache.tgz.")
@click.option("--to", type=Named(read=False, folder=True), help="By default a folder in the cache.")
def fetch_apalache(sha256: str, version: str, url: str, to: Path | None) -> None:
    """Fetch Apalache, verify it, unpack it, and say how to use it. Needs a network; nothing else here fetches it."""
    wanted = sha256.strip().lower()
    if len(wanted) != hashlib.sha256().digest_size * 2 or not set(wanted) <= set("0123456789abcdef"):
        raise Problem(f"--sha256 {sha256!r}: 64 hexadecimal digits, as the release's page gives them for apalache.tgz")
    home = to or figures.folder() / f"apalache-{version}"
    source = url or f"{RELEASES}/v{version}/apalache.tgz"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:
            found = _fetch(source, file)
            if found != wanted:
                raise Problem(f"{source}: its SHA-256 is {found}, and not {wanted}: nothing was unpacked")
            file.seek(0)
            with tarfile.open(fileobj=file, mode="r:gz") as archive:
                archive.extractall(home, filter="data")
    except urllib.error.URLError as error:
        raise Inconclusive(f"{source}: {error.reason}: is there a network?") from error
    except (OSError, tarfile.TarError) as error:
        raise Inconclusive(f"{home}: {error}") from error
    command = next(iter(sorted(home.rglob("bin/apalache-mc"))), None)
    if command is None:
        raise Inconclusive(f"{source}: the archive has no bin/apalache-mc")
    plain.print(f"export {APALACHE_HOME}={command.parent.parent}", markup=False, soft_wrap=True)


def _fetch(source: str, file: IO[bytes]) -> str:
    """Fetch to a file; the SHA-256 in hexadecimal. Raises URLError or OSError."""
    sha = hashlib.sha256()
    console.print(f"fetching {source}", markup=False)
    with urllib.request.urlopen(source, timeout=SECONDS) as answer:
        while piece := answer.read(CHUNK):
            sha.update(piece)
            file.write(piece)
    return sha.hexdigest()
