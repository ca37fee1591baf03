"""What a shell completes, asked of the installed command by a real bash, and as click asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from fsconform.app.main import main

COMMAND = Path(sys.executable).with_name("fsconform")


def completed(*words: str) -> list[str]:
    """What is offered for the last word of a command line."""
    *before, incomplete = words
    return [one.value for one in ShellComplete(main, {}, "fsconform", "_X").get_completions(before, incomplete)]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("run", "--store", "rawl"), ["rawlocal"]),
        (("run", "--store", "s3"), ["s3a", "s3", "s3proxy"]),
        (("run", "--suite", "stream-r"), ["stream-races"]),
        (("run", "--op", "getFileS"), ["getFileStatus"]),
        (("run", "--clause", "filesystem.delete.pre.not-"), ["filesystem.delete.pre.not-empty"]),
        (("run", "--explorer", "wit"), ["witnesses"]),
        (("run", "--fault", "delete-non-e"), ["delete-non-empty"]),
        (("run", "--fault", "reads-s"), ["reads-stale"]),
        (("run", "--fault", "old-replicas"), ["old-replicas-are-read"]),
        (("run", "--store", "blocks-p"), ["blocks-proving"]),
        (("run", "--committer", "mag"), ["magic"]),
        (("run", "--group", "kill"), ["killed drivers"]),
        (("run", "--hadoop", "3.4"), ["3.4.1"]),
        (("try", "--suite", "stream-r"), ["stream-races"]),
        (("try", "--hadoop", "3.4"), ["3.4.1"]),
        (("compare", "--store", "hd"), ["hdfs"]),
        (("replay", "--store", "hd"), ["hdfs"]),
        (("replay", "--fault", "delete-non-e"), ["delete-non-empty"]),
        (("contract", "infer", "--store", "hd"), ["hdfs"]),
        (("stores", "prov"), ["proving"]),
        (("fit", "--needs", "hb"), ["hbase", "hbase-wal"]),
        (("fit", "--store", "s3"), ["s3a"]),
        (("fit", "--given", "wal"), ["wal-elsewhere"]),
        (("spec", "show", "filesystem.delete.pre.not-"), ["filesystem.delete.pre.not-empty"]),
    ],
)
def test_names_are_completed(words: tuple[str, ...], wanted: list[str]) -> None:
    offered = completed(*words)
    assert set(wanted) <= set(offered)
    assert all(one.startswith(words[-1]) for one in offered)


def test_what_nothing_begins_with_is_not_completed() -> None:
    assert completed("run", "--store", "zzz") == []


@pytest.mark.parametrize("command", ["try", "clean", "run"])
def test_stores_of_the_configuration_file_are_completed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fsconform.toml").write_text('[stores.mine]\nuri = "file:/tmp/x"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert completed(command, "--store", "mi") == ["mine"]


NAMED = {"--store", "--suite", "--op", "--clause", "--explorer", "--fault", "--committer", "--group", "--hadoop"}
"""Options whose values are names that fsconform knows, in whichever command."""


def without_completion(command: click.Command, name: str = "") -> list[str]:
    """The options among these that a shell gets nothing for, of a command or of those of a group."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        parts = {part: command.get_command(context, part) for part in command.list_commands(context)}
        return [one for part, found in parts.items() if found for one in without_completion(found, f"{name} {part}")]
    return [
        f"{name} {one.opts[0]}"
        for one in command.params
        if NAMED & {*one.opts} and not isinstance(one.type, click.Choice) and one._custom_shell_complete is None
    ]


def test_names_are_completed_in_every_command() -> None:
    assert without_completion(main) == []
    assert without_completion(click.Command("x", params=[click.Option(["--store"])])) == [" --store"]


def test_bash_completes_a_store(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None or not COMMAND.exists():
        pytest.skip("there is no bash, or the command is not installed beside this Python")
    script = f"""
PATH={COMMAND.parent}:$PATH
eval "$(_FSCONFORM_COMPLETE=bash_source fsconform)"
COMP_WORDS=(fsconform run --store rawl)
COMP_CWORD=3
_fsconform_completion fsconform
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [bash, "--norc", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["rawlocal"], done.stderr
