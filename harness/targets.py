"""What is to be judged: stores as the user asked for them, each with its contract and the waivers that belong to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from fsconform.adapters.stores.contracts import load_shipped, shipped
from fsconform.adapters.stores.quirks import is_set, with_quirks
from fsconform.adapters.stores.quirks.hadoop import inherited
from fsconform.adapters.stores.site import Setup
from fsconform.engine import extras
from fsconform.engine.protocol import Store
from fsconform.engine.secrecy import misspelt
from fsconform.engine.waivers import Known, Waiver, WaiverError, load
from fsconform.harness import scrubbing
from fsconform.harness.endpoints import OPTION as ENDPOINT_CONF
from fsconform.harness.endpoints import named
from fsconform.harness.inputs import archives, configuration_files, hadoop_profile, heap, java, store_uri
from fsconform.harness.presets import DEFAULT, PRESETS, Custom, build_custom, build_preset
from fsconform.harness.problems import Problem, known
from fsconform.harness.versions import contract_of, waivers_of
from fsconform.model.filesystem.contract import Contract
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.contract_xml import load as load_contract

NO_CONTRACT = Contract({}, "no contract: all options at their defaults")


@dataclass(frozen=True, slots=True)
class Target:
    """A store as the user asked for it: a preset's name, or a custom store with its name."""

    name: str
    custom: Custom | None
    contract: Contract
    shards: int
    waivers: tuple[Waiver, ...] = ()

    @property
    def statement(self) -> str:
        """What the store is, in a sentence."""
        if self.custom is None:
            return PRESETS[self.name].statement
        jars = f", with {', '.join(jar.name for jar in self.custom.jars)}" if self.custom.jars else ""
        return f"A store of your own behind Hadoop's FileSystem interface, at {self.custom.uri}{jars}"


def _ordinal(number: int) -> str:
    return f"{number}{'th' if 10 < number % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def pairs(values: tuple[str, ...], option: str = "--conf") -> dict[str, str]:
    """``K=V`` arguments of an option as a mapping. Raises Problem."""
    found = {}
    for number, value in enumerate(values, 1):
        name, equals, text = value.partition("=")
        if not equals or not name:
            # What was meant may be a secret: it is not repeated.
            raise Problem(f"{option}: the {_ordinal(number)} one has no name or no =: write it as NAME=VALUE")
        if misspelt(name) or any(map(str.isspace, name)):
            raise Problem(
                f"{option}: the {_ordinal(number)} one has a space in its name, or a sign behind it that is no =: "
                "write it as NAME=VALUE"
            )
        found[name] = text
    return found


def user_jars(patterns: tuple[str, ...], option: str = "--jars") -> tuple[Path, ...]:
    """The jars that the patterns of an option name, in their order. Raises Problem for one that names none."""
    return archives(option, patterns)


def custom_store(
    uri: str | None,
    jars: tuple[str, ...],
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    endpoint_conf: str = "",
) -> Custom | None:
    """The store of the user's own that the options describe, None if there is none. Raises Problem."""
    if uri is None:
        learn_secrets((), pairs(conf), ())
        if endpoint_conf:
            raise Problem(f"{ENDPOINT_CONF} names a property of a store of your own: give its --uri")
        if jars or conf or conf_files:
            raise Problem("--jars, --conf and --conf-file describe a store of your own: give its --uri")
        return None
    configuration_files(conf_files)
    custom = Custom(store_uri(uri), user_jars(jars), pairs(conf), conf_files)
    learn_secrets((uri,), custom.configuration, conf_files, custom.jars)
    java()
    if endpoint_conf:
        return replace(custom, endpoint=named(endpoint_conf, custom.configuration, conf_files))
    return custom


def own_name(custom: Custom | None, name: str, uri: str | None) -> str:
    """The name of a store of the user's own: the one given, else its URI's scheme. Raises Problem."""
    if custom is None and name:
        raise Problem("--name names a store of your own: give its --uri")
    chosen = name or (uri or "").partition(":")[0]
    if custom is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", chosen):
        raise Problem(f"--name {chosen!r}: letters, digits, dots, dashes and underlines only")
    return chosen


