"""The tutorial, command by command from the page: an empty folder, a wheel, a gate that fails, and a JUnit 5 test."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it.token import Token

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = "docs/tutorial.md"
_ENDS = re.compile(r"\s+# ends with (\d+)$")
_TITLE = re.compile(r'title="([^"]+)"')


def script_of(block: str) -> str:
    """A block as a script that ends where a command does not end with the code that the page says, 0 by default."""
    lines = []
    for line in block.splitlines():
        found = _ENDS.search(line)
        wanted = int(found[1]) if found else 0
        command = _ENDS.sub("", line)
        lines.append(f'{command}\ncode=$?; [ $code = {wanted} ] || {{ echo "ended with $code" >&2; exit 99; }}\n')
    return "".join(lines)


def wheel_into(folder: Path) -> None:
    """Build the wheel as the page says."""
    made = subprocess.run(
        [sys.executable, REPOSITORY / "tools" / "dist.py", folder], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    for path in folder.iterdir():
        if path.suffix != ".whl":
            path.unlink()


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_by_the_page_alone_a_gate_fails_and_a_junit_test_shows_why(
    tmp_path: Path, blocks: Callable[[str], list[Token]], record_property: Callable[[str, object], None]
) -> None:
    if shutil.which("javac") is None or shutil.which("jar") is None:
        pytest.skip("there is no JDK")
    empty, outside = tmp_path / "empty", tmp_path / "outside"
    empty.mkdir()
    outside.mkdir()
    wheel_into(empty)
    held = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_CONSTRAINT", "PYTHON"))}
    carried, shown, took = "", False, 0.0
    begun_with = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = begun_with.ru_utime + begun_with.ru_stime
    told: list[str] = []
    for block in blocks(PAGE):
        language, _, rest = block.info.partition(" ")
        text = block.content.replace("/tmp/fsconform", f"{outside}/fsconform")
        if title := _TITLE.search(rest):
            place = empty / title[1]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        elif language == "sh":
            begun = time.monotonic()
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-c", carried + script_of(text)],
                cwd=empty,
                env=held,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            took += time.monotonic() - begun
            assert done.returncode == 0, (
                f"{PAGE}:{(block.map or [0])[0] + 1}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
            )
            told.append(done.stdout + done.stderr)
            carried += "".join(f"{line}\n" for line in text.splitlines() if line.startswith((". ", "CP=")))
            if "ConsoleLauncher" in text and not shown:
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                record_property("seconds to the failing test", round(took, 1))
                record_property("seconds of the processor", round(used.ru_utime + used.ru_stime - before, 1))
                shown = True
                assert "1 tests failed" in done.stdout, done.stdout
                found = [line for line in told[-3].splitlines() if line.startswith("myfs: violation")]
                assert found == [
                    "myfs: violation: delete (non-empty directory, not recursive) returned true, data lost"
                ]
    assert shown and "1 tests successful" in "".join(told), told
    judged = next(line for line in page_text(blocks) if line.startswith("fsconform run --uri"))
    workflow = (empty / ".github" / "workflows" / "fsconform.yml").read_text("utf-8")
    wanted = _ENDS.sub("", judged).replace("/tmp/fsconform", f"{outside}/fsconform")
    assert f"{wanted} || code=$?" in workflow, "the page's gate is the one that the workflow runs"


def page_text(blocks: Callable[[str], list[Token]]) -> list[str]:
    """The lines of the page's commands."""
    return [line for block in blocks(PAGE) for line in block.content.splitlines()]


def test_a_command_that_ends_otherwise_is_seen() -> None:
    def code(block: str) -> int:
        return subprocess.run(["bash", "-c", script_of(block)], stderr=subprocess.DEVNULL, check=False).returncode

    assert code("true\nfalse   # ends with 1\n") == 0
    assert code("true\nfalse\ntrue") == 99
    assert code("true   # ends with 1") == 99
