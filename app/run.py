"""``fsconform run``: judge stores, write the run's folder, tell a person, and end with the gate's exit code."""

from __future__ import annotations

import datetime
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click

from fsconform.adapters.stores.site import CONTAINER, Setup
from fsconform.app.formal.playing import attached
from fsconform.app.options import (
    EMBEDDED,
    ENDPOINT_CONF,
    FAULT,
    GATE,
    OUT_FOLDER,
    RUN_SEED,
    SHARDS,
    STORES,
    STRICT_QUIRKS,
    AskedGate,
    asked_as,
    budget_option,
    configuration_of,
    configured,
    effort_option,
    judged_targets,
    links_of,
    machines_of,
    pace_of,
    parts_of,
    store_options,
    stores_via,
    via_option,
)
from fsconform.engine.blocks.subject import BLOCKS
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.effort import NOTHING, Effort, budget_text
from fsconform.engine.events import Listener, saying
from fsconform.engine.objects.subject import OBJECTS
from fsconform.engine.protocol import SandboxRefused
from fsconform.engine.recorder import clause_records
from fsconform.harness import (
    block_plans,
    block_runs,
    completion,
    faults,
    folder,
    interrupts,
    plans,
    races,
    real_root,
)
from fsconform.harness import layer_plans as layer_plans
from fsconform.harness import layer_runs as layer_runs
from fsconform.harness.console import Live, console, console_on_stderr, plain
from fsconform.harness.folder import baseline_of
from fsconform.harness.inputs import INPUT
from fsconform.harness.interrupts import in_two_steps
from fsconform.harness.judging import Assignment, Judged, judge_all, shares
from fsconform.harness.plans import chosen_filter, chosen_races, chosen_suites, default_races
from fsconform.harness.presets import DEFAULT, PRESETS, Custom, default_job
from fsconform.harness.problems import USAGE, Problem, check_alone, known
from fsconform.harness.reproducers import replay_command
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import (
    Target,
    build,
    check_client,
    check_fault,
    custom_store,
    own_name,
    user_jars,
)
from fsconform.model.core.layers import LayerContract
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program, decode_program
from fsconform.records import gate
from fsconform.records.baseline import Baseline
from fsconform.reports.text import summary
from fsconform.specs.catalogue import catalogue
from fsconform.suites.races import WIRE, RaceSuite
from fsconform.suites.s3_objects import S3_OBJECTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(AskedGate):
    """What the options say."""

    stores: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    trace_files: tuple[Path, ...] = ()
    effort: Effort | None
    budget: float | None
    seed: int | None
    out: Path
    resume: Path | None = None
    fail_fast: bool = False
    strict_quirks: bool = False
    shards: int | None
    via: str = EMBEDDED
    fault: str = ""
    below: bool = False
    committers: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    endpoint_conf: str = ""

    @property
    def chosen(self) -> bool:
        """Whether anything was chosen of all that a run judges by default."""
        every = (self.stores, self.own, self.uri, self.suites, self.clauses, self.operations, self.kinds, self.contract)
        return any((*every, self.resume, self.fault, self.committers, self.groups))


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier run left to take up: its seed, the places of its explorers, and its programs by store."""

    seed: int = 0
    places: folder.Places = field(default_factory=dict)
    programs: Mapping[str, tuple[Program, ...]] = field(default_factory=dict)
    requests: Mapping[str, layer_runs.Programs] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run, all of which is looked at before anything is started."""

    asked: Asked
    custom: Custom | None
    targets: tuple[Target, ...]
    parts: real_root.Parts
    races: tuple[RaceSuite, ...]
    only: plans.Filter
    blocks: block_plans.BlockPlan
    objects: layer_plans.ObjectPlan
    datasets: layer_plans.DatasetPlan
    layer: str
    earlier: Earlier
    baseline: Baseline | None

    @property
    def asked_for(self) -> int:
        """How many records there are to be."""
        return len(self.targets) + len(self.datasets.pairs) + len(self.objects.targets) + len(self.blocks.targets)

    @property
    def contracts(self) -> dict[str, Contract | LayerContract]:
        """The contract of each store."""
        found: dict[str, Contract | LayerContract] = {one.name: one.contract for one in self.targets}
        found |= {one.name: one.contract for one in self.datasets.pairs}
        found |= {one.name: one.contract for one in self.blocks.targets}
        return found | {one.name: one.contract for one in self.objects.targets}

    def races_of(self, target: Target) -> tuple[RaceSuite, ...]:
        """The suites of races that are tried on a store."""
        in_parts = bool(self.asked.suites or self.asked.kinds or self.only)
        is_default = target.custom is None and target.name in DEFAULT
        return default_races(PRESETS[target.name]) if is_default and not in_parts else self.races

    @property
    def suites(self) -> list[str]:
        """The names of the suites that are run."""
        names = [] if self.layer else [one.name for one in (*self.parts.usual, *self.parts.root)]
        names += [
            suite.name for suite in dict.fromkeys(one for target in self.targets for one in self.races_of(target))
        ]
        names += [one.name for one in self.datasets.suites] + [one.name for one in self.blocks.suites]
        return [*names, S3_OBJECTS.name] if self.objects.alone else names


