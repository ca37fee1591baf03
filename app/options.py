"""Options that several commands have: numbers in a range, effort and budget, and stores in containers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import CONTAINER
from fsconform.engine.effort import (
    BUDGET_HELP,
    DEFAULT_BUDGET,
    DEFAULT_EFFORT,
    EFFORT_HELP,
    Effort,
    Level,
    Pace,
    budget_text,
    effort_of,
)
from fsconform.harness import completion, scrubbing
from fsconform.harness.configured import Configured, OwnStore, own_targets, store_options_of
from fsconform.harness.inputs import INPUT, OUTPUT_FOLDER
from fsconform.harness.presets import PRESETS, Custom
from fsconform.harness.problems import Problem
from fsconform.harness.targets import Target, targets
from fsconform.harness.versions import hadoop_option


class Amount(click.FloatRange):
    """A number of at least ``min``; nan, which no comparison refuses, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises BadParameter."""
        amount = super().convert(value, param, ctx)
        if math.isnan(amount):
            self.fail(f"{value!r} is not a number", param, ctx)
        return amount


SEED = click.IntRange(-(1 << 63), (1 << 63) - 1)
"""A seed: a number that records, progress and Spark's rows can hold, so that a run with it can be resumed."""


EMBEDDED = "embedded"
WAYS = (EMBEDDED, CONTAINER)
VARIABLE = "FSCONFORM_VIA"
"""The environment variable that says how services run where no option does."""


def via_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that says how services are brought up, passed on as ``via``."""
    text = f"How services of built-in stores run: as processes of this machine, or in containers; else {VARIABLE} says."
    kind = click.Choice(WAYS)
    return click.option("--via", type=kind, default=EMBEDDED, show_default=True, envvar=VARIABLE, help=text)


def via_of(option: str | None) -> str:
    """The way that an option names, else the environment, else as processes of this machine."""
    return option or os.environ.get(VARIABLE, "") or EMBEDDED


def stores_via(via: str, stores: tuple[str, ...], uri: str | None, presets: Mapping[str, Preset]) -> tuple[str, ...]:
    """The stores to judge: in containers, where none is named, all whose service can run in one. Raises Problem."""
    if via not in WAYS:
        raise Problem(f"{VARIABLE} is {via!r}: write {' or '.join(WAYS)}")
    if via != CONTAINER:
        return stores
    if uri is not None:
        raise Problem("--via container is for built-in stores: you bring a store of your own up yourself")
    able = tuple(name for name, preset in presets.items() if preset.contained)
    for store in stores:
        if store in presets and store not in able:
            raise Problem(f"{store!r} has no service that could run in a container: {', '.join(able)} have one")
    return stores or able


class EffortType(click.ParamType[Effort]):
    """An effort, as a level or as a number of programs."""

    name = "effort"
    in_files = int | Literal["quick", "normal", "deep"]
    """The type of one in a configuration file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Effort:
        """The effort. Raises BadParameter."""
        if isinstance(value, Effort):
            return value
        try:
            return effort_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def effort_option(default: Level = DEFAULT_EFFORT) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --effort: None where it is not given, which stands for ``default``."""
    return click.option(
        "--effort",
        type=EffortType(),
        metavar="quick|normal|deep|N",
        show_default=default,
        help=EFFORT_HELP,
    )


def budget_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --budget: None where it is not given."""
    return click.option(
        "--budget",
        type=Amount(min=0),
        default=DEFAULT_BUDGET,
        show_default=budget_text(DEFAULT_BUDGET),
        metavar="SECONDS",
        help=BUDGET_HELP,
    )


def pace_of(target: Target) -> Pace:
    """What a store can be asked for: a built-in one says so itself, of another its contract does."""
    if target.custom is None:
        return PRESETS[target.name].pace
    return "slow" if target.contract.declared.get("is-blobstore") is True else "fast"


def parts_of(target: Target) -> tuple[str, ...]:
    """The daemons behind a store that can be crashed: those of a built-in one's own service."""
    return PRESETS[target.name].parts if target.custom is None else ()


def machines_of(target: Target) -> tuple[str, ...]:
    """The machines behind a store that can lose their power: those that a built-in one stands on."""
    return PRESETS[target.name].machines if target.custom is None else ()


def links_of(target: Target) -> tuple[str, ...]:
    """The links of a store's network that can fail: those of a built-in one's own services, or to a named endpoint."""
    if target.custom is None:
        return PRESETS[target.name].links
    return (target.custom.endpoint.link,) if target.custom.endpoint is not None else ()


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedStores:
    """What the options say of the stores to judge and of the client, for each command that judges."""

    uri: str | None
    jars: tuple[str, ...]
    conf: tuple[str, ...]
    conf_files: tuple[Path, ...]
    contract: Path | None
    name: str
    suites: tuple[str, ...]
    waiver_files: tuple[Path, ...]
    timeout: float
    rate: float | None
    xmx: str
    profile: str


