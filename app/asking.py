"""Which store a command is about: the options by which a user names one, and the store that is built of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.stores.site import Setup
from fsconform.app.amounts import SEED, Amount
from fsconform.app.console import Live
from fsconform.app.efforts import budget_option, effort_option
from fsconform.app.hadoop_versions import hadoop_option
from fsconform.app.inferring import QUICK, Inferred, Watching, watch
from fsconform.app.inputs import INPUT
from fsconform.app.passing_logs import passing_logs
from fsconform.app.problems import Problem, ended
from fsconform.app.run import RECOVERABLE, chosen_suites
from fsconform.app.targets import Target, build, check_client, custom_store, own_name, targets
from fsconform.engine.effort import Effort
from fsconform.engine.protocol import SandboxRefused

_OPTIONS = (
    click.option("--store", metavar="NAME", help="A built-in store."),
    click.option("--uri", metavar="URI", help="A store of your own: any Hadoop FileSystem. Names the sandbox."),
    click.option("--jars", multiple=True, metavar="GLOB", help="Jars of your store; they come before Hadoop's own."),
    click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A configuration property of your store."),
    click.option("--conf-file", "conf_files", multiple=True, type=INPUT, metavar="XML"),
    click.option("--contract", type=INPUT, metavar="XML", help="The contract that your store declares."),
    click.option("--name", default="", metavar="NAME", help="The name under which your store is reported."),
    click.option("--waivers", "waiver_files", multiple=True, type=INPUT, metavar="TOML"),
    click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite; may be repeated."),
    effort_option(QUICK.level),
    budget_option(),
    click.option("--seed", type=SEED, default=0, show_default=True, metavar="N"),
    click.option("--shards", type=click.IntRange(min=1, max=64), metavar="N", help="Sessions that drive it at once."),
    click.option("--timeout", type=Amount(min=0.1), default=30.0, show_default=True, metavar="SECONDS"),
    click.option("--rate", type=Amount(min=0.001), metavar="N", help="At most N calls a second and session."),
    click.option("--xmx", default="512m", show_default=True, metavar="SIZE", help="Heap of each worker's JVM."),
    hadoop_option(),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say of the store and of the way to watch it."""

    store: str | None
    uri: str | None
    jars: tuple[str, ...]
    conf: tuple[str, ...]
    conf_files: tuple[Path, ...]
    contract: Path | None
    name: str
    waiver_files: tuple[Path, ...]
    suites: tuple[str, ...]
    effort: Effort | None
    budget: float | None
    seed: int
    shards: int | None
    timeout: float
    rate: float | None
    xmx: str
    profile: str

    def target(self) -> Target:
        """The one store that is named, with its contract. Raises Problem."""
        custom = custom_store(self.uri, self.jars, self.conf, self.conf_files)
        if custom is None and self.store is None:
            raise Problem("name a store: --store NAME for a built-in one, --uri URI for one of your own")
        name = own_name(custom, self.name, self.uri)
        stores = (self.store,) if self.store is not None else ()
        wanted = {suite.name for suite in chosen_suites(self.suites)}
        (target,) = targets(stores, custom, name, self.contract, self.shards, self.waiver_files, wanted, self.profile)
        return target

    def watched(self) -> Inferred:
        """Watch the store and infer its contract. Raises Problem or Inconclusive."""
        suites = chosen_suites(self.suites)
        if any(suite.root for suite in suites):
            raise Problem("a contract is inferred in the sandbox: leave suites on the real root out")
        check_client(self.xmx, self.profile)
        target, effort = self.target(), self.effort or QUICK
        watching = Watching(suites, self.budget, self.seed, whole=not self.suites, effort=effort)
        with passing_logs("contract") as logs, Live() as live:
            say = functools.partial(live.say, target.name)
            setup = Setup(logs.folder, say, self.timeout, self.rate, self.xmx, self.profile)
            try:
                inferred = watch(target, lambda: build(target, setup), watching, live)
            except (SandboxRefused, *RECOVERABLE) as error:
                raise ended(error, f"{target.name}: {error}") from error
            logs.reported(*inferred.problems, *(one.note for one in inferred.inexpressible))
            return inferred


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a store, which it takes as its first argument, ``Asked``."""
    names = [one.name for one in fields(Asked)]

    @functools.wraps(command)
    def asked(**values: Any) -> Any:
        return command(Asked(**{name: values.pop(name) for name in names}), **values)

    for option in reversed(_OPTIONS):
        asked = option(asked)
    return asked
