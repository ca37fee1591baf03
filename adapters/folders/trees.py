"""Places relative to an open directory, reached one element at a time.

No symbolic link is followed, wherever in a path it stands, and no limit of a whole path's length applies: a tree that
was moved to a place too deep for one string can still be reached and removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

Elements = tuple[bytes, ...]

TOP = b"."
"""The open directory itself, as the last element of the place without elements."""

STEP = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
"""How the directories on the way are opened: for passing through, and as ENOTDIR if they are links."""


@contextmanager
def placed(base: int, elements: Elements) -> Iterator[tuple[int, bytes]]:
    """The parent of a place, opened, and the last element. Raises OSError as resolving a path does."""
    parent = base
    try:
        for element in elements[:-1]:
            below = os.open(element, STEP, dir_fd=parent)
            parent, left = below, parent
            if left != base:
                os.close(left)
        yield parent, elements[-1] if elements else TOP
    finally:
        if parent != base:
            os.close(parent)


@contextmanager
def scanned(base: int, elements: Elements) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a directory. Raises OSError, also for a link to a directory."""
    with placed(base, elements) as (parent, name):
        directory = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        with os.scandir(directory) as entries:
            yield entries
    finally:
        os.close(directory)


def clear(base: int, elements: Elements = ()) -> None:
    """Remove all that is in a directory, and of a link the link itself. Raises OSError at the first that stays.

    What somebody else takes away meanwhile is gone as well.
    """
    directories = [elements]
    for directory in directories:
        with nullcontext() if directory is elements else suppress(FileNotFoundError), scanned(base, directory) as found:
            for name, is_directory in [(os.fsencode(one.name), one.is_dir(follow_symlinks=False)) for one in found]:
                if is_directory:
                    directories.append((*directory, name))
                else:
                    with suppress(FileNotFoundError), placed(base, (*directory, name)) as (parent, last):
                        os.unlink(last, dir_fd=parent)
    for directory in reversed(directories[1:]):
        with suppress(FileNotFoundError), placed(base, directory) as (parent, last):
            os.rmdir(last, dir_fd=parent)
