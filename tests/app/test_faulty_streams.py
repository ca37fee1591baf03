"""A FileSystem of the user's own whose streams have a fault: each is found, and without one nothing is."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import prove_all
from fsconform.engine.explorers import both_modes
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps, size_of
from fsconform.model.core import content as contents
from fsconform.model.filesystem.programs import Program
from fsconform.records.codec import loads
from fsconform.specs.contract_xml import load
from fsconform.specs.witness import witnesses

Command = Callable[..., subprocess.CompletedProcess[str]]
SOURCES = Path(__file__).parent / "java" / "faulty"
RAWLOCAL = Path(__file__).parents[2] / "adapters" / "stores" / "rawlocal" / "contract.xml"

MOST_STEPS = 5
MOST_BYTES = 1 << 20
"""Programs that write more are left out where a fault is looked for: they take long, and no fault needs them."""

AT_ONCE = 16
"""Programs that are tried before what they found is looked at."""

WRITING = ("writers", "visibility", "syncable", "leases", "capabilities")
READING = ("streams",)

OF_OUTPUT = (
    "abort-publishes",
    "abort-raises",
    "append-from-start",
    "array-kept",
    "byte-not-cut",
    "bytes-shifted",
    "capability-once-closed-raises",
    "claims-abort",
    "claims-reading",
    "claims-unknown",
    "close-drops-byte",
    "close-resets-time",
    "dropbehind-claimed",
    "flush-doubles-buffer",
    "hflush-doubles-byte",
    "hflush-hides",
    "hflush-not-claimed",
    "hflush-once-closed",
    "hflush-unsupported",
    "hsync-hides",
    "hsync-once-closed",
    "large-write-cut",
    "last-write-dropped",
    "lease-kept",
    "length-ahead",
    "null-written",
    "offset-ignored",
    "overwrite-late",
    "range-unchecked",
    "second-close-raises",
    "second-close-writes",
    "write-once-closed-ignored",
    "write-once-closed-written",
    "writes-swapped",
)
OF_INPUT = (
    "byte-signed",
    "end-early",
    "end-is-zero",
    "fully-short",
    "new-source-rewinds",
    "position-of-last-seek",
    "pread-moves",
    "pread-offset-ignored",
    "range-beyond-end-is-zeros",
    "range-forgotten",
    "ranges-swapped",
    "read-doubles-byte",
    "read-drops-byte",
    "read-into-null",
    "read-offset-ignored",
    "read-once-closed",
    "second-close-of-reader-raises",
    "seek-below-zero",
    "seek-shifts",
    "unbuffer-claimed",
)


OWN = "<property><name>fs.contract.max-path</name><value>4096</value></property></configuration>"


def _contract(folder: Path) -> Path:
    """The contract that the FileSystem keeps: the raw local one's, as one of its own, with which no waivers come."""
    path = folder / "faulty.xml"
    path.write_text(RAWLOCAL.read_text("utf-8").replace("</configuration>", OWN), "utf-8")
    return path


def _written(program: Program) -> int:
    """How many bytes a program writes."""
    contained = (getattr(step.operation, "content", ()) for step in program)
    return sum(map(contents.length, contained))


