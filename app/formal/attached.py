"""What the formal side brings to a run: the traces that are played, and the figures that its report tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fsconform.app.formal import figures
from fsconform.app.formal.playing import NoTraces, given, goals, playable, wanderings
from fsconform.app.problems import Inconclusive, Problem
from fsconform.engine.formal.traces import TraceError
from fsconform.model.filesystem.programs import Program
from fsconform.records.results import FormalRecord

UNCHECKED = (
    "the modules, and that they and the model are equal, were not checked on this machine: `fsconform spec check` does"
)


def attached(
    wanted: bool, alone: bool, files: tuple[Path, ...], seed: int, told: Callable[[str], None]
) -> tuple[tuple[Program, ...], FormalRecord]:
    """The programs of traces, if they are ``wanted``, and the figures. ``alone`` is true if nothing else is to be run.

    Without a checker there are no traces, and the record says so. Raises Problem for files that are no traces, and
    Inconclusive if nothing is left to run.
    """
    record = figures.kept() or FormalRecord(not_run=[UNCHECKED])
    if not wanted:
        return (), record
    try:
        found = given(files) if files else (*goals(told).programs(), *wanderings(seed, told).programs())
    except NoTraces as error:
        if alone:
            raise Inconclusive(f"traces: not run: {error}") from error
        told(f"traces: not run: {error}")
        return (), replace(record, not_run=[*record.not_run, f"traces: {error}"])
    except TraceError as error:
        raise Problem(str(error)) from error
    programs = tuple(dict.fromkeys(program for one in found if (program := playable(one))))
    return programs, replace(record, traces=len(programs))
