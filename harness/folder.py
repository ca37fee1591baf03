"""The folder of a run: results, reports, replays, and the places at which a later run can take up."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from fsconform.engine.histories.concurrent import decode
from fsconform.engine.internal import InternalErrors, sentence
from fsconform.engine.recorder import INTERNAL, empty_record, internal_errors
from fsconform.harness import faults, leftovers, scrubbing
from fsconform.harness.console import console
from fsconform.harness.layer_replays import BLOCK_FILES, DATASET_FILES, OBJECT_FILES, ReplayFiles
from fsconform.harness.output import write_whole
from fsconform.harness.problems import INCONCLUSIVE, Problem
from fsconform.harness.reproducers import Replay, named, pytest_file, write
from fsconform.harness.versions import versions
from fsconform.model.core.layers import LayerContract
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import decode_program
from fsconform.records.baseline import Baseline
from fsconform.records.codec import RecordError, SchemaError, dumps, loads
from fsconform.records.comparison import ComparisonError
from fsconform.records.given import GivenError, brief, read_json, reason
from fsconform.records.results import (
    SCHEMA,
    ClauseRecord,
    Divergence,
    FormalRecord,
    InternalErrorRecord,
    Results,
    Run,
    StoreRecord,
)
from fsconform.reports.html import write_report
from fsconform.reports.junit import junit_xml

LATEST = "latest"
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
"""What :func:`new_id` gives: the name of a run's folder."""
PROGRESS = "progress.json"

Program = TypeVar("Program")

Places = dict[str, dict[str, tuple[int, int]]]
"""For each store and explorer the place to take up and the programs that were executed."""


def new_id(now: datetime.datetime) -> str:
    """A run id that sorts by time: date, time and four random digits."""
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def make(out: Path, run_id: str) -> Path:
    """The new folder of a run. Raises Problem where it can't be made."""
    leftovers.tell()
    folder = out / run_id
    try:
        folder.mkdir(parents=True)
        (folder / "replays").mkdir()
        (folder / "logs").mkdir(mode=0o700)  # a store's own words: for their owner alone
    except OSError as error:
        raise Problem(f"{folder}: {error.strerror}: choose another folder with --out") from error
    faults.at_home(folder)
    return folder


@dataclass(frozen=True, slots=True)
class Saved:
    """The path of the report, and the results as they were written: with errors of ours that were met on the way."""

    report: Path
    results: Results


def save(
    folder: Path, results: Results, contracts: Mapping[str, Mapping[str, object]], places: Places, whole: bool = True
) -> Saved:
    """Write everything of a run and point ``latest`` at it. Raises OSError.

    An error of ours costs the one file: it is among the internal errors then. Where there is no report, it is the path
    of results.json. Not ``whole`` is what was found so far, to be written quickly: without the pages of the report.
    """
    internal = InternalErrors()
    stores = [_with_tests(store, internal) for store in results.stores]
    results = _written(folder / "results.json", replace(results, stores=stores), internal)
    with _noting(internal, "writing progress.json"):
        write_whole(folder / PROGRESS, json.dumps({"seed": results.run.seed, "places": places}, indent=1).encode())
    for store in results.stores:
        contract, quirks = contracts.get(store.name, {}), tuple(store.quirk_sets)
        for divergence in store.divergences:
            with _noting(internal, "writing replay files"):
                save_reproducers(folder, store.name, divergence, contract, quirks)
        for one in store.internal_errors:
            with _noting(internal, "writing replay files"):
                save_internal(folder, store.name, one, contract, quirks)
    report = folder / "results.json"
    with _noting(internal, "writing junit.xml"):
        write_whole(folder / "junit.xml", junit_xml(results))
    if whole:
        with _noting(internal, "writing the report"):
            report = write_report(results, folder)
    if internal:
        results = _with_internal(results, internal)
        write_whole(folder / "results.json", dumps(results))
        with contextlib.suppress(Exception):  # what kept it from being written may keep this one from it too
            write_whole(folder / "junit.xml", junit_xml(results))
    _point_latest(folder)
    return Saved(report, results)


