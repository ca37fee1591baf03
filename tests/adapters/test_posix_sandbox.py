"""The sandbox of the local store: what it refuses, what it makes and removes, and what snapshots show."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsconform.adapters import errnos
from fsconform.adapters.folders import trees
from fsconform.adapters.folders.marker import MARKER, NOTE
from fsconform.adapters.posix import calls
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.posix.store import JUDGED, PosixStore
from fsconform.engine.protocol import Job, SandboxRefused, StoreLost
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.list_status import ListStatus

ONE = contents.of(1, 3)
NOBODY = 65534


def store(path: Path) -> PosixStore:
    return PosixStore("local", path)


def play(session: PosixSession) -> list[object]:
    program = (Step(Mkdirs(("a",))), Step(ListStatus(())))
    (execution,) = session.execute([Job(program)])
    return [event.outcome for event in execution.trace.events]


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path))


@contextmanager
def unprivileged() -> Iterator[None]:
    """As a user who owns nothing, if this one may do anything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_made_and_removed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x")
    local = store(tmp_path / "p" / "sandbox")
    first, second = local.session(), local.session()
    assert (tmp_path / "p" / "sandbox" / MARKER).is_file()
    assert isinstance(play(first)[1], Returned)
    first.close()
    first.close()
    assert play(second)[0] == Returned(True)
    second.close()
    assert names(tmp_path) == ["other", "p"] and names(tmp_path / "p") == []
    with pytest.raises(ValueError, match="closed"):
        first.execute([])


def test_what_was_there_stays(tmp_path: Path) -> None:
    session = store(tmp_path).session()
    assert MARKER in names(tmp_path)
    session.close()
    assert names(tmp_path) == []
    (tmp_path / MARKER).write_bytes(NOTE)
    (tmp_path / "keep").touch()
    session = store(tmp_path).session()
    play(session)
    session.close()
    assert names(tmp_path) == [MARKER, "keep"]


def test_the_marker_stays_while_another_session_is_there(tmp_path: Path) -> None:
    local = store(tmp_path)
    first, second = local.session(), local.session()
    first.close()
    assert MARKER in names(tmp_path)
    second.close()
    assert names(tmp_path) == []


def test_directories_of_runs_are_private_and_empty_between_programs(tmp_path: Path) -> None:
    session = store(tmp_path / "s").session()
    play(session)
    (run,) = (path for path in (tmp_path / "s").iterdir() if path.name != MARKER)
    assert stat.S_IMODE(run.stat().st_mode) == 0o700 and names(run) == []
    session.close()


def test_foreign_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(SandboxRefused, match=f"{tmp_path.name}.*'mine'.*create a plain file {MARKER}"):
        store(tmp_path).session()
    assert names(tmp_path) == ["mine"]


