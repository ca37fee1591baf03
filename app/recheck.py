"""``fsconform recheck``: judge what was recorded: traces of campaigns, HDFS audit logs, or calls of applications."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

import click
import msgspec

from fsconform.engine.audit.effects import Assumptions
from fsconform.engine.audit.judge import AuditJudge, Flag, Tally
from fsconform.engine.audit.lines import MOST_CHARACTERS, entries
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Failing, Waiver, WaiverError, load
from fsconform.harness import inputs
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import INPUT, OUTPUT_FILE
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.output import write_json
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import Inconclusive, ManyValues, Problem
from fsconform.harness.recordings import recheck as recheck_recordings
from fsconform.harness.targets import given_contract, given_waivers, learn_secrets, pairs, targets, user_jars
from fsconform.records import gate
from fsconform.records.given import GivenError, open_regular
from fsconform.reports.visible import visible
from fsconform.specs.contract_xml import ContractError
from fsconform.suites.registry import SUITES

FORMATS = ("traces", "hdfs-audit", "recording")
ASSUMED = {
    "no-path-handles": "no_path_handles",
    "no-half-done-calls": "no_half_done_calls",
    "clients-in-order": "clients_in_order",
    "from-empty": "from_empty",
}
"""What a user may rule out of an audit log, and the assumption it is."""

JSON_SCHEMA = 1
SHOWN = 20
"""Lines that are not whole, of which each is named."""


@click.command("recheck", cls=ManyValues)
@click.argument("sources", nargs=-1, required=True, metavar="TRACES|LOG|RECORDING...")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="traces",
    show_default=True,
    help="What is named: traces of runs and campaigns, an audit log of HDFS, or recordings of `fsconform record`.",
)
@click.option("--contract", "contracts", multiple=True, type=INPUT, metavar="XML",
              help="Judge by this contract; given twice, the two are compared.")  # fmt: skip
@click.option("--waivers", "waiver_files", multiple=True, type=INPUT, metavar="TOML",
              help="What is accepted of recordings, or of the stores of TRACES beside what is shipped.")  # fmt: skip
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Spark's master.")
@click.option("--spark-conf", multiple=True, metavar="NAME=VALUE", help="A property of Spark.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A Hadoop property that TRACES needs.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars that TRACES needs.")
@click.option("--assume", "assumed", multiple=True, type=click.Choice(tuple(ASSUMED)), help="Of an audit log.")
@click.option("--in-flight", type=click.IntRange(1, 1000), metavar="N", show_default="10",
              help="Of an audit log: so many calls the NameNode works on at once.")  # fmt: skip
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write what was found as JSON.")
def recheck(
    sources: tuple[str, ...],
    kind: str,
    contracts: tuple[Path, ...],
    waiver_files: tuple[Path, ...],
    master: str,
    spark_conf: tuple[str, ...],
    conf: tuple[str, ...],
    jars: tuple[str, ...],
    assumed: tuple[str, ...],
    in_flight: int | None,
    json_file: Path | None,
) -> None:
    """Judge recorded traces, or a log, anew.

    Exit codes: 0 no verdict changes and nothing fails that no waiver accepts, or no line is flagged; 1 otherwise;
    2 usage; 3 something could not be judged.
    """
    if kind == "recording":
        if spark_conf or conf or jars or assumed or in_flight:
            raise Problem("of a recording: of the options of judging --contract and --waivers alone are for it")
        raise SystemExit(_recordings(tuple(map(Path, sources)), contracts, waiver_files, json_file))
    if len(sources) > 1:
        raise Problem("name one folder of traces, or one audit log: several are for --format recording")
    (source,) = sources
    if kind == "hdfs-audit":
        if contracts or waiver_files or spark_conf or conf or jars:
            raise Problem(
                "--contract, --waivers, --spark-conf, --conf and --jars are for traces: an audit log needs none of them"
            )
        made = Assumptions(**{ASSUMED[name]: True for name in assumed})
        if in_flight:
            made = replace(made, in_flight=in_flight)
        raise SystemExit(_audit(Path(source), made, json_file))
    if assumed or in_flight:
        raise Problem("--assume and --in-flight are for audit logs: add --format hdfs-audit")
    if len(contracts) > 2:
        raise Problem("--contract: give one contract, or two to compare")
    raise SystemExit(_traces(source, contracts, waiver_files, master, spark_conf, conf, jars, json_file))


def _recordings(
    sources: tuple[Path, ...], contracts: tuple[Path, ...], waiver_files: tuple[Path, ...], json_file: Path | None
) -> int:
    if len(contracts) > 1:
        raise Problem("--contract: give one contract for a recording")
    try:
        contract = given_contract(contracts[0]) if contracts else None
    except ContractError as error:
        raise Problem(str(error)) from error
    _readable(waiver_files)
    found = recheck_recordings(sources, contract)
    found.waive(_given(waiver_files, found.names))
    _write(json_file, msgspec.to_builtins(found.document()))
    for flag in found.flagged:
        if flag.place in found.accepted:
            continue
        beside = f", beside {', '.join(map(found.place, flag.beside))}" if flag.beside else ""
        options = f"; allowed with {', '.join(flag.options)}" if flag.options else ""
        text = f"{found.place(flag.place)}: {flag.verdict} of {flag.clause}: {flag.call}: {flag.observed}{beside}"
        text = f"{text}; expected: {flag.expected}{options}; signature: {flag.signature}"
        plain.print(visible(text), markup=False, soft_wrap=True)
    for text in (*found.incomplete, *(f"waiver {problem}" for problem in found.waiver_problems)):
        plain.print(visible(text), markup=False, soft_wrap=True)
    for name, tally in found.stores.items():
        text = f"{name}: {tally.calls} calls, {tally.judged} judged, {tally.learned} learned from, "
        text += f"{tally.unjudged} not judged; {tally.overlapping} by their orders, {tally.given_up} given up; "
        waived = sum(flag.place in found.accepted for flag in tally.flagged)
        text += f"{len(tally.flagged)} flagged" + (f", {waived} of them waived" if waived else "")
        console.print(visible(text), markup=False, soft_wrap=True)
        known = ", ".join(f"{quirk} ({times})" for quirk, times in sorted(tally.quirks.items()))
        if known:
            console.print(visible(f"{name}: known bugs that were met: {known}"), markup=False, soft_wrap=True)
    if not found.stores:
        console.print("there is no call in these recordings", markup=False, soft_wrap=True)
    torn = bool(found.incomplete) or not found.stores
    verdicts = {found.verdict(flag) for flag in found.flagged}
    return gate.of_verdicts(verdicts, changed=bool(found.waiver_problems), problems=torn)


def _texts(log: IO[str], file: Path) -> Iterator[str]:
    """The lines of a log, no longer than is read of one. Raises Problem where it can't be read on."""
    try:
        while text := log.readline(MOST_CHARACTERS + 1):
            yield text
            while len(text) > MOST_CHARACTERS and not text.endswith("\n"):
                text = log.readline(MOST_CHARACTERS + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Problem(f"{file}: can't be read whole: {error}: copy the log again") from error


def _audit(file: Path, assumptions: Assumptions, json_file: Path | None) -> int:
    damaged: list[int] = []
    other = [0]
    judge = AuditJudge(assumptions)
    try:
        with open_regular(file) as data, _unpacked(data, file) as log:
            tally = judge.follow(entries(_texts(log, file), damaged, other))
    except GivenError as error:
        raise Problem(f"{error}: name an HDFS audit log") from error
    if not tally.entries:
        raise Problem(f"{file}: none of its {other[0]} lines is of an HDFS audit log (allowed=… ugi=… cmd=…)")
    _write(json_file, _audit_json(file, assumptions, tally, damaged, other[0]))
    for flag in tally.flags:
        plain.print(visible(f"{file}:{flag.line}: {flag.why}"), markup=False, soft_wrap=True)
    for flag in tally.explained:
        text = f"{file}:{flag.line}: {flag.why}; what line {flag.due_to} did in truth can explain it"
        plain.print(visible(text), markup=False, soft_wrap=True)
    for number in damaged[:SHOWN]:
        plain.print(
            visible(f"{file}:{number}: this line is not whole; all that was known is forgotten there"),
            markup=False,
            soft_wrap=True,
        )
    if damaged:
        more = f", of which the first {SHOWN} are named" if len(damaged) > SHOWN else ""
        console.print(
            f"{len(damaged)} lines are not whole{more}: not everything could be judged", markup=False, soft_wrap=True
        )
    if tally.unheard_of:
        names = ", ".join(f"{name} ({times})" for name, times in sorted(tally.unheard_of.items()))
        console.print(visible(f"commands that are not known, and tell nothing: {names}"), markup=False, soft_wrap=True)
    console.print(
        f"{tally.entries} entries, {tally.telling} of them telling; {len(tally.flags)} flagged, "
        f"{len(tally.explained)} explained by flagged ones; {tally.given_up} too intricate to judge; "
        f"{len(damaged)} lines not whole, {other[0]} of other loggers",
        markup=False,
        soft_wrap=True,
    )
    return gate.exit_code(failing=bool(tally.flags), unjudged=bool(damaged))


def _unpacked(data: BinaryIO, file: Path) -> IO[str]:
    """The text of a log; a byte that is no UTF-8 becomes a lone surrogate, which no escape of a name is."""
    unpacked: Any = gzip.GzipFile(fileobj=data) if file.suffix == ".gz" else data
    return io.TextIOWrapper(unpacked, "utf-8", "surrogateescape", newline="\n")


def _audit_json(file: Path, assumptions: Assumptions, tally: Tally, damaged: list[int], other: int) -> dict[str, Any]:
    def told(flags: list[Flag]) -> list[dict[str, Any]]:
        return [asdict(flag) for flag in flags]

    counts = {name: value for name, value in asdict(tally).items() if name not in ("flags", "explained")}
    return {
        "schema": JSON_SCHEMA,
        "format": "hdfs-audit",
        "log": str(file),
        "assumptions": asdict(assumptions),
        "flagged": told(tally.flags),
        "explained": told(tally.explained),
        "damaged": damaged,
        "other_lines": other,
        "counts": counts,
    }


def _write(file: Path | None, document: dict[str, Any]) -> None:
    if file is None:
        return
    try:
        write_json(file, document, sort_keys=True)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}: choose another file with --json") from error