class Judged:
    """The FileSystem in one process. A file holds its fault, and is written anew for each."""

    def __init__(self, jar: Path, folder: Path) -> None:
        self._fault = folder / "fault"
        self._fault.touch()
        self._store = HadoopStore(
            "faulty",
            f"faulty://{folder}/sandbox",
            jars=[jar],
            classpath=resolve(load_profile(), ("client",)),
            configuration={
                "fs.faulty.impl": "faulty.FaultyStreamsFileSystem",
                "fs.faulty.fault.file": str(self._fault),
            },
            logs_folder=folder / "logs",
        )
        self._benches = Benches(self._store, load(_contract(folder)), 1)

    def failing(self, fault: str, groups: tuple[str, ...]) -> Iterator[Sample]:
        """What fails in the witnesses of some groups, each in both modes of probing: what writes least comes first."""
        self._fault.write_text(fault, "utf-8")
        chosen = [one.program for one in witnesses() if one.group in groups and not one.root]
        chosen = [one for one in chosen if not fault or _written(one) < MOST_BYTES]
        programs = both_modes(sorted(chosen, key=lambda one: (_written(one), size_of(one))), self._benches.oracle)
        assert len(programs) > 50
        collected = Collected()
        told: set[str] = set()
        for start in range(0, len(programs), AT_ONCE):
            bench = self._benches.take()
            try:
                for trial in bench.tries(programs[start : start + AT_ONCE]):
                    collected.add(trial)
            finally:
                self._benches.give_back(bench)
            assert not collected.losses
            fresh = [one for name, one in collected.samples.items() if name not in told]
            told |= set(collected.samples)
            found = [one for one in fresh if one.finding.verdict in FAILING]
            yield from sorted(found, key=lambda one: (_written(one.program), size_of(one.program)))

    def smallest(self, sample: Sample) -> int | None:
        """The steps of the smallest program that shows what fails; None if not all replays show it."""
        collected = Collected(samples={sample.finding.signature: sample})
        proven = prove_all(self._benches, collected)
        return min((own_steps(one.program) for one in proven if one.confirmed == "3/3"), default=None)

    def close(self) -> None:
        """End the process."""
        self._benches.close()
        self._store.close()


@pytest.fixture(scope="module")
def judged(faulty_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """The FileSystem, ready to be judged with any fault."""
    found = Judged(faulty_jar, tmp_path_factory.mktemp("judged"))
    yield found
    found.close()


def test_all_faults_are_tried() -> None:
    text = "".join(source.read_text("utf-8") for source in SOURCES.glob("*.java"))
    assert set(re.findall(r'(?:\bis|\.equals)\("([a-z-]+)"\)', text)) == {*OF_OUTPUT, *OF_INPUT}
    assert len({*OF_OUTPUT, *OF_INPUT}) == len(OF_OUTPUT) + len(OF_INPUT) >= 50


def test_without_a_fault_nothing_fails(judged: Judged) -> None:
    assert [one.finding.signature for one in judged.failing("", (*WRITING, *READING))] == []


@pytest.mark.parametrize(
    ("fault", "groups"), [*((one, WRITING) for one in OF_OUTPUT), *((one, READING) for one in OF_INPUT)]
)
def test_a_fault_is_found_by_a_small_program(judged: Judged, fault: str, groups: tuple[str, ...]) -> None:
    steps = next(filter(None, map(judged.smallest, judged.failing(fault, groups))), None)
    assert steps is not None, "no witness shows it"
    assert steps <= MOST_STEPS


SUITES = ("output-streams", "visibility", "syncable", "capabilities", "input-streams")


@pytest.mark.parametrize(
    ("fault", "code"), [pytest.param("none", 0, marks=pytest.mark.long), ("write-once-closed-ignored", 1)]
)
def test_the_suites_of_streams_tell_the_faulty_from_the_sound(
    fsconform: Command, tmp_path: Path, faulty_jar: Path, fault: str, code: int
) -> None:
    ran = fsconform(
        *("run", "--uri", f"faulty://{tmp_path}/sandbox", "--jars", faulty_jar, "--contract", _contract(tmp_path)),
        *("--conf", "fs.faulty.impl=faulty.FaultyStreamsFileSystem", "--conf", f"fs.faulty.fault={fault}"),
        *(part for suite in SUITES for part in ("--suite", suite)),
        *("--effort", "quick", "--out", "out"),
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    found = [one for one in store.divergences if one.verdict in FAILING]
    assert bool(found) is bool(code)
    for one in found:
        assert one.confirmed == "3/3" and one.steps <= MOST_STEPS
    if found:
        again = fsconform(*shlex.split(found[0].reproducer)[1:])
        assert again.returncode == 1, again.stdout + again.stderr
