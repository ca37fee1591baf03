"""What of a run is about object stores or Spark's writers: which of them, by which contracts, and which programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.spark.committers import COMMITTERS, Committer, for_scheme, of_class
from fsconform.adapters.stores.contracts import (
    shipped_commit_contract,
    shipped_commit_contracts,
    shipped_object_contract,
    shipped_object_contracts,
)
from fsconform.adapters.stores.folders import waivers_in
from fsconform.adapters.stores.layers import Up
from fsconform.adapters.stores.site import Setup
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Waiver, WaiverError
from fsconform.harness.layer_stores import (
    OBJECT_STORES,
    SPARK_STORES,
    Own,
    bring_up_objects,
    bring_up_own,
    own_store,
)
from fsconform.harness.problems import Problem, known
from fsconform.harness.targets import given_waivers, installed, learn_secrets, pairs
from fsconform.model.datasets.contract import PERFECT, CommitContract
from fsconform.model.objects.contract import STRICT, ObjectContract
from fsconform.proving.objects.faults import FAULTS, RACES
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.layers import load_commit_contract, load_object_contract
from fsconform.suites.s3_objects import S3_OBJECTS
from fsconform.suites.spark_streaming import DATASET_SUITES, SPARK_STREAMING
from fsconform.suites.spark_writers import SPARK_WRITERS, DatasetSuite

OBJECTS, DATASETS = "object stores", "Spark's writers"
"""What a plan is about, as errors tell it."""

SPARK_MODULES = ("pyspark", "pandas", "pyarrow")
"""What Spark's writers need of Python."""

OWN_NAME = "s3-own"
"""The name under which a store of the user's own is reported, if none is given."""

RACES_GROUP = "races"
"""The group of the concurrent programs of an object store."""

STRICT_NAME = "strict"
"""The name of the contract that declares nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """An object store, with its contract and its waivers."""

    name: str
    contract: ObjectContract
    waivers: tuple[Waiver, ...] = ()
    own: Own | None = None

    @property
    def statement(self) -> str:
        """What the store is."""
        return f"An object store of your own, at {self.own.uri}" if self.own else OBJECT_STORES[self.name].statement

    def bring_up(self, setup: Setup) -> Up:
        """Bring the store up. Raises ServiceError, StoreLost or OSError."""
        return bring_up_own(self.own, setup) if self.own else bring_up_objects(self.name, setup)


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """The object stores to judge; none where the run is about something else. ``groups`` is empty for all programs."""

    targets: tuple[Target, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the run is about objects."""
        return bool(self.targets)


def is_of_objects(name: str) -> bool:
    """Whether the name of a store or a suite is one of object stores."""
    return name in OBJECT_STORES or name == S3_OBJECTS.name


def plan_objects(
    stores: Sequence[str],
    suites: Sequence[str],
    contract: Path | None,
    waiver_files: Iterable[Path],
    groups: Sequence[str],
    fault: str,
    uri: str | None = None,
    conf: Sequence[str] = (),
    name: str = "",
) -> ObjectPlan:
    """What the options ask for. Raises Problem."""
    ours = [name for name in dict.fromkeys(stores) if is_of_objects(name)]
    if not ours:
        if S3_OBJECTS.name in suites:
            raise Problem(f"--suite {S3_OBJECTS.name} needs an object store: add --store {' or '.join(OBJECT_STORES)}")
        return ObjectPlan()
    check_of_objects(ours)
    mixed = [name for name in (*stores, *suites) if not is_of_objects(name)]
    if mixed:
        raise Problem(f"object stores are judged in a run of their own: leave {mixed[0]} out")
    for group in groups:
        known("group of programs", group, [*(one.name for one in S3_OBJECTS.groups), RACES_GROUP])
    if fault:
        if ours != ["s3-proving"]:
            raise Problem("--fault is for the stores that prove the harness: ask for --store s3-proving alone")
        known("fault", fault, {**FAULTS, **RACES})
    if uri is not None:
        if ours != ["s3"]:
            raise Problem("--uri with s3://BUCKET/PREFIX is for --store s3 alone")
        own = own_of(uri, conf)
        if name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
            raise Problem(f"--name {name!r}: letters, digits, dots, dashes and underlines only")
    elif conf or name:
        raise Problem("--conf and --name describe an object store of your own: give its --uri s3://BUCKET/PREFIX")
    try:
        given = given_waivers(waiver_files, name or OWN_NAME)
        if uri is not None:
            judged_by = object_contract(contract) if contract is not None else STRICT
            return ObjectPlan((Target(name or OWN_NAME, judged_by, given, own),), tuple(groups))
        return ObjectPlan(tuple(_target(name, contract, given) for name in ours), tuple(groups))
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


