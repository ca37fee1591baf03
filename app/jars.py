"""``fsconform jars``: fetch the jars of a Hadoop profile and build MinIO, so that later runs need no network."""

from __future__ import annotations

import click

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import JarError, cache_folder, load_profile, resolve
from fsconform.adapters.services.minio import MINIO
from fsconform.app.console import console, plain
from fsconform.app.problems import Inconclusive


def _say(text: str) -> None:
    console.print(text, markup=False)


@click.command("jars")
@click.option("--hadoop", "version", default="", metavar="VERSION", help="The Hadoop profile.")
@click.option("--programs/--no-programs", default=True, help="Build MinIO too, for the store s3a.")
def jars(version: str, programs: bool) -> None:
    """Fetch and check all that the built-in stores need: Hadoop's jars, and MinIO, which is built from source."""
    try:
        profile = load_profile(version) if version else load_profile()
        paths = {path for group in profile.groups for path in resolve(profile, (group,), _say)}
    except JarError as error:
        raise Inconclusive(str(error)) from error
    plain.print(f"{len(paths)} jars of {profile.name} in {cache_folder(profile)}", markup=False)
    if programs:
        try:
            path = built(MINIO, _say)
        except GoError as error:
            raise Inconclusive(str(error)) from error
        plain.print(f"{MINIO.name} {MINIO.version} in {path.parent}", markup=False)
