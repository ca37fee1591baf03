"""What of a run is about objects: which stores, by which contract, and which programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.stores.contracts import shipped_object_contract, shipped_object_contracts
from fsconform.adapters.stores.folders import waivers_in
from fsconform.adapters.stores.site import Setup
from fsconform.app.objects.stores import STORES, Own, Up, bring_up, bring_up_own, own_store
from fsconform.app.problems import Problem, known
from fsconform.app.targets import learn_secrets, pairs
from fsconform.app.waiving import given_waivers
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Waiver, WaiverError
from fsconform.model.objects.contract import STRICT, ObjectContract
from fsconform.proving.objects.faults import FAULTS
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.objects import load_object_contract
from fsconform.suites.s3_objects import S3_OBJECTS

WHAT = "object stores"
"""What the plan is about, as errors tell it."""

OWN_NAME = "s3-own"
"""The name under which a store of the user's own is reported, if none is given."""

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
        return f"An object store of your own, at {self.own.uri}" if self.own else STORES[self.name][2]

    def bring_up(self, setup: Setup) -> Up:
        """Bring the store up. Raises ServiceError, StoreLost or OSError."""
        return bring_up_own(self.own, setup) if self.own else bring_up(self.name, setup)


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """The object stores to judge; none where the run is about something else. ``groups`` is empty for all programs."""

    targets: tuple[Target, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the run is about objects."""
        return bool(self.targets)


def is_ours(name: str) -> bool:
    """Whether the name of a store or a suite is one of object stores."""
    return name in STORES or name == S3_OBJECTS.name


def plan(
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
    ours = [name for name in dict.fromkeys(stores) if is_ours(name)]
    if not ours:
        if S3_OBJECTS.name in suites:
            raise Problem(f"--suite {S3_OBJECTS.name} needs an object store: add --store {' or '.join(STORES)}")
        return ObjectPlan()
    mixed = [name for name in (*stores, *suites) if not is_ours(name)]
    if mixed:
        raise Problem(f"object stores are judged in a run of their own: leave {mixed[0]} out")
    for group in groups:
        known("group of programs", group, [one.name for one in S3_OBJECTS.groups])
    if fault:
        if ours != ["s3-proving"]:
            raise Problem("--fault is for the stores that prove the harness: ask for --store s3-proving alone")
        known("fault", fault, FAULTS)
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
            judged_by = contract_of(contract) if contract is not None else STRICT
            return ObjectPlan((Target(name or OWN_NAME, judged_by, given, own),), tuple(groups))
        return ObjectPlan(tuple(_target(name, contract, given) for name in ours), tuple(groups))
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


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
        return Target(name, contract_of(given), waivers)
    return Target(name, shipped_object_contract(name), (*waivers_in(name), *waivers))


def terms_of(name: str, own: bool, files: Iterable[Path]) -> Terms:
    """What the divergences of a store are held against: shipped waivers, and those of files. Raises Problem."""
    try:
        given = given_waivers(files, name)
        return Terms(name, given if own else _target(name, None, given).waivers)
    except (ContractError, WaiverError) as error:
        raise Problem(str(error)) from error


def contract_of(path: Path) -> ObjectContract:
    """The contract in a file, the shipped one of that name, or the strict one. Raises ContractError."""
    if not path.exists():
        if str(path) == STRICT_NAME:
            return STRICT
        if str(path) in shipped_object_contracts():
            return shipped_object_contract(str(path))
    return load_object_contract(path)
