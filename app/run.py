"""``fsconform run``: judge stores, write the run's folder, tell a person, and end with the gate's exit code."""

from __future__ import annotations

import datetime
import shlex
import shutil
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import CONTAINER, Setup
from fsconform.app import faults, folder, interrupts, plans, real_root, scrubbing
from fsconform.app.amounts import SEED, Amount
from fsconform.app.baseline import baseline_of
from fsconform.app.boxes import asked as asked_of
from fsconform.app.boxes import via_option
from fsconform.app.console import Live, console, console_on_stderr, plain
from fsconform.app.efforts import budget_option, effort_option, pace_of
from fsconform.app.formal.playing import attached
from fsconform.app.hadoop_versions import hadoop_option
from fsconform.app.inputs import INPUT, OUTPUT_FOLDER
from fsconform.app.interrupts import in_two_steps
from fsconform.app.judging import Assignment, Judged, SoFar, clause_records, judge_all
from fsconform.app.layers import plan as layer_plans
from fsconform.app.layers import run as layer_runs
from fsconform.app.presets import PRESETS
from fsconform.app.problems import USAGE, ManyValues, Problem, check_alone, known
from fsconform.app.reproducers import replay_command
from fsconform.app.surveying import shares
from fsconform.app.targets import Target, build, check_client, check_fault, custom_store, own_name, targets, user_jars
from fsconform.app.versions import versions
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.effort import NOTHING, Amounts, Effort, budget_text
from fsconform.engine.grammar import Suite
from fsconform.engine.objects.subject import OBJECTS
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.model.core.operation import OPERATIONS
from fsconform.model.filesystem.programs import Program, decode_program
from fsconform.records import gate
from fsconform.records.results import SCHEMA, Results, Run
from fsconform.reports.text import summary
from fsconform.specs.catalogue import catalogue
from fsconform.suites.registry import DEFAULT as DEFAULT_SUITES
from fsconform.suites.registry import SUITES
from fsconform.suites.s3_objects import S3_OBJECTS

RECOVERABLE = (JarError, NoJava, ServiceError, StoreLost, OSError)
"""What keeps one store from being judged and leaves the others alone."""


def chosen_suites(names: tuple[str, ...]) -> tuple[Suite, ...]:
    """The suites of the given names, or the default ones. Raises Problem."""
    return tuple(SUITES[known("suite", name, SUITES)] for name in dict.fromkeys(names or DEFAULT_SUITES))


def chosen_filter(clauses: tuple[str, ...], operations: tuple[str, ...]) -> plans.Filter:
    """The filter of the given clauses and operations. Raises Problem for one there is none of."""
    for clause in clauses:
        known("clause", clause, catalogue())
    for operation in operations:
        known("operation", operation, OPERATIONS)
    return plans.Filter(clauses, operations)


