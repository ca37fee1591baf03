"""A volume beside this machine's own filesystem: the same calls have the same outcomes, errors by number included."""

# Calls get strings here, as Path takes slashes away that mean something.
# ruff: noqa: PTH101, PTH102, PTH104, PTH106, PTH108, PTH115, PTH116, PTH211

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fsconform.adapters.volumes.volume import Volume

LONGEST, TOO_LONG = "n" * 255, "n" * 256


def told(call: Callable[..., Any], *given: Any, **more: Any) -> Any:
    """What a call returned, or the name of its error."""
    try:
        return call(*given, **more)
    except OSError as error:
        return errno.errorcode[error.errno or 0]


def seen(path: Path) -> Any:
    """What can be compared of a status: sizes of directories and times are each filesystem's own."""
    found = path.lstat()
    size = -1 if stat.S_ISDIR(found.st_mode) else found.st_size
    return oct(found.st_mode), found.st_nlink, size, found.st_uid, found.st_gid


def tree(base: Path) -> list[Any]:
    """All that is below, as it can be compared."""
    found = []
    for path in sorted(base.rglob("*")):
        mode = path.lstat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) else b""
        target = path.readlink() if stat.S_ISLNK(mode) else ""
        found.append((str(path.relative_to(base)), seen(path), content, str(target)))
    return found


def opened(path: Path, flags: int, mode: int = 0o644, data: bytes = b"") -> Any:
    """Open, write, read all, close: how many bytes were written and what was read."""
    descriptor = os.open(path, flags, mode)
    try:
        written = told(os.write, descriptor, data) if data else 0
        return written, told(os.pread, descriptor, 100, 0), os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def prepare(base: Path) -> None:
    """Some of everything."""
    (base / "full" / "below").mkdir(parents=True)
    (base / "full" / "file").write_bytes(b"in a directory")
    (base / "empty").mkdir()
    (base / "other").mkdir()
    (base / "file").write_bytes(b"some bytes")
    (base / "two").write_bytes(b"two")
    os.link(base / "two", base / "one more name")
    for name, target in (
        ("to file", "file"),
        ("to empty", "empty"),
        ("to full", "full"),
        ("loop", "loop"),
        ("no", "x"),
    ):
        (base / name).symlink_to(target)


PLACES = (
    *("file", "two", "one more name", "empty", "full", "other", "full/below", "full/file", "missing", "missing/x"),
    *("file/x", "to file", "to empty", "to full", "to full/file", "loop", "loop/x", "no", ".", "full/..", "full/."),
    *("", "empty/", "file/", "missing/", "to empty/", LONGEST, TOO_LONG, "empty/" + LONGEST, "full/below/../file"),
)


def altered(path: str) -> bytes:
    os.setxattr(path, "user.a", b"1")
    return os.getxattr(path, "user.a")


ALONE: dict[str, Callable[[str], Any]] = {
    "mkdir": lambda path: os.mkdir(path, 0o751),
    "rmdir": os.rmdir,
    "unlink": os.unlink,
    "stat": lambda path: oct(os.stat(path).st_mode),
    "lstat": lambda path: oct(os.lstat(path).st_mode),
    "readlink": os.readlink,
    "listdir": lambda path: sorted(os.listdir(path)),
    "truncate shorter": lambda path: os.truncate(path, 3),
    "truncate longer": lambda path: os.truncate(path, 5000),
    "truncate below zero": lambda path: os.truncate(path, -1),
    "chmod": lambda path: os.chmod(path, 0o640),
    "chown": lambda path: os.chown(path, os.getuid(), os.getgid()),
    "utime": lambda path: os.utime(path, ns=(1_500_000_000_123_456_789, -2_000_000_001)),
    "access": lambda path: os.access(path, os.R_OK | os.X_OK),
    "getxattr": lambda path: os.getxattr(path, "user.none"),
    "listxattr": os.listxattr,
    "setxattr": lambda path: altered(path),
    "replace no xattr": lambda path: os.setxattr(path, "user.b", b"1", os.XATTR_REPLACE),
    "create xattr": lambda path: os.setxattr(path, "user.c", b"", os.XATTR_CREATE),
    "removexattr": lambda path: os.removexattr(path, "user.none"),
    "xattr of no namespace": lambda path: os.setxattr(path, "none.a", b"1"),
    "statvfs": lambda path: os.statvfs(path).f_namemax,
    "mknod": lambda path: os.mknod(path, 0o644 | stat.S_IFREG),
    "socket": lambda path: os.mknod(path, 0o644 | stat.S_IFSOCK),
    "open to read": lambda path: opened(Path(path), os.O_RDONLY),
    "open to read, slash kept": lambda path: os.close(os.open(path, os.O_RDONLY)),
    "open to write": lambda path: opened(Path(path), os.O_WRONLY, data=b"new"),
    "open to both": lambda path: opened(Path(path), os.O_RDWR, data=b"new"),
    "open to append": lambda path: opened(Path(path), os.O_RDWR | os.O_APPEND, data=b"new"),
    "open and truncate": lambda path: opened(Path(path), os.O_RDWR | os.O_TRUNC, data=b"n"),
    "create": lambda path: os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o640)),
    "create and truncate": lambda path: opened(Path(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC),
    "create new": lambda path: os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)),
    "open a directory": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_DIRECTORY)),
    "open no link": lambda path: opened(Path(path), os.O_RDONLY | os.O_NOFOLLOW),
    "open direct": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_DIRECT)),
    "open synced": lambda path: opened(Path(path), os.O_RDWR | os.O_SYNC, data=b"synced"),
}
QUERIES = ("stat", "lstat", "readlink", "listdir", "access", "getxattr", "listxattr", "statvfs", "open a directory")
TOGETHER: dict[str, Callable[[str, str], Any]] = {
    "rename": os.rename,
    "link": lambda one, two: os.link(one, two, follow_symlinks=False),
    "symlink": os.symlink,
}


