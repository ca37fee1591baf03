"""Commands that take what the command line leaves out from a configuration file, or a store that it describes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from fsconform.harness import configuration_file
from fsconform.harness.configuration_file import STORES, Document, key_of
from fsconform.harness.inputs import INPUT
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import ManyValues, Problem, known
from fsconform.harness.targets import Target, check_client, custom_store, targets


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStore:
    """A store of the user's own, as a file describes it. What is None or empty is as the command says.

    ``place`` is the table of the file as errors name it; ``timeout`` is in seconds, ``rate`` in calls a second.
    """

    name: str
    place: str
    uri: str
    jars: tuple[str, ...] = ()
    conf: tuple[str, ...] = ()
    conf_files: tuple[Path, ...] = ()
    contract: Path | None = None
    waiver_files: tuple[Path, ...] = ()
    endpoint_conf: str = ""
    shards: int | None = None
    timeout: float | None = None
    rate: float | None = None
    xmx: str = ""


OF_STORES = frozenset(one.name for one in fields(OwnStore)) - {"name", "place"}
"""The names of the parameters that a store of a file may have for itself."""
_CHOOSING = ("stores", "uri")
_DESCRIBING = ("uri", "jars", "conf", "conf_files", "contract", "name", "endpoint_conf")
CONFIG = click.Option(
    ["--config"],
    type=INPUT,
    metavar="TOML",
    expose_value=False,
    help="A configuration file; else fsconform.toml or [tool.fsconform] of pyproject.toml in this folder.",
)


def store_options_of(options: Iterable[click.Parameter]) -> click.Command:
    """The options among these that a store of a file may have, as a command."""
    return click.Command("store", params=[one for one in options if one.name in OF_STORES])


@contextmanager
def at(place: str) -> Iterator[None]:
    """Within it a Problem names a place of a file."""
    try:
        yield
    except Problem as error:
        raise Problem(f"{place}: {error.message}") from error


class Configured(ManyValues):
    """A command whose options a configuration file may have: the command line wins, then the environment, the file.

    ``own`` is passed on: the stores that the file describes and that are to be judged.
    """

    def __init__(self, *arguments: Any, stores: click.Command, **more: Any) -> None:
        """``stores`` has the options that a store of a file may have."""
        super().__init__(*arguments, params=[*(more.pop("params", None) or ()), CONFIG], **more)
        self.stores = stores

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the file before the options. Raises Problem."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        given: dict[str, Any] = self.make_parser(ctx).parse_args(self.spread(args))[0]
        named = given.get("config")
        document = None
        asks_for_help = self.get_help_option(ctx)
        if asks_for_help is None or not given.get(str(asks_for_help.name)):
            config = CONFIG.type_cast_value(ctx, named) if isinstance(named, str) else None
            document = configuration_file.find(config)
        if document is not None:
            ctx.default_map = values_of(document, str(self.name), self, given)
            ctx.meta[__name__] = document
        rest = super().parse_args(ctx, args)
        ctx.params["own"] = own = chosen(document, self.stores, ctx.params, given)
        if own:
            names = {one.name for one in own}
            ctx.params["stores"] = tuple(one for one in ctx.params["stores"] if one not in names)
            for name in ("jars", "conf", "conf_files"):  # each store has its own
                ctx.params[name] = ()
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of an option that the file has names the file too."""
        try:
            return super().invoke(ctx)
        except Problem as error:
            document: Document | None = ctx.meta.get(__name__)
            raise error if document is None else _placed(ctx, self, document.where(str(self.name)), error) from error


Usual = Callable[[Mapping[str, Any], tuple[str, ...]], str | None]
"""Which store of a file is meant where none is named: by what is given, by parameter, and the names in the file."""


class OfOneStore(ManyValues):
    """A command for one store, which may be one of a configuration file: what that says of it are defaults then.

    ``store`` is passed on as None where it is one of the file. Built-in stores are the command's own.
    """

    def __init__(
        self,
        *arguments: Any,
        stores: click.Command,
        usual: Usual | None = None,
        leaving: Collection[str] = (),
        **more: Any,
    ) -> None:
        """``stores`` has the options that a store of a file may have; those of ``leaving`` are not taken from it."""
        super().__init__(*arguments, params=[*(more.pop("params", None) or ()), CONFIG], **more)
        self._stores, self._usual, self._leaving = stores, usual, leaving

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for the store in the file before the options are read. Raises Problem."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        given: dict[str, Any] = self.make_parser(ctx).parse_args(self.spread(args))[0]
        asks_for_help = self.get_help_option(ctx)
        own = None
        if asks_for_help is None or not given.get(str(asks_for_help.name)):
            own = self._of_the_file(ctx, given)
        if own is None:
            return super().parse_args(ctx, args)
        said = {
            one: value for one in OF_STORES - {*self._leaving} if (value := getattr(own, one)) not in (None, (), "")
        }
        ctx.default_map = {**said, "name": own.name}
        ctx.meta[__name__] = own.place
        rest = super().parse_args(ctx, args)
        ctx.params["store"] = None
        if given.get("conf"):
            ctx.params["conf"] = (*own.conf, *ctx.params["conf"])
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of an option that the file has names the file too."""
        try:
            return super().invoke(ctx)
        except Problem as error:
            place: str | None = ctx.meta.get(__name__)
            raise error if place is None else _placed(ctx, self, place, error) from error

    def _of_the_file(self, ctx: click.Context, given: Mapping[str, Any]) -> OwnStore | None:
        """The store of the file that is meant; None for one that is not there. Raises Problem."""
        named, config = given.get("store"), given.get("config")
        in_file = isinstance(config, str)
        if isinstance(given.get("uri"), str) or (named is None and self._usual is None and not in_file):
            return None
        if isinstance(named, str) and _is_built_in(named) and not in_file:
            return None
        document = configuration_file.find(CONFIG.type_cast_value(ctx, config) if in_file else None)
        stores = _stores(document, self._stores)
        if document is None or not stores:
            return None
        if not isinstance(named, str):
            named = self._usual(given, tuple(stores)) if self._usual is not None else None
        if named is None or (named not in stores and _is_built_in(named)):
            return None
        return _own(document, known("store", named, (*stores, *PRESETS)), stores[named], self._stores, {}, {})


def sole(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The only store of a file. Raises Problem where there are several."""
    if len(names) > 1:
        raise Problem(f"name a store of the configuration file by --store: {', '.join(names)}")
    return names[0]


