"""How a session of pytest ends: with the exit code of the gate, and in good order where a signal ends it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import pytest

from fsconform.records import gate
from fsconform.records.results import StoreRecord


@dataclass(slots=True)
class Ending:
    """What the controller saw of a session beside records.

    ``unusable`` counts modules that could not be collected and sandboxes that were refused; ``open`` is set where
    something that was asked for could not be judged.
    """

    failed: int = 0
    unusable: int = 0
    open: bool = False


def exit_code(status: int, ending: Ending, records: Iterable[StoreRecord]) -> int:
    """The code of a session that pytest ends with ``status``. Of 2, 1, 3 and 0 the first that applies."""
    if status not in set(pytest.ExitCode):
        return status  # someone called pytest.exit with a code of their own
    stores = gate.of_stores(list(records))
    return gate.exit_code(
        failing=stores == gate.DIVERGENCES or bool(ending.failed) or status == pytest.ExitCode.TESTS_FAILED,
        unjudged=stores == gate.INCONCLUSIVE or ending.open or status != pytest.ExitCode.OK,
        unusable=bool(ending.unusable) or status == pytest.ExitCode.USAGE_ERROR,
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def heard() -> Iterator[None]:
    """SIGTERM, as CI servers send it, ends the session in good order, unless somebody handles it already."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is _interrupt:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """Signals to end are not heard meanwhile: what is written is short, and lost if it is torn."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