@click.command("run", cls=ManyValues)
@click.option("--store", "stores", multiple=True, metavar="NAME", help="A built-in store; may be repeated.")
@click.option("--uri", metavar="URI", help="A store of your own: any Hadoop FileSystem. Names the sandbox directory.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store; they come before Hadoop's own.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store.")
@click.option("--conf-file", "conf_files", multiple=True, type=INPUT, metavar="XML")
@click.option("--contract", type=INPUT, metavar="XML", help="The contract to judge by.")
@click.option("--name", default="", metavar="NAME", help="The name under which your store is reported.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite; may be repeated.")
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Only programs that judge this clause.")
@click.option("--op", "operations", multiple=True, metavar="NAME", help="Only programs with this operation.")
@click.option("--explorer", "kinds", multiple=True, metavar="NAME", help="Only these explorers; may be repeated.")
@click.option("--traces", "trace_files", multiple=True, type=INPUT, metavar="ITF")
@effort_option()
@budget_option()
@click.option("--seed", type=SEED, show_default="0", metavar="N")
@click.option("--out", type=OUTPUT_FOLDER, default=Path("results"), show_default=True, metavar="DIR")
@click.option("--waivers", "waiver_files", multiple=True, type=INPUT, metavar="TOML")
@click.option("--resume", type=INPUT, metavar="DIR", help="Take up an earlier run's exploring.")
@click.option("--baseline", type=INPUT, metavar="RUN", help="Fail only for what that run lacks.")
@click.option("--fail-fast", is_flag=True, help="Stop exploring a store once a divergence is confirmed that fails.")
@click.option("--count-inherited", is_flag=True, help="Count what your store inherits from Hadoop as its own.")
@click.option("--strict-quirks", is_flag=True, help="Fail for known bugs that a complete run never needed.")
@click.option("--shards", type=click.IntRange(min=1, max=64), metavar="N", help="Sessions that drive a store at once.")
@click.option("--timeout", type=Amount(min=0.1), default=30.0, show_default=True, metavar="SECONDS")
@click.option("--rate", type=Amount(min=0.001), metavar="N", help="At most N calls a second and session.")
@click.option("--xmx", default="512m", show_default=True, metavar="SIZE", help="Heap of each worker's JVM.")
@hadoop_option()
@via_option()
@click.option("--fault", default="", metavar="NAME", help="A seeded fault for the store 'proving'.")
@click.option("--below", is_flag=True, help="Look at the object store below S3A also where the divergence is waived.")
@click.option("--committer", "committers", multiple=True, metavar="NAME", help="Only these of Spark's committers.")
@click.option("--group", "groups", multiple=True, metavar="NAME", help="Only these programs of Spark's writers.")
@in_two_steps()
def run(
    stores: tuple[str, ...],
    uri: str | None,
    jars: tuple[str, ...],
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    contract: Path | None,
    name: str,
    suites: tuple[str, ...],
    clauses: tuple[str, ...],
    operations: tuple[str, ...],
    kinds: tuple[str, ...],
    trace_files: tuple[Path, ...],
    effort: Effort | None,
    budget: float | None,
    seed: int | None,
    out: Path,
    waiver_files: tuple[Path, ...],
    resume: Path | None,
    baseline: Path | None,
    fail_fast: bool,
    strict_quirks: bool,
    count_inherited: bool,
    shards: int | None,
    timeout: float,
    rate: float | None,
    xmx: str,
    profile: str,
    via: str,
    fault: str,
    below: bool,
    committers: tuple[str, ...],
    groups: tuple[str, ...],
) -> None:
    """Judge stores by the specification and write a report.

    Exit codes: 0 nothing undeclared; 1 divergences; 2 usage or configuration; 3 inconclusive; 70 a fault of fsconform.
    """
    stores = asked_of(via, stores, uri, PRESETS)
    earlier_run = baseline_of(baseline)
    chosen = bool(stores or uri or suites or clauses or operations or kinds or contract or resume or fault)
    own_jars = user_jars(jars) if uri is None and committers else ()
    objects = layer_plans.plan_objects(stores, suites, contract, waiver_files, groups, fault, uri, conf, name)
    datasets = (
        layer_plans.DatasetPlan()
        if objects.alone
        else layer_plans.plan_datasets(stores, suites, committers, contract, waiver_files, own_jars, not chosen, groups)
    )
    layer = layer_plans.OBJECTS if objects.alone else layer_plans.DATASETS if datasets.alone else ""
    if layer:
        check_alone(
            layer,
            {
                "--uri": datasets.alone and uri,
                "--jars": objects.alone and jars,
                "--clause": clauses,
                "--op": operations,
                "--explorer": kinds,
                "--traces": trace_files,
                "--resume": datasets.alone and resume,
                "--fault": datasets.alone and fault,
                "--committer": objects.alone and committers,
                "--below": below,
                "--conf": datasets.alone and conf,
                "--conf-file": conf_files,
                "--name": datasets.alone and name,
            },
        )
        suites = ()
    custom = None if objects.alone else custom_store(uri, () if own_jars else jars, conf, conf_files)
    named = "" if objects.alone else own_name(custom, name, uri)
    check_client(xmx, profile)
    parts = real_root.parts_of(chosen_suites(suites), bool(suites or layer))
    wanted = parts.usual
    asked = () if layer else targets(stores, custom, named, contract, shards, waiver_files, parts.names, profile)
    only = chosen_filter(clauses, operations)
    for kind in kinds:
        known("explorer", kind, plans.KINDS)
    if trace_files and "traces" not in kinds and (kinds or suites):
        raise Problem("--traces are played by the explorer traces: add --explorer traces")
    if fault and not layer:
        check_fault(fault, tuple(target.name if target.custom is None else "" for target in asked))
    on_root = parts.alone
    if on_root or (suites and parts.root):
        real_root.check(asked)
    if on_root:
        # Programs that share one real root can't run at the same time.
        asked = tuple(map(real_root.in_root, asked))
    elif any(suite.alone for suite in wanted):
        asked = tuple(replace(target, shards=1) for target in asked)
    places: folder.Places = {}
    earlier: dict[str, tuple[Program, ...]] = {}
    earlier_requests: dict[str, layer_runs.Programs] = {}
    if resume is not None:
        if seed is not None:
            raise Problem("--resume goes on with the seed of the earlier run: leave --seed out")
        seed, places = folder.earlier_places(resume)
        for one in places.values():
            one.pop("earlier findings", None)  # they are other programs in each run
        earlier = {one.name: folder.earlier_programs(resume, one.name, decode_program) for one in asked}
        names = [target.name for target in objects.targets]
        earlier_requests = {one: folder.earlier_programs(resume, one, layer_runs.decoded) for one in names}
        if missing := [one for one in names if one not in places]:
            raise Problem(f"{resume}: that run judged no {missing[0]}: leave --resume out, or name the run that did")
    seed = seed or 0
    with_traces = not layer and ("traces" in kinds or not (kinds or suites))
    tell = partial(console.print, markup=False)
    traces, formal = attached(with_traces, set(kinds) == {"traces"}, trace_files, seed, tell)
    explorers = partial(plans.explorers, wanted, seed=seed, wanted=only, kinds=frozenset(kinds), traces=traces)
    started = datetime.datetime.now(datetime.UTC)
    home = folder.make(out, folder.new_id(started))
    clock = time.monotonic()
    exploring, surveying = shares(None if budget is None else budget / max(1, len(asked)), wanted)
    tried = effort or Effort()

    def amounts(target: Target) -> Amounts:
        return NOTHING if budget == 0 else tried.amounts(pace_of(target))

    asked_for = len(asked) + len(datasets.pairs) + len(objects.targets)
    suites_run = [] if layer else [one.name for one in (*parts.usual, *parts.root)]
    suites_run += [one.name for one in datasets.suites]
    suites_run += [S3_OBJECTS.name] if objects.alone else []
    contracts: dict[str, dict[str, object]] = {target.name: dict(target.contract.declared) for target in asked}
    contracts |= {pair.name: dict(pair.contract.declared) for pair in datasets.pairs}
    contracts |= {target.name: dict(target.contract.declared) for target in objects.targets}

    with Live() as live:
        assignments = []
        for target in asked:
            setup = Setup(
                home / "logs",
                partial(live.say, target.name),
                timeout,
                rate,
                xmx,
                profile,
                on_root,
                fault,
                via,
            )
            assignments.append(
                Assignment(
                    target.name,
                    partial(build, target, setup),
                    target.contract,
                    partial(explorers, earlier=earlier.get(target.name, ()), amounts=amounts(target)),
                    exploring,
                    target.shards,
                    fail_fast,
                    places.get(target.name, {}),
                    target.waivers if on_root else real_root.elsewhere(target.waivers),
                    complete=not only and not suites and not kinds,
                    reproducer=replay_command(home, target.name, custom, fault, on_root, profile),
                    statement=target.statement,
                    survey=surveying,
                    below=below,
                    effort_named=effort is not None,
                    strict_quirks=strict_quirks,
                    baseline=earlier_run,
                    inherits=target.custom is not None and not count_inherited,
                    pace=pace_of(target),
                    on_root=real_root.part_of(
                        target,
                        parts.root,
                        seed,
                        only,
                        frozenset(kinds),
                        amounts(target),
                        replay_command(home, target.name, None, fault, True, profile),
                    ),
                )
            )
        found: list[Judged] = []
        kept = faults.kept()

        def conclude(so_far: list[Judged], whole: bool) -> folder.Saved:
            """Write what was found: at the end, and at once when a run is interrupted. Raises OSError."""
            judged = [replace(one, record=earlier_run.marked(one.record)) for one in so_far] if earlier_run else so_far
            code = gate.of_stores([one.record for one in judged], asked_for)
            results = Results(
                SCHEMA,
                Run(
                    home.name,
                    seed,
                    versions(),
                    started.isoformat(timespec="seconds"),
                    round(time.monotonic() - clock, 3),
                    code if kept.error is None else code or gate.INCONCLUSIVE,
                    "fsconform " + shlex.join(scrubbing.arguments(sys.argv[1:])),
                    scrubbing.redacted(custom.configuration if custom else {})
                    | {"effort": str(tried), "budget": budget_text(budget), "suites": ", ".join(suites_run)}
                    | ({"hadoop": profile} if profile else {})
                    | ({"via": via} if via == CONTAINER else {}),
                    formal,
                ),
                [one.record for one in judged],
                ([] if layer else clause_records())
                + (DATASETS.clause_records() if datasets.pairs else [])
                + (OBJECTS.clause_records() if objects.alone else []),
            )
            results = scrubbing.hidden(results)
            later = places | {one.record.name: places.get(one.record.name, {}) | one.places for one in judged}
            try:
                saved = folder.save(home, results, contracts, later, whole)
                scrubbing.hide_in_files(home / "logs")
            except OSError:
                if whole:
                    summary(results, console_on_stderr())
                raise
            return saved

        def interrupted(so_far: list[Judged]) -> None:
            with interrupts.held():
                interrupts.written(conclude(so_far, whole=False).results.run.exit)

        interrupts.to_write()
        try:
            with layer_runs.coming_up(
                datasets,
                lambda store: Setup(home / "logs", partial(live.say, store), timeout, xmx=xmx, profile=profile),
            ) as bring:
                beside = layer_runs.Beside(partial(layer_runs.judge_datasets, datasets, live, bring, home, not groups))
                try:
                    with kept.going_on():
                        _judged(assignments, live, home, interrupted, found)
                    if any(one.interrupted for one in found):
                        beside.end()
                    with kept.going_on():
                        found += beside.judged()
                finally:
                    beside.close()
            if objects.alone:
                with kept.going_on():
                    found += layer_runs.judge_objects(
                        objects,
                        live,
                        lambda store: Setup(home / "logs", partial(live.say, store), timeout, fault=fault),
                        home,
                        effort,
                        None if budget is None else budget / len(objects.targets),
                        seed,
                        fault,
                        places,
                        earlier_requests,
                    )
        except KeyboardInterrupt:
            interrupts.met()  # it came while something was being stopped: what was found is written now
    with interrupts.held(raising=False):
        try:
            saved = conclude(found, whole=True)
        except OSError as error:
            told = f"{home}: {error}: the run's records could not be written whole"
            console.print(told, markup=False, soft_wrap=True)
            raise SystemExit(USAGE) from error
        interrupts.written(saved.results.run.exit)
        with kept.going_on():
            summary(saved.results, console_on_stderr())
        plain.print(str(saved.report), markup=False)
        kept.end()
    raise SystemExit(saved.results.run.exit)


def _judged(assignments: list[Assignment], live: Live, home: Path, interrupted: SoFar, found: list[Judged]) -> None:
    """Judge the stores. Raises Problem for a sandbox that is not ours, and leaves no folder then."""
    try:
        if assignments:
            judge_all(assignments, live, RECOVERABLE, interrupted, found)
    except SandboxRefused as error:
        shutil.rmtree(home, ignore_errors=True)
        raise Problem(str(error)) from error
