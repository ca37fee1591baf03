"""An interrupt that is swallowed on its way is met by the next loop that asks; how a process ends is not its choice."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsconform.app.interrupts import in_two_steps, meet, met


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_in_a_callback_of_the_collector_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    def collected(phase: str, info: dict[str, int]) -> None:
        gc.callbacks.remove(collected)
        signal.raise_signal(signal.SIGINT)

    passed = []
    with pytest.raises(SystemExit) as left, in_two_steps():
        gc.callbacks.append(collected)
        gc.collect()
        passed.append("the collection")
        meet()
        passed.append("the next turn")
    assert passed == ["the collection"] and left.value.code == 3
    assert "interrupted" in capfd.readouterr().err
    meet()


def test_an_interrupt_that_was_met_is_not_met_again() -> None:
    with in_two_steps():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        met()
        meet()


INTERRUPTED = """
import contextlib, signal
from fsconform.app.interrupts import in_two_steps
with in_two_steps(), contextlib.suppress(KeyboardInterrupt):
    {raising}
raise SystemExit(1)
"""


@pytest.mark.parametrize(
    "raising", ["signal.raise_signal(signal.SIGINT)", "exec('signal.raise_signal(signal.SIGINT)')"]
)
def test_the_exit_code_is_kept_where_a_module_was_being_loaded(tmp_path: Path, raising: str) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED.format(raising=raising), "utf-8")
    command = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