def learn_secrets(
    uris: Iterable[str], configuration: Mapping[str, str], files: Iterable[Path], jars: Iterable[Path] = ()
) -> None:
    """Note what must not be written down: secrets of a store of the user's own, of settings, of the environment.

    Raises Problem for a configuration file of which they can't be known.
    """
    files = tuple(files)
    for path in files:
        if not path.is_file():
            raise Problem(f"--conf-file {path}: no such file")
    try:
        scrubbing.learn(uris, configuration, files, jars)
    except (scrubbing.ConfigurationError, OSError) as error:
        raise Problem(f"--conf-file: {error}") from error


def check_client(xmx: str, profile: str) -> None:
    """Look at what is said of the workers: the heap of their JVM, the Hadoop profile. Raises Problem."""
    heap(xmx)
    hadoop_profile(profile)


def build(target: Target, setup: Setup) -> Store:
    """Bring the store of a target up. Raises what its preset or its client raises."""
    if target.custom is not None:
        return build_custom(target.name, target.custom, setup)
    return build_preset(PRESETS[target.name], setup)


def targets(
    stores: tuple[str, ...],
    custom: Custom | None,
    name: str,
    contract: Path | None,
    shards: int | None,
    waiver_files: Iterable[Path] = (),
    suites: Collection[str] = (),
    hadoop: str = "",
) -> tuple[Target, ...]:
    """The stores to judge, each with its contract and the waivers that hold for the ``suites``. Raises Problem.

    ``hadoop`` is the version that clients are taken from; empty for the one that shipped contracts are of.
    """
    found = _targets(stores, custom, name, contract, shards, waiver_files, hadoop)
    return tuple(
        replace(one, waivers=tuple(waiver for waiver in one.waivers if not waiver.suite or waiver.suite in suites))
        for one in found
    )


def _targets(
    stores: tuple[str, ...],
    custom: Custom | None,
    name: str,
    contract: Path | None,
    shards: int | None,
    waiver_files: Iterable[Path],
    hadoop: str,
) -> tuple[Target, ...]:
    if custom is not None and stores:
        raise Problem("--uri names a store of your own and --store a built-in one: give one of them")
    try:
        given = given_waivers(waiver_files, *([name] if custom is not None else []))
        if custom is not None:
            own, brought = _contract(contract) if contract is not None else (NO_CONTRACT, ())
            return (Target(name, custom, own, shards or 2, (*_offered(name, brought), *given)),)
        found = []
        if any(PRESETS[known("store", store, PRESETS)].java for store in stores or DEFAULT):
            java()
        for store in dict.fromkeys(stores or DEFAULT):
            preset = PRESETS[store]
            installed(store, preset.modules)
            own = _contract(contract)[0] if contract is not None else contract_of(preset.contract, hadoop)
            own = with_quirks(own, preset.contract, store, preset.like, preset.below)
            # A store may share the contract of another, and then what is accepted of that one too.
            shared = (replace(waiver, store=store) for waiver in waivers_of(preset.contract, hadoop))
            alike = waivers_of(preset.like, hadoop) if preset.like else ()
            lent = (replace(waiver, store=store, optional=True) for waiver in alike)
            waivers = (*shared, *(waivers_of(store, hadoop) if store != preset.contract else ()), *lent, *given)
            found.append(Target(store, None, own, shards or preset.shards, waivers))
        return tuple(found)
    except ContractError as error:
        hint = "" if contract is None or contract.exists() else f" (shipped contracts: {', '.join(shipped())})"
        raise Problem(f"{error}{hint}") from error
    except WaiverError as error:
        raise Problem(str(error)) from error


def installed(store: str, modules: Iterable[str]) -> None:
    """Raise Problem, with the extra to install, if a library is not here that a store needs."""
    if missing := extras.lacking(modules):
        raise Problem(f"the store {store} needs what is not installed: {missing}")


