"""An interrupt that is swallowed on its way is met by the next loop that asks."""

from __future__ import annotations

import gc
import signal

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
