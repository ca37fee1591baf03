"""``fsconform spec check``, ``spec traces`` and ``spec doctor``: the formal side at the command line."""

from __future__ import annotations

import datetime
import hashlib
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any

import click

from fsconform.adapters.checkers.apalache import STACK
from fsconform.adapters.checkers.tools import (
    APALACHE_HOME,
    APALACHE_TESTED,
    Apalache,
    NoTool,
    Tlc,
    find_apalache,
    find_tlc,
)
from fsconform.app.formal import checking, figures
from fsconform.app.formal.checking import CHECK_SECONDS, SYMBOLIC_LENGTH, Checked, Sum, run_symbolic
from fsconform.app.formal.traces import check_trace
from fsconform.harness.console import add, console, plain, printer, table
from fsconform.harness.inputs import INPUT, OUTPUT_FILE, Named
from fsconform.harness.option_groups import Grouped
from fsconform.harness.output import write_json
from fsconform.harness.problems import DIVERGENCES, INCONCLUSIVE, OK, Inconclusive, Problem, ended
from fsconform.specs import formal
from fsconform.specs.contract_xml import closest
from fsconform.specs.formal import SIZES, Check

NOT_RUN = "not run"


@click.command("check", cls=Grouped)
@click.argument("modules", nargs=-1, metavar="[MODULE]...")
@click.option(
    "--with",
    "tool",
    type=click.Choice(("tlc", "apalache")),
    default="tlc",
    show_default=True,
    help="The model checker.",
)
@click.option("--bounds", type=click.Choice(SIZES), default="middle", show_default=True, help="How far checks may go.")
@click.option("--trace", type=INPUT, metavar="ITF", help="Check instead that a trace is allowed.")
@click.option("--contract", type=INPUT, metavar="XML", help="The contract of --trace.")
@click.option("--apalache", "command", type=INPUT, metavar="FILE", help="The command apalache-mc.")
@click.option("--inductive", is_flag=True, help="Only what begins in every state of the invariant.")
@click.option("--length", type=click.IntRange(min=0), default=SYMBOLIC_LENGTH, show_default=True, help="With apalache.")
@click.option(
    "--stack",
    type=click.IntRange(min=1, max=4096),
    default=STACK,
    show_default=True,
    metavar="MB",
    help="Of each thread of apalache.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=CHECK_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="For one check.",
)
@click.option("--jobs", type=click.IntRange(min=1, max=64), default=2, show_default=True, help="Checks run at once.")
@click.option("--unless-known", is_flag=True, help="Do nothing if these modules and this model were checked before.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the outcome as JSON.")
def check(
    modules: tuple[str, ...],
    tool: str,
    bounds: str,
    trace: Path | None,
    contract: Path | None,
    command: Path | None,
    inductive: bool,
    length: int,
    stack: int,
    timeout: float,
    jobs: int,
    unless_known: bool,
    json_file: Path | None,
) -> None:
    """Check the TLA+ modules, or checks of them by name, and compare transitions with the reference model's.

    Exit codes: 0 all came out as it must; 1 something did not; 2 usage; 3 a tool is not here, or did not get to an end.
    """
    if trace is not None:
        if modules:
            raise Problem("--trace is checked against module Namespace: leave MODULE out")
        check_trace(trace, contract, timeout)
        return
    if contract is not None:
        raise Problem("--contract goes with --trace: each check has a contract of its own")
    if unless_known and (known := figures.kept()) is not None:
        console.print(f"checked before, with {known.tool}: {known.transitions:,} transitions compared", markup=False)
        raise SystemExit(OK)
    wanted = _wanted(modules, bounds)
    if inductive:
        wanted = tuple(one for one in wanted if one.inductive)
        if not wanted:
            raise Problem("--inductive: none of these checks begins in every state of an invariant: leave MODULE out")
    if tool == "apalache":
        _check_symbolically(wanted, command, length, stack, timeout, json_file)
    else:
        _check_with_tlc(wanted, timeout, jobs, json_file)


def _wanted(names: tuple[str, ...], bounds: str) -> tuple[Check, ...]:
    if not names:
        return checking.sized(bounds)
    known = formal.checks()
    all_names = (*formal.VIEWS, *known)
    for name in names:
        if name not in all_names:
            raise Problem(f"no module or check {name!r}{closest(name, all_names)}")
    return tuple(
        one for one in known.values() if one.name in names or (one.module in names and one in checking.sized(bounds))
    )


