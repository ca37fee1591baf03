"""The process of one session: ``python -m fsconform.adapters.separate.worker FD``, FD being one end of a socket pair.

It ends when the connection ends; a watching thread ends it when its parent ends, whatever it is doing then.
"""

from __future__ import annotations

import os
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from typing import NoReturn

from fsconform.adapters import meeting, offspring
from fsconform.adapters.child import channel as channel_over
from fsconform.adapters.separate import frames
from fsconform.engine.process import collect_seldom
from fsconform.engine.protocol import Misconfigured, SandboxRefused, Session, StoreLost


class Host:
    """The session, and what it answers."""

    def __init__(self) -> None:
        self._session: Session | None = None

    def replies(self, request: frames.Request) -> Iterator[frames.Reply]:
        """The replies to a request, the last of them a Failed if an error ends it."""
        try:
            yield from self._replies(request)
        except (StoreLost, Misconfigured, SandboxRefused) as error:
            yield frames.Failed(type(error).__name__, str(error))
        except Exception:
            yield frames.Failed("", traceback.format_exc())

    def _replies(self, request: frames.Request) -> Iterator[frames.Reply]:
        if isinstance(request, frames.Open):
            self._session = request.opening(request.run)
            collect_seldom()
            yield frames.Opened()
            return
        session = self._session
        assert session is not None
        if isinstance(request, frames.Close):
            session.close()
            yield frames.Closed()
        else:
            for execution in session.execute(request.jobs):
                yield frames.Executed(execution)


def main(descriptor: int) -> None:
    """Serve the session at the other end of ``descriptor``. Does not return."""
    offspring.end_with_parent(_exit)
    channel, host = channel_over(socket.socket(fileno=descriptor)), Host()
    meeting.be_mortal(lambda number, event: channel.send(frames.Step(number, time.monotonic_ns(), event)))
    while True:
        try:
            request: frames.Request = channel.recv()
        except (EOFError, OSError):
            _exit()
        for reply in host.replies(request):
            try:
                channel.send(reply)
            except OSError:
                _exit()


def _exit() -> NoReturn:
    """End at once: nobody hears more, and what is left in the sandbox is removed by whoever takes it next."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
