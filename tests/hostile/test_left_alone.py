"""Nothing of the user's is replaced or removed: by a run's link ``latest``, or where a sandbox only seems ours."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.folders import marker
from fsconform.adapters.folders.marker import MARKER, NOTE
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.posix.store import PosixStore
from fsconform.app.main import main
from fsconform.engine.protocol import SandboxRefused
from fsconform.records.codec import loads

RUN = ("run", "--store", "proving", "--op", "append", "--budget", "0")


def make(path: Path, kind: str) -> None:
    """Something of the user's at a path."""
    if kind == "file":
        path.write_bytes(b"mine")
    elif kind == "empty file":
        path.touch()
    elif kind == "almost":
        path.write_bytes(NOTE[:-2])
    elif kind == "folder":
        path.mkdir()
        (path / "mine").write_bytes(b"mine")
    elif kind == "empty folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a folder":
        path.with_name("aim").mkdir()
        (path.with_name("aim") / "mine").write_bytes(b"mine")
        path.symlink_to("aim")
    elif kind == "link to a note":
        path.with_name("aim").write_bytes(NOTE)
        path.symlink_to("aim")
    else:
        path.symlink_to("nowhere")


def shot(path: Path) -> dict[str, object]:
    """All that is below a folder: names with targets of links and content of files."""
    found: dict[str, object] = {}
    for one in sorted(path.rglob("*")):
        kind: object = one.lstat().st_mode
        if one.is_symlink():
            kind = str(one.readlink())
        elif one.is_file():
            kind = one.read_bytes()
        found[str(one.relative_to(path))] = kind
    return found


@pytest.mark.parametrize(
    "kind", ["file", "empty file", "folder", "empty folder", "link to a folder", "dangling", "pipe"]
)
def test_what_is_called_latest_is_only_replaced_where_it_is_ours(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    make(out / "latest", kind)
    before = shot(out)
    ended = CliRunner().invoke(main, [*RUN, "--out", str(out)])
    assert ended.exit_code == 0, ended.output
    assert "latest is not fsconform's, and was left as it is" in ended.stderr
    now = shot(out)
    assert {name: now[name] for name in before} == before
    (run,) = {name.partition("/")[0] for name in now} - {name.partition("/")[0] for name in before}
    assert loads(out / run / "results.json").run.exit == 0


def test_our_own_link_is_replaced(tmp_path: Path) -> None:
    for _ in range(2):
        assert CliRunner().invoke(main, [*RUN, "--out", str(tmp_path / "out")]).exit_code == 0
    runs = sorted(path.name for path in (tmp_path / "out").iterdir() if path.name != "latest")
    assert len(runs) == 2 and (tmp_path / "out" / "latest").readlink().name in runs


SEEMING = ("file", "empty file", "almost", "folder", "empty folder", "pipe", "link to a note", "dangling")
"""What may be called like our marker, and is not it."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marker, "MAKING_SECONDS", 0.2)


def seeming(tmp_path: Path, kind: str) -> dict[str, object]:
    """A folder of the user's with names like those that sessions make."""
    make(tmp_path / MARKER, kind)
    (tmp_path / "run-notes").write_bytes(b"mine")
    (tmp_path / "run-0123456789ab").mkdir()
    (tmp_path / "run-0123456789ab" / "mine").write_bytes(b"mine")
    return shot(tmp_path)


@pytest.mark.parametrize("kind", SEEMING)
def test_a_folder_of_this_machine_that_only_seems_to_be_a_sandbox(tmp_path: Path, kind: str) -> None:
    before = seeming(tmp_path, kind)
    for used in (PosixStore("x", tmp_path).session, PosixStore("x", tmp_path).clean_up):
        with pytest.raises(SandboxRefused, match=r"no plain file|is not the file that marks|holds what is not ours"):
            used()
    assert shot(tmp_path) == before


@pytest.mark.parametrize("kind", ["file", "empty file", "folder", "link to a folder"])
def test_a_directory_of_a_connector_that_only_seems_to_be_a_sandbox(tmp_path: Path, kind: str) -> None:
    before = seeming(tmp_path, kind)
    jars = resolve(load_profile(), ("client",))
    with pytest.raises(SandboxRefused, match=r"no plain file|is not the file that marks"):
        HadoopStore("x", tmp_path.as_uri(), classpath=jars, logs_folder=tmp_path.parent / "logs").clean_up()
    assert shot(tmp_path) == before


def test_of_a_marker_that_says_something_else_only_runs_are_made_beside_it_and_nothing_is_swept(tmp_path: Path) -> None:
    """A connector that does not give back what was written must be judged all the same."""
    (tmp_path / MARKER).write_bytes(b"mine")
    (tmp_path / "run-0123456789ab").mkdir()
    (tmp_path / "run-0123456789ab" / "mine").write_bytes(b"mine")
    before = shot(tmp_path)
    jars = resolve(load_profile(), ("client",))
    store = HadoopStore("x", tmp_path.as_uri(), classpath=jars, logs_folder=tmp_path.parent / "logs")
    session = store.session()
    with pytest.raises(SandboxRefused, match="is not the file that marks"):
        session.sweep()
    session.close()
    assert shot(tmp_path) == before


def test_a_user_may_say_that_all_may_be_deleted(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_bytes(NOTE.strip())
    (tmp_path / "run-0123456789ab").mkdir()
    (tmp_path / "mine").write_bytes(b"mine")
    assert PosixStore("x", tmp_path).clean_up() == (("run-0123456789ab",), ())
    assert sorted(shot(tmp_path)) == [MARKER, "mine"]


def test_a_marker_in_the_making_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter((b"", b"", NOTE))
    assert marker.settled(lambda: next(said)) == NOTE
