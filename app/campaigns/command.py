"""``fsconform campaign``: many programs on many cores through Spark, exactly once, and a run's report at the end."""

from __future__ import annotations

import datetime
import itertools
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns import identity
from fsconform.app.campaigns.finish import Finished, finish
from fsconform.app.campaigns.programs import enumerated_total
from fsconform.app.campaigns.stores import Shared, is_embedded, order_of
from fsconform.app.campaigns.units import Order, execute
from fsconform.app.options import (
    FAULT,
    GATE,
    SEED,
    STORES,
    AskedGate,
    asked_as,
    configuration_of,
    configured,
    judged_targets,
    store_options,
)
from fsconform.engine.protocol import SandboxRefused
from fsconform.engine.recorder import clause_records
from fsconform.engine.secrecy import KNOWN
from fsconform.harness import folder, inputs, scrubbing
from fsconform.harness.console import console, console_on_stderr, plain
from fsconform.harness.inputs import OUTPUT_FOLDER
from fsconform.harness.interrupts import held, in_two_steps, met
from fsconform.harness.plans import DEFAULT_RACES, chosen_races, chosen_suites
from fsconform.harness.presets import DEFAULT
from fsconform.harness.problems import USAGE, Inconclusive, Problem
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import (
    Target,
    check_client,
    check_fault,
    custom_store,
    learn_secrets,
    own_name,
    pairs,
    user_jars,
)
from fsconform.harness.versions import versions
from fsconform.pipeline.depot import Depot, DepotError, Place, open_depot
from fsconform.pipeline.layout import MarkerError
from fsconform.pipeline.units import Unit, cut
from fsconform.records import gate
from fsconform.records.baseline import Baseline
from fsconform.reports.text import summary
from fsconform.specs.catalogue import catalogue
from fsconform.suites.races import MEDIUM, OF_CLIENTS, POWER

