"""The model checker's goal traces, which are made once for each version of the modules and kept in the cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from fsconform.adapters.checkers.tools import NoTool, find_tlc
from fsconform.app.formal import figures
from fsconform.app.formal.checking import goal_traces
from fsconform.engine.formal import traces
from fsconform.engine.formal.traces import TraceError
from fsconform.model.programs import Program
from fsconform.specs import formal

LOCK_SECONDS = 600.0


class NoTraces(Exception):
    """There are no traces. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Goals:
    """Traces in ITF, and the checker that found them."""

    tool: str
    itf: tuple[str, ...]

    def programs(self) -> tuple[Program, ...]:
        """The calls of the traces, each once. Raises TraceError."""
        found = (traces.program(traces.steps(traces.read_itf(text))) for text in self.itf)
        return tuple(dict.fromkeys(found))


def goals(told: Callable[[str], None]) -> Goals:
    """The goal traces of the modules as they are here. Raises NoTraces."""
    name = f"goals-{formal.digest()}.json"
    known = _read(figures.folder() / name)
    if known is not None:
        return known
    try:
        tool = find_tlc()
    except NoTool as error:
        raise NoTraces(str(error)) from error
    try:
        figures.folder().mkdir(parents=True, exist_ok=True)
        with FileLock(figures.folder() / f"{name}.lock", timeout=LOCK_SECONDS):
            known = _read(figures.folder() / name)
            if known is not None:
                return known
            told("finding the traces of the model checker (once for each version of the modules)")
            outcome = goal_traces(tool)
            if outcome.ending not in ("passed", "violated") or not outcome.violations:
                last = outcome.tail[-1] if outcome.tail else "it said nothing"
                raise NoTraces(f"{outcome.version}: {outcome.ending} (exit code {outcome.exit_code}): {last}")
            found = (traces.write_itf(one.states, f"{outcome.version}, a goal") for one in outcome.violations)
            made = Goals(outcome.version, tuple(found))
            figures.save(name, json.dumps({"tool": made.tool, "itf": made.itf}))
            return made
    except Timeout as error:
        raise NoTraces(
            f"another process holds {name}.lock for {LOCK_SECONDS:g} s: end it, or remove the file"
        ) from error
    except OSError as error:
        raise NoTraces(
            f"{figures.folder()}: {error.strerror or error}: set FSCONFORM_CACHE to a folder for it"
        ) from error


def _read(file: Path) -> Goals | None:
    try:
        table = json.loads(file.read_text("utf-8"))
        return Goals(str(table["tool"]), tuple(map(str, table["itf"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def given(files: tuple[Path, ...]) -> tuple[Program, ...]:
    """The programs of traces in files, or in the folders of such files. Raises TraceError."""
    found: dict[Program, None] = {}
    for place in files:
        inside = sorted(place.glob("*.itf.json")) if place.is_dir() else [place]
        if not inside:
            raise TraceError(f"{place}: no file *.itf.json is in it")
        for file in inside:
            try:
                found[traces.program(traces.steps(traces.read_itf(file.read_text("utf-8"))))] = None
            except (OSError, UnicodeDecodeError, TraceError) as error:
                raise TraceError(f"{file}: {error}") from error
    return tuple(found)
