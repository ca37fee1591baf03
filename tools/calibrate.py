"""Calibrates the explorers on seeded faults: writes docs/calibration.md and docs/calibration.json.

Each fault of the store in memory is a bug of which everything is known. The matrix says for each fault and each
explorer of a run of normal effort whether it finds the fault by itself, after how many operations, and how small the
program is that shows it. Found means that a divergence was minimised and then shown by three replays of three. Run it
as ``python tools/calibrate.py``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import statistics
import sys
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.formal.playing import attached
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.engine.effort import AMOUNTS
from fsconform.engine.judge import FAILING, Judgement
from fsconform.engine.minimise import own_steps
from fsconform.engine.protocol import Job
from fsconform.engine.trial import Trial
from fsconform.harness.plans import Filter, explorers, kind_of
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.proving.faults import EVERY, NOT_JUDGED, Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import able
from fsconform.proving.session import ProvingStore, prepared
from fsconform.proving.store import Behaviour
from fsconform.suites.full import FULL
from fsconform.suites.permissions import PERMISSIONS
from fsconform.suites.quotas import QUOTAS
from fsconform.suites.registry import DEFAULT, SUITES
from fsconform.suites.root import ROOT
from fsconform.suites.safemode import SAFEMODE
from fsconform.suites.snapshots import SNAPSHOTS

DOCS = Path(__file__).resolve().parent.parent / "docs"

DECLARED = load_shipped("proving").declared
TELLING = {*FAILING, "deviation"}
AMOUNT = AMOUNTS["normal", "fast"]

SUITES_OF = {False: (*(SUITES[name] for name in DEFAULT), FULL, PERMISSIONS, QUOTAS, SNAPSHOTS), True: (ROOT, SAFEMODE)}
"""The suites of a run in a directory, with those of a full store and those named alone, and those in the real root."""

COLUMNS = ("witnesses", "1 operation", "ladders", "2 operations", "variations", "hypothesis", "traces")


@dataclass(frozen=True, slots=True)
class Cell:
    """How one explorer did on one fault. ``operations`` until it was found, or all that there were, in vain.

    ``steps`` are those of the smallest program that shows it, 0 if none does.
    """

    found: bool
    operations: int
    steps: int = 0


Key = tuple[bool, tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]
"""The stores that are tried with the same programs: in the real root or not, with which abilities, under which
contract."""


def key_of(fault: Fault) -> Key:
    """What the programs for a fault, and the answers of the sound store to them, depend on."""
    return fault.root, tuple(sorted(fault.abilities.items())), tuple(sorted(fault.declared.items()))


def contract_of(key: Key) -> Contract:
    """The contract that a store claims to keep."""
    return Contract({**DECLARED, **dict(key[2])})


def column_of(explorer: str) -> str:
    """The column of an explorer of a run, by its name."""
    kind = kind_of(explorer)
    if kind == "enumeration":
        return "1 operation" if " 1 " in explorer else "2 operations"
    return kind


@cache
def programs(key: Key, seed: int) -> dict[str, tuple[Program, ...]]:
    """The programs of a run of normal effort, by column; those of the state machines by turns."""
    traces, _ = attached(not key[0], False, (), seed, lambda text: None)
    found: dict[str, list[list[Program]]] = {name: [] for name in COLUMNS}
    oracle = Oracle(contract_of(key))
    for one in explorers(SUITES_OF[key[0]], oracle, seed, Filter(), traces=traces, amounts=AMOUNT):
        given = (program for _, program in one.source(0))
        found[column_of(one.name)].append(list(itertools.islice(given, one.planned)))
    return {name: tuple(by_turns(lists)) for name, lists in found.items()}


def by_turns(lists: Sequence[Sequence[Program]]) -> Iterator[Program]:
    """One program of each list in turn, until all are used up."""
    for row in itertools.zip_longest(*lists):
        yield from (program for program in row if program is not None)


def answers(benches: Benches, program: Program) -> tuple[Trial, tuple[Outcome, ...]]:
    """A program's execution on a store, with nothing judged yet, and the outcomes of its steps."""
    with benches.lent() as bench:
        (execution,) = bench.execute([Job(program)])
    return Trial(program, execution, Judgement()), tuple(event.outcome for event in execution.trace.events)


class _Watched(FullStore):
    """The sound store, which notes the names of its attributes that are asked for."""

    asked: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        _Watched.asked.add(name)
        return super().__getattribute__(name)


class _WatchedStore(ProvingStore):
    def make(self) -> FullStore:
        """A new store that is watched."""
        return prepared(_Watched(self.behaviour))