def test_files_and_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "loose").symlink_to("nowhere")
    for name, told in (("file", "is a file"), ("link", "symbolic link"), ("loose", "symbolic link")):
        with pytest.raises(SandboxRefused, match=told):
            store(tmp_path / name).session()
    with pytest.raises(SandboxRefused, match="Not a directory"):
        store(tmp_path / "file" / "sandbox").session()
    assert names(tmp_path) == ["file", "link", "loose", "real"] and names(tmp_path / "real") == []
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_marker_that_is_no_plain_file_proves_nothing(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine").write_text("x")
    sandbox = tmp_path / "s"
    sandbox.mkdir()
    if kind == "link":
        (sandbox / MARKER).symlink_to(tmp_path / "mine")
    else:
        (sandbox / MARKER).mkdir()
    with pytest.raises(SandboxRefused, match="no plain file"):
        store(sandbox).session()
    assert names(sandbox) == [MARKER] and (tmp_path / "mine").read_text() == "x"


@pytest.mark.parametrize("path", ["/", "/tmp/..", "/tmp/../tmp/x"])
def test_only_plain_directories_below_the_root(path: str) -> None:
    with pytest.raises(SandboxRefused, match="no plain directory below the root"):
        store(Path(path)).session()


def test_a_place_without_permission_is_refused(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(0o700)
    if os.geteuid() != 0:
        locked.chmod(0)
    try:
        with unprivileged(), pytest.raises(SandboxRefused, match=r"Permission denied\. Name a directory"):
            store(locked / "sandbox").session()
    finally:
        locked.chmod(0o700)
    assert names(locked) == []


def test_a_call_without_permission_is_an_access_control_exception(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o500)
    base = os.open(closed, os.O_RDONLY)
    try:
        with unprivileged(), pytest.raises(PermissionError) as caught:
            calls.create(base, Create(("a",), ONE, False))
    finally:
        os.close(base)
    raised = errnos.raised(caught.value, True, "/a")
    assert raised.classes[0] == "org.apache.hadoop.security.AccessControlException"
    assert raised.message == "/a: Permission denied (EACCES)"


@pytest.mark.parametrize(("number", "error"), [(errno.ENOSPC, StoreLost), (errno.EROFS, SandboxRefused)])
def test_trouble_of_the_machine_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[Exception]
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise errnos.fault(number)

    descriptors = names(Path("/proc/self/fd"))
    (tmp_path / "s").mkdir()
    monkeypatch.setattr(os, "mkdir", failing)
    with pytest.raises(error, match=os.strerror(number)):
        store(tmp_path / "s").session()
    assert len(names(Path("/proc/self/fd"))) == len(descriptors)


def test_a_directory_that_was_taken_away_loses_the_store(tmp_path: Path) -> None:
    local = store(tmp_path / "s")
    session = local.session()
    play(session)
    (run,) = (path for path in (tmp_path / "s").iterdir() if path.name != MARKER)
    run.rmdir()
    with pytest.raises(StoreLost, match="could not be made: No such file"):
        play(session)
    session.close()
    assert names(tmp_path) == []


def test_sweep_takes_old_runs_and_follows_no_link(tmp_path: Path) -> None:
    outside, sandbox = tmp_path / "outside", tmp_path / "s"
    outside.mkdir()
    (outside / "keep").write_text("x")
    (sandbox / "run-old" / "p0" / "d").mkdir(parents=True)
    (sandbox / "run-old" / "p0" / "link").symlink_to(outside)
    (sandbox / "run-link").symlink_to(outside)
    (sandbox / MARKER).write_bytes(NOTE)
    (sandbox / "other").touch()
    assert store(sandbox).clean_up() == (("run-link", "run-old"), ())
    assert names(sandbox) == [MARKER, "other"] and names(outside) == ["keep"]


def test_what_cannot_be_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run-old").mkdir()
    (tmp_path / MARKER).write_bytes(NOTE)

    def failing(*_: object) -> None:
        raise errnos.fault(errno.EBUSY)

    session = store(tmp_path).session()
    with monkeypatch.context() as patch:
        patch.setattr(trees, "clear", failing)
        removed, (problem,) = session.sweep()
    session.close()
    assert removed == () and "run-old could not be removed: Device or resource busy" in problem


def test_the_marker_comes_back_for_a_session_that_began_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, rmdir = tmp_path / "s", Path.rmdir
    session = store(sandbox).session()

    def late(self: Path) -> None:
        (sandbox / "run-other").mkdir()
        rmdir(self)

    monkeypatch.setattr(Path, "rmdir", late)
    session.close()
    assert names(sandbox) == [MARKER, "run-other"]


def test_snapshots(tmp_path: Path) -> None:
    session = store(tmp_path / "s").session()
    program = (
        Step(Create(("a", "f"), ONE, False)),
        Step(Mkdirs(("b",))),
        Step(Delete(("a",), True)),
    )
    (execution,) = session.execute([Job(program, (1, 2))])
    session.close()
    (first, full), (second, less) = execution.snapshots
    assert (first, second, full.consistent, full.problem, less.consistent) == (1, 2, True, "", True)
    assert [(one.listed.path, one.data) for one in full.entries] == [
        *((("a",), None), (("a", "f"), Data(3, contents.digest(ONE) or "")), (("b",), None))
    ]
    assert all(one.status == one.listed for one in full.entries)
    assert [one.listed.path for one in less.entries] == [("b",)]
    spent = sum(event.returned - event.invoked for event in execution.trace.events)
    assert execution.store_nanoseconds == spent > 0


def test_a_snapshot_tells_what_does_not_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = store(tmp_path / "s").session()
    job = Job((Step(Create(("a",), ONE, False)),), (0,))
    for name, lie, told in (
        ("read", lambda base, operation: Data(9, "x"), "is listed with 3 bytes and has 9"),
        ("get_file_status", lambda base, operation: None, "listing and status of /a disagree"),
        ("list_status", calls.read, "listStatus(/): Is a directory"),
        (
            "read",
            _missing,
            "is listed, but",
        ),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(calls, name, lie)
            (execution,) = session.execute([job])
        ((_, snapshot),) = execution.snapshots
        assert not snapshot.consistent and told in snapshot.problem, snapshot.problem
    session.close()


def _missing(*_: object) -> None:
    raise errnos.fault(errno.ENOENT)


def test_the_store_says_what_is_judged(tmp_path: Path) -> None:
    local = store(tmp_path / "s")
    assert local.versions["judged"] == JUDGED and "errno" in JUDGED
    assert all(local.versions[name] for name in ("python", "system", "disk"))
    assert (local.name, local.uri, local.logs()) == ("local", (tmp_path / "s").as_uri(), ())
    local.close()
    local.close()
    assert names(tmp_path) == []
