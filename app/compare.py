"""``fsconform compare``: two runs side by side, as text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from fsconform.harness import completion, scrubbing
from fsconform.harness.console import plain
from fsconform.harness.folder import results_of
from fsconform.harness.inputs import INPUT, OUTPUT_FILE
from fsconform.harness.output import write_whole
from fsconform.harness.problems import ManyValues, Problem
from fsconform.records import gate
from fsconform.records.comparison import Comparison, ComparisonError, compare, dumps
from fsconform.records.results import Results
from fsconform.reports.comparison_html import page
from fsconform.reports.comparison_text import show


@click.command("compare", cls=ManyValues)
@click.argument("before", metavar="RUN")
@click.argument("after", metavar="RUN")
@click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.STORES,
    help="Only this store; may be repeated.",
)
@click.option("--out", type=INPUT, default=Path("results"), show_default=True, metavar="DIR",
              help="Where runs are looked for by id, and `latest`.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="List what is gone, changed and otherwise different too.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the whole comparison as JSON.")
@click.option("--html", "html_file", type=OUTPUT_FILE, metavar="FILE", help="Write the comparison as one page.")
def compare_runs(
    before: str,
    after: str,
    stores: tuple[str, ...],
    out: Path,
    everything: bool,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Compare an earlier and a later RUN: a run's folder, its id, `latest`, or a results.json.

    What fails is counted as fixed, new and unchanged; only what is new is listed, with --all everything that differs.

    Exit codes: 0 nothing fails that did not fail before; 1 something does; 2 usage; 3 a run judged nothing of a store.
    """
    first, second = _read(before, out), _read(after, out)
    try:
        found = compare(first, second, stores)
    except ComparisonError as error:
        raise Problem(str(error)) from error
    found = scrubbing.hidden(found)
    _write(json_file, "--json", lambda: dumps(found))
    _write(html_file, "--html", lambda: page(found).encode())
    show(found, plain, everything)
    raise SystemExit(exit_code(found))


def exit_code(found: Comparison) -> int:
    """The exit code of a comparison: what fails anew comes before what could not be compared."""
    return gate.exit_code(failing=found.fails, unjudged=found.inconclusive)


def _read(name: str, out: Path) -> Results:
    """The results of a run. Raises Problem, which names the file and the mend."""
    given = Path(name)
    mend = "name the folder of a whole run, its id below --out, `latest`, or its results.json"
    return results_of(given if given.exists() else out / name, mend)


def _write(file: Path | None, option: str, data: Callable[[], bytes]) -> None:
    if file is None:
        return
    try:
        write_whole(file, data())
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}: choose another file with {option}") from error