def _placed(ctx: click.Context, command: click.Command, where: str, error: Problem) -> Problem:
    """The error with the place of the file where it is about an option that the file has."""
    from_file = [
        key_of(one)
        for one in command.params
        if isinstance(one, click.Option)
        and ctx.get_parameter_source(str(one.name)) is ParameterSource.DEFAULT_MAP
        and _is_named(one, ctx.params.get(str(one.name)), error.message)
    ]
    return Problem(f"{where} {', '.join(from_file)}: {error.message}") if from_file else error


def _is_named(option: click.Option, value: Any, text: str) -> bool:
    """Whether an error is about an option: it has its name, or a value of it in quotes."""
    values = value if isinstance(value, tuple) else (value,)
    return any(f"{name} " in text or f"{name}:" in text for name in option.opts) or any(
        isinstance(one, str) and one != "" and repr(one) in text for one in values
    )


def values_of(document: Document, table: str, command: click.Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a table, by parameter, that hold beside what is ``given``. Raises Problem.

    Who names a store leaves the store of the table aside, and what describes that one.
    """
    value = document.tables.get(table, {})
    configuration_file.check(document, table, value, command)
    found = configuration_file.as_given(document, table, value, command)
    if any(given.get(name) for name in _CHOOSING):
        found = {name: each for name, each in found.items() if name not in (*_CHOOSING, *_DESCRIBING)}
    return found


def chosen(
    document: Document | None, options: click.Command, asked: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[OwnStore, ...]:
    """The stores of a file that are asked for by name, or all where no store is. Raises Problem.

    What is ``given`` on the command line, by parameter, wins over what the file says of a store.
    """
    stores = _stores(document, options)
    if document is None or not stores:
        return ()
    for name in asked["stores"]:
        if not _is_other(name):
            known("store", name, (*stores, *PRESETS))
    if asked["uri"] is not None:
        if any(name in stores for name in asked["stores"]):
            raise Problem("--uri names a store of your own and --store one of the configuration file: give one of them")
        return ()
    names = [name for name in dict.fromkeys(asked["stores"]) if name in stores] if asked["stores"] else list(stores)
    return tuple(_own(document, name, stores[name], options, asked, given) for name in names)


def _stores(document: Document | None, options: click.Command) -> Mapping[str, Any]:
    """The tables of the stores in a file, which are looked at. Raises Problem."""
    stores = document.tables.get(STORES, {}) if document is not None else {}
    if document is None or not stores:
        return {}
    if not isinstance(stores, dict):
        raise Problem(f"{document.where(STORES)}: expected a table: write [{document.prefix}stores.NAME]")
    for name, value in stores.items():
        _check(document, name, value, options)
    return stores


def _is_built_in(name: str) -> bool:
    return name in PRESETS or _is_other(name)


def _is_other(name: str) -> bool:
    """Whether a name may be that of a store of another layer, which has its own checks."""
    from fsconform.harness import completion

    return name in completion.store_names()


def _check(document: Document, name: str, value: object, options: click.Command) -> None:
    table = f"{STORES}.{name}"
    with at(document.where(table)):
        if _is_built_in(name):
            raise Problem("a built-in store has this name: choose another")
        configuration_file.check_name(name)
    configuration_file.check(document, table, value, options, ("uri",))


def _own(
    document: Document,
    name: str,
    value: Mapping[str, Any],
    options: click.Command,
    asked: Mapping[str, Any],
    given: Mapping[str, Any],
) -> OwnStore:
    table = f"{STORES}.{name}"
    found = configuration_file.as_given(document, table, value, options)
    own = OwnStore(name=name, place=document.where(table), **found)
    changed = {one: asked[one] for one in OF_STORES if given.get(one) and one in asked}
    if "conf" in changed:
        changed["conf"] = (*own.conf, *changed["conf"])
    return replace(own, **changed)


def own_targets(
    own: Iterable[OwnStore],
    contract: Path | None,
    shards: int | None,
    waiver_files: tuple[Path, ...],
    suites: Iterable[str],
    hadoop: str,
) -> tuple[Target, ...]:
    """The stores of a file as targets; contract, shards and waivers are for those that say nothing of them.

    Waivers of the command hold for all, beside a store's own. Raises Problem, which names the file.
    """
    found: list[Target] = []
    for store in own:
        with at(store.place):
            custom = custom_store(store.uri, store.jars, store.conf, store.conf_files, store.endpoint_conf)
            assert custom is not None
            check_client(store.xmx or "512m", hadoop)
            custom = replace(custom, timeout=store.timeout, rate=store.rate, xmx=store.xmx)
            found += targets(
                (),
                custom,
                store.name,
                store.contract or contract,
                store.shards or shards,
                (*waiver_files, *store.waiver_files),
                set(suites),
                hadoop,
            )
    return tuple(found)