def _readable(files: tuple[Path, ...]) -> None:
    """Raises Problem for a file that holds no waivers; which stores they may name is not known yet."""
    try:
        for file in files:
            load(file)
    except WaiverError as error:
        raise Problem(str(error)) from error


def _given(files: tuple[Path, ...], stores: Iterable[str]) -> tuple[Waiver, ...]:
    """The waivers of files, for stores that traces are of among others. Raises Problem."""
    try:
        return given_waivers(files, *stores)
    except WaiverError as error:
        raise Problem(str(error)) from error


def _terms(store: str, files: tuple[Path, ...], given: tuple[Waiver, ...]) -> Terms:
    """What holds for a store of traces, which is known by its name alone: a built-in one has its shipped waivers."""
    if store not in PRESETS:
        return Terms(store, given)
    (target,) = targets((store,), None, "", None, None, files, SUITES)
    return Terms(store, target.waivers)


def _traces(
    source: str,
    contracts: tuple[Path, ...],
    waiver_files: tuple[Path, ...],
    master: str,
    spark_conf: tuple[str, ...],
    conf: tuple[str, ...],
    jars: tuple[str, ...],
    json_file: Path | None,
) -> int:
    from fsconform.pipeline.checking import check_files
    from fsconform.pipeline.depot import Depot, DepotError, HadoopDepot, LocalDepot, Place
    from fsconform.pipeline.layout import MarkerError, stores_of
    from fsconform.pipeline.recheck import RECORDED, RecheckError, RecheckFailed, Side, markers, recheck
    from fsconform.pipeline.schema import SchemaError
    from fsconform.pipeline.session import SparkTrouble, session

    try:
        given = [Side(str(path), dict(given_contract(path).declared)) for path in contracts]
    except ContractError as error:
        raise Problem(str(error)) from error
    sides = given or [Side("the contract of each trace")]
    _readable(waiver_files)
    inputs.place("the campaign", source)
    place = Place(source, pairs(conf), tuple(map(str, user_jars(jars))))
    learn_secrets((source,), {**place.configuration} | pairs(spark_conf, "--spark-conf"), (), map(Path, place.jars))
    if place.local is not None and not place.local.is_dir():
        raise Problem(f"{source}: no such folder: name one that `fsconform campaign --out` wrote to")
    properties = pairs(spark_conf, "--spark-conf") | {
        f"spark.hadoop.{name}": value for name, value in place.configuration.items()
    }
    if place.jars:
        properties["spark.jars"] = ",".join(Path(jar).as_uri() for jar in place.jars)
    with passing_logs("recheck") as logs:
        try:
            local = LocalDepot(place.local) if place.local is not None else None
            chosen = markers(local) if local is not None else []
            own = _given(waiver_files, stores_of(chosen)) if local is not None else ()
            needed = RECORDED if len(sides) > 1 else (*RECORDED, "verdicts")
            if local is not None:
                check_files(local, chosen, needed)
            with session(master, properties, logs.folder) as spark:
                if local is None:
                    depot: Depot = HadoopDepot(spark._jvm, spark._jsc.hadoopConfiguration(), place.uri)
                    chosen = markers(depot)
                    own = _given(waiver_files, stores_of(chosen))
                    check_files(depot, chosen, needed)
                found = recheck(spark, place, chosen, sides)
            logs.reported(*found.problems)
        except DepotError as error:  # which names the place, and the file in it
            raise Problem(str(error)) from error
        except (MarkerError, RecheckError, SchemaError) as error:
            raise Problem(f"{source}: {error}") from error
        except SparkTrouble as error:
            raise Inconclusive(str(error)) from error
        except RecheckFailed as error:
            raise Inconclusive(f"{source}: {error}") from error
    terms = {store: _terms(store, waiver_files, own) for store in {row["store"] for row in found.signatures}}
    waivers = [
        terms[row["store"]].accepting(row["signature"], Failing(frozenset(row["traits"]))) for row in found.signatures
    ]
    before = given[0].name if len(given) == 2 else "recorded"
    document = {"schema": JSON_SCHEMA, "format": "traces", "traces": source, "before": before, "after": sides[-1].name}
    with_waivers = zip(found.signatures, waivers, strict=True)
    accepted = [row | {"waiver": waiver.reason} for row, waiver in with_waivers if waiver is not None]
    _write(json_file, document | asdict(found) | {"accepted": accepted})
    for row in found.changes:
        change = f"{row['before'] or 'nothing'} -> {row['after'] or 'nothing'}"
        line = f"{row['store']}: {change}: {row['signature']} ({row['clause']}), {row['sights']} times"
        plain.print(visible(line), markup=False, soft_wrap=True)
    for problem in found.problems:
        console.print(visible(f"{source}: {problem}"), markup=False, soft_wrap=True)
    verdicts = ", ".join(f"{row['store']} {row['verdict']} {row['signatures']}" for row in found.verdicts) or "none"
    console.print(
        f"{found.programs} programs, {found.operations} operations and {found.probes} probes judged anew; "
        f"signatures by verdict: {verdicts}; {len(found.changes)} changes; "
        f"{len(accepted)} accepted by waivers",
        markup=False,
        soft_wrap=True,
    )
    taken = Counter((row["store"], row["verdict"]) for row in accepted)
    met = {row["verdict"] for row in found.verdicts if row["signatures"] > taken[row["store"], row["verdict"]]}
    return gate.of_verdicts(met, changed=bool(found.changes), problems=bool(found.problems))
