"""``fsconform waive``: accept divergences of a run for a time, by narrow waivers in a file whose comments stay."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from fsconform.engine.recorder import WAIVED_DAYS
from fsconform.engine.waivers import MOST_BYTES, WaiverError
from fsconform.harness import completion, waiving
from fsconform.harness.console import plain
from fsconform.harness.folder import results_of
from fsconform.harness.inputs import INPUT
from fsconform.harness.output import write_whole
from fsconform.harness.problems import ManyValues, Problem
from fsconform.records.given import GivenError, read_text


@click.command("waive", cls=ManyValues)
@click.argument("signatures", nargs=-1, metavar="[SIGNATURE]...")
@click.argument("run", type=INPUT, metavar="RUN")
@click.option("--all", "every", is_flag=True, help="Each divergence of the run that fails.")
@click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.STORES,
    help="Only of this store; may be repeated.",
)
@click.option("--waivers", "file", type=INPUT, required=True, metavar="FILE", help="The file; made if it is not there.")
@click.option("--reason", required=True, metavar="TEXT", help="Why this is accepted.")
@click.option("--link", required=True, metavar="URL", help="Where it is followed up.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY",
              help=f"The last day on which it is accepted; by default {WAIVED_DAYS} days from now.")  # fmt: skip
def waive(
    signatures: tuple[str, ...],
    run: Path,
    every: bool,
    stores: tuple[str, ...],
    file: Path,
    reason: str,
    link: str,
    expires: datetime.datetime | None,
) -> None:
    """Write waivers for failing divergences of a RUN, its folder or its results.json, into a waivers file.

    Each accepts one signature of one store where it breaks one clause. An expired waiver that says the same is
    renewed; comments of the file are kept. Exit codes: 0 written, or there already; 2 usage.
    """
    if every == bool(signatures):
        raise Problem("name each SIGNATURE before the RUN, or give --all: one of the two")
    if not reason.strip() or not link.strip():
        raise Problem("--reason and --link: say why it is accepted, and where that is followed up")
    today = datetime.datetime.now(datetime.UTC).date()
    until = expires.date() if expires else today + datetime.timedelta(WAIVED_DAYS)
    if until < today:
        raise Problem(f"--expires {until} is past: name a day to come")
    results = results_of(run, "name the folder of a whole run, or its results.json")
    wanted = waiving.wanted(results, signatures, stores, every, waiving.Terms(reason, link, until))
    try:
        found = waiving.added(read_text(file, MOST_BYTES) if file.exists() else "", file, wanted, today)
        if found.added or found.renewed:
            write_whole(file, found.text.encode())
    except (WaiverError, GivenError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}: choose another file with --waivers") from error
    for word, waivers in (("waived", found.added), ("renewed", found.renewed), ("there already", found.there)):
        for waiver in waivers:
            wide = " (its * stands for any text)" if "*" in waiver.signature else ""
            plain.print(f"{word}: {waiver.store}: {waiver.signature!r}{wide}", markup=False)
    plain.print(f"{file}: {len(found.added)} added, {len(found.renewed)} renewed, until {until}", markup=False)
