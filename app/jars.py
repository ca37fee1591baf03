"""``fsconform jars``: fetch the jars of a Hadoop profile, so that later runs need no network."""

from __future__ import annotations

import click

from fsconform.adapters.jars import JarError, cache_folder, load_profile, resolve
from fsconform.app.console import console, plain
from fsconform.app.problems import Inconclusive


@click.command("jars")
@click.option("--hadoop", "version", default="", metavar="VERSION", help="The Hadoop profile.")
def jars(version: str) -> None:
    """Fetch and check the jars that the built-in stores need."""
    try:
        profile = load_profile(version) if version else load_profile()
        paths = {
            path
            for group in profile.groups
            for path in resolve(profile, (group,), lambda text: console.print(text, markup=False))
        }
    except JarError as error:
        raise Inconclusive(str(error)) from error
    plain.print(f"{len(paths)} jars of {profile.name} in {cache_folder(profile)}", markup=False)
