"""What of a run is about Spark's writers: which stores, committers and suites, and by which contracts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.spark.committers import COMMITTERS, Committer, for_scheme, of_class
from fsconform.adapters.stores.contracts import shipped_commit_contract, shipped_commit_contracts
from fsconform.adapters.stores.folders import waivers_in
from fsconform.app.datasets.stores import STORES
from fsconform.app.problems import Problem, known
from fsconform.app.waiving import given_waivers
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Waiver, WaiverError
from fsconform.model.datasets.contract import PERFECT, CommitContract
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.datasets import load_commit_contract
from fsconform.suites.spark_streaming import SPARK_STREAMING
from fsconform.suites.spark_writers import SPARK_WRITERS, DatasetSuite

SUITES = {suite.name: suite for suite in (SPARK_WRITERS, SPARK_STREAMING)}
SHORT_STORE = "spark-file"
"""The store of the short selection that a run without any choice has."""
WHAT = "Spark's writers"
"""What the plan is about, as errors tell it."""
STREAM_COMMITTER = "file-v1"
"""Streaming queries have a commit protocol of their own: they are run once a store, under this committer's name."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A committer on a store, with its contract and its waivers."""

    store: str
    committer: Committer
    contract: CommitContract
    waivers: tuple[Waiver, ...] = ()

    @property
    def name(self) -> str:
        """The name under which it is reported."""
        return f"{self.store}-{self.committer.name}"


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """The pairs to judge, with the suites; ``short`` for their short selections. ``alone`` if nothing else is asked."""

    pairs: tuple[Pair, ...] = ()
    suites: tuple[DatasetSuite, ...] = ()
    short: bool = False
    alone: bool = False
    jars: tuple[Path, ...] = field(default=())
    groups: tuple[str, ...] = ()
    """Only programs of these groups; none for all."""

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores, each once."""
        return tuple(dict.fromkeys(pair.store for pair in self.pairs))


def names() -> tuple[str, ...]:
    """All names that can be asked for: a store means all of its committers."""
    found = []
    for store, (scheme, _) in STORES.items():
        found += [store, *(f"{store}-{one.name}" for one in for_scheme(scheme))]
    return tuple(found)


def is_ours(name: str) -> bool:
    """Whether the name of a store or a suite is one of Spark's writers."""
    return name.startswith("spark-")


def plan(
    stores: Sequence[str],
    suites: Sequence[str],
    committers: Sequence[str],
    contract: Path | None,
    waiver_files: Iterable[Path],
    jars: tuple[Path, ...],
    default: bool,
    groups: Sequence[str] = (),
) -> DatasetPlan:
    """What the options ask for. ``default`` is true for a run that chooses nothing. Raises Problem."""
    ours = [name for name in stores if is_ours(name)]
    our_suites = [name for name in suites if is_ours(name)]
    if default:
        pairs = _pairs([SHORT_STORE], (), None, waiver_files)
        return DatasetPlan(pairs, (SPARK_WRITERS,), short=True)
    if not ours and not our_suites:
        if committers or groups:
            option = "--committer" if committers else "--group"
            raise Problem(f"{option} is for Spark's writers: add --store spark-file, spark-hdfs or spark-s3a")
        return DatasetPlan()
    if not ours:
        raise Problem(f"--suite {our_suites[0]} needs a store of Spark's writers: add --store {' or '.join(STORES)}")
    others = [name for name in stores if not is_ours(name)]
    other_suites = [name for name in suites if not is_ours(name)]
    if others or other_suites:
        mixed = (others or other_suites)[0]
        raise Problem(f"Spark's writers are judged in a run of their own: leave {mixed} out")
    wanted = tuple(SUITES[known("suite", name, SUITES)] for name in dict.fromkeys(our_suites or [SPARK_WRITERS.name]))
    there = dict.fromkeys(trial.group for suite in wanted for trial in suite.trials)
    for group in groups:
        known("group of programs", group, there)
    pairs = _pairs(ours, committers, contract, waiver_files)
    if wanted == (SPARK_STREAMING,):
        pairs = tuple(pair for pair in pairs if pair.committer.name == STREAM_COMMITTER)
        if not pairs:
            raise Problem(f"streams have a commit protocol of their own: ask for the committer {STREAM_COMMITTER}")
    return DatasetPlan(pairs, wanted, alone=True, jars=jars, groups=tuple(groups))


def _pairs(
    stores: Sequence[str], committers: Sequence[str], contract: Path | None, waiver_files: Iterable[Path]
) -> tuple[Pair, ...]:
    try:
        wanted: list[tuple[str, Committer]] = []
        for name in stores:
            known("store", name, names())
            store = next(one for one in STORES if name == one or name.startswith(f"{one}-"))
            wanted += ((store, committer) for committer in _committers(store, name, committers))
        given = given_waivers(waiver_files, *(f"{store}-{committer.name}" for store, committer in wanted))
        found: dict[str, Pair] = {}
        for store, committer in wanted:
            own, brought = _contract(store, committer, contract)
            pair = Pair(store, committer, own, (*brought, *given))
            found[pair.name] = pair
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error
    return tuple(found.values())


def terms_of(store: str, committer: Committer, files: Iterable[Path]) -> Terms:
    """What the divergences of a committer on a store are held against: shipped waivers, and those of files.

    Raises Problem.
    """
    try:
        name = f"{store}-{committer.name}"
        return Terms(name, (*_contract(store, committer, None)[1], *given_waivers(files, name)))
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


def _committers(store: str, name: str, committers: Sequence[str]) -> tuple[Committer, ...]:
    scheme = STORES[store][0]
    there = {one.name: one for one in for_scheme(scheme)}
    if name != store:
        there = {one: there[one] for one in there if name == f"{store}-{one}"}
    if not committers:
        return tuple(there.values())
    wanted = []
    for one in committers:
        if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_$][\w$]*)+", one):
            wanted.append(of_class(one))
            continue
        known("committer", one, COMMITTERS)
        if one in there:
            wanted.append(there[one])
    if not wanted:
        raise Problem(f"none of the committers is for {name}: there are {', '.join(there)}")
    return tuple(wanted)


def _contract(store: str, committer: Committer, given: Path | None) -> tuple[CommitContract, tuple[Waiver, ...]]:
    name = f"{store}-{committer.name}"
    if given is not None:
        if str(given) == "perfect":
            return PERFECT, ()
        if str(given) in shipped_commit_contracts():
            return shipped_commit_contract(str(given)), ()
        return load_commit_contract(given), ()
    if name not in shipped_commit_contracts():
        return PERFECT, ()
    return shipped_commit_contract(name), waivers_in(store, committer.name)
