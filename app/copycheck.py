"""``fsconform copycheck``: is a tree that Hadoop's clients copy from one store to another, and back, the same tree?"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from fsconform.adapters import offspring
from fsconform.adapters.hadoop.session import NO_HEAP
from fsconform.adapters.jars import DEFAULT, bundled_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.stores.site import Setup, Site
from fsconform.app.options import Amount, stores_via, via_option
from fsconform.engine.copies import (
    METADATA,
    RENAMES,
    Difference,
    Entry,
    Planned,
    Verdict,
    changes,
    judge,
    judge_update,
    tree,
)
from fsconform.engine.secrecy import KNOWN
from fsconform.harness import scrubbing
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import INPUT, OUTPUT_FILE, configuration_files, java, store_uri
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.output import write_json
from fsconform.harness.presets import PRESETS, Custom, custom_connection
from fsconform.harness.problems import DIVERGENCES, OK, Inconclusive, ManyValues, Problem, ended, known
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import check_client, learn_secrets, pairs, user_jars
from fsconform.harness.versions import completed, hadoop_option
from fsconform.model.core.content import digest, of
from fsconform.reports.visible import visible

JSON_SCHEMA = 1
TOOLS = {"fileutil": "FileUtil", "distcp": "DistCp"}
"""The tools that copy, by the words of --tool."""
OF_DISTCP = ("deletes-nothing", "updates-nothing", "copies-all-again", "preserves-nothing")
FAULTS = ("drops-an-empty-file", "truncates", "flips-a-bit", "adds-a-file", "renames-a-file", *OF_DISTCP)
"""Faults of a tool that copies, to see that they are found."""
PRESERVED = {
    **{"replication": "r", "block-size": "b", "owner": "u", "group": "g", "permission": "p", "acl": "a"},
    **{"xattrs": "x", "modification-time": "t", "access-time": "t"},
}
"""The letters of DistCp's option -p for each kind of metadata."""
LISTED = 20
EQUAL = "equal in names, kinds, lengths and content"
BLOCKS = {
    "blocks-plain": "a file whose copy has blocks of another size, distcp",
    "blocks-pb": "the same, distcp -pb",
    "blocks-composite": "the same, distcp -Ddfs.checksum.combine.mode=COMPOSITE_CRC",
    "blocks-unchecked": "the same, distcp -update -skipcrccheck",
}
CLAUSE = "hdfs-paper-2010.distcp.copies"
DISREGARDED = ("fs.defaultFS",)
"""Properties that DistCp is given values of ours for."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One way of the journey: which tree was held against which. ``refused`` says why the tool did not copy."""

    name: str
    title: str
    verdict: Verdict
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """What copies: its name, the variant of it that has a seeded fault or is itself, and what it is to preserve."""

    name: str
    variant: str
    kept: tuple[str, ...]

    @property
    def preserved(self) -> str:
        """The letters of DistCp's option -p."""
        return "".join(dict.fromkeys(PRESERVED[kind] for kind in self.kept))


