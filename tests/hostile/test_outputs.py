"""A file that an option names may be a device, a pipe or a link: it is written to, and stays what it is."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness import output
from fsconform.harness.inputs import OUTPUT_FILE

RECORDS = Path(__file__).resolve().parents[2] / "records"
AUDIT = "allowed=true\tugi=u\tip=/127.0.0.1\tcmd=mkdirs\tsrc=/a\tdst=null\tperm=u:g:rwxr-xr-x\tproto=rpc\n"
KINDS = ("device", "pipe", "link to a file", "dangling link", "link to a pipe", "link to a device")

TRIED = {
    ("compare", "--json"): ("compare", "EXAMPLE", "EXAMPLE"),
    ("compare", "--html"): ("compare", "EXAMPLE", "EXAMPLE"),
    ("contract show", "--out"): ("contract", "show", "hdfs"),
    ("contract show", "--json"): ("contract", "show", "hdfs"),
    ("contract diff", "--out"): ("contract", "diff", "hdfs", "s3a"),
    ("contract diff", "--json"): ("contract", "diff", "hdfs", "s3a"),
    ("contract infer", "--out"): ("contract", "infer", "--store", "proving", "--suite", "delete", "--budget", "0"),
    ("contract infer", "--json"): ("contract", "infer", "--store", "proving", "--suite", "delete", "--budget", "0"),
    ("contract check", "--out"): ("contract", "check", "--store", "proving", "--suite", "delete", "--budget", "0"),
    ("contract check", "--json"): ("contract", "check", "--store", "proving", "--suite", "delete", "--budget", "0"),
    ("export", "--out"): ("export", "sarif", "EXAMPLE"),
    ("fit", "--json"): ("fit",),
    ("recheck", "--json"): ("recheck", "AUDIT", "--format", "hdfs-audit"),
    ("spec coverage", "--json"): ("spec", "coverage"),
    ("spec doctor", "--json"): ("spec", "doctor"),
}
"""Options by a command line that needs no Java."""
BY_THE_SINK = {
    *(("copycheck", "--json"), ("markers audit", "--out"), ("markers clean", "--out"), ("replay", "--itf")),
    *(("markers compatibility", "--json"), ("markers judge", "--json"), ("spec check", "--json")),
}
"""Options of commands that need more: they write by the same functions, and test_secrets_sink holds that."""


def _options(group: click.Group, names: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from _options(found, (*names, name))
        elif found is not None:
            yield from ((" ".join((*names, name)), one.opts[-1]) for one in found.params if one.type is OUTPUT_FILE)


def test_every_option_is_known_here() -> None:
    assert set(_options(main)) == TRIED.keys() | BY_THE_SINK


class Place:
    """A name at which there is no plain file, and what is written to it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.path = folder / "out"
        self._aim = folder / "aim" if "link" in kind else self.path
        self._read: list[bytes] = []
        self._thread: threading.Thread | None = None
        if "device" in kind:
            try:
                os.mknod(self._aim, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
                self._aim.open("rb").close()
            except PermissionError:
                pytest.skip("only root makes devices")
        elif "pipe" in kind:
            os.mkfifo(self._aim)
            self._thread = threading.Thread(target=lambda: self._read.append(self._aim.read_bytes()), daemon=True)
            self._thread.start()
        elif kind == "link to a file":
            self._aim.write_bytes(b"before")
        if self._aim != self.path:
            self.path.symlink_to("aim")
        self._before = self._shape()

    def _shape(self) -> tuple[int | None, ...]:
        """What stands at the place, and where it leads to."""
        modes = [one.lstat().st_mode if os.path.lexists(one) else None for one in (self.path, self._aim)]
        return (modes[0], modes[1] if modes[1] is not None and not stat.S_ISREG(modes[1]) else None)

    def told(self) -> bytes | None:
        """What was written; None for a device."""
        assert self._shape() == self._before
        if self._thread is not None:
            self._thread.join(20)
            return self._read[0]
        return self._aim.read_bytes() if self._aim.is_file() else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", TRIED, ids=" ".join)
def test_what_is_no_file_is_written_to(option: tuple[str, str], kind: str, tmp_path: Path) -> None:
    place = Place(tmp_path, kind)
    (tmp_path / "audit.log").write_text(AUDIT)
    names = {"EXAMPLE": str(RECORDS / "example.json"), "AUDIT": str(tmp_path / "audit.log")}
    given = [names.get(one, one) for one in TRIED[option]]
    ran = CliRunner().invoke(main, [*given, option[1], str(place.path)])
    assert (ran.exit_code in (0, 1, 3) and ran.exception is None) or isinstance(ran.exception, SystemExit), ran.output
    told = place.told()
    assert told != b"" and told != b"before"
    if option[1] == "--json" and told is not None:
        json.loads(told)
    assert not [one.name for one in tmp_path.iterdir() if one.name.endswith(".part")]


WRITE: dict[str, Callable[[Path], None]] = {
    "write_text": lambda path: output.write_text(path, "told"),
    "write_json": lambda path: output.write_json(path, "told"),
    "write_whole": lambda path: output.write_whole(path, b"told"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("write", WRITE)
def test_all_that_commands_write_by(write: str, kind: str, tmp_path: Path) -> None:
    place = Place(tmp_path, kind)
    WRITE[write](place.path)
    assert (place.told() or b"told").strip(b'"\n') == b"told"


def test_a_loop_of_links_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("out")
    for write in WRITE.values():
        with pytest.raises(OSError, match="symbolic links"):
            write(tmp_path / "out")


def test_standard_output_that_is_a_file_keeps_its_name(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as stream:
        output.write_whole(Path(f"/dev/fd/{stream.fileno()}"), b"told")
        assert os.fstat(stream.fileno()).st_nlink == 1
    assert (tmp_path / "file").read_bytes() == b"told"
