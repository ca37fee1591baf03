"""``fsconform jars``: fetch the jars of a Hadoop profile and make the programs of the built-in stores.

Later runs need no network then.
"""

from __future__ import annotations

import click

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import JarError, cache_folder, load_profile, resolve
from fsconform.adapters.network.mitmproxy import MITMPROXY, installed
from fsconform.adapters.network.toxiproxy import TOXIPROXY
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.minio import MINIO
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import hadoop_profile
from fsconform.harness.problems import Inconclusive, ended
from fsconform.harness.versions import hadoop_option


def _say(text: str) -> None:
    console.print(text, markup=False)


@click.command("jars")
@hadoop_option()
@click.option("--programs/--no-programs", default=True, help="Make MinIO, Toxiproxy and mitmproxy too.")
def jars(profile: str, programs: bool) -> None:
    """Fetch and check all that the built-in stores need: Hadoop's jars, and what is built or installed once.

    That is MinIO, the server of s3a, and the proxies by which networks fail: Toxiproxy and mitmproxy.
    """
    hadoop_profile(profile)
    try:
        locked = load_profile(profile) if profile else load_profile()
        paths = {path for group in locked.groups for path in resolve(locked, (group,), _say)}
    except JarError as error:
        raise ended(error) from error
    plain.print(f"{len(paths)} jars of {locked.name} in {cache_folder(locked)}", markup=False)
    if programs:
        try:
            made = [(f"{one.name} {one.version}", built(one, _say).parent) for one in (MINIO, TOXIPROXY)]
            made.append((f"mitmproxy {MITMPROXY}", installed(_say).parents[1]))
        except (GoError, ServiceError) as error:
            raise Inconclusive(str(error)) from error
        for name, folder in made:
            plain.print(f"{name} in {folder}", markup=False)
