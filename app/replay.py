"""``fsconform replay``: does a store still show what a replay file says?"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import Setup
from fsconform.app.options import ENDPOINT_CONF, FAULT, STORE_OF_A_FILE, Amount
from fsconform.engine import describe
from fsconform.engine.formal import traces
from fsconform.engine.formal.observed import observed
from fsconform.engine.gate import Terms
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.subject import RACES
from fsconform.engine.internal import sentence
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import SandboxRefused, Store, StoreLost
from fsconform.engine.recorder import INTERNAL
from fsconform.engine.replayed import of_trial, to_its_end
from fsconform.engine.trial import Bench, Trial, shown
from fsconform.harness import completion
from fsconform.harness import layer_replays as layers
from fsconform.harness.both_layers import NotSeen, beneath_of, has_one, looked, not_known
from fsconform.harness.configured import OfOneStore
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import INPUT, OUTPUT_FILE, hadoop_profile
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.output import write_text
from fsconform.harness.presets import PRESETS, Custom, build_custom, build_preset
from fsconform.harness.problems import Inconclusive, Problem, ended, known
from fsconform.harness.races import seen_again
from fsconform.harness.replaying import say, tell, tell_race
from fsconform.harness.reproducers import Replay, ReplayError, read
from fsconform.harness.targets import (
    check_fault,
    custom_store,
    given_contract,
    own_waivers,
    targets,
    user_jars,
    with_recorded,
)
from fsconform.harness.versions import hadoop_option
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.given import brief, reason
from fsconform.records.results import BelowRecord
from fsconform.reports import words
from fsconform.reports.visible import visible
from fsconform.specs.contract_xml import ContractError
from fsconform.suites.registry import SUITES


def _recorded_store(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The store of a replay file, where it is one of these. What is wrong with the file is told when it is read."""
    with suppress(ReplayError, KeyError, TypeError):
        recorded = read(Path(given["file"])).store
        return recorded if recorded in names else None
    return None


# What is recorded is judged by the contract that it was recorded under.
@click.command("replay", cls=OfOneStore, stores=STORE_OF_A_FILE, usual=_recorded_store, leaving=("contract",))
@click.argument("file", type=INPUT)
@click.option(
    "--store",
    metavar="NAME",
    shell_complete=completion.STORES,
    help="A built-in store, or one of the configuration file; by default the one of the replay file.",
)
@click.option("--uri", metavar="URI", help="A store of your own.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store; they come before Hadoop's own.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store.")
@click.option(
    "--conf-file",
    "conf_files",
    multiple=True,
    type=INPUT,
    metavar="XML",
    help="A Hadoop configuration file; --conf wins over it.",
)
@ENDPOINT_CONF
@click.option("--name", default="custom", metavar="NAME", help="The name under which your store is reported.")
@click.option("--contract", type=INPUT, metavar="XML", help="Judge by this contract instead.")
@click.option(
    "--waivers",
    "waiver_files",
    multiple=True,
    type=INPUT,
    metavar="TOML",
    help="A file of divergences that are accepted.",
)
@click.option(
    "--timeout",
    type=Amount(min=0.1),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="For one call of the store.",
)
@click.option("--root", is_flag=True, help="Replay on the real root, as the suite on the real root does.")
@click.option("--itf", type=OUTPUT_FILE, metavar="FILE", help="Write the trace as ITF.")
@FAULT
@click.option("--below", is_flag=True, help="Look at the object store below S3A after each step.")
@hadoop_option()
def replay(
    file: Path,
    store: str | None,
    uri: str | None,
    jars: tuple[str, ...],
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    endpoint_conf: str,
    name: str,
    contract: Path | None,
    waiver_files: tuple[Path, ...],
    timeout: float,
    root: bool,
    itf: Path | None,
    fault: str,
    below: bool,
    profile: str,
) -> None:
    """Replay FILE in a fresh directory: reproduced (exit 1), gone (0), other (1) or inconclusive (3).

    It is inconclusive where the store can't express a step, or where judging did not come to the program's end.
    """
    if below and any(one.is_file(file) for one in (layers.BLOCK_FILES, layers.DATASET_FILES, layers.OBJECT_FILES)):
        raise Problem(f"--below is for what S3A showed, and {file} is of another layer: leave it out")
    if layers.DATASET_FILES.is_file(file):
        raise SystemExit(layers.replay_datasets(file, store, contract, user_jars(jars) if jars else (), waiver_files))
    if layers.BLOCK_FILES.is_file(file):
        raise SystemExit(layers.replay_blocks(file, store, fault, waiver_files))
    if layers.OBJECT_FILES.is_file(file):
        raise SystemExit(layers.replay_objects(file, store, contract, fault, uri, conf, waiver_files))
    try:
        recorded = read(file)
        judged_by = given_contract(contract) if contract else _recorded_contract(file, recorded)
    except (ReplayError, ContractError) as error:
        raise Problem(str(error)) from error
    custom = custom_store(uri, jars, conf, conf_files, endpoint_conf)
    if custom is None:
        store = known("store", store or recorded.store, PRESETS)
    elif store is not None:
        raise Problem("--uri names a store of your own and --store a built-in one: give one of them")
    if root and (custom is not None or not PRESETS[str(store)].roots):
        raise Problem("--root needs a store that is the harness's own")
    if fault:
        check_fault(fault, (str(store),))
    hadoop_profile(profile)
    terms = _terms(store, custom, name, judged_by, waiver_files, profile)
    tell_of = partial(console.print, markup=False)
    with passing_logs("replay") as logs:
        setup = Setup(logs.folder, tell_of, timeout, profile=profile, real_root=root, fault=fault)
        try:
            if recorded.concurrent is not None:
                raise SystemExit(
                    _race(_open(store, custom, name, setup), recorded, recorded.concurrent, judged_by, terms)
                )
            trial, beneath = _try(_open(store, custom, name, setup), recorded, judged_by, terms, below)
        except (SandboxRefused, JarError, NoJava, ServiceError, StoreLost, OSError) as error:
            raise ended(error) from error
        logs.reported(trial.execution.lost, beneath.note if beneath is not None else "")
    if itf is not None:
        _write_itf(itf, trial, recorded)
    _tell(recorded, trial, terms, beneath)


