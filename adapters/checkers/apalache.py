"""Apalache: bounded checking of a module's invariant, and random symbolic runs; both give traces in ITF.

Written for the command line and output of release 0.61. Its temporary files, its logs and its results go to a folder
that each run has to itself; its server is never started.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from fsconform.adapters.checkers import process
from fsconform.adapters.checkers.process import Ending, Outcome, State, Violation
from fsconform.adapters.checkers.tools import Apalache
from fsconform.adapters.offspring import owner
from fsconform.engine.formal.traces import TraceError, read_itf

HEAP = "3g"
TAIL_LINES = 20

ENDINGS: Mapping[int, Ending] = {0: "passed", 12: "violated", 255: "parse error", 120: "type error"}
"""By exit code."""


def check(
    apalache: Apalache, modules: Mapping[str, str], root: str, invariant: str, length: int, seconds: float
) -> Outcome:
    """Check an invariant of the module ``root`` over all behaviours of up to ``length`` steps.

    The root module's ``CInit`` sets the constants. Raises OSError.
    """
    outcome, traces = _run(apalache, modules, root, seconds, "check", f"--inv={invariant}", f"--length={length}")
    outcome.violations += [Violation(invariant, trace) for trace in traces]
    return outcome


def simulate(
    apalache: Apalache, modules: Mapping[str, str], root: str, runs: int, length: int, seconds: float
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random runs of up to ``length`` steps. Raises OSError."""
    options = (f"--max-run={runs}", f"--length={length}", "--output-traces=true")
    return _run(apalache, modules, root, seconds, "simulate", *options)


def _run(
    apalache: Apalache, modules: Mapping[str, str], root: str, seconds: float, *arguments: str
) -> tuple[Outcome, list[tuple[State, ...]]]:
    tail: deque[str] = deque(maxlen=TAIL_LINES)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"fsconform-apalache-{owner()}-") as made:
        folder = Path(made)
        for name, text in modules.items():
            (folder / f"{name}.tla").write_text(text, "utf-8")
        mode, *options = arguments
        command = [
            str(apalache.command),
            mode,
            f"--out-dir={folder / 'out'}",
            f"--run-dir={folder / 'run'}",
            "--cinit=CInit",
            "--init=Init",
            "--next=Next",
            "--no-deadlock",
            *options,
            f"{root}.tla",
        ]
        environment = {**os.environ, "TMPDIR": made, "JVM_ARGS": f"-Xmx{HEAP}"}
        code = process.run(command, folder, seconds, lambda line: tail.append(line.rstrip()[:400]), environment)
        ending: Ending = "timed out" if code is None else ENDINGS.get(code, "tool error")
        traces = []
        try:
            traces = results(folder / "run")
        except TraceError as error:
            tail.append(str(error))
            ending = "tool error"
    seconds_taken = time.monotonic() - started
    return Outcome(ending, code, seconds=seconds_taken, tail=list(tail), version=f"Apalache {apalache.version}"), traces


def results(folder: Path) -> list[tuple[State, ...]]:
    """The traces that a run left in its folder: counterexamples and examples, each once. Raises TraceError."""
    files = [path for path in sorted(folder.glob("*.itf.json")) if path.name.removesuffix(".itf.json")[-1].isdigit()]
    files = files or sorted(folder.glob("*.itf.json"))
    found = []
    for path in files:
        try:
            found.append(tuple(read_itf(path.read_text("utf-8"))))
        except (OSError, UnicodeDecodeError, TraceError) as error:
            raise TraceError(f"{path.name}: {error}") from error
    return found
