"""Runs one daemon and sees to it that it does not outlive the process that wanted it. A script: standard library only.

``python -I -S guard.py PID_FD GRACE HOME COMMAND...`` starts the command, writes its process id to the descriptor
PID_FD and waits. ``s`` on standard input asks for an orderly stop, ``sSECONDS`` for one with that grace. End of file
without it means that the process that wanted the daemon is gone, however it ended: then the daemon is stopped too and
HOME is removed, and the folder above it if that is empty. Stopping is SIGTERM, then SIGKILL after GRACE seconds. The
guard's exit code is the daemon's.

A guard and not PR_SET_PDEATHSIG in the harness alone: that signal comes when the *thread* that started the daemon ends,
and asking for it would take code between fork and exec in a process with threads. Here the starter is the only thread
of its process; the kernel's signal covers the one remaining case, a guard that is itself killed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1


class _Asked(Exception):
    """The guard was sent SIGTERM."""


def _die_with_parent(guard: int) -> None:
    """In the new process: be killed when the guard dies, also if it died before this line."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)


def _asked(number: int, frame: object) -> None:
    raise _Asked


def _wait_for_request() -> bytes:
    """Block until asked to stop: by what; empty if the one who wanted the daemon is gone."""
    try:
        return os.read(0, 32)
    except _Asked:
        return b"s"


def _code(status: int) -> int:
    return status if status >= 0 else 128 - status


def _follow(daemon: subprocess.Popen[bytes], stopping: threading.Event) -> None:
    """End the guard when the daemon ends of itself."""
    status = daemon.wait()
    if not stopping.is_set():
        os._exit(_code(status))


def main() -> None:
    """Run the daemon that the arguments describe."""
    descriptor, grace, home, *command = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _asked)
    guard = os.getpid()
    daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=lambda: _die_with_parent(guard))
    with suppress(OSError):
        os.write(int(descriptor), b"%d\n" % daemon.pid)
    os.close(int(descriptor))
    stopping = threading.Event()
    threading.Thread(target=_follow, args=(daemon, stopping), daemon=True).start()
    asked = _wait_for_request()
    stopping.set()
    daemon.terminate()
    try:
        status = daemon.wait(float(asked[1:] or grace))
    except subprocess.TimeoutExpired:
        daemon.kill()
        status = daemon.wait()
    if not asked:
        shutil.rmtree(home, ignore_errors=True)
        with suppress(OSError):
            Path(home).parent.rmdir()
    os._exit(_code(status))


if __name__ == "__main__":
    main()