@configured("run")
@asked_as(
    Asked,
    STORES,
    *store_options(),
    ENDPOINT_CONF,
    click.option(
        *("--clause", "clauses"),
        multiple=True,
        metavar="ID",
        shell_complete=completion.CLAUSES,
        help="Only programs that judge this clause.",
    ),
    click.option(
        *("--op", "operations"),
        multiple=True,
        metavar="NAME",
        shell_complete=completion.OPERATIONS,
        help="Only programs with this operation.",
    ),
    click.option(
        *("--explorer", "kinds"),
        multiple=True,
        metavar="NAME",
        shell_complete=completion.EXPLORERS,
        help="Only these explorers; may be repeated.",
    ),
    click.option(
        "--traces",
        "trace_files",
        multiple=True,
        type=INPUT,
        metavar="ITF",
        help="Play the traces of a model checker too.",
    ),
    effort_option(),
    budget_option(),
    RUN_SEED,
    OUT_FOLDER,
    click.option("--resume", type=INPUT, metavar="DIR", help="Take up an earlier run's exploring."),
    click.option("--fail-fast", is_flag=True, help="Stop exploring a store once a divergence is confirmed that fails."),
    *GATE,
    STRICT_QUIRKS,
    SHARDS,
    via_option(),
    FAULT,
    click.option("--below", is_flag=True, help="Look at the object store below S3A also for what is waived."),
    click.option(
        *("--committer", "committers"),
        multiple=True,
        metavar="NAME",
        shell_complete=completion.COMMITTERS,
        help="Only these of Spark's committers.",
    ),
    click.option(
        *("--group", "groups"),
        multiple=True,
        metavar="NAME",
        shell_complete=completion.GROUPS,
        help="Only these programs of Spark's writers, or of object stores.",
    ),
)
@in_two_steps()
def run(asked: Asked) -> None:
    """Judge stores by the specification and write a report.

    Exit codes: 0 nothing undeclared; 1 divergences; 2 usage or configuration; 3 inconclusive; 70 a fault of fsconform.
    """
    plan = planned(asked)
    if not asked.chosen:
        clusters = [one.name for one in plan.blocks.targets]
        now = datetime.datetime.now() if asked.effort is None and asked.budget is None else None
        console.print(default_job(clusters, now), markup=False, soft_wrap=True)
    raise SystemExit(judged(plan))


def judged(plan: Plan) -> int:
    """Judge what is planned, write the folder, and tell a person; the exit code. Raises Problem."""
    under_way = _Run(plan)
    with Live() as live:
        under_way.judge(live.hear)
    return under_way.ended()


