"""An interrupt that is swallowed on its way is met by the next loop that asks; how a process ends is not its choice."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsconform.engine.events import Doing, Event
from fsconform.harness.interrupts import in_two_steps, meet, meeting, met


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


def test_a_listener_of_the_thread_that_is_interrupted_meets_it_before_the_next_event() -> None:
    heard: list[Event] = []
    hear = meeting(heard.append)
    event = Doing("store", "searching")
    with in_two_steps():
        hear(event)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            hear(event)
        hear(event)
    assert heard == [event, event]


def test_an_interrupt_that_was_met_is_not_met_again() -> None:
    with in_two_steps():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        met()
        meet()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_ends_a_process_ends_the_work_in_good_order(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    # The tests themselves may run under nohup.
    before = signal.signal(number, signal.SIG_DFL)
    steps = []
    try:
        with pytest.raises(SystemExit) as left, in_two_steps():
            try:
                signal.raise_signal(number)
            finally:
                # CI servers send one signal after the other while the report is being written.
                signal.raise_signal(number)
                signal.raise_signal(signal.SIGTERM)
                steps.append("reported")
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert steps == ["reported"] and left.value.code == 3
    assert capfd.readouterr().err.count("interrupted") == 1


def test_a_hangup_stays_ignored_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with in_two_steps():
            signal.raise_signal(signal.SIGHUP)
            meet()
    finally:
        signal.signal(signal.SIGHUP, before)


AT_ONCE = """
import signal
from fsconform.harness.interrupts import in_two_steps
with in_two_steps():
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.raise_signal(signal.SIGINT)
        print("still here")
"""


def test_ctrl_c_after_a_sigterm_leaves_at_once(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", AT_ONCE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "interrupted again" in ended.stderr


INTERRUPTED = """
import contextlib, signal
from fsconform.harness.interrupts import in_two_steps
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
