"""Replay files of the layers beside the filesystem: written beside the others, and replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fsconform.adapters.spark.committers import Committer, for_scheme, of_class
from fsconform.adapters.stores.layers import Up
from fsconform.adapters.stores.site import Setup
from fsconform.engine.blocks.subject import BLOCKS
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.gate import Terms
from fsconform.engine.histories.concurrent import Concurrent, decode
from fsconform.engine.layers import Layer, Tried, met
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.engine.objects.subject import OBJECTS
from fsconform.engine.replayed import of_findings
from fsconform.engine.subject import Finding
from fsconform.engine.waivers import Failing
from fsconform.harness.block_plans import BLOCK_STORES, BlockTarget, block_terms, check_block_fault
from fsconform.harness.console import console
from fsconform.harness.layer_plans import check_of_objects, dataset_terms, object_contract, object_terms, own_of
from fsconform.harness.layer_stores import (
    OBJECT_STORES,
    SPARK_STORES,
    bring_up_objects,
    bring_up_own,
    bring_up_spark,
)
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.object_races import seen_again
from fsconform.harness.output import write_json
from fsconform.harness.problems import Inconclusive, Problem, known
from fsconform.harness.replaying import say, tell, tell_race
from fsconform.harness.sites import RECOVERABLE
from fsconform.model.blocks import steps
from fsconform.model.blocks.contract import BlockContract
from fsconform.model.core.layers import LayerContract
from fsconform.model.core.outcomes import Unknown
from fsconform.model.datasets import operations as jobs
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.objects import operations as requests
from fsconform.model.objects.contract import ObjectContract
from fsconform.proving.objects.faults import FAULTS, RACES
from fsconform.records.given import GivenError, brief, read_json, reason
from fsconform.records.results import Divergence
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.layers import load_commit_contract

VERSION = 1

Operation = TypeVar("Operation")
Contract = TypeVar("Contract", bound=LayerContract)


@dataclass(frozen=True)
class Replay(Generic[Operation, Contract]):
    """A program with the signature it showed, the store, and the contract it was judged by."""

    signature: str
    store: str
    program: tuple[Operation, ...]
    contract: Contract
    concurrent: Concurrent[Any] | None = None
    """The program of a race, of which ``program`` has the calls in the order in which they began."""


@dataclass(frozen=True)
class ReplayFiles(Generic[Operation, Contract]):
    """The replay files of a layer, written beside those of others.

    ``key`` stands in its files alone, ``step`` in each of its encoded steps; ``contract`` makes one of what is declared
    and the file it was read from.
    """

    key: str
    step: str
    decode: Callable[[Any], Operation]
    contract: Callable[[dict[str, bool], str], Contract]

    def is_ours(self, divergence: Divergence) -> bool:
        """Whether a divergence is one of this layer."""
        return bool(divergence.program) and self.step in divergence.program[0]

    def write(self, folder: Path, store: str, divergence: Divergence, contract: Mapping[str, object]) -> None:
        """Write the replay file of a divergence. Raises OSError."""
        row = {
            self.key: VERSION,
            "signature": divergence.signature,
            "verdict": divergence.verdict,
            "store": store,
            "contract": dict(contract),
            "program": divergence.program,
        }
        if divergence.history is not None:
            row["concurrent"] = divergence.history.program
        write_json(folder / divergence.replay, row)

    def is_file(self, path: Path) -> bool:
        """Whether a file is such a replay file; what can't be read is none."""
        try:
            row = read_json(path)
        except GivenError:
            return False
        return isinstance(row, dict) and self.key in row

    def read(self, path: Path) -> Replay[Operation, Contract]:
        """Read a replay file. Raises Problem."""
        try:
            row = read_json(path)
            if type(row[self.key]) is not int or row[self.key] != VERSION:
                raise ValueError(f"version {brief(row[self.key])} is not {VERSION}")
            if not all(isinstance(row[name], str) for name in ("signature", "store")):
                raise ValueError("signature and store are texts")
            if not isinstance(row["program"], list):
                raise ValueError("program is a list")
            if not all(type(value) is bool for value in row["contract"].values()):
                raise ValueError("contract is an object of true and false")
            contract = self.contract(dict(row["contract"]), str(path))
            program = tuple(self.decode(step) for step in row["program"])
            race = decode(row["concurrent"], self.decode) if "concurrent" in row else None
            return Replay(row["signature"], row["store"], program, contract, race)
        except GivenError as error:
            raise Problem(f"{error}; it is written by fsconform run") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{path}: can't be replayed: {reason(error)}; it is written by fsconform run") from error


BLOCK_FILES = ReplayFiles("fsconform-block-replay", steps.STEP, steps.decode, BlockContract)
OBJECT_FILES = ReplayFiles("fsconform-object-replay", requests.OP, requests.decode, ObjectContract)
DATASET_FILES = ReplayFiles("fsconform-dataset-replay", "dataset", jobs.decode, CommitContract)