@dataclass(frozen=True, slots=True)
class Recording:
    """What of a run goes into its folder beside the records of its stores: the same for run, pytest and campaigns.

    ``command`` is the command line, word by word, and ``clauses`` are the rows of the report. ``started`` is in UTC,
    ``clock`` the reading of ``time.monotonic`` then.
    """

    home: Path
    seed: int
    command: Sequence[str]
    contracts: Mapping[str, Contract | LayerContract]
    configuration: Mapping[str, str]
    clauses: Sequence[ClauseRecord] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
    formal: FormalRecord = field(default_factory=FormalRecord)
    baseline: Baseline | None = None
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    clock: float = field(default_factory=time.monotonic)

    def marked(self, records: Iterable[StoreRecord]) -> list[StoreRecord]:
        """The records with what the baseline knows; as they are where there is none."""
        return [self.baseline.marked(one) if self.baseline else one for one in records]

    def results(self, records: Sequence[StoreRecord], code: int) -> Results:
        """The results of a run that ends with an exit code, without secrets."""
        run = Run(
            self.home.name,
            self.seed,
            dict(self.versions),
            self.started.isoformat(timespec="seconds"),
            round(time.monotonic() - self.clock, 3),
            code,
            shlex.join(scrubbing.arguments(self.command)),
            dict(self.configuration),
            self.formal,
        )
        return scrubbing.hidden(Results(SCHEMA, run, list(records), list(self.clauses)))

    def save(self, results: Results, places: Places | None = None, whole: bool = True) -> Saved:
        """Write the folder, as :func:`save` does, and hide secrets in the logs. Raises OSError."""
        contracts = {name: dict(contract.declared) for name, contract in self.contracts.items()}
        saved = save(self.home, results, contracts, {} if places is None else places, whole)
        scrubbing.hide_in_files(self.home / "logs")
        return saved

    def unwritten(self, error: OSError) -> str:
        """What is told where the folder could not be written whole."""
        return f"{self.home}: {error}: the run's records could not be written whole"


def _with_tests(store: StoreRecord, internal: InternalErrors) -> StoreRecord:
    """The store's record with the names of pytest files."""
    with _noting(internal, "naming replay files"):
        return replace(store, divergences=[_named(one, store.name) for one in store.divergences])
    return store


def _written(path: Path, results: Results, internal: InternalErrors) -> Results:
    """Write results; without those of a store that can't be written, which is told in their place. Raises OSError."""
    try:
        write_whole(path, dumps(results))
        return results
    except OSError:
        raise
    except Exception as error:
        internal.add("writing results.json", error)
    stores = []
    for store in results.stores:
        try:
            dumps(replace(results, stores=[store]))
            stores.append(store)
        except Exception as error:
            found = internal.add("writing results.json", error)
            problem = f"what was found can't be written: {sentence(found)}"
            stores.append(replace(_emptied(store), problems=[problem]))
    results = replace(results, stores=stores)
    write_whole(path, dumps(results))
    return results


def _emptied(store: StoreRecord) -> StoreRecord:
    """A record that says nothing but the name of the store."""
    return replace(empty_record(store.name), verdicts=dict.fromkeys(store.verdicts, 0))


@contextlib.contextmanager
def _noting(internal: InternalErrors, stage: str) -> Iterator[None]:
    """Note an error of ours, and go on; one of the disk is the user's to mend. Raises OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        internal.add(stage, error)


def _with_internal(results: Results, internal: InternalErrors) -> Results:
    """The results with errors that were met while they were written: of the first store, as they are of none."""
    found = internal_errors("", internal.all(), "")
    stores = [
        replace(store, internal_errors=[*store.internal_errors, *([] if number else found)])
        for number, store in enumerate(results.stores)
    ]
    return replace(results, stores=stores, run=replace(results.run, exit=results.run.exit or INCONCLUSIVE))


def save_internal(
    folder: Path, store: str, error: InternalErrorRecord, contract: Mapping[str, object], quirks: tuple[str, ...] = ()
) -> None:
    """Write the replay file of an error of ours, with its traceback; none where there is no program. Raises OSError."""
    if error.replay:
        program = decode_program(error.program)
        replay = Replay(error.error, INTERNAL, store, program, dict(contract), quirks, error.traceback)
        write(folder / error.replay, replay, error.program)


def save_reproducers(
    folder: Path, store: str, divergence: Divergence, contract: Mapping[str, object], quirks: tuple[str, ...] = ()
) -> Divergence:
    """Write the replay file of a divergence and its pytest file, which it then names. Raises OSError.

    ``quirks`` names the sets of known bugs that the store was judged with.
    """
    if (layer := _layer_of(divergence)) is not None:
        layer.write(folder, store, divergence, contract)
        return divergence
    divergence = named(divergence, store)
    program = decode_program(divergence.program)
    race = decode(divergence.history.program) if divergence.history is not None else None
    replay = Replay(divergence.signature, divergence.verdict, store, program, dict(contract), quirks, concurrent=race)
    write(folder / divergence.replay, replay, divergence.program)
    write_whole(folder / divergence.test, pytest_file(divergence, contract, quirks).encode())
    return divergence


def _named(divergence: Divergence, store: str) -> Divergence:
    """The divergence with its pytest file, where there is one."""
    return divergence if _layer_of(divergence) is not None else named(divergence, store)


def _layer_of(divergence: Divergence) -> ReplayFiles[Any, Any] | None:
    """The replay files of the layer that a divergence is in; None for the filesystem's own."""
    return next((files for files in (BLOCK_FILES, DATASET_FILES, OBJECT_FILES) if files.is_ours(divergence)), None)


