"""``fsconform try``: a first look at a store: its contract is inferred, and a run judges it by that, in one step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from time import monotonic
from typing import Any

import click

from fsconform.app import contract, run
from fsconform.app.contract_rows import Row, conflict_lines, rows, said
from fsconform.app.inferring import QUICK, Inferred
from fsconform.app.options import (
    OUT_FOLDER,
    OWN_STORE,
    RUN_SEED,
    SHARDS,
    STORE_OF_A_FILE,
    Amount,
    AskedStores,
    asked_as,
    store_options,
)
from fsconform.harness.configured import OfOneStore, sole
from fsconform.harness.console import console
from fsconform.harness.interrupts import held, in_two_steps
from fsconform.harness.output import write_whole
from fsconform.harness.problems import INCONCLUSIVE, Problem
from fsconform.harness.targets import check_client
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.records.results import Change
from fsconform.reports.contract_xml import one_line
from fsconform.reports.visible import visible
from fsconform.reports.words import plural
from fsconform.specs.contract_writer import written

BUDGET = 80.0
"""Seconds of exploring where no budget is given: with starting, minimising and confirming it is within two minutes."""
SHARE = 0.5
"""The contract takes so much of the budget at most; the run has what is left, and so much at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(AskedStores):
    """What the options say of the store, and how long it is tried."""

    store: str | None
    budget: float
    seed: int | None
    out: Path
    shards: int | None

    @property
    def inferring(self) -> contract.Asked:
        """The same as what ``contract infer`` is asked for. Raises Problem if no store is named."""
        if self.uri is None:
            raise Problem(
                "name your store by --uri, or by --store one of fsconform.toml; "
                "built-in stores have contracts: fsconform run --store NAME"
            )
        seed, budget = self.seed or 0, self.budget * SHARE
        return contract.Asked(
            **self._of_store(),
            store=None,
            effort=QUICK,
            budget=budget,
            seed=seed,
            races=False,
            shards=self.shards,
            brief=True,
        )

    def running(self, file: Path, spent: float) -> run.Asked:
        """The same as what ``run`` is asked for, under the contract in a file, after so many seconds."""
        return run.Asked(
            **self._of_store() | {"contract": file},
            baseline=None,
            count_inherited=False,
            effort=QUICK,
            budget=max(self.budget - spent, self.budget * SHARE),
            seed=self.seed,
            out=self.out,
            shards=self.shards,
        )

    def _of_store(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(AskedStores)}


@click.command("try", cls=OfOneStore, stores=STORE_OF_A_FILE, usual=sole)
@asked_as(
    Asked,
    OWN_STORE,
    *store_options(contract="A contract to begin with: what is not judged stays as it says."),
    click.option(
        "--budget",
        type=Amount(min=0),
        default=BUDGET,
        show_default=True,
        metavar="SECONDS",
        help="Cap on exploring's time; 0 tries witnesses and single calls alone.",
    ),
    RUN_SEED,
    OUT_FOLDER,
    SHARDS,
)
@in_two_steps()
def try_store(asked: Asked) -> None:
    """Take a first look at a store of your own, within two minutes: infer its contract, then judge it by that.

    Shows what the store does that has to be declared, each with the XML to add, writes the whole contract into the
    folder of the results, and ends as `fsconform run --contract` does with it, with its report.

    Exit codes: 0 the contract declares all that was seen; 1 divergences that no contract declares; 2 usage or
    configuration; 3 inconclusive, or interrupted: what was found until then is written.
    """
    begun, inferring = monotonic(), asked.inferring
    base = contract.document(inferring)
    check_client(asked.xmx, asked.profile)
    file = asked.out / f"{inferring.target().name}-contract.xml"
    missing = [folder for folder in (asked.out, *asked.out.parents) if not folder.exists()]
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        inferred = inferring.watched()
        with held():
            write_whole(file, written(contract.draft(inferred), base))
            _tell(inferred, file)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}: choose another folder with --out") from error
    except Problem:
        _remove_empty(missing)
        raise
    if inferred.interrupted:
        raise SystemExit(INCONCLUSIVE)
    code = run.judged(run.planned(asked.running(file, monotonic() - begun)))
    _say(f"next: fsconform run --contract {file}, with the same --uri, --jars and --conf; commit that contract")
    raise SystemExit(code or (INCONCLUSIVE if inferred.problems else code))


def _remove_empty(folders: Sequence[Path]) -> None:
    """Take back folders that were made for results which there are none of."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _tell(inferred: Inferred, file: Path) -> None:
    """Say what is to be declared, with the XML of each, and where the whole contract is."""
    undeclared = [one for one in rows(inferred) if one.judged in ("undeclared", "declared-false")]
    for row in undeclared:
        _say(f"undeclared: {_sentence(row)}")
        _say(f"  shown by  {row.evidence}")
        _say(f"  xml       {one_line([Change(row.option, row.inferred, row.declared, '')])}")
    for conflict in inferred.inference.conflicts:
        for text in conflict_lines(conflict):
            _say(text)
    for problem in inferred.problems:
        _say(f"problem: {problem}")
    _say(f"{inferred.store}: {plural(len(undeclared), 'option')} to declare; the contract that does: {file}")


def _sentence(row: Row) -> str:
    means = OPTIONS[row.option].statement
    return f"{row.option}={said(row.inferred)}; true means: {means}"


def _say(text: str) -> None:
    console.print(visible(text), markup=False, soft_wrap=True)
