"""Volumes that are mounted: what a loss of power leaves of them, faults of the medium, locks, processes that end."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from fsconform.adapters import offspring, temporary
from fsconform.adapters.child import module_path
from fsconform.adapters.volumes import mounts
from fsconform.adapters.volumes.contents import PAGE, SECTOR
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.mounts import CannotMount
from fsconform.adapters.volumes.volume import Volume, VolumeLost
from fsconform.harness import leftovers

Mounting = Callable[..., Volume]
BOTH = pytest.mark.parametrize("discipline", list(Discipline))


@contextmanager
def opened(path: Path, flags: int = os.O_RDWR | os.O_CREAT) -> Iterator[int]:
    descriptor = os.open(path, flags, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def synced(path: Path) -> None:
    with opened(path, os.O_RDONLY) as descriptor:
        os.fsync(descriptor)


def kept(path: Path, data: bytes) -> None:
    """A file that no loss of power takes."""
    path.write_bytes(data)
    synced(path)
    synced(path.parent)


def soon(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.1)
    return False


def replaced(place: Path, name: str) -> None:
    """What a careless store does: write a new version, sync it, rename it over the old one."""
    with opened(place / "new") as descriptor:
        os.write(descriptor, b"second")
        os.fsync(descriptor)
    (place / "new").rename(place / name)


def test_a_rename_needs_the_directory_synced(mounted: Mounting) -> None:
    volume = mounted(Discipline.POSIX)
    kept(volume.place / "file", b"first")
    replaced(volume.place, "file")
    assert volume.drop_all().lost == ("create /new", "rename /new /file")
    assert (volume.place / "file").read_bytes() == b"first"
    assert os.listdir(volume.place) == ["file"]
    replaced(volume.place, "file")
    synced(volume.place)
    assert volume.drop_all().lost == ()
    assert (volume.place / "file").read_bytes() == b"second"


def test_in_a_journal_any_later_sync_keeps_a_rename(mounted: Mounting) -> None:
    volume = mounted(Discipline.ORDERED)
    kept(volume.place / "file", b"first")
    kept(volume.place / "other", b"other")
    replaced(volume.place, "file")
    volume.drop_all()
    assert (volume.place / "file").read_bytes() == b"first"
    replaced(volume.place, "file")
    synced(volume.place / "other")
    volume.drop_all()
    assert (volume.place / "file").read_bytes() == b"second"
    assert sorted(os.listdir(volume.place)) == ["file", "other"]


@BOTH
@pytest.mark.parametrize("flag", [0, os.O_DIRECT, os.O_DSYNC, os.O_SYNC])
def test_what_a_write_promises(mounted: Mounting, discipline: Discipline, flag: int) -> None:
    volume = mounted(discipline)
    kept(volume.place / "file", b"a" * PAGE)
    block = mmap.mmap(-1, PAGE)  # O_DIRECT may ask for an aligned one
    block.write(b"b" * PAGE)
    with opened(volume.place / "file", os.O_RDWR | flag) as descriptor:
        assert os.writev(descriptor, [block]) == PAGE
        volume.drop_all()
        with pytest.raises(OSError, match="Stale"):
            os.read(descriptor, 1)
    durable = flag in (os.O_DSYNC, os.O_SYNC)
    assert (volume.place / "file").read_bytes() == (b"b" if durable else b"a") * PAGE
    assert volume.statistics().synced_writes == durable


@BOTH
def test_what_is_pending_is_told_and_counted(mounted: Mounting, discipline: Discipline) -> None:
    volume = mounted(discipline)
    (volume.place / "folder").mkdir()
    with opened(volume.place / "folder" / "file") as descriptor:
        os.write(descriptor, b"x" * 10_000)
        os.pwrite(descriptor, b"y", 20_000)
        (told,) = volume.pending().files
        assert (told.paths, told.ranges, told.size, told.durable_size) == (
            *((b"/folder/file",), ((0, 10_000), (20_000, 1))),
            *(20_001, 0),
        )
        assert volume.pending().steps == ("mkdir /folder", "create /folder/file")
        os.fdatasync(descriptor)
        assert volume.pending().files == ()
        os.fsync(descriptor)
    synced(volume.place / "folder")
    assert volume.pending().steps == ()
    found = volume.statistics()
    assert (found.fsync, found.fdatasync, found.fsyncdir, found.writes, found.bytes_written) == (1, 1, 1, 2, 10_001)
    (volume.place / "more").touch()
    volume.sync()
    assert volume.drop_all().lost == ()
    assert sorted(os.listdir(volume.place)) == ["folder", "more"]


@BOTH
def test_some_is_lost_as_the_seed_says(mounted: Mounting, discipline: Discipline) -> None:
    def left(seed: int) -> tuple[bytes, ...]:
        volume = mounted(discipline)
        kept(volume.place / "file", b"a" * 20 * PAGE)
        with opened(volume.place / "file") as descriptor:
            os.pwrite(descriptor, b"b" * 20 * PAGE, 0)
        for number in range(8):
            (volume.place / f"n{number}").touch()
        volume.drop_some(seed)
        data = (volume.place / "file").read_bytes()
        pages = {data[at : at + PAGE] for at in range(0, len(data), PAGE)}
        assert pages <= {b"a" * PAGE, b"b" * PAGE}
        assert len(data) == 20 * PAGE
        names = sorted(name for name in os.listdir(volume.place) if name != "file")
        if discipline is Discipline.ORDERED:
            assert names == [f"n{number}" for number in range(len(names))]
        volume.close()
        return (data, *map(os.fsencode, names))

    found = [left(seed) for seed in range(6)]
    assert len(set(found)) > 3
    assert left(3) == found[3]


@BOTH
def test_the_last_write_is_torn_at_sectors(mounted: Mounting, discipline: Discipline) -> None:
    volume = mounted(discipline)
    found = set()
    for seed in range(5):
        kept(volume.place / "file", b"a" * 2 * PAGE)
        with opened(volume.place / "file") as descriptor:
            os.pwrite(descriptor, b"b" * 3000, 1000)
        loss = volume.tear(seed)
        assert loss.torn == b"/file"
        data = (volume.place / "file").read_bytes()
        assert len(data) == 2 * PAGE
        assert set(data[:1000]) == set(data[4000:]) == set(b"a")
        edges = [1000, *range(1024, 4000, SECTOR), 4000]
        parts = [set(data[start:end]) for start, end in pairwise(edges)]
        assert {frozenset(part) for part in parts} == {frozenset(b"a"), frozenset(b"b")}
        found.add(data)
    assert len(found) > 2


def test_a_size_survives_with_its_data_only_in_a_journal(mounted: Mounting) -> None:
    zeros = {}
    for discipline in Discipline:
        volume = mounted(discipline)
        zeros[discipline] = 0
        for seed in range(30):
            kept(volume.place / "file", b"")
            with opened(volume.place / "file") as descriptor:
                for _ in range(8):
                    os.write(descriptor, b"x" * PAGE)
            volume.drop_some(seed)
            zeros[discipline] += b"\0" in (volume.place / "file").read_bytes()
    assert zeros[Discipline.POSIX] > 5
    assert zeros[Discipline.ORDERED] == 0


def test_files_that_were_open_and_deleted_are_gone(mounted: Mounting) -> None:
    volume = mounted()
    with opened(volume.place / "file") as descriptor:
        os.write(descriptor, b"bytes")
        os.fsync(descriptor)
        synced(volume.place)
        (volume.place / "file").unlink()
        assert os.pread(descriptor, 10, 0) == b"bytes"
        synced(volume.place)
        volume.drop_all()
    assert os.listdir(volume.place) == []
    assert volume.place.stat().st_nlink == 2
    assert os.statvfs(volume.place).f_bfree == os.statvfs(volume.place).f_blocks


def test_a_full_disk(mounted: Mounting) -> None:
    volume = mounted(capacity=1 << 20)
    found = os.statvfs(volume.place)
    assert found.f_blocks * found.f_frsize == 1 << 20
    with opened(volume.place / "file") as descriptor:
        assert os.write(descriptor, b"x" * (2 << 20)) == 1 << 20
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            os.write(descriptor, b"x")
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            (volume.place / "more").mkdir()
        assert os.pwrite(descriptor, b"over what is there", 5) == 18
    (volume.place / "file").unlink()
    until = time.monotonic() + 30
    while not os.statvfs(volume.place).f_bavail:  # the kernel says a while later that nobody holds it any more
        assert time.monotonic() < until
        time.sleep(0.001)
    (volume.place / "file").write_bytes(b"room again")
    volume.limit(PAGE)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        (volume.place / "more").write_bytes(b"x")
    volume.limit(1 << 30)
    (volume.place / "more").write_bytes(b"x" * (2 << 20))
    with opened(volume.place / "more") as descriptor, pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        os.posix_fallocate(descriptor, 0, 2 << 30)


def test_a_disk_that_can_only_be_read(mounted: Mounting) -> None:
    volume = mounted()
    kept(volume.place / "file", b"bytes")
    with opened(volume.place / "file") as descriptor:
        os.write(descriptor, b"pending")
        volume.read_only(True)
        calls: list[Callable[[], object]] = [
            lambda: os.write(descriptor, b"x"),
            lambda: os.fsync(descriptor),
            lambda: os.ftruncate(descriptor, 0),
            lambda: os.open(volume.place / "file", os.O_WRONLY),
            lambda: (volume.place / "new").touch(),
            lambda: (volume.place / "new").mkdir(),
            lambda: (volume.place / "file").unlink(),
            lambda: (volume.place / "file").rename(volume.place / "other"),
            lambda: (volume.place / "file").chmod(0o600),
            lambda: os.setxattr(volume.place / "file", "user.x", b""),
        ]
        for number, call in enumerate(calls):
            with pytest.raises(OSError) as caught:
                call()
            assert caught.value.errno == errno.EROFS, number
        assert (volume.place / "file").read_bytes() == b"pending"
    volume.read_only(False)
    (volume.place / "file").unlink()


def test_a_byte_that_rots(mounted: Mounting) -> None:
    volume = mounted()
    (volume.place / "folder").mkdir()
    kept(volume.place / "folder" / "file", b"abc" * PAGE)
    synced(volume.place)
    volume.flip("folder/file", 5000, 0x01)
    wanted = bytearray(b"abc" * PAGE)
    wanted[5000] ^= 0x01
    assert (volume.place / "folder" / "file").read_bytes() == wanted
    volume.drop_all()
    assert (volume.place / "folder" / "file").read_bytes() == wanted
    for path, offset, number in (("none", 0, errno.ENOENT), ("folder/file", 1 << 20, errno.EINVAL)):
        with pytest.raises(OSError) as caught:
            volume.flip(path, offset)
        assert caught.value.errno == number


def test_a_shared_mapping_is_refused_and_a_private_one_works(mounted: Mounting) -> None:
    volume = mounted()
    path = volume.place / "file"
    path.write_bytes(b"bytes")
    with path.open("r+b") as stream:
        with pytest.raises(OSError, match=os.strerror(errno.ENODEV)):
            mmap.mmap(stream.fileno(), 0)
        with mmap.mmap(stream.fileno(), 0, flags=mmap.MAP_PRIVATE) as mapping:
            assert mapping[:] == b"bytes"
    program = volume.place / "program"
    program.write_bytes(b"#!/bin/sh\necho it runs\n")
    program.chmod(0o755)
    assert subprocess.run([program], capture_output=True, timeout=60, check=True).stdout == b"it runs\n"


LOCKING = """
import fcntl, os, sys
path, kind = sys.argv[1:]
descriptor = os.open(path, os.O_RDWR)
lock = fcntl.flock if kind == "flock" else fcntl.lockf
try:
    lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("taken")