class Sound:
    """The sound store's outcomes of a column's programs, each asked for once, in their order."""

    def __init__(self, key: Key, name: str, seed: int) -> None:
        self.programs = programs(key, seed)[name]
        self.operations = [sum(not step.probe for step in program) for program in self.programs]
        store = _WatchedStore(behaviour=able(Behaviour(), dict(key[1])), real_root=key[0])
        self._benches = Benches(store, contract_of(key), 1)
        self._given: list[tuple[tuple[Outcome, ...], frozenset[str]]] = []

    def outcomes(self, number: int) -> tuple[tuple[Outcome, ...], frozenset[str]]:
        """Those of a program by its number, and the names of what the store was asked for by it."""
        while len(self._given) <= number:
            _Watched.asked.clear()
            given = answers(self._benches, self.programs[len(self._given)])[1]
            self._given.append((given, frozenset(_Watched.asked)))
        return self._given[number]


def altered(fault: Fault) -> frozenset[str] | None:
    """The names of what a faulty store has otherwise than the sound one; None where they do not say it all."""
    sound_kinds = set(FullStore.__mro__)
    names = {name for kind in fault.kind.__mro__ if kind not in sound_kinds for name in vars(kind)}
    return None if "__init__" in names else frozenset(names)


@cache
def sound(key: Key, name: str, seed: int) -> Sound:
    """What the faulty store's outcomes are compared with, once for all faults of a process."""
    return Sound(key, name, seed)


def explore(fault: Fault, name: str, seed: int) -> Cell:
    """Try a column's programs on a fault one after another, until it is found.

    A program in which every answer is the sound store's shows nothing: only the others are judged. One that asks for
    nothing that the faulty store has otherwise is not even executed.
    """
    key = key_of(fault)
    known = sound(key, name, seed)
    benches = Benches(ProvingStore(fault=fault.name, real_root=fault.root), contract_of(key), 1)
    operations, names = 0, altered(fault)
    try:
        for number, program in enumerate(known.programs):
            operations += known.operations[number]
            expected, asked = known.outcomes(number)
            if names is not None and names.isdisjoint(asked):
                continue
            trial, given = answers(benches, program)
            if given == expected:
                continue
            trial = replace(trial, judgement=benches.judge.judge(trial.execution.trace))
            if any(one.verdict in TELLING for one in trial.judgement.findings):
                collected = Collected()
                collected.add(trial)
                proven = prove_all(benches, collected)
                steps = [
                    own_steps(one.program)
                    for one in proven
                    if one.confirmed == "3/3" and one.finding.verdict in TELLING
                ]
                if steps:
                    return Cell(True, operations, min(steps))
    finally:
        benches.close()
    return Cell(False, operations)


def row(fault: str, seed: int) -> tuple[str, dict[str, Cell]]:
    """A fault's cells, by column."""
    return fault, {name: explore(EVERY[fault], name, seed) for name in COLUMNS}


def rows(seed: int, processes: int, faults: Sequence[str]) -> dict[str, dict[str, Cell]]:
    """These faults' cells, written as they come."""
    found = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for fault, cells in pool.map(row, sorted(faults), itertools.repeat(seed)):
            finders = [name for name in COLUMNS if cells[name].found]
            print(f"{fault}: {', '.join(finders) or 'not found'}", flush=True)
            found[fault] = cells
    return found


def kept(folder: Path) -> dict[str, dict[str, Cell]]:
    """The cells that a folder's calibration.json has of faults that there still are."""
    found = json.loads((folder / "calibration.json").read_text("utf-8"))["faults"]
    return {
        fault: {name: Cell(**cell) for name, cell in cells.items()} for fault, cells in found.items() if fault in EVERY
    }


def machine() -> dict[str, str]:
    """What the programs depend on."""
    return {"python": platform.python_version(), "hypothesis": metadata.version("hypothesis")}


def summary(name: str, found: dict[str, dict[str, Cell]]) -> list[str]:
    """A column's line of the summary."""
    cells = [columns[name] for columns in found.values() if columns[name].found]
    alone = sum(
        columns[name].found and not any(one.found for other, one in columns.items() if other != name)
        for columns in found.values()
    )
    if not cells:
        return [f"0 of {len(found)}", "0", "", "", ""]
    operations = [cell.operations for cell in cells]
    return [
        f"{len(cells)} of {len(found)}",
        str(alone),
        f"{statistics.median(operations):,.0f}",
        f"{max(operations):,}",
        f"{statistics.median(cell.steps for cell in cells):g}",
    ]