UNIT = 250
"""Programs of a unit: some seconds of work on most stores, so that what Spark needs for a task is little beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(AskedGate):
    """What the options say."""

    stores: tuple[str, ...]
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
    fault: str


@configured("campaign")
@asked_as(
    Asked,
    STORES,
    *store_options(jars="Jars of your store, on every machine at that place."),
    click.option("--programs", type=click.IntRange(min=1), default=2000, show_default=True, metavar="N",
                 help="Programs for each store, shared by the suites."),
    click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="The seed of random programs."),
    click.option("--unit", "size", type=click.IntRange(min=1), default=UNIT, show_default=True, metavar="N",
                 help="Programs of a unit of work."),
    click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Spark's master."),
    click.option("--spark-conf", multiple=True, metavar="NAME=VALUE", help="A property of Spark."),
    click.option("--wheels", multiple=True, metavar="GLOB", help="Wheels that executors import fsconform from."),
    click.option("--out", required=True, metavar="PATH|URI",
                 help="Where traces and verdicts go: on file:, hdfs: or s3a:."),
    click.option("--out-conf", multiple=True, metavar="NAME=VALUE", help="A Hadoop property that --out needs."),
    click.option("--out-jars", multiple=True, metavar="GLOB", help="Jars that --out needs."),
    click.option("--report", type=OUTPUT_FOLDER, metavar="DIR",
                 help="Where the report goes; else into --out or results."),
    click.option("--speculate", is_flag=True, help="Let Spark attempt slow units twice."),
    *GATE,
    FAULT,
)  # fmt: skip
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
    names = [suite.name for suite in suites]
    if any(suite.root for suite in suites):
        raise Problem("suites on the real root are for `fsconform run`: executors would share one root")
    judged = judged_targets(asked, custom, named, None, set(names))
    if asked.fault:
        check_fault(asked.fault, tuple(target.name if target.custom is None else "" for target in judged))
    place, baseline = place_of(asked), folder.baseline_of(asked.baseline)
    spark_properties(asked, place), wheels_of(asked)  # what is wrong with them is told before anything is started
    try:
        _campaign(asked, judged, names, place, baseline)
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


def races_of(judged: Iterable[Target], suites: tuple[str, ...]) -> dict[str, list[str]]:
    """The suites of races of each store: those among the named ``suites``, else those that kill nothing.

    Raises Problem for one that a campaign can't try.
    """
    named = chosen_races(suites)
    if MEDIUM in named:
        raise Problem("the suite medium is for `fsconform run` and pytest: what a campaign judges keeps its disks")
    if POWER in named:
        raise Problem("the suite power is for `fsconform run` and pytest: what a campaign judges keeps its power")
    if apart := [suite.name for suite in named if suite.name not in OF_CLIENTS]:
        raise Problem(f"--suite {apart[0]} puts links before services of a run's own: try it by `fsconform run`")
    found = {}
    for target in judged:
        is_default = not suites and target.custom is None and target.name in DEFAULT
        found[target.name] = [suite.name for suite in (DEFAULT_RACES if is_default else named)]
    return found


def suites_of(judged: Iterable[Target], suites: Sequence[str], asked: Asked) -> list[str]:
    """The names of all suites that are tried on any store."""
    concurrent = itertools.chain.from_iterable(races_of(judged, asked.suites).values())
    return [*suites, *dict.fromkeys(concurrent)]


def cut_units(judged: Sequence[Target], suites: Sequence[str], asked: Asked) -> tuple[Unit, ...]:
    """The units of what was asked for."""
    stores = [(target.name, identity.digest(target.contract)) for target in judged]
    return cut(stores, suites, asked.programs, asked.size, enumerated_total, races_of(judged, asked.suites))


def _uri_of(target: Target) -> str:
    return scrubbing.uri(target.custom.uri) if target.custom is not None else ""


def plan_of(judged: Sequence[Target], suites: Sequence[str], asked: Asked, model: str) -> dict[str, Any]:
    """What makes a campaign this one."""
    return {
        "seed": asked.seed,
        "programs": asked.programs,
        "size": asked.size,
        "stores": [
            f"{target.name} ({identity.digest(target.contract)}) {_uri_of(target)}".strip() for target in judged
        ],
        "suites": suites_of(judged, suites, asked),
        "fault": asked.fault,
        "hadoop": asked.profile,
        "model": model,
    }


def _campaign(
    asked: Asked, judged: tuple[Target, ...], suites: Sequence[str], place: Place, baseline: Baseline | None
) -> None:
    started, clock = datetime.datetime.now(datetime.UTC), time.monotonic()
    run_id, model = folder.new_id(started), identity.model_version()
    units, plan = cut_units(judged, suites, asked), plan_of(judged, suites, asked, model)
    settled: tuple[str, bool] | None = None
    if place.local is not None:  # a mistake is told before anything is started
        settled = identity.settle(local := open_depot(place), asked.out, plan, run_id)
        look_at(local, units)
    home = folder.make(asked.report or (place.local / "report" if place.local is not None else Path("results")), run_id)
    with ExitStack() as stack:
        finished = _judged(asked, judged, units, place, home, plan, settled, run_id, stack)
    recording = folder.Recording(
        home,
        asked.seed,
        ["fsconform", *sys.argv[1:]],
        {target.name: target.contract for target in judged},
        _configuration(asked, judged, suites, finished),
        clause_records(catalogue()),
        versions() | {"pyarrow": metadata.version("pyarrow"), "model": model},
        baseline=baseline,
        started=started,
        clock=clock,
    )
    records = recording.marked(finished.records)
    with held(raising=False):
        try:
            saved = recording.save(recording.results(records, gate.of_stores(records, len(judged))))
        except OSError as error:
            console.print(recording.unwritten(error), markup=False, soft_wrap=True)
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
            campaign_id, again = settled or identity.settle(depot, asked.out, plan, run_id)
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
                if not asked.count_inherited:
                    judged = tuple(shared[one.name].known(one) if one.name in shared else one for one in judged)
                able = [one for one in judged if not problems[one.name]]
                order = Order(
                    campaign_id, asked.seed, tuple(order_of(one, shared.get(one.name)) for one in able),
                    asked.timeout, asked.rate, asked.xmx, asked.profile, asked.fault, str(plan["model"]),
                    {one.name: identity.digest(one.contract) for one in able},
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


def _configuration(asked: Asked, judged: Sequence[Target], suites: Sequence[str], finished: Finished) -> dict[str, str]:
    return configuration_of(judged) | {
        "campaign": f"{asked.programs} programs a store, in units of {asked.size}, at {asked.out}",
        "spark": f"{asked.master}: {finished.told}",
        "suites": ", ".join(suites_of(judged, suites, asked)),
    }


STEPS = 10
"""Without a terminal a line is printed for each such part of the whole."""


class Units:
    """Tells how a campaign goes; in one line that is written anew where there is a terminal."""

    def __init__(self, programs: int) -> None:
        self._programs = programs
        self._begun = time.monotonic()
        self._first: int | None = None
        self._told = -1

    def hear(self, done: int, total: int) -> None:
        """Hear how many units are done, of how many."""
        if self._first is None:
            self._first = done
        if console.is_terminal:
            if done != self._told:
                self._told = done
                console.print(self.line(done, total), markup=False, end="\n" if done == total else "\r")
            return
        step = done * STEPS // max(total, 1)
        if step > self._told:
            self._told = step
            console.print(self.line(done, total), markup=False, soft_wrap=True)

    def line(self, done: int, total: int, now: float | None = None) -> str:
        """Where it stands: units, programs a second in this run, and the time that is left at that pace."""
        seconds = (time.monotonic() if now is None else now) - self._begun
        fresh = done - (self._first or 0)
        text = f"campaign: {done} of {total} units"
        if fresh > 0 and seconds > 0:
            pace = fresh / seconds
            left = (total - done) / pace
            programs = pace * self._programs / max(total, 1)
            text += f", {programs:.1f} programs/s, {left // 60:.0f} min {left % 60:02.0f} s left"
        return text
