"""``fsconform fit``: whether an application can live on a store, by what a run or the atlas showed of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from fsconform.harness import fits
from fsconform.harness.completion import APPLICATIONS, ATLAS_STORES, WAYS
from fsconform.harness.console import plain
from fsconform.harness.inputs import INPUT, OUTPUT_FILE
from fsconform.harness.output import write_json
from fsconform.harness.problems import ManyValues, Problem, known
from fsconform.records import atlas, findings, profiles
from fsconform.records.gate import DIVERGENCES, INCONCLUSIVE, OK
from fsconform.records.profiles import fitting
from fsconform.records.profiles.fitting import Fit
from fsconform.reports import fit_text

SCHEMA = 1


@click.command("fit", cls=ManyValues)
@click.option("--needs", "names", multiple=True, metavar="APPLICATION", shell_complete=APPLICATIONS,
              help="The application, as hbase or delta; may be repeated. Without it: all, as a table.")  # fmt: skip
@click.option("--store", "stores", multiple=True, metavar="NAME", shell_complete=ATLAS_STORES,
              help="The store; may be repeated. By default all that there is evidence of.")  # fmt: skip
@click.option("--run", "run", type=INPUT, metavar="RUN",
              help="Ask this run, its folder or its results.json, instead of the atlas.")  # fmt: skip
@click.option("--data", "folder", type=INPUT, default=atlas.FOLDER, metavar="DIR",
              help="The entries of the atlas to be asked; by default those that fsconform comes with.")  # fmt: skip
@click.option("--release", metavar="TEXT", help="The release to be asked, as 'hadoop 3.5.0'; by default the last.")
@click.option("--given", multiple=True, metavar="WAY", shell_complete=WAYS,
              help="The application is set so, as in `or WAY: ...` of an answer; may be repeated.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="List the needs that are met too.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the answers as JSON.")
def fit(
    names: tuple[str, ...],
    stores: tuple[str, ...],
    run: Path | None,
    folder: Path,
    release: str | None,
    given: tuple[str, ...],
    everything: bool,
    json_file: Path | None,
) -> None:
    """Say whether an application can live on a store, and by which settings.

    An answer is `fits`; `fits if` the application is set in a way that is named, so that it does without what is
    missing; `does not`; or `unknown`, with the run that would tell. Each names the clauses and options that decide it,
    the findings about the store, the run that judged it, and the place in the application's source that asks for it.

    Exit codes: 0 all fit, as they are set (--given); 1 something does not fit, or only in a way that is not given;
    2 usage; 3 something is unknown, and nothing does not fit. Without --needs, a table of all applications: 0.
    """
    known_profiles = profiles.every()
    for name in names:
        known("application", name, known_profiles)
    asked = [known_profiles[name] for name in dict.fromkeys(names)] or list(known_profiles.values())
    ways = dict.fromkeys(way.id for profile in asked for way in profile.ways)
    for name in given:
        known("way", name, ways)
    committed = fits.committed(folder)
    entries = committed if run is None else fits.of_run(run)
    chosen = fits.chosen(entries, stores, release)
    if not chosen:
        raise Problem(f"{run or folder}: no Hadoop filesystem was judged there: name another run, or folder of entries")
    others = (*committed, *entries)
    found = [fitting.fit(profile, entry, others, findings.every(), given) for profile in asked for entry in chosen]
    if json_file is not None:
        write_json(json_file, {"schema": SCHEMA, "answers": [_plain(one) for one in found]})
    if not names:
        for text in fit_text.matrix(found):
            plain.print(text, markup=False)
        return
    for answer in found:
        for text in fit_text.lines_of(answer, fits.suites_of_clauses(), everything):
            plain.print(text, markup=False)
    raise SystemExit(exit_code(found))


def _plain(answer: Fit) -> dict[str, object]:
    return fitting.plain(answer, fits.suites_of_clauses())


def exit_code(found: Iterable[Fit]) -> int:
    """What does not fit comes before what is unknown; a way that nobody gave is a condition that nobody met."""
    answers = {answer.answer for answer in found}
    if answers & {"does not", "fits if"}:
        return DIVERGENCES
    return INCONCLUSIVE if "unknown" in answers else OK
