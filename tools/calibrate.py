"""Calibrates the explorers on seeded faults: writes docs/calibration.md and docs/calibration.json.

Each fault of the store in memory is a bug of which everything is known. The matrix says for each fault and each way of
exploring whether it is found, after how many operations and seconds, and how small the program is that shows it. Found
means that a departure was minimised and then shown by three replays of three. Run it as ``python tools/calibrate.py``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path

from fsconform.adapters.proving.faults import CORE
from fsconform.adapters.proving.session import ProvingStore
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.engine.explorers import Explorer, both_modes, enumeration, from_list
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.engine.run import Benches
from fsconform.model.operations import core
from fsconform.model.oracle import Oracle
from fsconform.model.programs import Program
from fsconform.specs.contract_xml import load_shipped
from fsconform.specs.witness import witnesses
from fsconform.suites.exploring import explorer
from fsconform.suites.registry import SUITES

DOCS = Path(__file__).resolve().parent.parent / "docs"

CONTRACT = load_shipped("proving")
ORACLE = Oracle(CONTRACT)
TELLING = {*FAILING, "deviation"}

BASIC = [suite for suite in SUITES.values() if all(issubclass(kind, core.ALL) for kind, _ in suite.grammar.weights)]
"""The suites of the basic operations, on which the calibrated faults are."""

COLUMNS = ("witnesses", "1 operation", "2 operations", "3 operations", "ladders", "hypothesis")


@dataclass(frozen=True, slots=True)
class Cell:
    """How one way of exploring did on one fault. ``operations`` and ``seconds`` until it was found, or in vain.

    ``steps`` are those of the smallest program that shows it, 0 if none does; ``ended`` if nothing was left to try.
    """

    found: bool
    operations: int
    seconds: float
    steps: int = 0
    ended: bool = False


def by_turns(explorers: Sequence[Explorer]) -> Explorer:
    """One program of each explorer in turn; they have no end."""

    def source(first: int) -> Iterator[tuple[int, Program]]:
        rows = zip(*(one.source(0) for one in explorers), strict=True)
        programs = (program for row in rows for _, program in row)
        return itertools.islice(enumerate(programs), first, None)

    return Explorer("by turns", source)


def is_basic(program: Program) -> bool:
    """True for a program of the basic operations only, each in its plain form."""
    return all(isinstance(step.operation, core.ALL) and not step.operation.via for step in program)


@cache
def column(name: str, root: bool, seed: int) -> Explorer:
    """The explorer of a column; on the real root only what is made for it."""
    suites = [suite for suite in BASIC if suite.root is root]
    if name == "witnesses":
        basic = [one.program for one in witnesses() if one.root is root and is_basic(one.program)]
        return from_list(name, both_modes(basic, ORACLE))
    if name == "ladders":
        return from_list(name, both_modes([rung for suite in suites for rung in suite.ladders()], ORACLE))
    if name == "hypothesis":
        return by_turns([explorer(suite, ORACLE, seed) for suite in suites])
    length = int(name.split()[0])
    return from_list(name, ()) if root else enumeration(length, ORACLE, seed)


@cache
def timed(name: str, root: bool, seed: int) -> Callable[[], Iterator[tuple[Program, float]]]:
    """The programs of a column with the seconds that making each took: made once, for all faults."""
    made: list[tuple[Program, float]] = []
    rest = column(name, root, seed).source(0)

    def programs() -> Iterator[tuple[Program, float]]:
        for number in itertools.count():
            if number == len(made):
                started = time.process_time()
                following = next(rest, None)
                if following is None:
                    return
                made.append((following[1], time.process_time() - started))
            yield made[number]

    return programs


def explore(fault: str, name: str, seed: int, most: int) -> Cell:
    """Try a column's programs on a fault one after another, until it is found or ``most`` operations were made."""
    root = CORE[fault].root
    benches = Benches(ProvingStore(fault=fault, real_root=root), CONTRACT, 1)
    bench = benches.take()
    benches.give_back(bench)
    operations, spent = 0, 0.0
    for program, making in timed(name, root, seed)():
        started = time.process_time()
        (trial,) = bench.try_all([program])
        spent += making + time.process_time() - started
        operations += trial.judgement.operations
        if any(one.verdict in TELLING for one in trial.judgement.findings):
            collected = Collected()
            collected.add(trial)
            proven = prove_all(benches, collected, lambda signature, number, of: None)
            steps = [own_steps(one.program) for one in proven if one.confirmed == "3/3"]
            if steps:
                return Cell(True, operations, round(spent, 3), min(steps))
        if operations >= most:
            return Cell(False, operations, round(spent, 3))
    return Cell(False, operations, round(spent, 3), ended=True)


def row(fault: str, seed: int, most: int) -> tuple[str, dict[str, Cell]]:
    """A fault's cells, by column."""
    return fault, {name: explore(fault, name, seed, most) for name in COLUMNS}


