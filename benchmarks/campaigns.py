"""What the benchmarks of campaigns share: the command as a process, and the plain engine on the same programs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns.programs import enumerated_total, programs
from fsconform.app.campaigns.units import EachTraceJudge
from fsconform.engine import exploration
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.engine.exploration import Plan, explore
from fsconform.engine.explorers import from_list
from fsconform.engine.process import collect_seldom
from fsconform.harness.targets import Target, build, targets
from fsconform.pipeline.units import Unit, cut
from fsconform.records.codec import loads
from fsconform.records.results import Results

PATIENCE = 120.0
"""Seconds that an operation may take: on a busy machine the default makes some inconclusive."""


def fixed_hashes() -> None:
    """Begin this process anew unless strings hash as they do in Spark's Python workers.

    The programs of the suites syncable and leases hang on it.
    """
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})


@dataclass(frozen=True, slots=True)
class Plain:
    """What the plain engine found on the programs of a campaign; ``seconds`` is the time of executing and judging."""

    collected: Collected
    verdicts: Mapping[str, tuple[str, int]]
    seconds: float


def units_of(store: str, suites: Sequence[str], count: int, size: int) -> tuple[Unit, ...]:
    """The units of a campaign on one store."""
    return cut([(store, "")], suites, count, size, enumerated_total)


def target_of(store: str) -> Target:
    """A built-in store with its shipped contract."""
    return targets((store,), None, "", None, None)[0]


def plain(store: str, suites: Sequence[str], count: int, seed: int, prove: bool = True, fault: str = "") -> Plain:
    """Run the engine's own exploration, one session, over the programs that a campaign executes."""
    collect_seldom()
    target = target_of(store)
    exploration.GO_ON_LIMIT = sys.maxsize  # a campaign judges each program to its end
    with tempfile.TemporaryDirectory(prefix="fsconform-plain-") as logs:
        opened = build(target, Setup(Path(logs), lambda text: None, PATIENCE, fault=fault))
        benches = Benches(opened, target.contract, 1)
        benches.judge = EachTraceJudge(benches.oracle)
        try:
            benches.open()
            begun = time.monotonic()
            found = [
                program
                for unit in units_of(store, suites, count, count)
                for _, program in programs(benches.oracle, seed, unit)
            ]
            outcome = explore(benches, Plan((from_list("campaign", found, whole=True),), 0.0))
            seconds = time.monotonic() - begun
            proven = prove_all(benches, outcome.collected) if prove else []
        finally:
            benches.close()
            opened.close()
    verdicts = {one.finding.signature: (one.finding.verdict, one.count) for one in proven}
    return Plain(outcome.collected, verdicts, seconds)


def campaign(out: Path, *arguments: str) -> tuple[Results, float, str]:
    """Run the command; its results, the wall time and what it said. Raises RuntimeError where it judged nothing."""
    begun = time.monotonic()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "fsconform.app.main",
            "campaign",
            "--out",
            str(out),
            "--timeout",
            str(PATIENCE),
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - begun
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-2000:]}")
    return loads(out / "report" / "latest" / "results.json"), seconds, done.stderr
