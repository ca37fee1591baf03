"""``fsconform export`` and ``fsconform atlas``: runs that are there for build servers, and for who looks stores up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import click

from fsconform.harness import atlas as atlas_files
from fsconform.harness import completion
from fsconform.harness.console import plain, write_out
from fsconform.harness.folder import results_of
from fsconform.harness.inputs import INPUT, OUTPUT_FILE, OUTPUT_FOLDER
from fsconform.harness.option_groups import Commands
from fsconform.harness.output import append, write_whole
from fsconform.harness.problems import ManyValues, Problem, known
from fsconform.harness.scrubbing import hidden
from fsconform.records import atlas as entries
from fsconform.records.results import Results
from fsconform.reports.ci.badge import badge
from fsconform.reports.ci.github import workflow_commands
from fsconform.reports.ci.gitlab import code_quality
from fsconform.reports.ci.markdown import markdown
from fsconform.reports.ci.sarif import sarif
from fsconform.reports.ci.shared import PLACE
from fsconform.reports.junit import junit_xml

FORMATS: dict[str, Callable[[Results, str], bytes]] = {
    "sarif": sarif,
    "github": workflow_commands,
    "gitlab": code_quality,
    "markdown": lambda results, place: markdown(results),
    "badge": lambda results, place: badge(results),
    "junit": lambda results, place: junit_xml(results),
}
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The environment variable by which GitHub names the file of a step's summary."""


@click.command("export", cls=ManyValues)
@click.argument("form", type=click.Choice(tuple(FORMATS)), metavar="FORMAT")
@click.argument("run", type=INPUT, metavar="RUN")
@click.option("--out", type=OUTPUT_FILE, metavar="FILE", help="Where it is written; by default standard output.")
@click.option("--file", "place", default=PLACE, show_default=True, metavar="PATH",
              help="The file of your repository at which divergences are shown.")  # fmt: skip
def export(form: str, run: Path, out: Path | None, place: str) -> None:
    """Write a RUN, its folder or its results.json, as a FORMAT that a build server reads.

    FORMAT is sarif (2.1.0), github (annotations, and the summary of the step), gitlab (code quality), markdown (a
    comment on a pull request), badge (SVG) or junit. Exit codes: 0 written, whatever the run found; 2 usage.
    """
    path = PurePosixPath(place)
    if not place.isascii() or not place.isprintable() or path.is_absolute() or ".." in path.parts or " " in place:
        raise Problem(f"--file {place!r}: name a file of your repository from its top, as {PLACE}")
    results = hidden(results_of(run, "name the folder of a whole run, or its results.json"))
    data = FORMATS[form](results, place)
    summary = Path(os.environ.get(SUMMARY) or os.devnull)
    try:
        if out is not None:
            write_whole(out, data)
        if form == "github" and os.environ.get(SUMMARY):
            append(summary, markdown(results))
    except OSError as error:
        where = f"{error.filename or out or summary}: {error.strerror or error}"
        raise Problem(f"{where}: choose another file with --out, or mend {SUMMARY}") from error
    if out is None:
        write_out(data.decode())


@click.group("atlas", cls=Commands)
def atlas() -> None:
    """The atlas: which store gives what, as data and as a static site."""


@atlas.command("add", cls=ManyValues)
@click.argument("runs", type=INPUT, metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.STORES,
    help="Only this store; may be repeated.",
)
@click.option("--commit", default="", metavar="HASH", help="The commit of fsconform that the runs were made with.")
@click.option("--data", "folder", type=OUTPUT_FOLDER, default=entries.FOLDER, metavar="DIR",
              help="Where the entries are; by default those that fsconform comes with.")  # fmt: skip
def add(runs: tuple[Path, ...], stores: tuple[str, ...], commit: str, folder: Path) -> None:
    """Write what each RUN, its folder or its results.json, showed of its stores as entries of the atlas.

    An entry has its store and release in its name and takes the place of an earlier one. A store of which nothing was
    judged has none. Exit codes: 0 written; 2 usage.
    """
    for path in runs:
        results = hidden(results_of(path, "name the folder of a whole run, or its results.json"))
        for name in stores:
            known("store", name, [store.name for store in results.stores])
        for file in atlas_files.add_entries(results, stores, commit, folder):
            plain.print(str(file), markup=False)


@atlas.command("build", cls=ManyValues)
@click.option("--out", type=OUTPUT_FOLDER, default=Path("build/atlas"), show_default=True, metavar="DIR",
              help="Where the site is written: an empty folder, or one that holds an earlier atlas.")  # fmt: skip
@click.option("--data", "folder", type=INPUT, default=entries.FOLDER, metavar="DIR",
              help="Where the entries are; by default those that fsconform comes with.")  # fmt: skip
def build(out: Path, folder: Path) -> None:
    """Make the static site of all entries; its first page is DIR/index.html, and needs no server.

    Exit codes: 0 written; 2 usage.
    """
    plain.print(str(atlas_files.build_site(folder, out)), markup=False)
