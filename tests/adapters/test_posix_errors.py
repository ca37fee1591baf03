"""The table from errno to the specification's errors: its rows, that none is missing, and what others become."""

from __future__ import annotations

import errno
import os

import pytest

from fsconform.adapters import errnos
from fsconform.model.core.errors import FULL_NAMES, ancestry

EVERYWHERE = {
    "FileNotFoundException": "ENOENT",
    "AccessControlException": "EACCES EPERM",
    "PathIOException": "EBUSY EILSEQ EINVAL ELOOP EMLINK ENAMETOOLONG ETXTBSY EXDEV",
    "UnsupportedOperationException": "ENOSYS EOPNOTSUPP",
    "IOException": "EAGAIN EBADF EDQUOT EFBIG EINTR EIO EMFILE ENFILE ENODEV ENOMEM ENOSPC ENXIO EOVERFLOW EROFS "
    "ESTALE",
}
LOOKING = {
    "FileNotFoundException": "ENOTDIR",
    "PathIsDirectoryException": "EISDIR",
    "PathIsNotEmptyDirectoryException": "EEXIST ENOTEMPTY",
}
MAKING = {"ParentNotDirectoryException": "ENOTDIR", "FileAlreadyExistsException": "EEXIST EISDIR ENOTEMPTY"}
# What the manual pages of the calls list, but for bad pointers and arguments of our own making.
OF_CALLS = {
    "mkdir": "EACCES EDQUOT EEXIST EINVAL ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS",
    "open": "EACCES EBUSY EDQUOT EEXIST EINTR EINVAL EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV ENOENT ENOMEM "
    "ENOSPC ENOTDIR ENXIO EOPNOTSUPP EOVERFLOW EPERM EROFS ETXTBSY EAGAIN",
    "read, write, close": "EAGAIN EBADF EDQUOT EFBIG EINTR EINVAL EIO EISDIR ENOSPC EPERM",
    "unlink, rmdir": "EACCES EBUSY EEXIST EINVAL EIO EISDIR ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR ENOTEMPTY "
    "EPERM EROFS",
    "rename": "EACCES EBUSY EDQUOT EEXIST EINVAL EISDIR ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR "
    "ENOTEMPTY EPERM EROFS EXDEV",
    "stat, readdir": "EACCES EBADF ELOOP EMFILE ENAMETOOLONG ENFILE ENOENT ENOMEM ENOTDIR EOVERFLOW",
}


def rows(*tables: dict[str, str]) -> dict[int, str]:
    return {getattr(errno, name): error for table in tables for error, names in table.items() for name in names.split()}


def test_tables() -> None:
    assert rows(EVERYWHERE, LOOKING) == errnos.LOOKING
    assert rows(EVERYWHERE, MAKING) == errnos.MAKING


@pytest.mark.parametrize("call", OF_CALLS)
def test_every_number_of_a_call_is_listed(call: str) -> None:
    numbers = {getattr(errno, name) for name in OF_CALLS[call].split()}
    assert numbers <= set(errnos.LOOKING) and numbers <= set(errnos.MAKING)


@pytest.mark.parametrize("making", [True, False])
def test_every_listed_number_is_raised_with_its_whole_ancestry(making: bool) -> None:
    table = errnos.MAKING if making else errnos.LOOKING
    for number, error in table.items():
        raised = errnos.raised(errnos.fault(number), making, "/a/b")
        assert raised.classes == ancestry(error)
        assert raised.classes[0] == FULL_NAMES[error] and raised.classes[-1] == "java.lang.Throwable"
        assert raised.message == f"/a/b: {os.strerror(number)} ({errno.errorcode[number]})"


def test_one_number_means_two_things() -> None:
    error = errnos.fault(errno.ENOTDIR)
    assert errnos.raised(error, True, "/a").classes[0] == "org.apache.hadoop.fs.ParentNotDirectoryException"
    assert errnos.raised(error, False, "/a").classes[0] == "java.io.FileNotFoundException"


@pytest.mark.parametrize("making", [True, False])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.EPROTO, "Protocol error"), "/a: Protocol error (EPROTO)"),
        (OSError(99_999, "What?"), "/a: What? (errno 99999)"),
        (OSError("no number"), "/a: no number (errno 0)"),
    ],
)
def test_unlisted_numbers_are_plain_and_named(error: OSError, told: str, making: bool) -> None:
    raised = errnos.raised(error, making, "/a", "a stack")
    assert raised.classes == ("java.io.IOException", "java.lang.Exception", "java.lang.Throwable")
    assert (raised.message, raised.stack) == (told, "a stack")


def test_fault_is_of_pythons_own_class() -> None:
    assert type(errnos.fault(errno.ENOENT)) is FileNotFoundError
    assert type(errnos.fault(errno.ENOTDIR)) is NotADirectoryError