def _write_itf(file: Path, trial: Trial, recorded: Replay) -> None:
    """What the store did, for `fsconform spec check --trace`. Raises Problem for what the module does not speak of."""
    try:
        one = observed(trial.execution.trace)
        write_text(file, traces.write_itf(one.states, f"observed on {recorded.store}", one.sizes))
    except traces.TraceError as error:
        raise Problem(f"{file}: not written: {error}") from error
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}: choose another file") from error


def _open(store: str | None, custom: Custom | None, name: str, setup: Setup) -> Store:
    if custom is not None:
        return build_custom(name, custom, setup)
    preset = PRESETS[str(store)]
    return build_preset(preset, setup)


def _recorded_contract(file: Path, recorded: Replay) -> Contract:
    for option, value in recorded.contract.items():
        if option not in OPTIONS or type(value) is not type(OPTIONS[option].default):
            raise ReplayError(f"{file}: no such contract option, or no such value: {brief(option)} = {brief(value)}")
    try:
        return with_recorded(Contract(recorded.contract, str(file)), recorded.quirks)
    except ValueError as error:
        raise ReplayError(f"{file}: {reason(error)}") from error


def _terms(
    store: str | None, custom: Custom | None, name: str, contract: Contract, files: tuple[Path, ...], profile: str
) -> Terms:
    """The waivers that hold for what is replayed, whatever suite they are for. Raises Problem."""
    if custom is not None:
        return Terms(name, own_waivers(name, contract, files))
    (target,) = targets((str(store),), None, "", None, None, files, SUITES, profile)
    return Terms(target.name, target.waivers)


def _race(store: Store, recorded: Replay, program: Concurrent, contract: Contract, terms: Terms) -> int:
    """Run a race's program in two rounds, and say in how many runs it was seen; the exit code. Raises StoreLost."""
    try:
        seen, unjudged = seen_again(store, contract, program)
    finally:
        store.close()
    return tell_race(RACES, recorded.signature, seen, unjudged, terms)


def _try(
    store: Store, recorded: Replay, contract: Contract, terms: Terms, below: bool
) -> tuple[Trial, BelowRecord | None]:
    if below and not has_one(store):
        store.close()
        raise Problem(f"--below needs S3A: there is no object store below {store.name!r}")
    try:
        session = store.session()
        try:
            bench = Bench(session, Judge(Oracle(contract)))
            (trial,) = bench.try_all([recorded.program], stacks=True)
            if not bench.internal.all():
                trial = to_its_end(bench, trial, recorded.signature, terms)
            for one in bench.internal.all():
                shown = "reproduced: " if recorded.verdict == INTERNAL else ""
                raise Inconclusive(f"{shown}{sentence(one)}\n{one.traceback}")
            return trial, _beneath(store, bench, recorded, trial) if below and not trial.execution.lost else None
        finally:
            session.close()
    finally:
        store.close()


def _beneath(store: Store, bench: Bench, recorded: Replay, trial: Trial) -> BelowRecord:
    like = shown(trial.judgement, recorded.signature, alone=False)
    try:
        opened = beneath_of(store)
    except NotSeen as error:
        return not_known(str(error))
    try:
        return looked(bench, opened, recorded.program, like)
    finally:
        opened.close()


def _tell(recorded: Replay, trial: Trial, terms: Terms, below: BelowRecord | None) -> None:
    if trial.execution.lost:
        raise Inconclusive(f"the store was lost while replaying: {trial.execution.lost}")
    for number, (step, event) in enumerate(zip(trial.program, trial.execution.trace.events, strict=False), 1):
        told = f"{describe.call(step.operation)}: {describe.observed(event.outcome)}"
        plain.print(f"{number:3}  {visible(told)}", markup=False)
        if below is not None and number <= len(below.steps):
            plain.print(f"       below: {visible(words.below_step(below.steps[number - 1]))}", markup=False)
    if below is not None:
        for told in words.below_lines(below):
            say(told)
    raise SystemExit(tell(recorded.signature, of_trial(trial, recorded.signature, terms)))
