"""What a pytest session is asked to judge: the plugin's options, checked as those of ``fsconform run`` are."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.stores.site import Say, Setup
from fsconform.app.options import (
    FAULT,
    GATE,
    OUT_FOLDER,
    RUN_SEED,
    SEED,
    STORE_OF_A_FILE,
    STORES,
    STRICT_QUIRKS,
    budget_option,
    effort_option,
    store_options,
    stores_via,
    via_of,
    via_option,
)
from fsconform.engine.effort import DEFAULT_BUDGET, Effort, effort_of
from fsconform.harness import configuration_file, real_root
from fsconform.harness.configured import OF_STORES, OwnStore, chosen, own_targets, values_of
from fsconform.harness.folder import baseline_of
from fsconform.harness.inputs import hadoop_profile, plain_files
from fsconform.harness.presets import PRESETS, Custom
from fsconform.harness.problems import Problem
from fsconform.harness.targets import Target, check_fault, custom_store, targets
from fsconform.harness.versions import chosen as chosen_version
from fsconform.records.baseline import Baseline

OUT = Path("results")
TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Order:
    """The stores to judge and how; ``budget`` and ``timeout`` are in seconds, ``rate`` in calls a second and session.

    ``effort`` is None where none was asked for by name; ``budget`` is None where there is no cap.

    ``baseline``, ``strict_quirks`` and ``count_inherited`` are those of the gate, as ``fsconform run`` has them.
    ``root`` says that the session is for the real root of the stores, and for nothing else.
    """

    targets: tuple[Target, ...]
    custom: Custom | None
    budget: float | None
    seed: int
    out: Path
    timeout: float
    rate: float | None
    profile: str
    fault: str
    root: bool
    via: str = ""
    effort: Effort | None = None
    baseline: Baseline | None = None
    strict_quirks: bool = False
    count_inherited: bool = False

    def setup(self, home: Path, say: Say) -> Setup:
        """What stores are built with; their logs go below the folder of the run."""
        return Setup(
            home / "logs",
            say,
            operation_timeout=self.timeout,
            request_rate=self.rate,
            profile=self.profile,
            real_root=self.root,
            fault=self.fault,
            via=self.via,
        )


def order(options: argparse.Namespace) -> Order:
    """The order that the options give. Raises Problem, with the options as pytest has them in its text."""
    try:
        return _order(options)
    except (Problem, JarError) as error:
        raise Problem(as_pytest_has_them(str(error))) from error


def as_pytest_has_them(text: str) -> str:
    """A text with the options of ``fsconform run`` by the names that they have in pytest."""
    return re.sub(r"--(?!store\b|fs-)(?=[a-z])", "--fs-", text)


def _pytest_command() -> click.Command:
    """The plugin's options as those of a command: a table of a configuration file is checked by it."""

    def nothing() -> None: ...

    made: Callable[..., Any] = nothing
    root = click.option("--root", is_flag=True, help="Judge the real root of a store that is started.")
    of_run = (effort_option(), budget_option(), RUN_SEED, OUT_FOLDER, *GATE, STRICT_QUIRKS, via_option(), FAULT)
    options: tuple[Callable[..., Any], ...] = (STORES, *store_options(), *of_run, root)
    for option in reversed(options):
        made = option(made)
    command = click.command("pytest")(made)
    command.params = [one for one in command.params if one.name not in NOT_OF_PYTEST]
    return command


NOT_OF_PYTEST = frozenset(("suites", "xmx"))
"""Options that pytest has no names for: suites are its tests."""
PYTEST = _pytest_command()


def with_the_file(options: argparse.Namespace) -> tuple[argparse.Namespace, tuple[OwnStore, ...]]:
    """The options, with those of a configuration file where the command line has none; its stores. Raises Problem."""
    named = getattr(options, "fs_config", None)
    document = configuration_file.find(Path(named) if named else None)
    if document is None:
        return options, ()
    names = {one.name: f"fs_{key.replace('-', '_')}" for key, one in configuration_file.options_of(PYTEST).items()}
    given = {name: getattr(options, other) for name, other in names.items()}
    merged = argparse.Namespace(**vars(options))
    for name, value in values_of(document, "pytest", PYTEST, given).items():
        if given[name] is None and value is not None:
            setattr(merged, names[name], _as_pytest(value))
    asked = {str(name): getattr(merged, other) for name, other in names.items()}
    asked["stores"] = tuple(asked["stores"] or ())
    asked = _typed({name: tuple(value) if isinstance(value, list) else value for name, value in asked.items()})
    own = chosen(document, STORE_OF_A_FILE, asked, {name: value for name, value in given.items() if value})
    if own:
        own_names = {one.name for one in own}
        merged.fs_store = [one for one in asked["stores"] if one not in own_names] or None
        merged.fs_jars = merged.fs_conf = merged.fs_conf_file = None
    return merged, own


