"""``fsconform clean``: remove what runs that were killed left on this machine, and in a sandbox."""

from __future__ import annotations

from pathlib import Path

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.stores.site import Setup
from fsconform.app.options import OWN_STORE, STORE_OF_A_FILE
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.harness import leftovers
from fsconform.harness.configured import OfOneStore
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import INPUT
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.presets import build_custom
from fsconform.harness.problems import INCONCLUSIVE, OK, Problem, ended
from fsconform.harness.targets import custom_store
from fsconform.reports.visible import visible


@click.command("clean", cls=OfOneStore, stores=STORE_OF_A_FILE)
@OWN_STORE
@click.option("--uri", metavar="URI", help="A sandbox directory of which to remove what runs left, too.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store; they come before Hadoop's own.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store.")
@click.option(
    "--conf-file",
    "conf_files",
    multiple=True,
    type=INPUT,
    metavar="XML",
    help="A Hadoop configuration file; --conf wins over it.",
)
def clean(
    store: str | None, uri: str | None, jars: tuple[str, ...], conf: tuple[str, ...], conf_files: tuple[Path, ...]
) -> None:
    """Remove what runs that were killed left: folders and processes on this machine, and what is in a sandbox.

    Only what fsconform made itself and whose maker is gone is removed on this machine; of a sandbox the directories of
    all runs, so that no run may be using it.
    """
    if store is not None:
        raise Problem(
            f"--store {store}: no such store in the configuration file; of built-in stores nothing is to be named"
        )
    custom = custom_store(uri, jars, conf, conf_files)
    removed, problems = leftovers.remove()
    directories: tuple[str, ...] = ()
    if custom is not None:
        with passing_logs("clean") as logs:
            try:
                opened = build_custom(
                    "clean", custom, Setup(logs.folder, lambda text: console.print(text, markup=False))
                )
                try:
                    directories, more = opened.clean_up()
                finally:
                    opened.close()
            except (SandboxRefused, JarError, NoJava, StoreLost, OSError) as error:
                raise ended(error) from error
            logs.reported(*more)
            problems += more
    for name in (*removed, *directories):
        plain.print(f"removed {visible(name)}", markup=False)
    for problem in problems:
        console.print(visible(problem), markup=False)
    if custom is not None:
        plain.print(f"{len(directories)} directories removed", markup=False)
    if custom is None and not removed:
        plain.print("nothing was left on this machine", markup=False)
    raise SystemExit(INCONCLUSIVE if problems else OK)