@click.command("copycheck", cls=ManyValues)
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@click.option("--jars", multiple=True, metavar="GLOB", help="Jars of stores of your own; they come before Hadoop's.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A property of stores of your own.")
@click.option(
    "--conf-file",
    "conf_files",
    multiple=True,
    type=INPUT,
    metavar="XML",
    help="A Hadoop configuration file; --conf wins over it.",
)
@click.option(
    "--tool",
    type=click.Choice(tuple(TOOLS)),
    default="fileutil",
    show_default=True,
    help="What copies: FileUtil.copy, or DistCp as a job, which updates the copy too.",
)
@click.option(
    "--source-hadoop",
    default="",
    metavar="VERSION",
    shell_complete=completed,
    help="The release of SRC's servers; else --hadoop.",
)
@click.option(
    "--target-hadoop",
    default="",
    metavar="VERSION",
    shell_complete=completed,
    help="The release of DST's servers; else --hadoop.",
)
@click.option("--kept", multiple=True, type=click.Choice(METADATA), help="Metadata that a copy must not lose.")
@click.option("--fault", type=click.Choice(FAULTS), help="Copy with a seeded fault, to see that it is found.")
@click.option(
    "--timeout", type=Amount(min=1), default=300.0, show_default=True, metavar="SECONDS", help="For one copy."
)
@click.option("--xmx", default="512m", show_default=True, metavar="SIZE", help="Heap of the JVM.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write what was found as JSON.")
@hadoop_option()
@via_option()
def copycheck(
    source: str,
    target: str,
    jars: tuple[str, ...],
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    tool: str,
    source_hadoop: str,
    target_hadoop: str,
    kept: tuple[str, ...],
    fault: str | None,
    timeout: float,
    xmx: str,
    json_file: Path | None,
    profile: str,
    via: str,
) -> None:
    """Copy a tree from SRC to DST and back with Hadoop's FileUtil.copy or DistCp, and compare.

    SRC and DST are built-in stores (file, hdfs, s3a, ...) or URIs of directories, in which a directory of our own is
    made and removed. Exit codes: 0 both copies are equal; 1 they are not; 2 usage; 3 it could not be tried.
    """
    for version in (profile, source_hadoop, target_hadoop):
        check_client(xmx, version)
    if fault in OF_DISTCP and tool != "distcp":
        raise Problem(f"--fault {fault}: it is a fault of DistCp: add --tool distcp")
    if fault == "preserves-nothing" and not kept:
        raise Problem("--fault preserves-nothing: nothing is to be preserved: add --kept KIND")
    configuration_files(conf_files)
    java()
    own: dict[str, Any] = {"jars": user_jars(jars), "configuration": pairs(conf), "configuration_files": conf_files}
    learn_secrets((source, target), own["configuration"], conf_files, own["jars"])
    for name in (source, target):
        if ":" in name:
            store_uri(name)
    for name, version, option in (
        (source, source_hadoop, "--source-hadoop"),
        (target, target_hadoop, "--target-hadoop"),
    ):
        if ":" in name and version:
            raise Problem(
                f"{option}: a store of your own runs what it runs: only a built-in one is started in a release"
            )
    names = tuple(name for name in (source, target) if ":" not in name)
    for name in names:
        known("store", name, [one for one in PRESETS if one not in ("local", "proving")])
    stores_via(via, names, None, PRESETS)
    plan = tree()
    with ExitStack() as stack:
        logs = stack.enter_context(passing_logs("copy"))
        setup = Setup(logs.folder, lambda text: console.print(text, markup=False), profile=profile, xmx=xmx, via=via)
        try:
            sites = [
                _site(name, own, replace(setup, profile=version or profile), stack)
                for name, version in ((source, source_hadoop), (target, target_hadoop))
            ]
            told = _carried_out(sites, setup, plan, Tool(TOOLS[tool], fault or TOOLS[tool], kept), timeout, logs.folder)
            logs.reported(told["failed"])
        except RECOVERABLE as error:
            raise ended(error, scrubbing.uri(str(error))) from error
    told = scrubbing.hidden(told)
    if told["failed"]:
        raise Inconclusive(f"not tried: {visible(told['failed'])}")
    legs = [*_legs(plan, told["trees"], kept, TOOLS[tool]), *_further_legs(told)]
    _write(json_file, (scrubbing.uri(source), scrubbing.uri(target)), TOOLS[tool], kept, told, legs)
    _tell(legs, told["not_copied"], TOOLS[tool])
    failing = told["not_copied"] or any(leg.verdict.differences for leg in legs)
    raise SystemExit(DIVERGENCES if failing else OK)


def _site(name: str, own: Mapping[str, Any], setup: Setup, stack: ExitStack) -> Site:
    """The store of a name or a URI, brought up where that is ours to do."""
    if ":" in name:
        return custom_connection("custom", Custom(name, **own))
    site = PRESETS[name].bring_up(PRESETS[name], setup)
    stack.callback(site.close)
    return site