def planned(asked: Asked) -> Plan:
    """What the options ask for. Raises Problem."""
    own_uri = asked.uri or next((one.uri for one in asked.own), None)
    asked = replace(asked, stores=stores_via(asked.via, asked.stores, own_uri, PRESETS))
    baseline = baseline_of(asked.baseline)
    own_jars = user_jars(asked.jars) if asked.uri is None and asked.committers else ()
    if asked.chosen:
        blocks = block_plans.plan_blocks(asked.stores, asked.suites, asked.waiver_files, asked.fault)
    else:
        blocks = block_plans.default_blocks(asked.effort, asked.budget, asked.waiver_files)
    objects, datasets = _layers(asked, own_jars) if not blocks.alone else (layer_plans.ObjectPlan(), NO_DATASETS)
    _check_own(asked, blocks.alone or objects.alone or datasets.alone)
    layer = layer_plans.OBJECTS if objects.alone else layer_plans.DATASETS if datasets.alone else ""
    if blocks.alone:
        layer = block_plans.BLOCKS_NAME
        _check_blocks(asked)
        asked = replace(asked, suites=())
    elif layer:
        _check_layer(asked, layer, objects.alone)
        asked = replace(asked, suites=())
    jars = () if own_jars else asked.jars
    custom = None if objects.alone else custom_store(asked.uri, jars, asked.conf, asked.conf_files, asked.endpoint_conf)
    named = "" if objects.alone else own_name(custom, asked.name, asked.uri)
    check_client(asked.xmx, asked.profile)
    parts = real_root.parts_of(chosen_suites(asked.suites), bool(asked.suites or layer))
    stores: tuple[Target, ...] = ()
    if not layer:
        stores = judged_targets(asked, custom, named, asked.shards, parts.names)
    only = chosen_filter(asked.clauses, asked.operations)
    racing = chosen_races(asked.suites)
    if WIRE in racing:
        _check_network(stores, asked.via)
    for kind in asked.kinds:
        known("explorer", kind, plans.KINDS)
    if asked.trace_files and "traces" not in asked.kinds and (asked.kinds or asked.suites):
        raise Problem("--traces are played by the explorer traces: add --explorer traces")
    if asked.fault and not layer:
        check_fault(asked.fault, tuple(target.name if target.custom is None else "" for target in stores))
    if parts.alone or (asked.suites and parts.root):
        real_root.check(stores)
    if parts.alone:
        # Programs that share one real root can't run at the same time.
        stores = tuple(map(real_root.in_root, stores))
    elif any(suite.alone for suite in parts.usual):
        stores = tuple(replace(target, shards=1) for target in stores)
    earlier = _taken_up(asked, stores, objects)
    return Plan(asked, custom, stores, parts, racing, only, blocks, objects, datasets, layer, earlier, baseline)


def _layers(asked: Asked, own_jars: tuple[Path, ...]) -> tuple[layer_plans.ObjectPlan, layer_plans.DatasetPlan]:
    """What is asked for of object stores and of Spark's writers. Raises Problem."""
    objects = layer_plans.plan_objects(
        asked.stores,
        asked.suites,
        asked.contract,
        asked.waiver_files,
        asked.groups,
        asked.fault,
        asked.uri,
        asked.conf,
        asked.name,
    )
    if objects.alone:
        return objects, layer_plans.DatasetPlan()
    return objects, layer_plans.plan_datasets(
        asked.stores,
        asked.suites,
        asked.committers,
        asked.contract,
        asked.waiver_files,
        own_jars,
        not asked.chosen,
        asked.groups,
    )


NO_DATASETS = layer_plans.DatasetPlan()


def _check_own(asked: Asked, other: bool) -> None:
    """Refuse a store of a file where filesystems are not judged at all. Raises Problem."""
    if asked.own and other:
        raise Problem(f"{asked.own[0].name} is a filesystem: judge it in a run of its own, by --store alone")


def _check_blocks(asked: Asked) -> None:
    """Refuse options that do not go with blocks and replicas. Raises Problem."""
    check_alone(
        block_plans.BLOCKS_NAME,
        {
            "--uri": asked.uri,
            "--resume": asked.resume,
            "--conf": asked.conf,
            "--conf-file": asked.conf_files,
            "--name": asked.name,
            "--jars": asked.jars,
            "--contract": asked.contract,
            "--committer": asked.committers,
            "--group": asked.groups,
            "--clause": asked.clauses,
            "--op": asked.operations,
            "--explorer": asked.kinds,
            "--traces": asked.trace_files,
            "--below": asked.below,
        },
    )


def _check_layer(asked: Asked, layer: str, objects: bool) -> None:
    """Refuse options that do not go with object stores, or with Spark's writers alone. Raises Problem."""
    of_datasets = {
        "--uri": asked.uri,
        "--resume": asked.resume,
        "--fault": asked.fault,
        "--conf": asked.conf,
        "--name": asked.name,
    }
    of_objects = {"--jars": asked.jars, "--committer": asked.committers}
    check_alone(
        layer,
        {
            **{name: not objects and value for name, value in of_datasets.items()},
            **{name: objects and value for name, value in of_objects.items()},
            "--clause": asked.clauses,
            "--op": asked.operations,
            "--explorer": asked.kinds,
            "--traces": asked.trace_files,
            "--below": asked.below,
            "--conf-file": asked.conf_files,
        },
    )


def _check_network(stores: Sequence[Target], via: str) -> None:
    """Refuse to try networks that fail where there is none of the harness's own. Raises Problem."""
    if via == CONTAINER:
        raise Problem("--suite wire puts links before processes of this machine: leave --via container out")
    for target in stores:
        if links_of(target):
            continue
        if target.custom is not None:
            raise Problem("--suite wire needs --endpoint-conf NAME: the property that has the endpoint of your store")
        able = ", ".join(name for name, preset in PRESETS.items() if preset.links)
        raise Problem(
            f"--suite wire is for {able}, and for your own store by --uri and --endpoint-conf: there is no link of "
            f"{target.name} that could fail, so name others with --store"
        )