def _point_latest(folder: Path) -> None:
    """Point ``latest`` at the run, unless something of the user's is called so: that is left alone. Raises OSError."""
    link, fresh = folder.parent / LATEST, folder.parent / f".{LATEST}-{folder.name}"
    try:
        link.symlink_to(folder.name, target_is_directory=True)
    except FileExistsError:
        if not _is_our_link(link):
            told = f"{link} is not fsconform's, and was left as it is: the run is {folder}"
            console.print(told, markup=False, soft_wrap=True)
            return
        fresh.symlink_to(folder.name, target_is_directory=True)
        fresh.replace(link)


def _is_our_link(link: Path) -> bool:
    """Whether it is a symbolic link as :func:`_point_latest` makes them: to a run beside it, by its name alone."""
    try:
        return RUN_ID.fullmatch(str(link.readlink())) is not None
    except OSError:
        return False


def earlier_programs(folder: Path, store: str, decode: Callable[[Any], Program]) -> tuple[Program, ...]:
    """The programs of a store's divergences in an earlier run, to be executed first. Raises Problem.

    Those that need the real root are run by its suite in any case, and races by theirs.
    """
    try:
        records = [one for one in loads(folder / "results.json").stores if one.name == store]
        return tuple(
            decode(divergence.program)
            for one in records
            for divergence in one.divergences
            if not (divergence.root or divergence.history)
        )
    except (RecordError, OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{folder}: can't be resumed: {reason(error)}") from error


def earlier_places(folder: Path) -> tuple[int, Places]:
    """The seed and the places of an earlier run. Raises Problem for a folder that is none."""
    path = folder / PROGRESS
    try:
        row = read_json(path)
        places = {
            store: {name: (_count(place), _count(done)) for name, (place, done) in one.items()}
            for store, one in row["places"].items()
        }
        return _count(row["seed"], least=-(1 << 63)), places
    except GivenError as error:
        raise Problem(f"{error}: so it can't be resumed: name the folder of a run with --resume") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: can't be resumed: {reason(error)}: name the folder of a run with --resume") from error


def _count(value: object, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 1 << 63:
        raise ValueError(f"{brief(value)} is no number from {least} to {(1 << 63) - 1}")
    return value


def discard(folder: Path, with_parent: bool) -> None:
    """Remove the folder of a run that judged nothing; the folder above too, where it is ours and empty."""
    shutil.rmtree(folder, ignore_errors=True)
    if with_parent:
        with contextlib.suppress(OSError):
            folder.parent.rmdir()


RESULTS = "results.json"


def results_of(path: Path, mend: str) -> Results:
    """The results of a run, of its folder or its file. Raises Problem, which names the file and the mend."""
    file = path / RESULTS if path.is_dir() else path
    try:
        return loads(file)
    except SchemaError as error:
        raise Problem(f"{error}: compare with the version that wrote it, or judge again with this one") from error
    except RecordError as error:
        raise Problem(f"{error}: {mend}") from error


def baseline_of(path: Path | None) -> Baseline | None:
    """The baseline at a path; None where none is given. Raises Problem."""
    if path is None:
        return None
    try:
        return Baseline(str(path), results_of(path, "--baseline takes the folder of a whole run, or its results.json"))
    except ComparisonError as error:
        raise Problem(f"{path}: {error}: give --baseline a run that has each store once") from error
