"""The process of one session as the session sees it: a child that is talked to in pickled frames."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import cast

from fsconform.adapters.child import Child, channel, module_path
from fsconform.adapters.separate import frames


class Gone(Exception):
    """The process does not answer; the text says why."""


class SessionProcess(Child):
    """One process with one session."""

    def __init__(self, log: Path) -> None:
        """Start it; its output goes to ``log``. Raises OSError."""
        super().__init__(log, "fsconform.adapters.separate.worker", os.environ | {"PYTHONPATH": module_path()})
        self._channel = channel(self.connection)

    def send(self, request: frames.Request) -> None:
        """Send a request. Raises Gone."""
        try:
            self._channel.send(request)
        except OSError:
            raise Gone(self.why_ended()) from None

    def reply(self, seconds: float) -> frames.Reply:
        """The next reply. Raises Gone where there is none within so many seconds, or never will be."""
        try:
            if not self._channel.poll(seconds):
                self.kill()
                raise Gone(f"no answer within {seconds:.0f} s, and the worker was killed")
            return cast(frames.Reply, self._channel.recv())
        except (EOFError, OSError):
            raise Gone(self.why_ended()) from None
        except pickle.UnpicklingError as error:
            raise Gone(f"the worker sent what cannot be read: {error}") from error

    def kill(self) -> None:
        """End the process, now. May be called twice."""
        self._channel.close()
        super().kill()