def _check_with_tlc(wanted: tuple[Check, ...], timeout: float, jobs: int, json_file: Path | None) -> None:
    try:
        tool = find_tlc()
    except NoTool as error:
        _save(json_file, {"tool": "TLC", "not_run": [str(error)], "checks": []})
        raise ended(error, f"{NOT_RUN}: {error}") from error
    try:
        checked = checking.run_all(tool, wanted, timeout, _tell, jobs)
    except OSError as error:
        raise Inconclusive(f"{NOT_RUN}: {tool.jar}: {error}") from error
    total = Sum()
    for one in checked:
        total.add(one)
    with printer() as to:
        listing = table("check", "states", "generated", "seconds", "result", "what")
        for one in checked:
            counts = (f"{one.outcome.distinct:,}", f"{one.outcome.generated:,}", f"{one.outcome.seconds:.1f}")
            add(listing, one.check.name, *counts, _result(one), one.check.statement)
        to.print(listing)
        for one in checked:
            for reason in (*one.wrong, *one.doubts):
                to.print(f"{one.check.name}: {reason}", markup=False, soft_wrap=True)
        to.print()
        to.print(f"{tool.version} on Java {tool.java.version}", markup=False)
        to.print(f"equality: {total}" if total.contracts else "equality: nothing was compared", markup=False)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    if all(one.right for one in checked):
        figures.keep(figures.record(checked, tool.version, date))
    _save(json_file, _told(tool, checked, total))
    raise SystemExit(_code(checked))


def _tell(one: Checked) -> None:
    console.print(f"{one.check.name}: {_result(one)} ({one.outcome.seconds:.1f} s)", markup=False)


def _result(one: Checked) -> str:
    if one.doubts:
        return one.outcome.ending
    if one.wrong:
        return "WRONG"
    if one.check.fault:
        return "fault found"
    return "known divergence" if one.check.divergence else "holds"


def _code(checked: list[Checked]) -> int:
    if any(one.wrong for one in checked):
        return DIVERGENCES
    return INCONCLUSIVE if any(one.doubts for one in checked) else OK


def _told(tool: Tlc, checked: list[Checked], total: Sum) -> dict[str, Any]:
    return {
        "tool": tool.version,
        "java": tool.java.version,
        "not_run": [],
        "checks": [_row(one) for one in checked],
        "equality": {
            "transitions": total.transitions,
            "states": total.states,
            "contracts": list(total.contracts),
            "modules": list(total.modules),
            "differences": total.differences,
        },
    }


def _row(one: Checked) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": one.check.name,
        "module": one.check.module,
        "statement": one.check.statement,
        "constants": formal.all_constants(one.check, {}),
        "contract": one.check.contract,
        "properties": {name: formal.clauses()[name] for name in (*one.check.invariants, *one.check.properties)},
        "result": _result(one),
        "ending": one.outcome.ending,
        "exit_code": one.outcome.exit_code,
        "distinct": one.outcome.distinct,
        "generated": one.outcome.generated,
        "seconds": round(one.outcome.seconds, 3),
        "wrong": list(one.wrong),
        "doubts": list(one.doubts),
    }
    if one.check.divergence:
        row["divergence"] = one.check.divergence
    if one.equality is not None:
        row["transitions"], row["differences"] = one.equality.transitions, one.equality.differences
    return row


def _check_symbolically(
    wanted: tuple[Check, ...], command: Path | None, length: int, stack: int, timeout: float, json_file: Path | None
) -> None:
    try:
        tool = find_apalache(command)
    except NoTool as error:
        _save(json_file, {"tool": "Apalache", "not_run": [str(error)], "checks": []})
        raise Inconclusive(f"{NOT_RUN}: {error}") from error
    rows = []
    code = OK
    for one in wanted:
        if not one.invariants or one.goals:
            continue
        outcome, right = run_symbolic(tool, one, length, timeout, stack)
        result = "as it must" if right else "WRONG" if outcome.decided else outcome.ending
        console.print(f"{one.name}: {result} ({outcome.seconds:.1f} s)", markup=False)
        if not outcome.decided:
            console.print(f"  {outcome.told}", markup=False, soft_wrap=True)
        rows.append(
            {
                "name": one.name,
                "result": result,
                "ending": outcome.ending,
                "exit_code": outcome.exit_code,
                "meaning": outcome.meaning,
                "reason": outcome.reason,
            }
        )
        worse = OK if right else DIVERGENCES if outcome.decided else INCONCLUSIVE
        code = worse if code != DIVERGENCES and worse != OK else code
    _save(json_file, {"tool": f"Apalache {tool.version}", "not_run": [], "length": length, "checks": rows})
    raise SystemExit(code)


