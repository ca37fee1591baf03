"""``fsconform contract``: show a contract, compare two, check one against its store, infer one from a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from fsconform.adapters.stores.contracts import load_shipped, shipped, shipped_text
from fsconform.adapters.stores.site import Setup
from fsconform.app.contract_rows import WRONG, as_json, conflict_lines, decision_text, rows, said, told
from fsconform.app.inferring import QUICK, Inferred, Watching, watch
from fsconform.app.options import (
    SEED,
    SHARDS,
    STORE_OF_A_FILE,
    AskedStores,
    asked_as,
    budget_option,
    effort_option,
    store_options,
)
from fsconform.engine.effort import Effort
from fsconform.engine.events import saying
from fsconform.engine.protocol import SandboxRefused
from fsconform.engine.secrecy import KNOWN
from fsconform.harness import completion
from fsconform.harness.configured import OfOneStore, sole
from fsconform.harness.console import WIDTH, Live, add, console_of_tables, printer, table, write_out
from fsconform.harness.inputs import OUTPUT_FILE
from fsconform.harness.interrupts import in_two_steps
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.option_groups import Commands
from fsconform.harness.output import write_json, write_whole
from fsconform.harness.plans import chosen_suites
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import DIVERGENCES, OK, Problem, ended
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import (
    Target,
    build,
    check_client,
    custom_store,
    given_contract,
    is_shipped,
    own_name,
    targets,
)
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX, Contract
from fsconform.records import gate
from fsconform.records.given import GivenError, read_bytes
from fsconform.specs.contract_writer import EMPTY, Draft, written
from fsconform.specs.contract_xml import MOST_BYTES, ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(AskedStores):
    """What the options say of the store and of the way to watch it."""

    store: str | None
    effort: Effort | None
    budget: float | None
    seed: int
    races: bool
    shards: int | None
    brief: bool = False

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
        watching = Watching(suites, self.budget, self.seed, not self.suites, effort, self.races, self.brief)
        with passing_logs("contract") as logs, Live() as live:
            setup = Setup(logs.folder, saying(live.hear, target.name), self.timeout, self.rate, self.xmx, self.profile)
            try:
                inferred = watch(target, lambda: build(target, setup), watching, live.hear)
            except (SandboxRefused, *RECOVERABLE) as error:
                raise ended(error, f"{target.name}: {error}") from error
            logs.reported(*inferred.problems, *(one.note for one in inferred.inexpressible))
            return inferred


ONE_STORE = "A built-in store, or one of the configuration file; else the only one that the file has."
_STORE = asked_as(
    Asked,
    click.option("--store", metavar="NAME", shell_complete=completion.STORES, help=ONE_STORE),
    *store_options(contract="The contract that your store declares."),
    effort_option(QUICK.level),
    budget_option(),
    click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="The seed of random programs."),
    click.option("--races", is_flag=True, help="Find by two clients at once which promises of atomicity it keeps."),
    SHARDS,
)
_OUT = click.option("--out", type=OUTPUT_FILE, metavar="FILE", help="Write there instead of to standard output.")
_JSON = click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write it as JSON too.")


@click.group("contract", cls=Commands)
def contract() -> None:
    """Show, compare, check and infer contracts."""


@contract.command("infer", cls=OfOneStore, stores=STORE_OF_A_FILE, usual=sole)
@_STORE
@_OUT
@_JSON
@in_two_steps()
def infer(asked: Asked, out: Path | None, json_file: Path | None) -> None:
    """Infer the contract that explains everything a store does, and write it as Hadoop's contract XML.

    Exit codes: 0 everything is explained; 1 something is not, by any contract; 2 usage; 3 inconclusive.
    """
    base = document(asked)
    _writable(out, json_file)
    inferred = asked.watched()
    text = written(draft(inferred), base)
    if out is None:
        write_out(text.decode())
    else:
        _write(out, text)
    listing = table("option", "declared", "inferred", "how", "evidence")
    for row in rows(inferred):
        add(listing, row.option, said(row.declared), said(row.inferred), row.status, row.evidence)
    _tell(inferred, listing, console_of_tables(WIDTH, error=out is None))
    _write_json(json_file, as_json(inferred))
    raise SystemExit(_code(inferred, not inferred.explained))


@contract.command("check", cls=OfOneStore, stores=STORE_OF_A_FILE, usual=sole)
@_STORE
@_OUT
@_JSON
@in_two_steps()
def check(asked: Asked, out: Path | None, json_file: Path | None) -> None:
    """Compare what a store declares with what it does.

    Exit codes: 0 the contract holds; 1 it says what is false or too much, or leaves out what is true, or no contract
    could say it; 2 usage; 3 inconclusive.
    """
    asked.target()
    _writable(out, json_file)
    inferred = asked.watched()
    found = rows(inferred)
    listing = table("option", "declared", "inferred", "verdict", "evidence")
    for row in found:
        verdict = row.status if row.judged == "ok" else row.judged
        add(listing, row.option, said(row.declared), said(row.inferred), verdict, row.evidence)
    wrong = not inferred.explained or any(row.judged in WRONG for row in found)
    with printer(out) as to:
        _tell(inferred, listing, to)
        source = inferred.declared.source
        to.print(f"{source}: {'it does not hold' if wrong else 'it holds'}", markup=False)
    _write_json(json_file, as_json(inferred))
    raise SystemExit(_code(inferred, wrong))


@contract.command("show")
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.option("--store", metavar="NAME", shell_complete=completion.STORES, help="A built-in store.")
@_OUT
@_JSON
def show(name: str | None, store: str | None, out: Path | None, json_file: Path | None) -> None:
    """Show every option with its kind, its value and where that comes from, and what it means."""
    if (name is None) is (store is None):
        raise Problem("name one contract: a file, a shipped one, or --store NAME")
    read = named_contract(store or name or "")
    listing = table("option", "kind", "value", "from", "true means")
    listed = []
    for option in OPTIONS.values():
        where = "declared" if option.name in read.declared else "default"
        value = read.value(option.name)
        add(listing, option.name, option.kind, said(value), where, option.statement)
        listed.append(
            {
                "option": PROPERTY_PREFIX + option.name,
                "kind": option.kind,
                "value": value,
                "from": where,
                "statement": option.statement,
            }
        )
    with printer(out) as to:
        to.print(listing)
        to.print(f"{len(read.declared)} of {len(OPTIONS)} options are declared in {read.source}", markup=False)
    _write_json(json_file, {"contract": read.source, "options": listed})


@contract.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@_OUT
@_JSON
def diff(first: str, second: str, out: Path | None, json_file: Path | None) -> None:
    """Compare the contracts A and B, each a file or the name of a store: values that differ, defaults in brackets.

    Exit codes: 0 they say the same; 1 they differ; 2 usage.
    """
    one, two = named_contract(first), named_contract(second)
    listing = table("option", "kind", one.source, two.source)
    differing = [option for option in OPTIONS.values() if one.value(option.name) != two.value(option.name)]
    for option in differing:
        add(listing, option.name, option.kind, _shown(one, option.name), _shown(two, option.name))
    with printer(out) as to:
        if differing:
            to.print(listing)
        to.print(f"{len(differing)} of {len(OPTIONS)} options differ", markup=False)
    listed = [
        {"option": PROPERTY_PREFIX + option.name, "first": one.value(option.name), "second": two.value(option.name)}
        for option in differing
    ]
    _write_json(json_file, {"first": one.source, "second": two.source, "differing": listed})
    raise SystemExit(DIVERGENCES if differing else OK)


def named_contract(name: str) -> Contract:
    """The contract of a store, a shipped one, or the one in a file. Raises Problem."""
    try:
        known = name in PRESETS or name in shipped()
        if not Path(name).exists() or (known and Path(name).is_dir()):
            if name in PRESETS:
                return load_shipped(PRESETS[name].contract)
            if "/" not in name and not name.endswith(".xml"):
                return load_shipped(name)
        return given_contract(Path(name))
    except ContractError as error:
        raise Problem(str(error)) from error


def draft(inferred: Inferred) -> Draft:
    """The inferred contract, to be written: what is decided with its evidence, the rest named at the end."""
    values, comments = {}, {}
    undecided: dict[str, list[str]] = {"kept as declared": [], "left at Hadoop's default": []}
    for name, decision in inferred.inference.decisions.items():
        if decision.status == "unobserved":
            kept = "kept as declared" if name in inferred.declared.declared else "left at Hadoop's default"
            undecided[kept].append(f"{name}={said(decision.value)}")
            continue
        values[name] = decision.value
        comments[name] = KNOWN.text(f"{decision.status}: {decision_text(decision)}")
    remarks = [f"unobserved, {how}: {', '.join(names)}" for how, names in undecided.items() if names]
    remarks += [line for one in inferred.inference.conflicts for line in conflict_lines(one)]
    remarks += [
        f"no contract allows: {one.finding.signature}{' (waived)' if one.waived else ''}"
        for one in inferred.inexpressible
    ]
    remarks.append(f"inferred from {inferred.store} by {inferred.programs} programs")
    return Draft(values, (), comments, list(map(KNOWN.text, remarks)))


def document(asked: Asked) -> bytes:
    """The XML that the store declares now, or an empty one. Raises Problem."""
    target = asked.target()
    name = asked.contract
    if name is not None and name.exists() and not is_shipped(name):
        try:
            return read_bytes(name, MOST_BYTES)
        except GivenError as error:
            raise Problem(str(error)) from error
    if name is None and target.custom is not None:
        return EMPTY
    stem = str(name) if name is not None else PRESETS[target.name].contract
    return shipped_text(stem)


def _shown(read: Contract, name: str) -> str:
    value = said(read.value(name))
    return value if name in read.declared else f"({value})"


def _tell(inferred: Inferred, listing: Table, to: Console) -> None:
    to.print(listing)
    for conflict in inferred.inference.conflicts:
        _lines(to, conflict_lines(conflict))
    for one in inferred.inexpressible:
        waived = f" (waived: {one.waived})" if one.waived else ""
        _lines(to, [f"inexpressible: {one.finding.signature}{waived}", f"  {one.finding.clause}: {told(one.program)}"])
    _lines(to, [f"problem: {one}" for one in inferred.problems])
    found = inferred.inference.decisions.values()
    decided = sum(one.status in ("observed", "not used") for one in found)
    summary = f"{inferred.store}: {decided} of {len(found)} options are decided, by {inferred.programs} programs"
    _lines(to, [summary])


def _lines(to: Console, lines: Sequence[str]) -> None:
    for line in lines:
        to.print(line, markup=False, soft_wrap=True)


def _writable(*files: Path | None) -> None:
    """Say before the work, not after it, that a file can't be written. Raises Problem."""
    for file in filter(None, files):
        if not file.absolute().parent.is_dir():
            raise Problem(f"{file}: there is no folder {file.absolute().parent}: make it first")


def _write_json(file: Path | None, content: object) -> None:
    if file is not None:
        _telling(file, lambda: write_json(file, content))


def _write(file: Path, content: bytes) -> None:
    _telling(file, lambda: write_whole(file, content))


def _telling(file: Path, write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}: choose another file") from error


def _code(inferred: Inferred, wrong: bool) -> int:
    return gate.exit_code(failing=wrong, unjudged=bool(inferred.problems))
