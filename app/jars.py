"""``fsconform jars``: fetch the jars of a Hadoop profile and make the programs of the built-in stores.

Later runs need no network then.
"""

from __future__ import annotations

from pathlib import Path

import click

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import JarError, Profile, bundled_profile, cache_folder, load_profile, resolve
from fsconform.adapters.jars import class_path as joined
from fsconform.adapters.network.mitmproxy import MITMPROXY, installed
from fsconform.adapters.network.toxiproxy import TOXIPROXY
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.minio import MINIO
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import hadoop_profile
from fsconform.harness.problems import Inconclusive, ended
from fsconform.harness.versions import hadoop_option

CLIENT, TESTS, JUNIT = "client", "tests", "junit-3.5.0"


def _say(text: str) -> None:
    console.print(text, markup=False)


def _on_class_path(profile: Profile, which: str) -> list[Path]:
    """The jars of a class path, fetched if need be. Raises JarError."""
    found = resolve(profile, (CLIENT,), _say)
    return found + resolve(bundled_profile(JUNIT), (TESTS,), _say) if which == TESTS else found


@click.command("jars")
@hadoop_option()
@click.option("--programs/--no-programs", default=True, help="Make MinIO, Toxiproxy and mitmproxy too.")
@click.option(
    "--class-path",
    type=click.Choice((CLIENT, TESTS)),
    help="Print a class path and nothing else: of Hadoop's client, or with its contract tests and JUnit 5 too.",
)
def jars(profile: str, programs: bool, class_path: str | None) -> None:
    """Fetch and check all that the built-in stores need: Hadoop's jars, and what is built or installed once.

    That is MinIO, the server of s3a, and the proxies by which networks fail: Toxiproxy and mitmproxy. With --class-path
    they are left alone, and what is printed compiles a connector (`javac -cp`), or a test of `fsconform reproduce`.
    """
    hadoop_profile(profile)
    try:
        locked = load_profile(profile) if profile else load_profile()
        if class_path is not None:
            plain.print(joined(_on_class_path(locked, class_path)), markup=False)
            return
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
