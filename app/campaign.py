"""``fsconform campaign``: many programs on many cores through Spark, exactly once, and a run's report at the end."""

from __future__ import annotations

import datetime
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.stores.site import Setup
from fsconform.app import campaign_plan, folder, inputs, scrubbing
from fsconform.app.amounts import SEED, Amount
from fsconform.app.campaign_finish import Finished, finish
from fsconform.app.campaign_live import Units
from fsconform.app.campaign_stores import Shared, is_embedded, order_of
from fsconform.app.console import console, console_on_stderr, plain
from fsconform.app.hadoop_versions import hadoop_option
from fsconform.app.inputs import INPUT, OUTPUT_FOLDER
from fsconform.app.interrupts import held, in_two_steps, met
from fsconform.app.judging import clause_records
from fsconform.app.problems import USAGE, Inconclusive, ManyValues, Problem
from fsconform.app.run import RECOVERABLE, chosen_suites
from fsconform.app.targets import (
    Target,
    check_client,
    check_fault,
    custom_store,
    learn_secrets,
    own_name,
    pairs,
    targets,
    user_jars,
)
from fsconform.app.units import execute
from fsconform.app.units_programs import enumerated_total
from fsconform.app.units_station import Order
from fsconform.app.versions import versions
from fsconform.engine.grammar import Suite
from fsconform.engine.protocol import SandboxRefused
from fsconform.engine.secrecy import KNOWN
from fsconform.pipeline.depot import Depot, DepotError, Place, open_depot
from fsconform.pipeline.layout import MarkerError
from fsconform.pipeline.units import Unit, cut
from fsconform.records import gate
from fsconform.records.results import SCHEMA, Results, Run
from fsconform.reports.text import summary

UNIT = 250
"""Programs of a unit: some seconds of work on most stores, so that what Spark needs for a task is little beside it."""

