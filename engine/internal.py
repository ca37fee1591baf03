"""Errors in our own code: caught where they cost one program, kept with it, and reported as ours and not the store's.

An error of the store or of what drives it has types of its own (StoreLost, SandboxRefused), which pass. Whatever else
is raised while a program is executed, judged, minimised or recorded is a fault of fsconform: the run goes on without
that program, and its gate is inconclusive at best.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsconform.engine.minimise import size_of
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.model.filesystem.programs import Program, decode_program, encode_program

PASSED = (StoreLost, SandboxRefused)
"""Errors that are no fault of ours: whoever drives the store hears of them."""

DIFFERENT_AT_MOST = 50
"""Different errors that are kept with their programs; of others only the first so many are."""

LONGEST = 20_000
"""Characters of a traceback that are kept: its end."""


@dataclass(frozen=True, slots=True)
class InternalError:
    """An error of ours: while doing what, the error on one line, its traceback, the smallest program, how often.

    The program is empty where none was at hand.
    """

    stage: str
    error: str
    traceback: str
    program: Program = ()
    count: int = 1
    place: str = ""
    """Where in the code it was raised: by this, and the stage, errors are told apart."""


class InternalErrors:
    """The errors of one store's run. May be added to by several threads."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], InternalError] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, stage: str, error: Exception, program: Program = ()) -> InternalError:
        """Note an error that was raised while ``stage`` was done with a program."""
        frames = traceback.extract_tb(error.__traceback__)
        place = type(error).__name__
        if frames:
            place += f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
        found = InternalError(stage, _one_line(error), _traceback(error), program, 1, place)
        self.merge((found,))
        return found

    def merge(self, errors: Iterable[InternalError]) -> None:
        """Add errors that were noted elsewhere."""
        with self._lock:
            for one in errors:
                key = (one.stage, one.place)
                other = self._found.get(key)
                if other is not None:
                    better = one if _is_smaller(one.program, other.program) else other
                    self._found[key] = replace(better, count=one.count + other.count)
                elif len(self._found) < DIFFERENT_AT_MOST:
                    self._found[key] = one

    def all(self) -> tuple[InternalError, ...]:
        """What was noted, the most frequent first."""
        with self._lock:
            return tuple(sorted(self._found.values(), key=lambda one: (-one.count, one.stage, one.place)))

    def drain(self) -> tuple[InternalError, ...]:
        """As :meth:`all`; afterwards nothing is noted."""
        found = self.all()
        with self._lock:
            self._found.clear()
        return found

    @contextmanager
    def noting(self, stage: str, program: Program = ()) -> Iterator[None]:
        """Note what is raised inside, and go on after it. Errors of the store pass."""
        try:
            yield
        except PASSED:
            raise
        except Exception as error:
            self.add(stage, error, program)


def sentence(one: InternalError) -> str:
    """An internal error on one line."""
    times = f", {one.count} times" if one.count > 1 else ""
    return f"internal error of fsconform while {one.stage}: {one.error}{times}"


def encode_internal(one: InternalError) -> dict[str, Any]:
    """The error as plain data."""
    return {
        "stage": one.stage,
        "error": one.error,
        "traceback": one.traceback,
        "program": encode_program(one.program),
        "count": one.count,
        "place": one.place,
    }


def decode_internal(row: Mapping[str, Any]) -> InternalError:
    """The inverse of :func:`encode_internal`. Raises KeyError, TypeError or ValueError for anything else."""
    return InternalError(**{**row, "program": decode_program(row["program"])})


def _is_smaller(program: Program, other: Program) -> bool:
    return bool(program) and (not other or size_of(program) < size_of(other))


def _one_line(error: Exception) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # of a foreign error, its own code
        text = ""
    return f"{type(error).__name__}: {text}"[:400] if text else type(error).__name__


def _traceback(error: Exception) -> str:
    try:
        return "".join(traceback.format_exception(error))[-LONGEST:]
    except Exception:  # of a foreign error, its own code
        return "".join(traceback.format_tb(error.__traceback__))[-LONGEST:]
