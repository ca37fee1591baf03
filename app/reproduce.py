"""``fsconform reproduce``: a recorded divergence as a program in the language of those who mend it."""

from __future__ import annotations

import re
from pathlib import Path

import click

from fsconform.harness import layer_replays as layers
from fsconform.harness import reproducers
from fsconform.harness.console import plain
from fsconform.harness.inputs import INPUT, OUTPUT_FOLDER
from fsconform.harness.languages import boto3_script, hadoop_shell, junit5
from fsconform.harness.languages.content import NotSaid
from fsconform.harness.output import write_text
from fsconform.harness.problems import ManyValues, Problem
from fsconform.harness.reproducers import ReplayError
from fsconform.harness.targets import with_recorded
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.given import reason

FORMS = ("junit5", "shell", "boto3")


@click.command("reproduce", cls=ManyValues)
@click.argument("file", type=INPUT, metavar="REPLAY")
@click.option("--as", "form", type=click.Choice(FORMS), default="junit5", show_default=True, help="The language.")
@click.option(
    "--out", type=OUTPUT_FOLDER, metavar="FOLDER", help="Where it is written; by default the folder of the replay file."
)
def reproduce(file: Path, form: str, out: Path | None) -> None:
    """Write what a REPLAY file shows as a program that needs nothing of fsconform.

    It fails as long as a store shows the divergence, and passes when that is gone. junit5 is a test class over Hadoop's
    AbstractFSContractTestBase, shell a script of hadoop fs, boto3 a script in Python for what an object store showed.
    The last line is the path of the file. Exit codes: 0 written; 2 usage, or a program that the language has no words
    for. A pytest file stands beside each replay file already.
    """
    try:
        name, text = written(file, form)
    except (ReplayError, NotSaid) as error:
        hint = (
            "" if isinstance(error, ReplayError) else ": take another --as, or the pytest file beside the replay file"
        )
        where = f"{file}: as {form} it can't be said: " if isinstance(error, NotSaid) else ""
        raise Problem(f"{where}{error}{hint}") from error
    place = (out or file.parent) / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, text)
    except OSError as error:
        raise Problem(f"{place}: {error.strerror or error}: choose another folder with --out") from error
    plain.print(str(place), markup=False)


def written(file: Path, form: str) -> tuple[str, str]:
    """The name and the text of the program. Raises ReplayError, NotSaid or Problem."""
    if layers.DATASET_FILES.is_file(file):
        raise NotSaid("it shows what Spark's jobs do")
    if layers.BLOCK_FILES.is_file(file):
        raise NotSaid("it shows what is done to the machines of a cluster")
    if layers.OBJECT_FILES.is_file(file):
        if form != "boto3":
            raise NotSaid("it shows requests to an object store, which are said by boto3")
        recorded = layers.OBJECT_FILES.read(file)
        if recorded.concurrent is not None:
            raise NotSaid("it shows a race of several clients")
        return f"{_stem(file)}.py", boto3_script.script(recorded.program, recorded.signature, "divergence")
    replay = reproducers.read(file)
    if form == "boto3":
        raise NotSaid("it shows calls of a FileSystem, and no requests to an object store")
    if replay.concurrent is not None:
        raise NotSaid("it shows a race of several clients")
    try:
        oracle = Oracle(with_recorded(Contract(replay.contract, str(file)), replay.quirks))
    except (ValueError, KeyError, TypeError) as error:
        raise ReplayError(f"{file}: {reason(error)}") from error
    if form == "junit5":
        text = junit5.test_class(oracle, replay.program, replay.signature, replay.verdict)
        return f"{junit5.class_name(replay.signature)}.java", text
    return f"{_stem(file)}.sh", hadoop_shell.script(oracle, replay.program, replay.signature, replay.verdict)


def _stem(file: Path) -> str:
    """The name of a replay file as that of a program beside it, which no test runner takes for a test."""
    return re.sub(r"[^A-Za-z0-9]+", "_", file.stem).strip("_") or "program"