def _contract(path: Path) -> tuple[Contract, tuple[Waiver, ...]]:
    """The contract in a file, or the shipped one of that name; a shipped one, or its copy, brings its waivers along."""
    if is_shipped(path):
        return load_shipped(str(path)), waivers_of(str(path))
    contract = load_contract(path)
    name = _copy_of(contract)
    return (with_quirks(contract, name), waivers_of(name)) if name else (contract, ())


def is_shipped(path: Path) -> bool:
    """Whether a shipped contract is meant, and no file: a folder that has its name by chance is no contract."""
    return str(path) in shipped() and (path.is_dir() or not path.exists())


def _copy_of(contract: Contract) -> str:
    """The name of the shipped contract that says the same; empty if none does."""
    return next((name for name in shipped() if load_shipped(name).declared == contract.declared), "")


def _offered(name: str, brought: Iterable[Waiver]) -> tuple[Waiver, ...]:
    """The waivers of a shipped contract as an offer to a store of a name: it need not show what they excuse."""
    return tuple(replace(waiver, store=name, optional=True) for waiver in brought)


def own_waivers(name: str, contract: Contract, files: Iterable[Path]) -> tuple[Waiver, ...]:
    """The waivers that hold for a store of the user's own under a contract: its copy's, and those of files.

    Raises Problem.
    """
    try:
        copied = _copy_of(contract)
        brought = waivers_of(copied) if copied else ()
        return (*_offered(name, brought), *given_waivers(files, name))
    except WaiverError as error:
        raise Problem(str(error)) from error


def given_contract(path: Path) -> Contract:
    """The contract in a file, or the shipped one of that name. Raises ContractError."""
    return _contract(path)[0]


def check_fault(fault: str, stores: tuple[str, ...]) -> None:
    """Check that a seeded fault is one, and that all stores can have it. Raises Problem."""
    from fsconform.proving.faults import FAULTS, SHARED

    if any(store != "proving" for store in stores):
        raise Problem("--fault is for the store 'proving' alone: add --store proving")
    known("fault", fault, {**FAULTS, **SHARED})


@cache
def _shipped() -> Known:
    # What the layers need is loaded only where there are waivers at all.
    from fsconform.adapters.spark.committers import for_scheme
    from fsconform.harness.layer_stores import OBJECT_STORES, SPARK_STORES
    from fsconform.harness.presets import PRESETS
    from fsconform.suites.blocks import BLOCK_SUITES
    from fsconform.suites.races import RACE_SUITES
    from fsconform.suites.registry import SUITES
    from fsconform.suites.s3_objects import S3_OBJECTS
    from fsconform.suites.spark_streaming import DATASET_SUITES

    committed = {f"{name}-{one.name}" for name, preset in SPARK_STORES.items() for one in for_scheme(preset.scheme)}
    return Known(
        {*PRESETS, *OBJECT_STORES, *committed}, {*SUITES, *RACE_SUITES, *DATASET_SUITES, *BLOCK_SUITES, S3_OBJECTS.name}
    )


def given_waivers(files: Iterable[Path], *own: str) -> tuple[Waiver, ...]:
    """The waivers in files. ``own`` are the names of stores that are judged now. Raises WaiverError.

    One for a store, or of a suite, that there is none of is an error: it would never accept anything.
    """
    files = tuple(files)
    if not files:
        return ()
    known = Known({*_shipped().stores, *own}, _shipped().suites)
    return tuple(waiver for file in files for waiver in load(file, known))


def with_inherited(contract: Contract, store: Store) -> Contract:
    """The contract with the quirks of the methods that a store inherits; its sessions must have been opened."""
    names = inherited(getattr(store, "declared_by", {}))
    return with_quirks(contract, *names) if names else contract


def with_recorded(contract: Contract, names: Iterable[str]) -> Contract:
    """The contract with the sets that a file names; a store without known bugs has no set. Raises ValueError."""
    names = tuple(names)
    stores = {*PRESETS, *shipped(), *(preset.below for preset in PRESETS.values())} - {""}
    for name in names:
        if not is_set(name) and name.removesuffix("-root") not in stores:
            raise ValueError(
                f"no set of quirks {name!r}: name the sets of stores that there are, as hdfs, or leave it out of quirks"
            )
    return with_quirks(contract, *names)