def replay_objects(
    path: Path,
    store: str | None,
    contract: Path | None,
    fault: str,
    uri: str | None = None,
    conf: tuple[str, ...] = (),
    waiver_files: tuple[Path, ...] = (),
) -> int:
    """Replay a file in a fresh place, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = OBJECT_FILES.read(path)
    try:
        own = own_of(uri, conf) if uri is not None else None
        name = store or recorded.store if own else known("object store", store or recorded.store, OBJECT_STORES)
        if fault:
            known("fault", fault, {**FAULTS, **RACES})
            if name != "s3-proving":
                raise Problem("--fault is for the store 's3-proving' alone")
        judged_by = object_contract(contract) if contract is not None else recorded.contract
    except Problem as error:
        raise error if store or fault or uri else Problem(f"{path}: {error.message}") from error
    except ContractError as error:
        raise Problem(str(error)) from error

    check_of_objects([name])
    terms = object_terms(name, own is not None, waiver_files)

    def opening(setup: Setup) -> Up:
        return bring_up_own(own, setup) if own else bring_up_objects(name, setup)

    if recorded.concurrent is not None:
        return _replayed_race(recorded.signature, recorded.concurrent, opening, judged_by, terms, fault)

    def attempt(setup: Setup) -> Tried[Any, Any]:
        opened = opening(setup)
        try:
            return OBJECTS.attempt(opened.session, recorded.program, judged_by)
        finally:
            opened.close()

    def unknown(tried: Tried[Any, Any]) -> tuple[str, ...]:
        return tuple(one.reason for one in tried.seen if isinstance(one, Unknown))

    return _replayed(OBJECTS, recorded.signature, attempt, terms, unknown, fault)


def _replayed_race(
    signature: str,
    program: Concurrent[Any],
    opening: Callable[[Setup], Up],
    contract: ObjectContract,
    terms: Terms,
    fault: str,
) -> int:
    """Run a race's program in two rounds, and say in how many runs it was seen; the exit code. Raises Inconclusive."""
    with passing_logs("replay") as logs:
        try:
            opened = opening(Setup(logs.folder, lambda text: console.print(text, markup=False), fault=fault))
            try:
                seen, unjudged = seen_again(opened, contract, program)
            finally:
                opened.close()
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
    return tell_race(OBJECT_RACES, signature, seen, unjudged, terms)


def replay_blocks(path: Path, store: str | None, fault: str, waiver_files: tuple[Path, ...] = ()) -> int:
    """Replay a file on a cluster of its own, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = BLOCK_FILES.read(path)
    name = known("cluster", store or recorded.store, BLOCK_STORES)
    check_block_fault(fault, (name,))

    def attempt(setup: Setup) -> Tried[Any, Any]:
        opened = BlockTarget(name).bring_up(setup)
        try:
            return BLOCKS.attempt(opened.session, recorded.program, recorded.contract)
        finally:
            opened.close()

    return _replayed(BLOCKS, recorded.signature, attempt, block_terms(name, waiver_files), fault=fault)


def replay_datasets(
    path: Path, store: str | None, contract: Path | None, jars: tuple[Path, ...], waiver_files: tuple[Path, ...] = ()
) -> int:
    """Replay a file in a fresh directory, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = DATASET_FILES.read(path)
    try:
        name, committer = _split(store or recorded.store)
    except Problem as error:
        raise error if store else Problem(f"{path}: {error.message}") from error
    try:
        judged_by = load_commit_contract(contract) if contract is not None else recorded.contract
    except ContractError as error:
        raise Problem(str(error)) from error

    def attempt(setup: Setup) -> Tried[Any, Any]:
        opened = bring_up_spark(name, setup, jars)
        try:
            session = opened.session(committer)
            tried = DATASETS.attempt(session, recorded.program, judged_by)
            session.close()
            return tried
        finally:
            opened.close()

    return _replayed(DATASETS, recorded.signature, attempt, dataset_terms(name, committer, waiver_files))


def _split(name: str) -> tuple[str, Committer]:
    """The store and the committer that a name such as spark-s3a-magic means. Raises Problem."""
    store = next((one for one in SPARK_STORES if name.startswith(f"{one}-")), None)
    if store is None:
        raise Problem(f"{name}: write the store with its committer, such as spark-file-file-v1")
    committer = name.removeprefix(f"{store}-")
    if "." in committer:
        return store, of_class(committer)
    there = {one.name: one for one in for_scheme(SPARK_STORES[store].scheme)}
    return store, there[known("committer", committer, there)]


def _replayed(
    subject: Layer[Any, Any, Any],
    signature: str,
    attempt: Callable[[Setup], Tried[Any, Any]],
    terms: Terms,
    unknown: Callable[[Tried[Any, Any]], tuple[str, ...]] = lambda tried: (),
    fault: str = "",
) -> int:
    """Try a program, and say what it showed, its steps first; the exit code. Raises Inconclusive.

    ``unknown`` gives the reasons of answers that are not known, which are the last of a program.
    """
    with passing_logs("replay") as logs:
        try:
            tried = attempt(Setup(logs.folder, lambda text: console.print(text, markup=False), fault=fault))
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
        reasons = unknown(tried)
        logs.reported(*reasons, *tried.judgement.skipped)
    return _told(subject, signature, tried, reasons[-1] if reasons else "", terms)


def _told(subject: Layer[Any, Any, Any], signature: str, tried: Tried[Any, Any], unknown: str, terms: Terms) -> int:
    for number, (operation, seen) in enumerate(zip(tried.program, tried.seen, strict=False), 1):
        say(f"{number:3}  {subject.call(operation)}: {subject.observed(seen)}")

    def failing(finding: Finding) -> Failing:
        return subject.failing(met(finding, tried))

    findings = tried.judgement.findings
    return tell(signature, of_findings(findings, signature, terms, failing, lambda: unknown or _unjudged(tried)))


def _unjudged(tried: Tried[Any, Any]) -> str:
    """Why a divergence that was not shown may be there all the same; empty if every step was asked and judged."""
    if tried.judgement.skipped:
        return f"a step was not asked: {tried.judgement.skipped[0]}"
    if not tried.program:
        return "the program has no steps: nothing was asked"
    judged = tried.judgement.operations
    if judged < len(tried.program):
        return f"judging ended with step {judged}: what is there after it is not known"
    return ""
