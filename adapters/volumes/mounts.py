"""Mounting and unmounting volumes, and finding those that a killed run left. No mount but a volume of ours is touched.

As root the kernel is asked itself and no package is needed; others need the program ``fusermount3``. A volume is known
in the table of mounts by its type and by its source, which has in it which process asked for it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.offspring import is_alive, owner

DEVICE = Path("/dev/fuse")
_TABLE = Path("/proc/self/mountinfo")
_SUBTYPE = "fsconform"
_TYPE = f"fuse.{_SUBTYPE}"
_SOURCE = re.compile(r"fsconform-volume-(\d+\.\d+\.[0-9a-f]{8})")
_USER = re.compile(r"(?:^|,)user_id=(\d+)(?:,|$)")
_HELPER = "fusermount3"
_INSTALL = f"{_HELPER} is not installed, and only root mounts without it (Debian: apt-get install fuse3)"

_MS_NOSUID, _MS_NODEV = 2, 4
_MNT_DETACH, _UMOUNT_NOFOLLOW = 2, 8
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Mounted:
    """A volume in the table of mounts: where, by which process (see ``offspring.owner``), and of which user."""

    path: Path
    owner: str
    user: int


class CannotMount(Exception):
    """A volume cannot be mounted there; the text says why, and what would mend it."""


def lacking() -> str:
    """Why no volume can be mounted on this machine, in words; empty if one can, by what is seen without trying."""
    if not _TABLE.exists():
        return f"volumes need Linux: there is no {_TABLE}"
    if not DEVICE.exists():
        return f"there is no {DEVICE}: volumes need FUSE (in a container: --device {DEVICE} --cap-add SYS_ADMIN)"
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return f"{DEVICE} may not be opened by this user"
    if os.geteuid() != 0 and shutil.which(_HELPER) is None:
        return _INSTALL
    return ""


def source() -> str:
    """What a volume that this process asks for is called in the table of mounts."""
    return f"fsconform-volume-{owner()}"


def checked(place: Path) -> Path:
    """A place to mount on: an empty directory of this user, no link, nothing mounted on it; its real path.

    Raises CannotMount.
    """
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise CannotMount(f"{place} is no directory to mount on: {error.strerror}") from error
    try:
        seen = os.fstat(descriptor)
        if seen.st_uid != os.geteuid():
            raise CannotMount(f"{place} belongs to another user: name a directory of your own")
        if os.listdir(descriptor):
            raise CannotMount(f"{place} is not empty: name an empty directory")
        if os.stat("..", dir_fd=descriptor).st_dev != seen.st_dev:
            raise CannotMount(f"something is mounted on {place} already: name another directory")
    finally:
        os.close(descriptor)
    real = place.resolve()
    if any(path == real for path, *_ in _table()) or real == real.parent:
        raise CannotMount(f"something is mounted on {place} already: name another directory")
    return real


def mount(place: Path, source: str) -> int:
    """Mount on a place that was checked; the descriptor by which the kernel asks. Raises CannotMount."""
    if lack := lacking():
        raise CannotMount(lack)
    return _mount_as_root(place, source) if os.geteuid() == 0 else _mount_by_helper(place, source)


def unmount(place: Path, source: str) -> str:
    """Take away the volume of this source that is mounted there, if it is; why that failed, else an empty text.

    What is open on it stays so until it is closed, and answers nothing any more.
    """
    real = os.fsencode(place)
    on_it = [one for one in _table() if os.fsencode(one[0]) == real]
    if not any(_is_volume(kind, name) and name == source for _, kind, name, _ in on_it):
        return ""
    if on_it[-1][2] != source:
        return f"{place} was not unmounted: something else is mounted over it"
    try:
        if os.geteuid() == 0:
            _called("umount2", real, _MNT_DETACH | _UMOUNT_NOFOLLOW)
        else:
            command = [_helper(), "-u", "-z", "--", os.fsdecode(real)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            if done.returncode:
                return f"{place} was not unmounted: {done.stderr.strip()}"
    except (OSError, CannotMount, subprocess.TimeoutExpired) as error:
        return f"{place} was not unmounted: {getattr(error, 'strerror', None) or error}"
    return ""


def volumes() -> list[Mounted]:
    """All volumes that are mounted, of whichever process and user."""
    found = []
    for path, kind, name, options in _table():
        by = _SOURCE.fullmatch(name)
        user = _USER.search(options)
        if kind == _TYPE and by is not None and user is not None:
            found.append(Mounted(path, by[1], int(user[1])))
    return found


def stale() -> list[Mounted]:
    """Volumes of this user whose makers are gone."""
    return [one for one in volumes() if one.user == os.geteuid() and not is_alive(one.owner)]


def clear(left: Mounted) -> str:
    """Unmount what :func:`stale` gave; why that failed, else an empty text."""
    return unmount(left.path, f"fsconform-volume-{left.owner}")


def _is_volume(kind: str, source: str) -> bool:
    return kind == _TYPE and _SOURCE.fullmatch(source) is not None


def _table() -> list[tuple[Path, str, str, str]]:
    """What is mounted, in order: where, of which type, from what, with which options of its own."""
    try:
        lines = _TABLE.read_bytes().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        head, separator, tail = line.partition(b" - ")
        fields, more = head.split(b" "), tail.split(b" ")
        if separator and len(fields) > 4 and len(more) > 2:
            kind, name, options = (os.fsdecode(_plain(one)) for one in more[:3])
            found.append((Path(os.fsdecode(_plain(fields[4]))), kind, name, options))
    return found


def _plain(field: bytes) -> bytes:
    """A field of the table without its escapes, which are three octal digits."""
    return re.sub(rb"\\([0-7]{3})", lambda found: bytes((int(found[1], 8) & 0xFF,)), field)


def _mount_as_root(place: Path, source: str) -> int:
    descriptor = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC)
    target = -1
    try:
        # By an open directory: nobody can put another in its place between the look and the mount.
        target = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        options = f"fd={descriptor},rootmode=40000,user_id={os.geteuid()},group_id={os.getegid()},default_permissions"
        where = f"/proc/self/fd/{target}".encode()
        _called("mount", source.encode(), where, _TYPE.encode(), _MS_NOSUID | _MS_NODEV, options.encode())
    except OSError as error:
        os.close(descriptor)
        mend = " (a container needs --cap-add SYS_ADMIN)" if error.errno == errno.EPERM else ""
        raise CannotMount(f"{place} could not be mounted: {error.strerror}{mend}") from error
    finally:
        if target >= 0:
            os.close(target)
    return descriptor


def _mount_by_helper(place: Path, source: str) -> int:
    ours, theirs = socket.socketpair()
    options = f"fsname={source},subtype={_SUBTYPE},default_permissions,nosuid,nodev"
    try:
        done = subprocess.run(
            [_helper(), "-o", options, "--", str(place)],
            env={**os.environ, "_FUSE_COMMFD": str(theirs.fileno())},
            pass_fds=(theirs.fileno(),),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode:
            raise CannotMount(f"{place} could not be mounted: {done.stderr.strip()}")
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        if not descriptors:
            raise CannotMount(f"{place} could not be mounted: {_HELPER} gave no descriptor")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotMount(f"{place} could not be mounted: {error}") from error
    finally:
        ours.close()
        theirs.close()
    os.set_inheritable(descriptors[0], False)
    return descriptors[0]


def _helper() -> str:
    found = shutil.which(_HELPER)
    if found is None:
        raise CannotMount(_INSTALL)
    return found


def _called(name: str, *arguments: bytes | int) -> None:
    """Call a function of the C library. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    typed = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    if getattr(library, name)(*typed) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