def shown(cell: Cell) -> str:
    """A cell of the matrix."""
    return f"{cell.operations:,} / {cell.steps}" if cell.found else ""


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *lines))


def paragraph(text: str) -> str:
    """A paragraph in lines of at most 120 characters."""
    return textwrap.fill(" ".join(text.split()), 120)


def missed(found: dict[str, dict[str, Cell]]) -> list[str]:
    """The faults that no explorer finds."""
    return [fault for fault, cells in found.items() if not any(cell.found for cell in cells.values())]


def page(found: dict[str, dict[str, Cell]], seed: int) -> str:
    """docs/calibration.md."""
    about = machine()
    parts = [
        "# Calibration",
        paragraph(f"""What finds what: {len(found)} faults were seeded, one at a time, into the store in memory, and
            each explorer of a run of normal effort was tried on each of them alone. A fault counts as found if a
            divergence was minimised and then shown again by three replays of three."""),
        paragraph(f"""Seed {seed}, the programs of a fast store, Python {about["python"]}, Hypothesis
            {about["hypothesis"]}; nothing here depends on time. `python tools/calibrate.py` writes this page and
            `calibration.json` anew."""),
        paragraph(f"""The suites are those that run by default and the one that fills a store up; for a fault that only
            the real root shows, those of the root. Witnesses are with those that are made in code; the column
            *hypothesis* stands for the state machines of all suites, {AMOUNT.machines:,} programs, one of each in
            turn. Operations are without probes; steps are without set-up and probes: 0 where these alone show the
            fault."""),
        paragraph("""Covered are the faults of the store in memory that a single client of a filesystem can meet. Not
            covered are those of races, killed clients, links, media and services that fail, of object stores, of
            Spark's jobs and of blocks: suites of their own find them, and a test of each holds that."""),
        paragraph("""A fault that is new is tried alone (`--fault NAME`), and the rows of the others stay as they are:
            a row says what the explorers, witnesses and suites found when it was made, which may be fewer or more than
            those of today; `git log docs/calibration.json` says when. Only a run without `--fault` makes all rows
            anew."""),
        table(
            ("explorer", "found", "found by no other", "operations: median", "most", "steps: median"),
            [(name, *summary(name, found)) for name in COLUMNS],
        ),
        "## Bugs that really happened",
        "Some faults are modelled on bugs of real stores. By what they are found:",
        table(
            ("bug", "fault", "found by"),
            [
                (
                    EVERY[fault].reference,
                    f"`{fault}`",
                    ", ".join(name for name in COLUMNS if found[fault][name].found),
                )
                for fault in sorted(found, key=lambda one: (EVERY[one].reference, one))
                if EVERY[fault].reference
            ],
        ),
        "## Found by nothing",
        table(("fault", "reason"), [(f"`{fault}`", NOT_JUDGED.get(fault, "")) for fault in missed(found)]),
        "## Matrix",
        paragraph("""Each cell: operations until the fault was found, steps of the minimal program. An empty one: the
            explorer's programs do not show the fault."""),
        table(
            ("fault", *COLUMNS),
            [(f"`{fault}`", *(shown(cells[name]) for name in COLUMNS)) for fault, cells in found.items()],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def record(found: dict[str, dict[str, Cell]], seed: int) -> str:
    """docs/calibration.json: one fault a line."""
    heads = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in (("seed", seed), ("made by", machine()))]
    cells = {fault: {name: asdict(cell) for name, cell in columns.items()} for fault, columns in found.items()}
    lines = [f"{json.dumps(fault)}: {json.dumps(columns)}" for fault, columns in cells.items()]
    return "{\n" + ",\n".join([*heads, '"faults": {\n' + ",\n".join(lines) + "\n}"]) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    """Write both files; exit status 1 if a fault was missed for which there is no reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=DOCS, help="the folder to write to")
    parser.add_argument(
        "--fault", action="append", choices=sorted(EVERY), metavar="NAME", help="try this one only, and keep the others"
    )
    chosen = parser.parse_args(arguments)
    before = kept(chosen.out) if chosen.fault else {}
    found = dict(sorted((before | rows(chosen.seed, chosen.processes, chosen.fault or sorted(EVERY))).items()))
    (chosen.out / "calibration.json").write_text(record(found, chosen.seed), "utf-8")
    (chosen.out / "calibration.md").write_text(page(found, chosen.seed), "utf-8")
    unexplained = [fault for fault in missed(found) if fault not in NOT_JUDGED]
    if unexplained:
        print(f"found by nothing, and no reason is known: {', '.join(unexplained)}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