def _carried_out(
    sites: list[Site], setup: Setup, plan: tuple[Planned, ...], tool: Tool, timeout: float, logs: Path
) -> dict[str, Any]:
    """What the process that copies says. Raises what keeps a store from being reached, or Inconclusive."""
    java = find_java()
    groups = {site.connection.group for site in sites}
    classpath = [jar for site in sites for jar in site.connection.jars]
    if tool.name == "DistCp":
        _one_configuration(sites)
        classpath += resolve(bundled_profile(f"distcp-{setup.profile or DEFAULT}"), ("tool",), setup.say)
    classpath += setup.jars("s3a" if "s3a" in groups else "client")
    ends = [
        {
            "uri": site.connection.uri,
            "configuration": site.connection.configuration,
            "configuration_files": [str(file.absolute()) for file in site.connection.configuration_files],
        }
        for site in sites
    ]
    scratch = logs / "copying"
    scratch.mkdir()
    order = {
        "source": ends[0],
        "target": ends[1],
        "name": f"fsconform-copy-{secrets.token_hex(6)}",
        "tree": [asdict(one) for one in plan],
        "changes": [asdict(one) for one in changes()],
        "renames": RENAMES,
        "tool": tool.name,
        "copier": tool.variant,
        "preserved": tool.preserved,
        "scratch": str(scratch),
        "libjvm": str(java.libjvm),
        "jvm_arguments": [f"-Xmx{setup.xmx}", "-Xrs", "-XX:-UsePerfData", "-Dfile.encoding=UTF-8"],
        "class_path": list(map(str, dict.fromkeys(classpath))),
    }
    result = scratch / "result.json"
    mark = offspring.mark()
    environment = {name: value for name, value in os.environ.items() if name != "CLASSPATH"}
    environment |= {"LC_ALL": "C.UTF-8", offspring.VARIABLE: mark}
    reader, writer = os.pipe()
    listening = threading.Thread(target=_learn, args=(reader,), daemon=True)
    command = [sys.executable, "-m", "fsconform.adapters.hadoop.copying", str(writer), str(result)]
    try:
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(writer,),
        ) as process:
            os.close(writer)
            listening.start()
            try:
                said = process.communicate(json.dumps(order).encode(), timeout)[1].decode("utf-8", "replace")
            except BaseException:
                process.kill()
                raise
    except subprocess.TimeoutExpired as error:
        raise Inconclusive(f"not tried: nothing was said for {timeout:g} s: raise --timeout") from error
    finally:
        offspring.end(mark)
    listening.join(1)
    try:
        told: dict[str, Any] = json.loads(result.read_text("utf-8", "surrogatepass"))
    except (OSError, ValueError) as error:
        words = " | ".join(said.strip().splitlines()[-5:])
        if NO_HEAP.search(said):
            raise Problem(f"no JVM could be started: {visible(words)}: choose another --xmx") from error
        raise Inconclusive(f"not tried: the process ended with {process.returncode}: {visible(words)}") from error
    return told


def _one_configuration(sites: list[Site]) -> None:
    """DistCp takes one configuration. Raises Problem where two stores set a property to different values."""
    one, other = (site.connection.configuration for site in sites)
    apart = sorted(name for name in one.keys() & other.keys() if one[name] != other[name] and name not in DISREGARDED)
    if apart:
        names = ", ".join(apart)
        raise Problem(f"--tool distcp: it takes one configuration, and the two stores set {visible(names)} differently")


def _learn(reader: int) -> None:
    """Note the secrets that the process tells."""
    with os.fdopen(reader, encoding="utf-8") as lines:
        for line in lines:
            KNOWN.learn(json.loads(line))


