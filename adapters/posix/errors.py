"""What a call raised, as the specification names it: by the tables of adapters.errnos, which ``local`` is to judge."""

from __future__ import annotations

import errno
import os

from fsconform.adapters.errnos import LOOKING, MAKING, UNLISTED
from fsconform.model.core.errors import ancestry
from fsconform.model.core.outcomes import Raised

__all__ = ["LOOKING", "MAKING", "UNLISTED", "fault", "raised"]


def fault(number: int) -> OSError:
    """The error that a call would have given: of the subclass of OSError that Python has for the number."""
    return OSError(number, os.strerror(number))


def raised(error: OSError, making: bool, where: str, stack: str = "") -> Raised:
    """What a call raised, as the specification names it. ``where`` is the path, for the message."""
    number = error.errno or 0
    name = (MAKING if making else LOOKING).get(number, UNLISTED)
    told = f"{where}: {error.strerror or error} ({errno.errorcode.get(number, f'errno {number}')})"
    return Raised(ancestry(name), told, stack)
