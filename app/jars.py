"""``fsconform jars``: fetch the jars of a Hadoop profile and build MinIO, so that later runs need no network."""

from __future__ import annotations

import click

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import JarError, cache_folder, load_profile, resolve
from fsconform.adapters.services.minio import MINIO
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import hadoop_profile
from fsconform.harness.problems import Inconclusive, ended
from fsconform.harness.versions import hadoop_option


def _say(text: str) -> None:
    console.print(text, markup=False)


@click.command("jars")
@hadoop_option()
@click.option("--programs/--no-programs", default=True, help="Build MinIO too, for the store s3a.")
def jars(profile: str, programs: bool) -> None:
    """Fetch and check all that the built-in stores need: Hadoop's jars, and MinIO, which is built from source."""
    hadoop_profile(profile)
    try:
        locked = load_profile(profile) if profile else load_profile()
        paths = {path for group in locked.groups for path in resolve(locked, (group,), _say)}
    except JarError as error:
        raise ended(error) from error
    plain.print(f"{len(paths)} jars of {locked.name} in {cache_folder(locked)}", markup=False)
    if programs:
        try:
            path = built(MINIO, _say)
        except GoError as error:
            raise Inconclusive(str(error)) from error
        plain.print(f"{MINIO.name} {MINIO.version} in {path.parent}", markup=False)