@pytest.fixture
def sides(mounted: Callable[..., Volume], tmp_path: Path) -> tuple[Path, Path]:
    """A folder of this machine and one of a volume."""
    ours, theirs = mounted().place / "base", tmp_path / "base"
    for base in (ours, theirs):
        base.mkdir()
    return theirs, ours


def again(base: Path, number: int) -> Path:
    """A new folder that is prepared."""
    made = base / str(number)
    made.mkdir()
    prepare(made)
    return made


@pytest.mark.parametrize("call", ALONE)
def test_a_call_on_each_place(sides: tuple[Path, Path], call: str) -> None:
    changes = call not in QUERIES
    folders = [again(base, 0) for base in sides]
    for number, place in enumerate(PLACES):
        if changes and number:
            folders = [again(base, number) for base in sides]
        found = [(told(ALONE[call], f"{folder}/{place}"), tree(folder) if changes else []) for folder in folders]
        assert found[1] == found[0], f"{call} {place}"


def try_on_two_places(sides: tuple[Path, Path], call: str, places: tuple[str, ...]) -> None:
    for number, (one, two) in enumerate((one, two) for one in places for two in places):
        found = []
        for base in sides:
            folder = again(base, number)
            first = one if call == "symlink" else f"{folder}/{one}"
            found.append((told(TOGETHER[call], first, f"{folder}/{two}"), tree(folder)))
        assert found[1] == found[0], f"{call} {one} {two}"


@pytest.mark.parametrize("call", TOGETHER)
def test_a_call_on_two_places(sides: tuple[Path, Path], call: str) -> None:
    some = ("file", "two", "one more name", "empty", "full", "full/file", "missing", "file/x", "to empty", TOO_LONG)
    try_on_two_places(sides, call, some if call == "rename" else some[2:7])


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("call", TOGETHER)
def test_a_call_on_each_two_places(sides: tuple[Path, Path], call: str) -> None:
    try_on_two_places(sides, call, PLACES)


def test_what_is_open_and_has_no_name(sides: tuple[Path, Path]) -> None:
    found = []
    for base in sides:
        path = base / "gone"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        os.write(descriptor, b"before")
        os.unlink(path)
        os.write(descriptor, b" and after")
        status = os.fstat(descriptor)
        os.ftruncate(descriptor, 8)
        os.fchmod(descriptor, 0o600)
        folder = base / "folder"
        folder.mkdir()
        inside = os.open(folder, os.O_RDONLY)
        folder.rmdir()
        answers = [
            *(status.st_nlink, status.st_size, os.pread(descriptor, 100, 0), oct(os.fstat(descriptor).st_mode)),
            told(os.mkdir, "x", dir_fd=inside),
            told(os.fchmod, inside, 0o700),
            told(os.listdir, inside),
            told(os.link, f"/proc/self/fd/{descriptor}", base / "back", follow_symlinks=True),
            os.fstat(inside).st_nlink,
        ]
        os.close(descriptor)
        os.close(inside)
        (base / "was there").write_bytes(b"old")
        descriptor = os.open(base / "was there", os.O_RDONLY)
        (base / "comes").write_bytes(b"new")
        os.rename(base / "comes", base / "was there")
        answers += [os.pread(descriptor, 10, 0), (base / "was there").read_bytes(), os.fstat(descriptor).st_nlink]
        os.close(descriptor)
        found.append((answers, tree(base)))
    assert found[1] == found[0]