def _taken_up(asked: Asked, stores: Sequence[Target], objects: layer_plans.ObjectPlan) -> Earlier:
    """What is taken up of an earlier run; the seed that was asked for where there is none. Raises Problem."""
    if asked.resume is None:
        return Earlier(asked.seed or 0)
    if asked.seed is not None:
        raise Problem("--resume goes on with the seed of the earlier run: leave --seed out")
    seed, places = folder.earlier_places(asked.resume)
    for one in places.values():
        one.pop("earlier findings", None)  # they are other programs in each run
    programs = {one.name: folder.earlier_programs(asked.resume, one.name, decode_program) for one in stores}
    names = [target.name for target in objects.targets]
    requests = {one: folder.earlier_programs(asked.resume, one, layer_runs.decoded) for one in names}
    if missing := [one for one in names if one not in places]:
        raise Problem(f"{asked.resume}: that run judged no {missing[0]}: leave --resume out, or name the run that did")
    return Earlier(seed, places, programs, requests)


class _Run:
    """A run under way: what is judged, and the folder that it is written to."""

    def __init__(self, plan: Plan) -> None:
        """Make the folder. Raises Problem."""
        self._plan = plan
        self._asked = asked = plan.asked
        kinds = frozenset(asked.kinds)
        with_traces = not plan.layer and ("traces" in kinds or not (kinds or asked.suites))
        tell = partial(console.print, markup=False)
        traces, formal = attached(with_traces, kinds == {"traces"}, asked.trace_files, plan.earlier.seed, tell)
        self._explorers = partial(
            plans.explorers, plan.parts.usual, seed=plan.earlier.seed, wanted=plan.only, kinds=kinds, traces=traces
        )
        self._found: list[Judged] = []
        self._faults = faults.kept()
        started = datetime.datetime.now(datetime.UTC)
        self._home = home = folder.make(asked.out, folder.new_id(started))
        configuration = configuration_of(plan.targets) | {
            "effort": str(asked.effort or Effort()),
            "budget": budget_text(asked.budget),
            "suites": ", ".join(plan.suites),
        }
        self._recording = folder.Recording(
            home,
            plan.earlier.seed,
            ["fsconform", *sys.argv[1:]],
            plan.contracts,
            configuration
            | ({"hadoop": asked.profile} if asked.profile else {})
            | ({"via": CONTAINER} if asked.via == CONTAINER else {}),
            ([] if plan.layer else clause_records(catalogue()))
            + (clause_records(DATASETS.clauses()) if plan.datasets.pairs else [])
            + (clause_records(OBJECTS.clauses()) if plan.objects.alone else [])
            + (clause_records(BLOCKS.clauses()) if plan.blocks.alone else []),
            formal=formal,
            baseline=plan.baseline,
            started=started,
        )

    def judge(self, hear: Listener) -> None:
        """Judge all; an interrupt ends it early. Raises Problem for a sandbox that is not ours."""
        assignments = [self._assignment(one, hear) for one in self._plan.targets]
        interrupts.to_write()
        try:
            self._judge_all(hear, assignments)
        except KeyboardInterrupt:
            interrupts.met()  # it came while something was being stopped: what was found is written now

    def ended(self) -> int:
        """Write the folder and tell a person; the exit code."""
        with interrupts.held(raising=False):
            try:
                saved = self._save(self._found, whole=True)
            except OSError as error:
                console.print(self._recording.unwritten(error), markup=False, soft_wrap=True)
                return USAGE
            interrupts.written(saved.results.run.exit)
            with self._faults.going_on():
                summary(saved.results, console_on_stderr())
            plain.print(str(saved.report), markup=False)
            self._faults.end()
        return saved.results.run.exit

    def _judge_all(self, hear: Listener, assignments: list[Assignment]) -> None:
        """Judge the stores, Spark's writers beside them, and then object stores or the machines of a cluster."""
        datasets, home, setup = self._plan.datasets, self._home, partial(self._setup, hear)
        with layer_runs.coming_up(datasets, setup) as bring:
            judging = partial(layer_runs.judge_datasets, datasets, hear, bring, home, not self._asked.groups)
            beside = layer_runs.Beside(judging)
            try:
                with self._faults.going_on():
                    self._judge_stores(hear, assignments)
                if any(one.interrupted for one in self._found):
                    beside.end()
                with self._faults.going_on():
                    self._found += beside.judged()
            finally:
                beside.close()
        if self._plan.objects.alone:
            with self._faults.going_on():
                self._judge_objects(hear)
        if self._plan.blocks.targets and not any(one.interrupted for one in self._found):
            with self._faults.going_on():
                self._judge_blocks(hear)

    def _judge_stores(self, hear: Listener, assignments: list[Assignment]) -> None:
        """Judge the filesystems. Raises Problem for a sandbox that is not ours, and leaves no folder then."""
        try:
            if assignments:
                judge_all(assignments, hear, RECOVERABLE, self._interrupted, self._found)
        except SandboxRefused as error:
            shutil.rmtree(self._home, ignore_errors=True)
            raise Problem(str(error)) from error

    def _judge_objects(self, hear: Listener) -> None:
        objects, asked, earlier = self._plan.objects, self._asked, self._plan.earlier
        budget = None if asked.budget is None else asked.budget / len(objects.targets)
        extent = layer_runs.Extent(
            asked.effort, budget, earlier.seed, earlier.places, earlier.requests, asked.fail_fast
        )
        self._found += layer_runs.judge_objects(
            objects, extent, hear, partial(self._setup, hear), self._home, asked.fault
        )

    def _judge_blocks(self, hear: Listener) -> None:
        blocks, asked = self._plan.blocks, self._asked
        budget = None if asked.budget is None else asked.budget / len(blocks.targets)
        self._found += block_runs.judge_blocks(
            blocks, asked.effort, budget, asked.fail_fast, hear, partial(self._setup, hear), self._home, asked.fault
        )

    def _setup(self, hear: Listener, store: str) -> Setup:
        """The ways in which a store is brought up."""
        asked = self._asked
        return Setup(
            self._home / "logs",
            saying(hear, store),
            asked.timeout,
            asked.rate,
            asked.xmx,
            asked.profile,
            self._plan.parts.alone,
            asked.fault,
            asked.via,
        )

    def _assignment(self, target: Target, hear: Listener) -> Assignment:
        """What is judged of a store, and how."""
        asked, plan, parts = self._asked, self._plan, self._plan.parts
        budget = asked.budget
        exploring, surveying = shares(None if budget is None else budget / len(plan.targets), parts.usual)
        tried, pace, kinds = asked.effort or Effort(), pace_of(target), frozenset(asked.kinds)
        amounts = NOTHING if budget == 0 else tried.amounts(pace)
        replaying = partial(replay_command, self._home, target.name)
        return Assignment(
            target.name,
            partial(build, target, self._setup(hear, target.name)),
            target.contract,
            partial(self._explorers, earlier=plan.earlier.programs.get(target.name, ()), amounts=amounts),
            exploring,
            target.shards,
            asked.fail_fast,
            plan.earlier.places.get(target.name, {}),
            target.waivers if parts.alone else real_root.elsewhere(target.waivers),
            complete=not plan.only and not asked.suites and not kinds,
            reproducer=replaying(target.custom, asked.fault, parts.alone, asked.profile),
            statement=target.statement,
            survey=surveying,
            below=asked.below,
            effort_named=asked.effort is not None,
            strict_quirks=asked.strict_quirks,
            baseline=plan.baseline,
            inherits=target.custom is not None and not asked.count_inherited,
            pace=pace,
            races=races.plan_of(
                plan.races_of(target),
                amounts if asked.suites else amounts.usual,
                plan.earlier.seed,
                exploring,
                target.contract,
                () if asked.via == CONTAINER else parts_of(target),
                () if asked.via == CONTAINER else machines_of(target),
                () if asked.via == CONTAINER else links_of(target),
            ),
            on_root=real_root.part_of(
                target,
                parts.root,
                plan.earlier.seed,
                plan.only,
                kinds,
                amounts,
                replaying(None, asked.fault, True, asked.profile),
            ),
        )

    def _interrupted(self, so_far: list[Judged]) -> None:
        with interrupts.held():
            interrupts.written(self._save(so_far, whole=False).results.run.exit)

    def _save(self, found: Sequence[Judged], whole: bool) -> folder.Saved:
        """Write what was found: at the end, and at once when a run is interrupted. Raises OSError."""
        records = self._recording.marked(one.record for one in found)
        code = gate.of_stores(records, self._plan.asked_for)
        code = code if self._faults.error is None else code or gate.INCONCLUSIVE
        results = self._recording.results(records, code)
        earlier = self._plan.earlier.places
        places = earlier | {one.record.name: earlier.get(one.record.name, {}) | one.places for one in found}
        try:
            return self._recording.save(results, places, whole)
        except OSError:
            if whole:
                summary(results, console_on_stderr())
            raise