def check_of_objects(names: Iterable[str]) -> None:
    """Raise Problem, with the extra to install, if boto3 is not here and a store is one that is not in memory."""
    for name in names:
        if name in OBJECT_STORES and OBJECT_STORES[name].bring_up is not None:
            installed(name, ("boto3",))


def own_of(uri: str, conf: Sequence[str]) -> Own:
    """The store of the user's own that options name. Raises Problem."""
    settings = pairs(tuple(conf))
    learn_secrets((uri,), settings, ())
    try:
        return own_store(uri, settings)
    except ValueError as error:
        raise Problem(str(error)) from error


def _target(name: str, given: Path | None, waivers: tuple[Waiver, ...]) -> Target:
    if given is not None:
        return Target(name, object_contract(given), waivers)
    return Target(name, shipped_object_contract(name), (*waivers_in(name), *waivers))


def object_terms(name: str, own: bool, files: Iterable[Path]) -> Terms:
    """What the divergences of a store are held against: shipped waivers, and those of files. Raises Problem."""
    try:
        given = given_waivers(files, name)
        return Terms(name, given if own else _target(name, None, given).waivers)
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


def object_contract(path: Path) -> ObjectContract:
    """The contract in a file, the shipped one of that name, or the strict one. Raises ContractError."""
    if not path.exists():
        if str(path) == STRICT_NAME:
            return STRICT
        if str(path) in shipped_object_contracts():
            return shipped_object_contract(str(path))
    return load_object_contract(path)


SHORT_STORE = "spark-file"
"""The store of the short selection that a run without any choice has."""
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

    @property
    def statement(self) -> str:
        """What the store and the committer are."""
        return f"{SPARK_STORES[self.store].statement}: {self.committer.statement}"


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


def spark_names() -> tuple[str, ...]:
    """All spark_names that can be asked for: a store means all of its committers."""
    found = []
    for store, preset in SPARK_STORES.items():
        found += [store, *(f"{store}-{one.name}" for one in for_scheme(preset.scheme))]
    return tuple(found)


def is_of_spark(name: str) -> bool:
    """Whether the name of a store or a suite is one of Spark's writers."""
    return name.startswith("spark-")


def plan_datasets(
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
    ours = [name for name in stores if is_of_spark(name)]
    our_suites = [name for name in suites if is_of_spark(name)]
    if default:
        pairs = _pairs([SHORT_STORE], (), None, waiver_files)
        return DatasetPlan(pairs, (SPARK_WRITERS,), short=True)
    if not ours and not our_suites:
        if committers or groups:
            option = "--committer" if committers else "--group"
            raise Problem(f"{option} is for Spark's writers: add --store spark-file, spark-hdfs or spark-s3a")
        return DatasetPlan()
    if not ours:
        raise Problem(
            f"--suite {our_suites[0]} needs a store of Spark's writers: add --store {' or '.join(SPARK_STORES)}"
        )
    others = [name for name in stores if not is_of_spark(name)]
    other_suites = [name for name in suites if not is_of_spark(name)]
    if others or other_suites:
        mixed = (others or other_suites)[0]
        raise Problem(f"Spark's writers are judged in a run of their own: leave {mixed} out")
    wanted = tuple(
        DATASET_SUITES[known("suite", name, DATASET_SUITES)]
        for name in dict.fromkeys(our_suites or [SPARK_WRITERS.name])
    )
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
            known("store", name, spark_names())
            installed(name, SPARK_MODULES)
            store = next(one for one in SPARK_STORES if name == one or name.startswith(f"{one}-"))
            wanted += ((store, committer) for committer in _committers(store, name, committers))
        given = given_waivers(waiver_files, *(f"{store}-{committer.name}" for store, committer in wanted))
        found: dict[str, Pair] = {}
        for store, committer in wanted:
            own, brought = _commit_contract(store, committer, contract)
            pair = Pair(store, committer, own, (*brought, *given))
            found[pair.name] = pair
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error
    return tuple(found.values())


def dataset_terms(store: str, committer: Committer, files: Iterable[Path]) -> Terms:
    """What the divergences of a committer on a store are held against: shipped waivers, and those of files.

    Raises Problem.
    """
    try:
        name = f"{store}-{committer.name}"
        return Terms(name, (*_commit_contract(store, committer, None)[1], *given_waivers(files, name)))
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


def _committers(store: str, name: str, committers: Sequence[str]) -> tuple[Committer, ...]:
    scheme = SPARK_STORES[store].scheme
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


def _commit_contract(store: str, committer: Committer, given: Path | None) -> tuple[CommitContract, tuple[Waiver, ...]]:
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