def test_sparse_files_times_and_modes(sides: tuple[Path, Path]) -> None:
    found = []
    for base in sides:
        path = base / "sparse"
        path.touch()
        os.truncate(path, 1 << 40)
        with path.open("r+b") as stream:
            stream.seek(1 << 39)
            stream.write(b"here")
            stream.seek((1 << 39) - 2)
            middle = stream.read(8)
        answers: list[Any] = [path.stat().st_size, middle, path.stat().st_blocks < 100]
        os.truncate(path, 0)
        os.utime(path, ns=(10**18 + 1, 10**18 + 2))
        answers += [path.stat().st_atime_ns, path.stat().st_mtime_ns]
        folder = base / "group"
        folder.mkdir()
        os.chown(folder, -1, 12 if os.geteuid() == 0 else os.getgid())
        os.chmod(folder, 0o2775)
        (folder / "file").touch()
        (folder / "below").mkdir()
        path.chmod(0o6755)
        with path.open("r+b") as stream:
            stream.write(b"x")
        answers += [seen(folder / "file"), seen(folder / "below"), seen(path)]
        descriptor = os.open(path, os.O_RDWR)
        answers += [told(os.posix_fallocate, descriptor, 10, 100), os.fstat(descriptor).st_size]
        answers += [os.sendfile(descriptor, os.open(path, os.O_RDONLY), 0, 50), path.read_bytes()]
        answers += [told(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)]
        os.close(descriptor)
        found.append((answers, tree(base)))
    assert found[1] == found[0]


def test_changes_move_the_times_that_posix_names(sides: tuple[Path, Path]) -> None:
    def moved(path: Path, call: Callable[..., Any], *given: Any) -> tuple[bool, bool]:
        os.utime(path, ns=(10**18, 10**18))
        before = path.stat()
        time.sleep(0.02)  # the kernel's clock for times of files moves every some milliseconds
        call(*given)
        after = path.stat()
        return after.st_mtime_ns != before.st_mtime_ns, after.st_ctime_ns != before.st_ctime_ns

    found = []
    for base in sides:
        file, folder = base / "file", base / "folder"
        folder.mkdir()
        file.write_bytes(b"x")
        found.append(
            (
                moved(file, file.write_bytes, b"y"),
                moved(file, os.truncate, file, 0),
                moved(file, file.chmod, 0o600),
                moved(file, os.link, file, base / "more"),
                moved(file, os.unlink, base / "more"),
                moved(folder, (folder / "x").mkdir),
                moved(folder, (folder / "x").rename, folder / "y"),
                moved(folder, (folder / "y").rmdir),
                moved(file, file.read_bytes),
            )
        )
    assert found[1] == found[0]


def test_a_directory_of_thousands_is_listed_whole(mounted: Callable[..., Volume]) -> None:
    base = mounted().place
    names = {f"{number:04}-{'n' * (number % 200)}" for number in range(3000)}
    for name in names:
        (base / name).touch()
    assert set(os.listdir(base)) == names
    with os.scandir(base) as entries:
        for entry in entries:  # what is taken away while it is read
            os.unlink(entry.path)
    assert os.listdir(base) == []


@dataclass
class Random2:
    """The same calls on two sides, drawn by chance over a few names."""

    dice: Random
    sides: tuple[Path, Path]
    open: list[tuple[int, int]] = field(default_factory=list)

    def path(self) -> str:
        names = ("a", "b", "c", "d", "a", "b", LONGEST, TOO_LONG, ".")
        depth = self.dice.choice((1, 1, 2, 2, 3))
        found = [self.dice.choice(names[:6] if self.dice.random() < 0.97 else names) for _ in range(depth)]
        # Never above the folder that is compared.
        return "/".join((*found, "..") if depth > 1 and self.dice.random() < 0.02 else found)

    def step(self) -> tuple[str, list[Any]]:
        call, one, two, dice = self.dice.choice(CALLS), self.path(), self.path(), self.dice
        number, size = dice.randrange(1 << 30), dice.choice((0, 1, 10, 4095, 4096, 4097, 10000, 70000))
        found = []
        if call == "open":
            flags = dice.choice((os.O_RDONLY, os.O_WRONLY, os.O_RDWR))
            flags |= sum(flag for flag in OPENING if dice.random() < 0.3)
            pair = [told(os.open, f"{base}/{one}", flags, 0o666) for base in self.sides]
            if all(isinstance(each, int) for each in pair):
                self.open.append((pair[0], pair[1]))
                return f"open {one} {flags:o}", [0, 0]
            return f"open {one} {flags:o}", pair
        if call in DESCRIPTOR_CALLS:
            if not self.open:
                return "nothing", [0, 0]
            at = number % len(self.open)
            pair = list(self.open[at])
            if call == "close" or len(self.open) > 20:
                del self.open[at]
                for each in pair:
                    os.close(each)
                return "close", [0, 0]
            return call, [told(DESCRIPTOR_CALLS[call], each, number, size) for each in pair]
        for base in self.sides:
            found.append(told(CALLS_OF_PATHS[call], f"{base}/{one}", f"{base}/{two}", number, size))
        return f"{call} {one} {two} {number} {size}", found

    def close(self) -> None:
        for pair in self.open:
            for each in pair:
                os.close(each)


