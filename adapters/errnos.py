"""From errno to the specification's errors, for every adapter whose calls end in numbers of the operating system.

A number means different things to a call that looks for a path and to one that makes a path exist: ENOTDIR says to the
first that there is nothing, to the second that it can't be made. So there are two tables.
"""

from __future__ import annotations

import errno
import os

from fsconform.model.core.errors import ancestry
from fsconform.model.core.outcomes import Raised

_IN_BOTH = {
    errno.ENOENT: "FileNotFoundException",
    errno.EACCES: "AccessControlException",
    errno.EPERM: "AccessControlException",
    # Of the path, and of no class that the specification names.
    errno.EBUSY: "PathIOException",
    errno.EILSEQ: "PathIOException",
    errno.EINVAL: "PathIOException",
    errno.ELOOP: "PathIOException",
    errno.EMLINK: "PathIOException",
    errno.ENAMETOOLONG: "PathIOException",
    errno.ETXTBSY: "PathIOException",
    errno.EXDEV: "PathIOException",
    # Of the machine.
    errno.EAGAIN: "IOException",
    errno.EBADF: "IOException",
    errno.EDQUOT: "IOException",
    errno.EFBIG: "IOException",
    errno.EINTR: "IOException",
    errno.EIO: "IOException",
    errno.EMFILE: "IOException",
    errno.ENFILE: "IOException",
    errno.ENODEV: "IOException",
    errno.ENOMEM: "IOException",
    errno.ENOSPC: "IOException",
    errno.ENXIO: "IOException",
    errno.EOVERFLOW: "IOException",
    errno.EROFS: "IOException",
    errno.ESTALE: "IOException",
    errno.ENOSYS: "UnsupportedOperationException",
    errno.EOPNOTSUPP: "UnsupportedOperationException",
}

LOOKING = _IN_BOTH | {
    errno.ENOTDIR: "FileNotFoundException",
    errno.EISDIR: "PathIsDirectoryException",
    # rmdir may say either of a directory with entries.
    errno.EEXIST: "PathIsNotEmptyDirectoryException",
    errno.ENOTEMPTY: "PathIsNotEmptyDirectoryException",
}
"""For calls on a path that is to exist: the short name of the error for a number."""

MAKING = _IN_BOTH | {
    errno.ENOTDIR: "ParentNotDirectoryException",
    errno.EISDIR: "FileAlreadyExistsException",
    errno.EEXIST: "FileAlreadyExistsException",
    errno.ENOTEMPTY: "FileAlreadyExistsException",
}
"""For calls that make a path exist: mkdirs, create and rename."""

UNLISTED = "IOException"
"""The error for a number that no table has."""


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