_OPTIONS = (
    click.option("--store", "stores", multiple=True, metavar="NAME", help="A built-in store; may be repeated."),
    click.option("--uri", metavar="URI", help="A store of your own: any Hadoop FileSystem. Names the sandbox."),
    click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store, on every machine at that place."),
    click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store."),
    click.option("--conf-file", "conf_files", multiple=True, type=INPUT, metavar="XML"),
    click.option("--contract", type=INPUT, metavar="XML", help="The contract to judge by."),
    click.option("--name", default="", metavar="NAME", help="The name under which your store is reported."),
    click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite; may be repeated."),
    click.option("--programs", type=click.IntRange(min=1), default=2000, show_default=True, metavar="N",
                 help="Programs for each store, shared by the suites."),
    click.option("--seed", type=SEED, default=0, show_default=True, metavar="N"),
    click.option("--unit", "size", type=click.IntRange(min=1), default=UNIT, show_default=True, metavar="N",
                 help="Programs of a unit of work."),
    click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Spark's master."),
    click.option("--spark-conf", multiple=True, metavar="NAME=VALUE", help="A property of Spark."),
    click.option("--wheels", multiple=True, metavar="GLOB", help="Wheels that executors import fsconform from."),
    click.option("--out", required=True, metavar="URI", help="Where traces and verdicts go: on file:, hdfs: or s3a:."),
    click.option("--out-conf", multiple=True, metavar="NAME=VALUE", help="A Hadoop property that --out needs."),
    click.option("--out-jars", multiple=True, metavar="GLOB", help="Jars that --out needs."),
    click.option("--report", type=OUTPUT_FOLDER, metavar="DIR",
                 help="Where the report goes; else into --out or results."),
    click.option("--speculate", is_flag=True, help="Let Spark attempt slow units twice."),
    click.option("--waivers", "waiver_files", multiple=True, type=INPUT, metavar="TOML"),
    click.option("--timeout", type=Amount(min=0.1), default=30.0, show_default=True, metavar="SECONDS"),
    click.option("--rate", type=Amount(min=0.001), metavar="N", help="At most N calls a second and session."),
    click.option("--xmx", default="512m", show_default=True, metavar="SIZE", help="Heap of each bridge's JVM."),
    hadoop_option(),
    click.option("--fault", default="", metavar="NAME", help="A seeded fault for the store 'proving'."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say."""

    stores: tuple[str, ...]
    uri: str | None
    jars: tuple[str, ...]
    conf: tuple[str, ...]
    conf_files: tuple[Path, ...]
    contract: Path | None
    name: str
    suites: tuple[str, ...]
    programs: int
    seed: int
    size: int
    master: str
    spark_conf: tuple[str, ...]
    wheels: tuple[str, ...]
    out: str
    out_conf: tuple[str, ...]
    out_jars: tuple[str, ...]
    report: Path | None
    speculate: bool
    waiver_files: tuple[Path, ...]
    timeout: float
    rate: float | None
    xmx: str
    profile: str
    fault: str


def _asked(command: Callable[[Asked], None]) -> Callable[..., None]:
    @wraps(command)
    def call(**options: Any) -> None:
        command(Asked(**options))

    for option in reversed(_OPTIONS):
        call = option(call)
    return call


@click.command("campaign", cls=ManyValues)
@_asked
@in_two_steps()
def campaign(asked: Asked) -> None:
    """Judge stores by many programs, executed through Spark.

    The same command goes on with a campaign that was interrupted. Exit codes: as those of `fsconform run`.
    """
    from fsconform.pipeline.schema import SchemaError

    custom = custom_store(asked.uri, asked.jars, asked.conf, asked.conf_files)
    named = own_name(custom, asked.name, asked.uri)
    check_client(asked.xmx, asked.profile)
    suites = chosen_suites(asked.suites)
    if any(suite.root for suite in suites):
        raise Problem("suites on the real root are for `fsconform run`: executors would share one root")
    for_suites = {suite.name for suite in suites}
    judged = targets(asked.stores, custom, named, asked.contract, None, asked.waiver_files, for_suites, asked.profile)
    if asked.fault:
        check_fault(asked.fault, tuple(target.name if target.custom is None else "" for target in judged))
    place = place_of(asked)
    spark_properties(asked, place), wheels_of(asked)  # what is wrong with them is told before anything is started
    try:
        _campaign(asked, judged, suites, place)
    except SandboxRefused as error:
        raise Problem(str(error)) from error
    except (DepotError, MarkerError) as error:
        raise Problem(str(error)) from error
    except SchemaError as error:
        raise Problem(f"{asked.out}: {error}") from error


def place_of(asked: Asked) -> Place:
    """Where the campaign writes. Raises Problem."""
    inputs.place("--out", asked.out)
    jars = tuple(str(jar) for jar in user_jars(asked.out_jars, "--out-jars"))
    place = Place(asked.out, pairs(asked.out_conf, "--out-conf"), jars)
    learn_secrets((asked.out,), place.configuration, ())
    if place.local is not None:
        if not asked.master.startswith("local") and "://" not in asked.out:
            raise Problem(
                f"--out {asked.out}: executors on other machines do not see it: name a URI that all of them reach"
            )
        return Place(place.local.as_uri(), place.configuration, jars)
    return place


def look_at(depot: Depot, units: Sequence[Unit]) -> None:
    """Look whether the files of units that are done already are whole. Raises DepotError, MarkerError, SchemaError."""
    from fsconform.pipeline.aggregate import chosen
    from fsconform.pipeline.checking import check_files

    check_files(depot, chosen(depot, units).values())


def cut_units(judged: tuple[Target, ...], suites: tuple[Suite, ...], asked: Asked) -> tuple[Unit, ...]:
    """The units of what was asked for."""
    stores = [(target.name, campaign_plan.digest(target.contract)) for target in judged]
    return cut(stores, [suite.name for suite in suites], asked.programs, asked.size, enumerated_total)


def plan_of(judged: tuple[Target, ...], suites: tuple[Suite, ...], asked: Asked, model: str) -> dict[str, Any]:
    """What makes a campaign this one."""
    return {
        "seed": asked.seed,
        "programs": asked.programs,
        "size": asked.size,
        "stores": [
            f"{target.name} ({campaign_plan.digest(target.contract)}) {scrubbing.uri(asked.uri or '')}".strip()
            for target in judged
        ],
        "suites": [suite.name for suite in suites],
        "fault": asked.fault,
        "hadoop": asked.profile,
        "model": model,
    }


def _campaign(asked: Asked, judged: tuple[Target, ...], suites: tuple[Suite, ...], place: Place) -> None:
    started = datetime.datetime.now(datetime.UTC)
    run_id, model = folder.new_id(started), campaign_plan.model_version()
    units, plan = cut_units(judged, suites, asked), plan_of(judged, suites, asked, model)
    settled: tuple[str, bool] | None = None
    if place.local is not None:  # a mistake is told before anything is started
        settled = campaign_plan.settle(local := open_depot(place), asked.out, plan, run_id)
        look_at(local, units)
    home = folder.make(asked.report or (place.local / "report" if place.local is not None else Path("results")), run_id)
    with ExitStack() as stack:
        finished = _judged(asked, judged, units, place, home, plan, settled, run_id, stack)
    code = gate.of_stores([one.record for one in finished.judged], len(judged))
    results = Results(
        SCHEMA,
        Run(
            home.name,
            asked.seed,
            versions() | {"pyarrow": _version("pyarrow"), "model": model},
            started.isoformat(timespec="seconds"),
            round((datetime.datetime.now(datetime.UTC) - started).total_seconds(), 3),
            code,
            "fsconform " + shlex.join(scrubbing.arguments(sys.argv[1:])),
            _configuration(asked, judged, suites, finished),
        ),
        [one.record for one in finished.judged],
        clause_records(),
    )
    contracts: dict[str, dict[str, object]] = {target.name: dict(target.contract.declared) for target in judged}
    results = scrubbing.hidden(results)
    with held(raising=False):
        try:
            saved = folder.save(home, results, contracts, {})
            scrubbing.hide_in_files(home / "logs")
        except OSError as error:
            console.print(
                f"{home}: {error}: the run's records could not be written whole", markup=False, soft_wrap=True
            )
            raise SystemExit(USAGE) from error
        summary(saved.results, console_on_stderr())
        plain.print(str(saved.report), markup=False)
    raise SystemExit(saved.results.run.exit)


def _judged(
    asked: Asked,
    judged: tuple[Target, ...],
    units: tuple[Unit, ...],
    place: Place,
    home: Path,
    plan: Mapping[str, Any],
    settled: tuple[str, bool] | None,
    run_id: str,
    stack: ExitStack,
) -> Finished:
    """Everything between the plan and the records."""
    from fsconform.pipeline import job
    from fsconform.pipeline.aggregate import Aggregated, aggregate
    from fsconform.pipeline.attempt import Task
    from fsconform.pipeline.session import SparkTrouble, session

    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    setup = Setup(home / "logs", say, asked.timeout, asked.rate, asked.xmx, asked.profile, False, asked.fault)
    shared: dict[str, Shared] = {}
    problems: dict[str, list[str]] = {target.name: [] for target in judged}
    ran, found = job.Ran(), Aggregated()
    try:
        with session(asked.master, spark_properties(asked, place), home / "logs") as spark:
            say(f"spark: {asked.master}, see {spark.sparkContext.uiWebUrl or '(no UI)'}")
            depot = driver_depot(spark, place)
            campaign_id, again = settled or campaign_plan.settle(depot, asked.out, plan, run_id)
            if settled is None:
                look_at(depot, units)
            left = job.missing(depot, units)
            if again:
                say(f"campaign {campaign_id}: {len(units) - len(left)} of {len(units)} units are done already")
            try:
                for target in judged:
                    if is_embedded(target):
                        continue
                    try:
                        say(f"{target.name}: starting")
                        shared[target.name] = Shared(target, setup)
                        stack.callback(shared[target.name].close)
                    except RECOVERABLE as error:
                        problems[target.name].append(str(error))
                judged = tuple(shared[one.name].known(one) if one.name in shared else one for one in judged)
                able = [one for one in judged if not problems[one.name]]
                order = Order(
                    campaign_id, asked.seed, tuple(order_of(one, shared.get(one.name)) for one in able),
                    asked.timeout, asked.rate, asked.xmx, asked.profile, asked.fault, str(plan["model"]),
                    {one.name: campaign_plan.digest(one.contract) for one in able},
                )  # fmt: skip
                names = {one.name for one in able}
                todo = [unit for unit in units if unit.store in names]
                task = Task(campaign_id, place, execute, order, KNOWN.values)
                ran = job.run(spark, depot, task, todo, Units(asked.programs * len(judged)).hear, wheels_of(asked))
            except KeyboardInterrupt:
                ran.interrupted = True
            met()
            found = aggregate(spark, place, depot, units)
    except SparkTrouble as error:
        raise Inconclusive(str(error)) from error
    if ran.refused:
        raise Problem(ran.refused)
    for name, one in shared.items():
        problems[name] += one.sweep()
    return finish(asked.fault, judged, units, shared, setup, ran, found, problems, home)


def driver_depot(spark: Any, place: Place) -> Depot:
    """The campaign's folder as the driver reaches it: through Spark's own JVM where it is not on this machine."""
    if place.local is not None:
        return open_depot(place)
    from fsconform.pipeline.depot import HadoopDepot

    return HadoopDepot(spark._jvm, spark._jsc.hadoopConfiguration(), place.uri)


def spark_properties(asked: Asked, place: Place) -> dict[str, str]:
    """The properties of Spark that follow from the options. Raises Problem."""
    found = {f"spark.hadoop.{name}": value for name, value in place.configuration.items()}
    if place.jars:
        found["spark.jars"] = ",".join(Path(jar).as_uri() for jar in place.jars)
    if asked.speculate:
        found["spark.speculation"] = "true"
    given = pairs(asked.spark_conf, "--spark-conf")
    learn_secrets((), given, ())
    return found | given


def wheels_of(asked: Asked) -> list[Path]:
    """The wheels that go to executors. Raises Problem."""
    return list(user_jars(asked.wheels, "--wheels"))


def _configuration(
    asked: Asked, judged: tuple[Target, ...], suites: tuple[Suite, ...], finished: Finished
) -> dict[str, str]:
    custom = next((target.custom for target in judged if target.custom is not None), None)
    return scrubbing.redacted(custom.configuration if custom else {}) | {
        "campaign": f"{asked.programs} programs a store, in units of {asked.size}, at {asked.out}",
        "spark": f"{asked.master}: {finished.told}",
        "suites": ", ".join(suite.name for suite in suites),
    }


def _version(package: str) -> str:
    from importlib import metadata

    return metadata.version(package)
