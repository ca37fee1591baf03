"""The process of a volume: ``python -m fsconform.adapters.volumes.mount FD``, FD being one end of a socket pair.

It mounts, answers the kernel, and takes orders. It unmounts and ends when it is told to, when the connection ends, and
when its parent does. Requests are answered one after another, however many processes call.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import NoReturn

from fsconform.adapters import offspring
from fsconform.adapters.child import channel as channel_over
from fsconform.adapters.volumes import mounts, orders
from fsconform.adapters.volumes.durability import Filesystem
from fsconform.adapters.volumes.serving import BUFFER, Server
from fsconform.engine.process import collect_seldom

_GONE = (errno.ENOENT, errno.EINTR, errno.EAGAIN)
"""Errors at the device that one request has, which was interrupted."""


class Host:
    """One volume, and what it answers to orders."""

    def __init__(self, first: orders.Mount) -> None:
        """Mount it. Raises CannotMount, OSError."""
        self._place, self._source = mounts.checked(Path(first.place)), first.source
        self._filesystem = Filesystem(first.discipline, time.time_ns, os.geteuid(), os.getegid(), first.capacity)
        self._server = Server(self._filesystem, time.time_ns)
        self._device = mounts.mount(self._place, self._source)
        threading.Thread(target=self._serve, name="kernel", daemon=True).start()

    def answer(self, order: orders.Order) -> orders.Answer:
        """Do what is asked. Raises OSError."""
        match order:
            case orders.DropAll():
                return self._server.lose(lambda disk: disk.lose_all())
            case orders.DropSome(seed):
                return self._server.lose(lambda disk: disk.lose_some(seed))
            case orders.Tear(seed):
                return self._server.lose(lambda disk: disk.tear(seed))
        with self._server.lock:
            match order:
                case orders.TellPending():
                    return self._filesystem.pending()
                case orders.TellStatistics():
                    return self._filesystem.statistics
                case orders.Sync():
                    self._filesystem.sync()
                case orders.Follow(discipline):
                    self._filesystem.sync()
                    self._filesystem.discipline = discipline
                case orders.Limit(capacity):
                    self._filesystem.capacity = capacity
                case orders.ReadOnly(on):
                    self._filesystem.read_only = on
                case orders.Flip(path, offset, mask):
                    self._filesystem.flip(self._filesystem.find(path), offset, mask)
                case other:
                    return orders.Failed(0, f"{type(other).__name__} is no order for a volume that is mounted")
        return orders.Done()

    def end(self) -> str:
        """Unmount; why that failed, else an empty text."""
        return mounts.unmount(self._place, self._source)

    def _serve(self) -> None:
        buffer = bytearray(BUFFER)
        view = memoryview(buffer)
        while True:
            try:
                answer = self._server.answer(view[: os.readv(self._device, [buffer])])
                if answer is not None:
                    os.writev(self._device, answer)
            except OSError as error:
                if error.errno == errno.ENODEV:  # it was unmounted
                    return
                if error.errno not in _GONE:
                    self._give_up()
            except Exception:
                self._give_up()

    def _give_up(self) -> NoReturn:
        """A fault of ours: whoever waits gets ENOTCONN, and the harness the traceback in the log."""
        traceback.print_exc()
        self.end()
        _exit(1)


def main(descriptor: int) -> None:
    """Serve whoever has the other end of ``descriptor``. Does not return."""
    channel = channel_over(socket.socket(fileno=descriptor))
    host: Host | None = None

    def end() -> NoReturn:
        if host is not None:
            host.end()
        _exit(0)

    offspring.end_with_parent(end)
    collect_seldom()
    while True:
        try:
            order: orders.Order = channel.recv()
        except (EOFError, OSError):
            break
        answer: orders.Answer = orders.Done()
        try:
            if isinstance(order, orders.Quit):
                problem = host.end() if host else ""
                answer = orders.Failed(0, problem) if problem else answer
            elif host is None:
                if not isinstance(order, orders.Mount):
                    raise OSError(errno.EINVAL, "the first order is to mount")
                host = Host(order)
            else:
                answer = host.answer(order)
        except mounts.CannotMount as error:
            answer = orders.Failed(0, str(error))
        except OSError as error:
            answer = orders.Failed(error.errno or 0, error.strerror or str(error))
        try:
            channel.send(answer)
        except OSError:
            break
        if isinstance(order, orders.Quit):
            break
    end()


def _exit(status: int) -> NoReturn:
    """End at once, with the kernel's connection: what waits for an answer gets ENOTCONN."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main(int(sys.argv[1]))