except BlockingIOError:
    print("refused")
"""


@pytest.mark.parametrize("kind", ["flock", "lockf"])
def test_locks_hold_between_processes(mounted: Mounting, kind: str) -> None:
    volume = mounted()

    def other(name: str) -> str:
        command = [sys.executable, "-c", LOCKING, str(volume.place / name), kind]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=100, check=True)
        return done.stdout.strip()

    with opened(volume.place / "lock") as descriptor:
        os.link(volume.place / "lock", volume.place / "same")
        lock = fcntl.flock if kind == "flock" else fcntl.lockf
        lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert (other("lock"), other("same")) == ("refused", "refused")
        lock(descriptor, fcntl.LOCK_UN)
        assert other("lock") == "taken"
        lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        kept_lock = volume.place / "lock"
        synced(kept_lock)
        synced(volume.place)
        volume.drop_all()
        assert other("lock") == "taken", "the machine went down, and with it who held the lock"


APPENDING = """
import os, sys
place, name = sys.argv[1:]
shared = os.open(place + "/shared", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
for number in range(300):
    os.write(shared, f"{name} {number}\\n".encode())
    with open(f"{place}/{name}-{number}", "wb") as own:
        own.write(name.encode() * number)
    os.rename(f"{place}/{name}-{number}", f"{place}/{name}")
    os.fsync(shared)
"""


def test_two_processes_at_once(mounted: Mounting) -> None:
    volume = mounted()
    running = [subprocess.Popen([sys.executable, "-c", APPENDING, volume.place, name]) for name in ("one", "two")]
    assert [each.wait(200) for each in running] == [0, 0]
    lines = (volume.place / "shared").read_text().splitlines()
    for name in ("one", "two"):
        assert [line for line in lines if line.startswith(name)] == [f"{name} {number}" for number in range(300)]
        assert (volume.place / name).read_bytes() == name.encode() * 299
    assert len(lines) == 600
    assert sorted(os.listdir(volume.place)) == ["one", "shared", "two"]
    assert volume.statistics().fsync == 600


def written_at_random(volume: Volume, seed: int, calls: int) -> None:
    """Writes, reads, truncations and losses of power against a file that is kept in two arrays of bytes."""
    dice, path = Random(seed), volume.place / "file"
    kept(path, b"")
    now, durable = bytearray(), bytearray()
    flags = os.O_RDWR
    descriptor = os.open(path, flags)
    try:
        for call in range(calls):
            at, length = dice.randrange(300_000), dice.choice((1, 100, 4096, 5000, 65536, 140_000))
            match dice.choice(("write", "write", "write", "read", "read", "truncate", "sync", "append", "drop")):
                case "write" | "append" as how:
                    data = dice.randbytes(length)
                    at = len(now) if how == "append" and len(now) < 1 << 20 else at
                    assert os.pwrite(descriptor, data, at) == length
                    now.extend(bytes(max(0, at + length - len(now))))
                    now[at : at + length] = data
                case "read":
                    assert os.pread(descriptor, length, at) == now[at : at + length]
                case "truncate":
                    os.ftruncate(descriptor, at)
                    del now[at:]
                    now.extend(bytes(at - len(now)))
                case "sync":
                    (os.fsync if call % 2 else os.fdatasync)(descriptor)
                    durable = bytearray(now)
                case _ if dice.random() < 0.1:
                    volume.drop_all()
                    os.close(descriptor)
                    descriptor, now = os.open(path, flags), bytearray(durable)
                    assert path.read_bytes() == now
            assert os.fstat(descriptor).st_size == len(now)
    finally:
        os.close(descriptor)
    assert path.read_bytes() == now


def test_random_writes_against_a_model(mounted: Mounting) -> None:
    written_at_random(mounted(), 1, 2000)


@pytest.mark.long
@pytest.mark.timeout(3000)
@BOTH
def test_random_writes_against_a_model_at_length(mounted: Mounting, discipline: Discipline) -> None:
    """100,000 calls in all."""
    written_at_random(mounted(discipline), 2, 50_000)


def test_no_place_but_an_empty_folder_of_ours_is_mounted_over(mounted: Mounting, tmp_path: Path) -> None:
    volume = mounted()
    full, link, file, other = (tmp_path / name for name in ("full", "link", "file", "other"))
    (full / "below").mkdir(parents=True)
    link.symlink_to(tmp_path)
    file.touch()
    other.mkdir()
    wrong = {full: "not empty", link: "no directory", file: "no directory", tmp_path / "none": "no directory"}
    wrong |= {volume.place: "is mounted", Path("/"): "not empty|another user"}
    if os.geteuid() == 0:
        os.chown(other, 12, 12)
        wrong[other] = "another user"
    for place, told in wrong.items():
        with pytest.raises(CannotMount, match=told):
            Volume(place, Discipline.POSIX, tmp_path / "log")
    assert (full / "below").is_dir()
    assert [one.path for one in mounts.volumes() if one.path.is_relative_to(tmp_path)] == [volume.place]


def test_a_volume_is_unmounted_after_an_error(mounted: Mounting, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    mounted()  # skips where none can be mounted
    with (
        pytest.raises(KeyError),
        Volume(place, Discipline.POSIX, tmp_path / "log") as volume,
        opened(volume.place / "held") as descriptor,
    ):
        assert os.fstat(descriptor).st_size == 0
        raise KeyError
    assert place not in [one.path for one in mounts.volumes()]
    assert os.listdir(place) == []
    with pytest.raises(VolumeLost):
        volume.pending()


def test_a_killed_volume_answers_nothing_and_is_unmounted(mounted: Mounting) -> None:
    volume = mounted()
    (volume.place / "file").touch()
    os.kill(volume.pid, signal.SIGKILL)
    with pytest.raises(OSError) as caught:
        (soon(lambda: not os.listdir(volume.place), 10), os.listdir(volume.place))
    assert caught.value.errno in (errno.ENOTCONN, errno.ECONNABORTED)
    with pytest.raises(VolumeLost, match="SIGKILL"):
        volume.drop_all()
    assert volume.place in [one.path for one in mounts.volumes()]
    assert volume.place not in [one.path for one in mounts.stale()], "its maker is here"
    assert volume.close() == ""
    assert os.listdir(volume.place) == []


HARNESS = """
import os, signal, sys
from pathlib import Path
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.volume import Volume
volume = Volume(Path(sys.argv[1]), Discipline.POSIX, Path(sys.argv[2]))
(volume.place / "file").touch()
print(volume.pid, flush=True)
if sys.argv[3] == "both":
    os.kill(volume.pid, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("killed", ["harness", "both, then clean", "both, then the next run", "both"])
def test_what_a_killed_harness_leaves(
    mounted: Mounting, tmp_path: Path, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = mounted()
    place = tmp_path / "left"
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", HARNESS, place, tmp_path / "left.log", killed.partition(",")[0]],
        env=os.environ | {"PYTHONPATH": module_path()},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    if killed == "harness":  # its process sees that, and unmounts
        assert soon(lambda: place not in [one.path for one in mounts.volumes()])
        assert soon(lambda: offspring.started_at(int(done.stdout)) < 0)
    else:
        left = [one for one in mounts.stale() if one.path.is_relative_to(tmp_path)]
        if not left and place not in [one.path for one in mounts.volumes()]:
            pytest.skip("another fsconform on this machine was quicker to clear it")
        assert [one.path for one in left] == [place]
        # Nothing else that may have been left on this machine is touched by a test.
        monkeypatch.setattr(temporary, "stale", list)
        monkeypatch.setattr(offspring, "stale", list)
        monkeypatch.setattr(mounts, "stale", lambda: left)
        if "clean" in killed:
            assert leftovers.left().volumes == tuple(left)
            assert leftovers.remove() == ([f"volume {place}"], [])
        elif "next" in killed:
            monkeypatch.setattr(leftovers, "_told", [])
            leftovers.tell()
        else:
            assert [mounts.clear(one) for one in left] == [""]
        assert [mounts.clear(one) for one in left] == [""], "cleared by another meanwhile"
    assert os.listdir(place) == []
    assert [one.path for one in mounts.volumes() if one.path.is_relative_to(tmp_path)] == [alive.place]
    (alive.place / "file").touch()


def test_what_is_mounted_over_a_volume_is_left_alone(mounted: Mounting, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root mounts anything else")
    volume = mounted()
    if subprocess.run(["mount", "-t", "tmpfs", "none", volume.place], check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        (volume.place / "file of others").touch()
        assert "mounted over it" in volume.close()
        assert os.listdir(volume.place) == ["file of others"]
    finally:
        subprocess.run(["umount", volume.place], check=True)
    (left,) = [one for one in mounts.volumes() if one.path == volume.place]
    assert mounts.clear(left) == ""


BY_HELPER = """
import os, sys
from pathlib import Path
from fsconform.adapters.volumes import mounts, orders
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.mount import Host
place = Path(sys.argv[1])
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
host = Host(orders.Mount(str(place), mounts.source(), Discipline.POSIX, 1 << 20))
(place / "file").write_bytes(b"bytes")
print((place / "file").read_bytes(), (place / "file").stat().st_uid, len(mounts.volumes()) > 0)
(place / "file").chmod(0o6755)
(place / "file").open("r+b").write(b"B")
print(oct((place / "file").stat().st_mode))
print(host.answer(orders.DropAll()).lost, os.listdir(place))
print(repr(host.end()), os.listdir(place), flush=True)
os._exit(0)
"""


def test_who_is_not_root_mounts_by_a_program_that_may() -> None:
    if os.geteuid() != 0 or mounts.lacking():
        pytest.skip("who is not root mounts so in all tests here, if at all")
    if shutil.which("fusermount3") is None:
        pytest.skip("fusermount3 is not installed (Debian: apt-get install fuse3)")
    place = Path(tempfile.mkdtemp(prefix="fsconform-test-volume-"))
    try:
        os.chown(place, 65534, 65534)
        done = subprocess.run(
            [sys.executable, "-c", BY_HELPER, place],
            env=os.environ | {"PYTHONPATH": module_path()},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        told = ["b'bytes' 65534 True", "0o100755", "('create /file', 'setattr /file', 'setattr /file') []", "'' []"]
        assert done.stdout.splitlines() == told, done.stderr
    finally:
        place.rmdir()


def test_what_is_lacking_is_said_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(mounts, "DEVICE", Path("/dev/null"))
    assert "apt-get install fuse3" in mounts.lacking()
    monkeypatch.setattr(mounts, "DEVICE", tmp_path / "fuse")
    assert f"there is no {tmp_path / 'fuse'}" in mounts.lacking()
