"""A session of s3fs ends in seconds, whatever is open or under way, and so does the process it was in."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from concurrent.futures import CancelledError

import pytest

from fsconform.adapters.pythonic.loops import PATIENCE, OwnLoop

CHILD = """
import sys, threading, time
from fsconform.adapters.pythonic import fsspecs
from fsconform.model.filesystem.status.predicates import Exists

bind, end = fsspecs.s3(f"http://127.0.0.1:{sys.argv[1]}", "key", "secret", "us-east-1", 60.0)
binding = bind("bucket")
left = binding.open_writer(("never-closed",), "overwrite")  # which puts an object when Python collects it
asked = threading.Thread(target=binding.call(Exists(("a",))))
asked.start()
time.sleep(float(sys.argv[2]))
end()
asked.join(10)
print("answered" if asked.is_alive() else "ended")
"""


def test_a_server_that_never_answers_keeps_no_process_alive() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        command = [sys.executable, "-c", CHILD, str(silent.getsockname()[1]), "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_calls_under_way_are_cancelled_and_later_ones_refused() -> None:
    own = OwnLoop("test")
    waiting = asyncio.run_coroutine_threadsafe(asyncio.sleep(60), own.loop)
    own.close()
    own.close()
    with pytest.raises(CancelledError):
        waiting.result(0)
    late = asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run_coroutine_threadsafe(late, own.loop)
    late.close()


def test_a_loop_that_is_stuck_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsconform.adapters.pythonic.loops.PATIENCE", 0.2)
    assert PATIENCE > 0.2
    own = OwnLoop("stuck")
    own.loop.call_soon_threadsafe(time.sleep, 1.2)
    began = time.monotonic()
    own.close()
    assert time.monotonic() - began < 1.0
    assert not own.loop.is_closed()
    own._thread.join(10)
    own.close()
    assert own.loop.is_closed()