def _legs(
    plan: tuple[Planned, ...], trees: Mapping[str, list[dict[str, Any]]], kept: tuple[str, ...], tool: str
) -> list[Leg]:
    """Each tree of the way there and back that there is, held against the one it came from."""
    read = {name: _entries(rows) for name, rows in trees.items()}
    # With DistCp the copy is updated before it is copied back.
    latest = read.get("updated", []) if tool == "DistCp" else read.get("original", [])
    wanted = [Entry(one.path, one.directory, one.length, "" if one.directory else _digest(one)) for one in plan]
    found = []
    for name, title, original, keep in (
        ("original", "what SRC shows of what was written", wanted, ()),
        ("copy", "the copy in DST", read.get("original", []), kept),
        ("back", "the copy of the copy, back in SRC", latest, kept),
    ):
        if name in read:
            found.append(Leg(name, title, judge(original, read[name], keep)))
    return found


def _entries(rows: list[dict[str, Any]]) -> list[Entry]:
    return [Entry(**row) for row in rows]


def _further_legs(told: Mapping[str, Any]) -> list[Leg]:
    """What DistCp does beside copying a tree there and back."""
    read = {name: _entries(rows) for name, rows in told["trees"].items()}
    found = []
    if "updated" in read:
        verdict = judge_update(read["changed"], read["before"], read["updated"])
        found.append(Leg("updated", "the copy after changes and distcp -update -delete", verdict))
    for name, title in BLOCKS.items():
        if name in read:
            refused = told["refused"].get(name, "")
            found.append(Leg(name, title, _of_blocks(name, read["blocks"], read[name], refused), refused))
    if "synced" in read:
        verdict = judge(read["snapshot"], read["synced"])
        found.append(Leg("synced", "the copy after distcp -update -diff of two snapshots", verdict))
    return found


def _of_blocks(name: str, original: list[Entry], copy: list[Entry], refused: str) -> Verdict:
    """Blocks of another size: a plain copy may be refused, and then leaves nothing; another way must copy."""
    if not refused:
        return judge(original, copy)
    present = [one for one in judge([], copy).differences if one.copy != "a directory"]
    if name != "blocks-plain":
        present.append(Difference(original[0].path, "not-copied", "", refused))
    return Verdict(tuple(present), {})


def _digest(one: Planned) -> str:
    return digest(of(one.seed, one.length)) or ""


def _tell(legs: list[Leg], not_copied: str, tool: str) -> None:
    for leg in legs:
        differences = leg.verdict.differences
        state = f"{len(differences)} differences" if differences else EQUAL
        if leg.refused and not differences:
            state = f"refused, and nothing left behind: {visible(leg.refused)}"
        plain.print(f"{leg.title}: {state}", markup=False)
        for one in differences[:LISTED]:
            change = f": {visible(one.original)} -> {visible(one.copy)}" if one.original or one.copy else ""
            plain.print(f"  {one.what}: {visible(one.path)}{change}", markup=False)
        if len(differences) > LISTED:
            plain.print(f"  and {len(differences) - LISTED} more", markup=False)
        if leg.verdict.left:
            left = ", ".join(map(visible, leg.verdict.left))
            plain.print(f"  left with other bytes of the same length, as no checksums compare: {left}", markup=False)
        if leg.verdict.lost:
            lost = ", ".join(f"{kind} ({count})" for kind, count in sorted(leg.verdict.lost.items()))
            plain.print(f"  lost, as declared of {tool}: {lost}", markup=False)
    if tool == "DistCp" and (not_copied or any(leg.verdict.differences for leg in legs)):
        plain.print(f"clause: {CLAUSE}", markup=False)
    if not_copied:
        plain.print(f"not copied: {visible(not_copied)}", markup=False)


def _write(
    file: Path | None,
    ends: tuple[str, str],
    tool: str,
    kept: tuple[str, ...],
    told: Mapping[str, Any],
    legs: list[Leg],
) -> None:
    if file is None:
        return
    document = {
        "schema": JSON_SCHEMA,
        "source": ends[0],
        "target": ends[1],
        "tool": tool,
        "kept": list(kept),
        "versions": told["versions"],
        "not_copied": told["not_copied"],
        "legs": [{"name": leg.name, "title": leg.title, "refused": leg.refused, **asdict(leg.verdict)} for leg in legs],
    }
    try:
        write_json(file, document, sort_keys=True)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}: choose another file with --json") from error