def store_options(
    jars: str = "Jars of your store; they come before Hadoop's own.", contract: str = "The contract to judge by."
) -> tuple[Decorator, ...]:
    """The options of :class:`AskedStores`, with the help of two of them."""
    return (
        click.option("--uri", metavar="URI", help="A store of your own: any Hadoop FileSystem. Names the sandbox."),
        click.option("--jars", multiple=True, metavar="GLOB", help=jars),
        click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store."),
        click.option(
            "--conf-file",
            "conf_files",
            multiple=True,
            type=INPUT,
            metavar="XML",
            help="A Hadoop configuration file; --conf wins over it.",
        ),
        click.option("--contract", type=INPUT, metavar="XML", help=contract),
        click.option("--name", default="", metavar="NAME", help="The name under which your store is reported."),
        click.option(
            *("--suite", "suites"),
            multiple=True,
            metavar="NAME",
            shell_complete=completion.SUITES,
            help="A suite; may be repeated.",
        ),
        click.option(
            "--waivers",
            "waiver_files",
            multiple=True,
            type=INPUT,
            metavar="TOML",
            help="A file of divergences that are accepted.",
        ),
        click.option(
            "--timeout",
            type=Amount(min=0.1),
            default=30.0,
            show_default=True,
            metavar="SECONDS",
            help="For one call of the store.",
        ),
        click.option("--rate", type=Amount(min=0.001), metavar="N", help="At most N calls a second and session."),
        click.option("--xmx", default="512m", show_default=True, metavar="SIZE", help="Heap of each worker's JVM."),
        hadoop_option(),
    )


STORES = click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.STORES,
    help="A built-in store; may be repeated.",
)
OWN_STORE = click.option(
    "--store",
    metavar="NAME",
    shell_complete=completion.OWN_STORES,
    help="A store of your own that the configuration file describes.",
)
SHARDS = click.option(
    "--shards", type=click.IntRange(min=1, max=64), metavar="N", help="Sessions that drive a store at once."
)
ENDPOINT_CONF = click.option(
    "--endpoint-conf",
    default="",
    metavar="NAME",
    help="The property of your store that has its endpoint: the suite wire puts proxies before that.",
)
RUN_SEED = click.option(
    "--seed", type=SEED, show_default="0", metavar="N", help="The seed of random programs and of samples."
)
OUT_FOLDER = click.option(
    "--out",
    type=OUTPUT_FOLDER,
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where the folder of the run is made.",
)
STRICT_QUIRKS = click.option(
    "--strict-quirks", is_flag=True, help="Fail for known bugs that a complete run never needed."
)
FAULT = click.option(
    "--fault",
    default="",
    metavar="NAME",
    shell_complete=completion.FAULTS,
    help="A seeded fault for the store 'proving'.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedGate(AskedStores):
    """What the options say of the gate too."""

    baseline: Path | None
    count_inherited: bool
    own: tuple[OwnStore, ...] = ()


GATE = (
    click.option("--baseline", type=INPUT, metavar="RUN", help="Fail only for what that run lacks."),
    click.option("--count-inherited", is_flag=True, help="Count what your store inherits from Hadoop as its own."),
)


def _store_of_a_file() -> click.Command:
    """The options that a store of a configuration file may have, those of all commands that judge."""

    def nothing() -> None: ...

    made: Callable[..., Any] = nothing
    for option in reversed((*store_options(), ENDPOINT_CONF, SHARDS)):
        made = option(made)
    return store_options_of(click.command("store")(made).params)


STORE_OF_A_FILE = _store_of_a_file()


def configured(name: str) -> Callable[[Callable[..., Any]], Configured]:
    """Make a command whose options a configuration file may have, in the table of its name."""
    return click.command(name, cls=Configured, stores=STORE_OF_A_FILE)


def judged_targets(
    asked: AskedGate, custom: Custom | None, named: str, shards: int | None, suites: Collection[str]
) -> tuple[Target, ...]:
    """The stores that options and file ask for. Raises Problem."""
    contract, waivers, hadoop = asked.contract, asked.waiver_files, asked.profile
    own = own_targets(asked.own, contract, shards, waivers, suites, hadoop)
    stores: tuple[str, ...] = getattr(asked, "stores", ())
    if own and not stores and custom is None:
        return own
    return (*targets(stores, custom, named, contract, shards, waivers, suites, hadoop), *own)


def configuration_of(judged: Iterable[Target]) -> dict[str, str]:
    """The properties of the stores of the user's own, without secrets; of several each with its store's name."""
    found = {one.name: scrubbing.redacted(one.custom.configuration) for one in judged if one.custom is not None}
    several = len(found) > 1
    return {
        f"{store}: {name}" if several else name: value for store, each in found.items() for name, value in each.items()
    }


def asked_as(kind: type[Any], *options: Decorator) -> Decorator:
    """Give a command these options, which it takes as one value of the dataclass ``kind``, before any others."""
    names = [one.name for one in fields(kind)]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**values: Any) -> Any:
            return command(kind(**{name: values.pop(name) for name in names if name in values}), **values)

        made: Callable[..., Any] = call
        for option in reversed(options):
            made = option(made)
        return made

    return decorate