OPENING = (os.O_CREAT, os.O_CREAT, os.O_EXCL, os.O_TRUNC, os.O_APPEND, os.O_NOFOLLOW, os.O_DSYNC)


def filled(number: int, size: int) -> bytes:
    return bytes((number % 255 + 1,)) * size


DESCRIPTOR_CALLS: dict[str, Callable[[int, int, int], Any]] = {
    "close": lambda each, number, size: None,
    "pwrite": lambda each, number, size: os.pwrite(each, filled(number, size), number % 20000),
    "write": lambda each, number, size: os.write(each, filled(number, size)),
    "pread": lambda each, number, size: os.pread(each, size, number % 20000),
    "fstat": lambda each, number, size: _fstat(each),
    "ftruncate": lambda each, number, size: os.ftruncate(each, size),
    "fsync": lambda each, number, size: os.fsync(each),
    "fchmod": lambda each, number, size: os.fchmod(each, 0o400 | number % 0o400),
}


def _fstat(each: int) -> Any:
    found = os.fstat(each)
    size = -1 if stat.S_ISDIR(found.st_mode) else found.st_size
    return oct(found.st_mode), found.st_nlink, size


CALLS_OF_PATHS: dict[str, Callable[[str, str, int, int], Any]] = {
    "mkdir": lambda one, two, number, size: os.mkdir(one),
    "mkdir too": lambda one, two, number, size: os.mkdir(one, 0o700),
    "rmdir": lambda one, two, number, size: os.rmdir(one),
    "unlink": lambda one, two, number, size: os.unlink(one),
    "rename": lambda one, two, number, size: os.rename(one, two),
    "rename too": lambda one, two, number, size: os.rename(one, two),
    "link": lambda one, two, number, size: os.link(one, two, follow_symlinks=False),
    "symlink": lambda one, two, number, size: os.symlink(("a", "b/c", "../a", "x")[number % 4], one),
    "truncate": lambda one, two, number, size: os.truncate(one, size),
    "chmod": lambda one, two, number, size: os.chmod(one, 0o700 | number % 0o100),
    "utime": lambda one, two, number, size: os.utime(one, ns=(number, number)),
    "mtime": lambda one, two, number, size: oct(os.stat(one).st_mode),
    "listdir": lambda one, two, number, size: sorted(os.listdir(one)),
    "lstat": lambda one, two, number, size: seen(Path(one)),
    "readlink": lambda one, two, number, size: os.readlink(one),
    "setxattr": lambda one, two, number, size: os.setxattr(
        one, f"user.{number % 3}", filled(number, size % 100), number % 3
    ),
    "getxattr": lambda one, two, number, size: os.getxattr(one, f"user.{number % 3}"),
    "listxattr": lambda one, two, number, size: sorted(os.listxattr(one)),
    "removexattr": lambda one, two, number, size: os.removexattr(one, f"user.{number % 3}"),
    "read": lambda one, two, number, size: opened(Path(one), os.O_RDONLY),
    "replace": lambda one, two, number, size: opened(
        Path(one), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, data=filled(number, size)
    ),
}
CALLS = (*CALLS_OF_PATHS, *DESCRIPTOR_CALLS, "open", "open", "open")


def alike(sides: tuple[Path, Path], seed: int, calls: int) -> None:
    drawn = Random2(Random(seed), sides)
    done: list[str] = []
    try:
        for number in range(calls):
            told_call, found = drawn.step()
            done.append(told_call)
            assert found[0] == found[1], f"call {number} of seed {seed}: {done[-10:]}: {found}"
            if number % 500 == 499:
                assert tree(sides[0]) == tree(sides[1]), f"after call {number} of seed {seed}: {done[-500:]}"
    finally:
        drawn.close()
    assert tree(sides[0]) == tree(sides[1])


@pytest.mark.parametrize("seed", range(2))
def test_calls_by_chance(sides: tuple[Path, Path], seed: int) -> None:
    alike(sides, seed, 2000)


@pytest.mark.long
@pytest.mark.timeout(3000)
def test_calls_by_chance_at_length(sides: tuple[Path, Path]) -> None:
    """100,000 calls."""
    alike(sides, 77, 100_000)
