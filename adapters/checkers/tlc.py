"""TLC: checking a module, and its traces.

TLC is run with ``-tool``, which frames each message with its number; what the module prints itself stands between the
frames. Every run has a folder of its own, for TLC unpacks its standard modules into the temporary directory and keeps
its states beside the module.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fsconform.adapters.checkers import process
from fsconform.adapters.checkers.process import Ending, Outcome, State, Violation
from fsconform.adapters.checkers.tools import Tlc
from fsconform.adapters.offspring import owner
from fsconform.engine.formal.terms import TermError, read_state

HEAP = "1g"
TAIL_LINES = 20

ENDINGS: Mapping[int, Ending] = {
    0: "passed",
    12: "violated",
    13: "violated",
    150: "parse error",
    151: "configuration error",
}
"""By exit code; 12 is a state's property and 13 a step's."""

_FRAME = re.compile(r"@!@!@(STARTMSG|ENDMSG) (\d+)(?::\d+)? @!@!@")
_VIOLATED = re.compile(r"(?:Invariant|Action property|Temporal property) (?:line .* of module )?(\S+?) is violated")
_COUNTS = re.compile(r"([\d,]+) states generated, ([\d,]+) distinct states found")
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
_ORDINAL = re.compile(r"\s*\d+: <.*>\s*")

_STATE = "2217"
_VIOLATIONS = ("2110", "2112", "2107")


class _Listener:
    """Takes TLC's lines apart into messages, and these into an outcome."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self.outcome = Outcome("tool error")
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._hear = hear
        self._message: list[str] | None = None
        self._started = time.monotonic()

    def ended(self, tlc: Tlc, code: int | None) -> Outcome:
        """The outcome of a run that ended with an exit code, or for its time."""
        outcome = self.outcome
        outcome.exit_code, outcome.seconds = code, time.monotonic() - self._started
        outcome.ending = "timed out" if code is None else ENDINGS.get(code, "tool error")
        outcome.tail, outcome.version = list(self.tail), tlc.version
        return outcome

    def line(self, line: str) -> None:
        frame = _FRAME.match(line)
        if frame is None:
            if self._message is not None:
                self._message.append(line)
            else:
                self._hear(line)
                self.tail.append(line.rstrip()[:400])
        elif frame[1] == "STARTMSG":
            self._message = []
        else:
            self._told(frame[2], "".join(self._message or ()))
            self._message = None

    def _told(self, number: str, text: str) -> None:
        if number == _STATE:
            self._state(text)
            return
        self.tail.extend(line[:400] for line in text.rstrip().splitlines())
        if number in _VIOLATIONS and (violated := _VIOLATED.search(text)):
            self.outcome.violations.append(Violation(violated[1], ()))
        elif counts := _COUNTS.search(text):
            generated, distinct = (int(number.replace(",", "")) for number in counts.groups())
            self.outcome.generated, self.outcome.distinct = generated, distinct
        elif depth := _DEPTH.search(text):
            self.outcome.depth = int(depth[1])

    def _state(self, text: str) -> None:
        head, _, variables = text.partition("\n")
        if not self.outcome.violations or not _ORDINAL.fullmatch(head):
            return
        last = self.outcome.violations[-1]
        self.outcome.violations[-1] = Violation(last.name, (*last.states, read_state(variables)))


def check(
    tlc: Tlc,
    modules: Mapping[str, str],
    root: str,
    configuration: str,
    seconds: float,
    *more: str,
    hear: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Check the module ``root`` of ``modules`` (texts by name) with a configuration, with one worker.

    ``hear`` is given each line that the module prints itself. ``more`` are arguments of TLC's. Raises OSError.
    """
    listener = _Listener(hear)
    with tempfile.TemporaryDirectory(prefix=f"fsconform-tlc-{owner()}-") as made:
        folder = Path(made)
        _write(folder, modules, root, configuration)
        try:
            code = process.run(_command(tlc, folder, root, more), folder, seconds, listener.line)
        except TermError as error:
            listener.tail.append(f"TLC printed a state that can't be read: {error}")
            code = -1
    return listener.ended(tlc, code)


def simulate(
    tlc: Tlc,
    modules: Mapping[str, str],
    root: str,
    configuration: str,
    seconds: float,
    traces: int,
    steps: int,
    seed: int,
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random traces of ``steps`` steps. Raises OSError or TermError."""
    listener = _Listener(lambda line: None)
    with tempfile.TemporaryDirectory(prefix=f"fsconform-tlc-{owner()}-") as made:
        folder = Path(made)
        _write(folder, modules, root, configuration)
        simulation = (
            "-simulate",
            f"file={folder / 'trace'},num={traces}",
            "-depth",
            str(steps + 1),
            "-seed",
            str(seed),
        )
        code = process.run(_command(tlc, folder, root, simulation), folder, seconds, listener.line)
        found = [_trace(path.read_text("utf-8")) for path in sorted(folder.glob("trace_*"), key=_by_number)]
    return listener.ended(tlc, code), found


def _by_number(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


_STATE_HEAD = re.compile(r"^STATE_\d+ ==\s*$", re.MULTILINE)


def _trace(text: str) -> tuple[State, ...]:
    bodies = _STATE_HEAD.split(text)[1:]
    return tuple(
        read_state(re.split(r"^(?:={4,}|\\\*.*)$", body, maxsplit=1, flags=re.MULTILINE)[0]) for body in bodies
    )


def _write(folder: Path, modules: Mapping[str, str], root: str, configuration: str) -> None:
    for name, text in modules.items():
        (folder / f"{name}.tla").write_text(text, "utf-8")
    (folder / f"{root}.cfg").write_text(configuration, "utf-8")


def _command(tlc: Tlc, folder: Path, root: str, more: Sequence[str]) -> list[str]:
    return [
        str(tlc.java.executable),
        f"-Xmx{HEAP}",
        "-XX:+UseParallelGC",
        f"-Djava.io.tmpdir={folder}",
        "-cp",
        str(tlc.jar),
        "tlc2.TLC",
        "-tool",
        "-metadir",
        str(folder / "states"),
        "-deadlock",
        "-workers",
        "1",
        "-fp",
        "0",
        *more,
        "-config",
        f"{root}.cfg",
        root,
    ]