@click.command("doctor")
@click.option("--apalache", "command", type=INPUT, metavar="FILE", help="The command apalache-mc.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the outcome as JSON.")
def doctor(command: Path | None, json_file: Path | None) -> None:
    """Say which model checkers are here, where, and in which versions. Exit code 3 if TLC is not."""
    told: dict[str, dict[str, str]] = {}
    code = OK
    try:
        tlc: Tlc = find_tlc()
        told["tlc"] = {"version": tlc.version, "place": str(tlc.jar), "java": f"{tlc.java.version}, {tlc.java.source}"}
    except NoTool as error:
        told["tlc"] = {NOT_RUN: str(error)}
        code = INCONCLUSIVE
    try:
        found: Apalache = find_apalache(command)
        told["apalache"] = {"version": found.version, "place": str(found.command), "source": found.source}
    except NoTool as error:
        told["apalache"] = {NOT_RUN: str(error)}
    with printer() as to:
        for name, facts in told.items():
            to.print(
                f"{name:10} " + "; ".join(f"{key} {value}" for key, value in facts.items()),
                markup=False,
                soft_wrap=True,
            )
        known = figures.kept()
        checked = f"{known.transitions:,} transitions compared on {known.date} with {known.tool}" if known else NOT_RUN
        to.print(f"{'equality':10} {checked}", markup=False)
    _save(json_file, told)
    raise SystemExit(code)


def _save(file: Path | None, table: dict[str, Any]) -> None:
    if file is None:
        return
    try:
        write_json(file, table)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}: choose another file") from error


RELEASES = "https://github.com/apalache-mc/apalache/releases/download"
SECONDS = 120.0
CHUNK = 1 << 20


@click.command("fetch-apalache")
@click.option(
    "--sha256", required=True, metavar="HEX", help="The checksum that the release's page gives for the archive."
)
@click.option(
    "--version", default=APALACHE_TESTED, show_default=True, metavar="VERSION", help="The release of Apalache."
)
@click.option("--url", default="", metavar="URL", help="Another place of the archive apalache.tgz.")
@click.option("--to", type=Named(read=False, folder=True), help="By default a folder in the cache.")
def fetch_apalache(sha256: str, version: str, url: str, to: Path | None) -> None:
    """Fetch Apalache, verify it, unpack it, and say how to use it. Needs a network; nothing else here fetches it."""
    wanted = sha256.strip().lower()
    if len(wanted) != hashlib.sha256().digest_size * 2 or not set(wanted) <= set("0123456789abcdef"):
        raise Problem(f"--sha256 {sha256!r}: 64 hexadecimal digits, as the release's page gives them for apalache.tgz")
    home = to or figures.folder() / f"apalache-{version}"
    source = url or f"{RELEASES}/v{version}/apalache.tgz"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:
            found = _fetch(source, file)
            if found != wanted:
                raise Problem(f"{source}: its SHA-256 is {found}, and not {wanted}: nothing was unpacked")
            file.seek(0)
            with tarfile.open(fileobj=file, mode="r:gz") as archive:
                archive.extractall(home, filter="data")
    except urllib.error.URLError as error:
        raise Inconclusive(f"{source}: {error.reason}: is there a network?") from error
    except (OSError, tarfile.TarError) as error:
        raise Inconclusive(f"{home}: {error}") from error
    command = next(iter(sorted(home.rglob("bin/apalache-mc"))), None)
    if command is None:
        raise Inconclusive(f"{source}: the archive has no bin/apalache-mc")
    plain.print(f"export {APALACHE_HOME}={command.parent.parent}", markup=False, soft_wrap=True)


def _fetch(source: str, file: IO[bytes]) -> str:
    """Fetch to a file; the SHA-256 in hexadecimal. Raises URLError or OSError."""
    sha = hashlib.sha256()
    console.print(f"fetching {source}", markup=False)
    with urllib.request.urlopen(source, timeout=SECONDS) as answer:
        while piece := answer.read(CHUNK):
            sha.update(piece)
            file.write(piece)
    return sha.hexdigest()
