"""Apalache: bounded checking of a module's invariant, and random symbolic runs; both give traces in ITF.

Written for the command line and output of release 0.61. Its temporary files, its logs and its results go to a folder
that each run has to itself; its server is never started.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.checkers import process
from fsconform.adapters.checkers.process import Ending, Outcome, State, Violation
from fsconform.adapters.checkers.tools import Apalache
from fsconform.adapters.offspring import owner
from fsconform.engine.formal.traces import TraceError, read_itf

HEAP = "3g"
STACK = 64
"""Megabytes of a thread's stack: with Java's own default the modules here end in StackOverflowError."""
TAIL_LINES = 20
LINE = 400
"""Characters of a line that are kept."""

MEANINGS: Mapping[int, str] = {
    0: "no error that the tool counts as one",
    12: "a property that does not hold, or a deadlock",
    75: "the specification can't be evaluated: operators that are not supported, or infinite sets",
    120: "the modules do not pass the type checker",
    150: "a file of Quint or JSON that can't be parsed",
    255: "any other error: of parsing, of configuration, or of the tool itself",
}
"""What the tool means by its exit codes. They do not tell apart all that matters: ``ending`` reads the text too."""

_MESSAGE = re.compile(r"(.*?)\s*\b([TDIWE])@\d\d:\d\d:\d\d\.\d{3}\s*")
_OUTCOME = re.compile(r"The outcome is: (\w+)")
_OVERFLOW = "StackOverflowError"


@dataclass(slots=True)
class Said:
    """What a run printed: messages of one or more lines, each closed by its level and time.

    ``outcome`` is the tool's own word for what came of checking, ``errors`` the messages of that level.
    """

    outcome: str = ""
    errors: list[str] = field(default_factory=list)
    overflow: bool = False
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=TAIL_LINES))
    _open: list[str] = field(default_factory=list)

    def line(self, line: str) -> None:
        """Take the next line."""
        text = line.strip()
        self.tail.append(text[:LINE])
        self.overflow |= _OVERFLOW in text
        if found := _OUTCOME.search(text):
            self.outcome = found[1]
        closed = _MESSAGE.fullmatch(text)
        self._open.append(closed[1] if closed else text)
        if closed is not None:
            if closed[2] == "E":
                self.errors.append(" ".join(" ".join(self._open).split())[:LINE])
            self._open.clear()

    def reason(self, ending: Ending, seconds: float) -> str:
        """Why nothing was decided, as far as it was said."""
        if ending == "timed out":
            return f"it was ended after {seconds:g} s"
        if self.overflow:
            return f"{_OVERFLOW}: give threads a larger stack with --stack"
        # The tool points to its manual in a message of its own.
        told = [error for error in self.errors if not error.startswith("Check the manual:")]
        if not told and self.outcome not in ("", "NoError", "Error"):
            return f"the outcome is {self.outcome}: not all was checked"
        return "; ".join(told)


def ending(code: int | None, said: Said, passes: frozenset[str] = frozenset({"NoError"})) -> Ending:
    """How a run ended, by its exit code and what it said. ``passes`` are the outcomes that say that nothing is wrong.

    The tool ends with 0 also where the solver ran out of time, and where no execution is as long as was asked for.
    """
    if code is None:
        return "timed out"
    if code == 0:
        return "passed" if said.outcome in passes else "tool error"
    if code == 12:
        return "violated" if said.outcome == "Error" else "tool error"
    if code == 120:
        return "type error"
    if code == 150 or any(error.startswith("Parsing error:") for error in said.errors):
        return "parse error"
    return "configuration error" if any("Configuration error" in error for error in said.errors) else "tool error"


def check(
    apalache: Apalache,
    modules: Mapping[str, str],
    root: str,
    invariant: str,
    length: int,
    seconds: float,
    init: str = "Init",
    stack: int = STACK,
) -> Outcome:
    """Check an invariant of the module ``root`` over all behaviours of up to ``length`` steps from ``init``.

    The root module's ``CInit`` sets the constants. ``stack`` is in megabytes. Raises OSError.
    """
    options = (f"--init={init}", f"--inv={invariant}", f"--length={length}")
    outcome, traces = _run(apalache, modules, root, seconds, stack, "check", *options)
    outcome.violations += [Violation(invariant, trace) for trace in traces]
    return outcome


def simulate(
    apalache: Apalache, modules: Mapping[str, str], root: str, runs: int, length: int, seconds: float
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random runs of up to ``length`` steps. Raises OSError."""
    options = ("--init=Init", f"--max-run={runs}", f"--length={length}", "--output-traces=true")
    return _run(apalache, modules, root, seconds, STACK, "simulate", *options)


def _run(
    apalache: Apalache, modules: Mapping[str, str], root: str, seconds: float, stack: int, mode: str, *options: str
) -> tuple[Outcome, list[tuple[State, ...]]]:
    said = Said()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"fsconform-apalache-{owner()}-") as made:
        folder = Path(made)
        for name, text in modules.items():
            (folder / f"{name}.tla").write_text(text, "utf-8")
        command = [
            str(apalache.command),
            mode,
            f"--out-dir={folder / 'out'}",
            f"--run-dir={folder / 'run'}",
            "--cinit=CInit",
            "--next=Next",
            "--no-deadlock",
            *options,
            f"{root}.tla",
        ]
        environment = {**os.environ, "TMPDIR": made, "JVM_ARGS": f"-Xmx{HEAP} -Xss{stack}m"}
        code = process.run(command, folder, seconds, lambda line: said.line(line.replace(f"{made}/", "")), environment)
        # A random run may be shorter than was asked for.
        passes = frozenset({"NoError"} if mode == "check" else {"NoError", "ExecutionsTooShort"})
        ended = ending(code, said, passes)
        reason = said.reason(ended, seconds)
        traces = []
        try:
            traces = results(folder / "run")
        except TraceError as error:
            ended, reason = "tool error", str(error)
    outcome = Outcome(ended, code, seconds=time.monotonic() - started, tail=list(said.tail))
    outcome.version, outcome.reason = f"Apalache {apalache.version}", reason
    outcome.meaning = "" if code is None else MEANINGS.get(code, "no code that the tool documents")
    return outcome, traces


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
