"""Processes that a process of ours started, whoever their parent is by now: found by a mark in their environment.

A connector may start what it likes, in sessions of its own, twice forked: what it starts has the environment that its
worker was given, and with it a mark that no other process has. By it all of that is ended with the worker, and found
by a later run where nobody was left to end it. What cleans its environment away and leaves its group is not found.
"""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "FSCONFORM_STARTED_BY"
_PROC = Path("/proc")
_ROUNDS = 50
_PAUSE_SECONDS = 0.02
_PARENT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Process:
    """A process with a mark, and the start of what it runs."""

    pid: int
    mark: str
    command: str


def started_at(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 where that is not told, -1 where there is none."""
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except FileNotFoundError:
        return -1 if _PROC.joinpath("self").exists() else 0
    except OSError:
        return -1
    fields = text[text.rindex(")") + 1 :].split()
    return -1 if fields[0] in "ZX" else int(fields[19])


@functools.cache
def place() -> str:
    """Eight digits for where ids of processes mean what they mean here: this machine, this container.

    Others may share a folder for temporary files, or show their processes here.
    """
    told = [socket.gethostname()]
    with suppress(OSError):
        told.append(Path("/etc/machine-id").read_text("utf-8", "replace").strip())
    with suppress(OSError):
        told.append(str((_PROC / "self" / "ns" / "pid").readlink()))
    return hashlib.sha256("|".join(told).encode()).hexdigest()[:8]


def owner() -> str:
    """This process as a part of names: its id, when it began and where, so that no other one is taken for it."""
    return f"{os.getpid()}.{max(0, started_at(os.getpid()))}.{place()}"


def is_alive(owner_text: str) -> bool:
    """Whether the process that :func:`owner` told may still be there. True of what is no such text, or of elsewhere."""
    pid, began, where, *rest = (*owner_text.split("."), "", "", "")
    if any(rest) or not (pid.isdecimal() and began.isdecimal()) or where != place():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return int(began) == 0 or started_at(int(pid)) == int(began)


def mark() -> str:
    """A new mark of this process: the value of :data:`VARIABLE` for what it starts."""
    return f"{owner()}.{secrets.token_hex(8)}"


def marked(prefix: str = "") -> Iterator[Process]:
    """The processes whose marks begin so, but for this one."""
    wanted = f"{VARIABLE}={prefix}".encode()
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        if found := _mark_of(int(entry.name), wanted):
            yield Process(int(entry.name), found, _command(int(entry.name)))


def stale() -> list[Process]:
    """Processes that a process of ours started which is gone."""
    return [one for one in marked() if not is_alive(one.mark.rpartition(".")[0])]


def end(prefix: str) -> list[Process]:
    """End all processes whose marks begin so, also those that they start meanwhile; the ones that were ended."""
    ended: dict[int, Process] = {}
    if not prefix:
        raise ValueError("all that fsconform ever started is never meant")
    for _ in range(_ROUNDS):
        there = [one for one in marked(prefix) if started_at(one.pid) >= 0]
        if not there:
            break
        for one in there:
            if _kill(one):
                ended[one.pid] = one
        time.sleep(_PAUSE_SECONDS)
    return list(ended.values())


def end_with_parent(end: Callable[[], object]) -> None:
    """Call ``end``, in a thread of its own, once this process's parent is gone.

    A fork of the parent may hold the other end of a connection open after the parent died: so it does not tell.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        end()

    threading.Thread(target=watch, name="watch", daemon=True).start()


def _kill(one: Process) -> bool:
    """Kill a process, if its number has not passed to another."""
    wanted = f"{VARIABLE}={one.mark}".encode()
    try:
        handle = os.pidfd_open(one.pid)
    except AttributeError:
        with suppress(OSError):
            os.kill(one.pid, signal.SIGKILL)
            return True
        return False
    except OSError:
        return False
    try:
        if not _mark_of(one.pid, wanted):
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return True
    except OSError:
        return False
    finally:
        os.close(handle)


def _mark_of(pid: int, wanted: bytes) -> str:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:  # another user's, or gone
        return ""
    found = next((one for one in environment.split(b"\0") if one.startswith(wanted)), b"")
    return found.partition(b"=")[2].decode("utf-8", "replace")


def _command(pid: int) -> str:
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return words[0].decode("utf-8", "replace")[:100]