def _typed(asked: dict[str, Any]) -> dict[str, Any]:
    """What is given for a store, as click has it."""
    context, found = click.Context(PYTEST), dict(asked)
    for option in configuration_file.options_of(PYTEST).values():
        name = str(option.name)
        if name in OF_STORES and found.get(name) is not None:
            try:
                found[name] = option.type_cast_value(context, found[name])
            except click.UsageError as error:
                raise Problem(f"{option.opts[0]}: {error.message}") from error
    return found


def _as_pytest(value: Any) -> Any:
    """A value as pytest has it, who knows texts, lists of texts and flags."""
    if isinstance(value, tuple):
        return [str(each) for each in value]
    return value if isinstance(value, bool) else str(value)


def _order(options: argparse.Namespace) -> Order:
    options, own = with_the_file(options)
    custom = custom_store(
        options.fs_uri,
        tuple(options.fs_jars or ()),
        tuple(options.fs_conf or ()),
        tuple(map(Path, options.fs_conf_file or ())),
    )
    stores, fault = tuple(options.fs_store or ()), options.fs_fault or ""
    via = via_of(options.fs_via)
    if stores:
        stores = stores_via(via, stores, options.fs_uri, PRESETS)
    if custom is None and options.fs_name:
        raise Problem("--name names a store of your own: give its --uri")
    budget = DEFAULT_BUDGET
    if options.fs_budget is not None:
        budget = _number("--budget", options.fs_budget, click.FloatRange(min=0), 0)
    timeout = _number("--timeout", options.fs_timeout, click.FloatRange(min=0.1), TIMEOUT)
    if math.isnan(budget or 0) or math.isnan(timeout):
        raise Problem("--budget and --timeout are numbers of seconds")
    profile = chosen_version(options.fs_hadoop)
    hadoop_profile(profile)
    name = options.fs_name or (custom.uri.partition(":")[0] if custom is not None else "")
    if custom is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise Problem(f"--name {name!r}: letters, digits, dots, dashes and underlines only")
    _not_empty(options)
    contract = Path(options.fs_contract) if options.fs_contract else None
    waivers = tuple(map(Path, options.fs_waivers or ()))
    plain_files("--contract", (one for one in (contract,) if one is not None and one.exists()))
    plain_files("--waivers", waivers)
    suites = ("root",) if options.fs_root else ()
    asked = own_targets(own, contract, None, waivers, suites, profile)
    if custom is not None or stores:
        asked += targets(stores, custom, name, contract, None, waivers, suites, profile)
    if fault:
        check_fault(fault, tuple(target.name if target.custom is None else "" for target in asked))
    if options.fs_root:
        real_root.check(asked)
        asked = tuple(map(real_root.in_root, asked))
    return Order(
        asked,
        custom,
        budget,
        int(_number("--seed", options.fs_seed, SEED, 0)),
        Path(options.fs_out) if options.fs_out else OUT,
        timeout,
        _number("--rate", options.fs_rate, click.FloatRange(min=0.001), 0) or None,
        profile,
        fault,
        bool(options.fs_root),
        via,
        _effort(options.fs_effort),
        baseline_of(Path(options.fs_baseline)) if options.fs_baseline else None,
        bool(options.fs_strict_quirks),
        bool(options.fs_count_inherited),
    )


def _not_empty(options: argparse.Namespace) -> None:
    for name in ("contract", "out", "uri", "baseline"):
        if getattr(options, f"fs_{name}") == "":
            raise Problem(f"--{name}: it is empty: name one, or leave the option out")


def _effort(text: str | None) -> Effort | None:
    try:
        return None if text is None else effort_of(text)
    except ValueError as error:
        raise Problem(f"--effort: {error}") from error


def _number(option: str, text: str | None, kind: click.ParamType[Any], default: float) -> float:
    if text is None:
        return default
    try:
        number: float = kind.convert(text, None, None)
    except click.BadParameter as error:
        raise Problem(f"{option}: {error.message}") from error
    return number
