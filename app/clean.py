"""``fsconform clean``: remove what runs that were killed left in a sandbox."""

from __future__ import annotations

from pathlib import Path

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.app.console import console, plain
from fsconform.app.passing_logs import passing_logs
from fsconform.app.presets import build_custom
from fsconform.app.problems import INCONCLUSIVE, OK, Inconclusive, ManyValues, Problem
from fsconform.app.sites import Setup
from fsconform.app.targets import custom_store
from fsconform.engine.protocol import SandboxRefused, StoreLost


@click.command("clean", cls=ManyValues)
@click.option("--uri", required=True, metavar="URI", help="The sandbox directory.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store; they come before Hadoop's own.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store.")
@click.option("--conf-file", "conf_files", multiple=True, type=click.Path(path_type=Path), metavar="XML")
def clean(uri: str, jars: tuple[str, ...], conf: tuple[str, ...], conf_files: tuple[Path, ...]) -> None:
    """Remove the directories of earlier runs from a sandbox. No run may be using it."""
    custom = custom_store(uri, jars, conf, conf_files)
    assert custom is not None
    with passing_logs("clean") as logs:
        try:
            store = build_custom("clean", custom, Setup(logs.folder, lambda text: console.print(text, markup=False)))
            try:
                removed, problems = store.clean_up()
            finally:
                store.close()
        except SandboxRefused as error:
            raise Problem(str(error)) from error
        except (JarError, NoJava, StoreLost, OSError) as error:
            raise Inconclusive(str(error)) from error
        logs.reported(*problems)
    for name in removed:
        plain.print(f"removed {name}", markup=False)
    for problem in problems:
        console.print(problem, markup=False)
    plain.print(f"{len(removed)} directories removed", markup=False)
    raise SystemExit(INCONCLUSIVE if problems else OK)