def rows(seed: int, most: int, processes: int) -> dict[str, dict[str, Cell]]:
    """All faults' cells, told as they come."""
    found = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for fault, cells in pool.map(row, CORE, itertools.repeat(seed), itertools.repeat(most)):
            missing = [name for name in COLUMNS if not cells[name].found]
            print(f"{fault}: {'found by all' if not missing else 'not found by ' + ', '.join(missing)}", flush=True)
            found[fault] = cells
    return found


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "cores": str(os.cpu_count()),
        "system": platform.system(),
        "python": platform.python_version(),
        "hypothesis": metadata.version("hypothesis"),
    }


def summary(cells: Sequence[Cell]) -> list[str]:
    """A column's line of the summary."""
    found = [cell for cell in cells if cell.found]
    if not found:
        return [f"0 of {len(cells)}", "", "", "", ""]
    operations = [cell.operations for cell in found]
    return [
        f"{len(found)} of {len(cells)}",
        f"{statistics.median(operations):,.0f}",
        f"{max(operations):,}",
        f"{statistics.median(cell.seconds for cell in found):.2f}",
        f"{statistics.median(cell.steps for cell in found):g}",
    ]


def shown(cell: Cell) -> str:
    """A cell of the matrix."""
    if not cell.found:
        return "none" if cell.ended else "not yet"
    return f"{cell.operations:,} / {cell.seconds:.2f} s / {cell.steps}"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *lines))


def paragraph(text: str) -> str:
    """A paragraph in lines of at most 120 characters."""
    return textwrap.fill(" ".join(text.split()), 120)


def page(found: dict[str, dict[str, Cell]], seed: int, most: int) -> str:
    """docs/calibration.md."""
    about = machine()
    columns = {name: [cells[name] for cells in found.values()] for name in COLUMNS}
    parts = [
        "# Calibration",
        paragraph(f"""What finds what: {len(found)} faults were seeded, one at a time, into the store in memory, and
            each way of exploring was tried on each of them alone. A fault counts as found if a departure was shrunk to
            its minimal program and then shown again by three replays of three."""),
        paragraph(f"""Seed {seed}, at most {most:,} operations a cell. Measured on a shared machine with
            {about["cores"]} cores, {about["system"]}, Python {about["python"]}, Hypothesis {about["hypothesis"]}.
            Seconds are of CPU; making the programs is in them. `python tools/calibrate.py` writes this page and
            `calibration.json` anew."""),
        paragraph("""Witnesses and ladders are those of the basic operations, in both modes of probing. The
            enumerations are of programs of one, two and three operations; the last ends where its
            operations are used up. Hypothesis stands for the state machines of their suites, which give one
            program each by turns; the first programs cost the most seconds, as each machine draws a chunk
            of them at once. The fault that needs the real root meets only what is made for it. Steps are
            without set-up and probes: 0 where these alone show the fault."""),
        table(
            ("exploring by", "found", "operations: median", "most", "seconds: median", "steps: median"),
            [(name, *summary(cells)) for name, cells in columns.items()],
        ),
        "## Bugs that really happened",
        "Some faults are modelled on bugs of real stores. What Hypothesis alone needs for them:",
        table(
            ("bug", "fault", "operations / seconds / steps"),
            [
                (CORE[fault].reference, f"`{fault}`", shown(found[fault]["hypothesis"]))
                for fault in sorted(found, key=lambda one: (CORE[one].reference, one))
                if CORE[fault].reference
            ],
        ),
        "## Matrix",
        paragraph("""Each cell: operations until the fault was found, seconds until then, steps of the minimal program.
            *none*: all programs there are were tried in vain. *not yet*: the operations were used up."""),
        table(
            ("fault", *COLUMNS),
            [(f"`{fault}`", *(shown(cells[name]) for name in COLUMNS)) for fault, cells in found.items()],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def record(found: dict[str, dict[str, Cell]], seed: int, most: int) -> str:
    """docs/calibration.json: one fault a line."""
    about = {"seed": seed, "most": most, "machine": machine()}
    heads = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
    cells = {fault: {name: asdict(cell) for name, cell in columns.items()} for fault, columns in found.items()}
    lines = [f"{json.dumps(fault)}: {json.dumps(columns)}" for fault, columns in cells.items()]
    return "{\n" + ",\n".join([*heads, '"faults": {\n' + ",\n".join(lines) + "\n}"]) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    """Write both files; exit status 1 if Hypothesis missed a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=50_000, help="operations a cell, at most")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=DOCS, help="the folder to write to")
    chosen = parser.parse_args(arguments)
    found = rows(chosen.seed, chosen.most, chosen.processes)
    (chosen.out / "calibration.json").write_text(record(found, chosen.seed, chosen.most), "utf-8")
    (chosen.out / "calibration.md").write_text(page(found, chosen.seed, chosen.most), "utf-8")
    return 0 if all(cells["hypothesis"].found for cells in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
