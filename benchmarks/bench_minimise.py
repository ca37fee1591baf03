"""Minimal programs: how small they get over the seeded faults, and how long minimising takes on HDFS.

Goals: a median of at most 3 steps over the faults; at most 20 seconds for one divergence on HDFS, beginning with a
random program of 40 steps. On HDFS the divergences are made by judging it under a contract that lacks its true
declarations.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from fsconform.adapters.stores.site import Setup
from fsconform.engine.benches import Benches
from fsconform.engine.confirm import prove, prove_all
from fsconform.engine.enumerate import CORE, alphabet
from fsconform.engine.exploration import Plan, explore
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.engine.probes import probed
from fsconform.engine.trial import Bench
from fsconform.harness.plans import Filter, explorers
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.faults import FAULTS
from fsconform.proving.session import ProvingStore
from fsconform.suites.registry import DEFAULT, SUITES

STEPS_GOAL = 3
SECONDS_GOAL = 20.0
PROGRAM_STEPS = 40
DIVERGENCES = 8
TOLD = (*FAILING, "deviation")


def fault_steps(fault: str) -> int | None:
    """The steps of the smallest program that shows a fault, or None if nothing does within the suites' short part."""
    contract = Contract({"supports-append": True, "supports-strict-exceptions": True})
    root = fault == "delete-removes-root"
    benches = Benches(ProvingStore(fault=fault, real_root=root), contract, 1)
    suites = (SUITES["root"],) if root else tuple(SUITES[name] for name in DEFAULT)
    plan = [
        one for one in explorers(suites, benches.oracle, 0, Filter()) if one.bound and "3 operations" not in one.name
    ]
    outcome = explore(benches, Plan(tuple(plan), budget=60.0))
    proven = [one for one in prove_all(benches, outcome.collected) if one.finding.verdict in TOLD]
    benches.close()
    return min((own_steps(one.program) for one in proven), default=None)


def long_program(seed: int) -> Program:
    """A random program over the core."""
    draw = random.Random(seed)
    letters = alphabet(CORE)
    return tuple(Step(draw.choice(letters)) for _ in range(PROGRAM_STEPS))


def hdfs_seconds() -> list[tuple[float, int, str]]:
    """Seconds and steps of minimising and confirming divergences on HDFS, each from a long random program."""
    found: list[tuple[float, int, str]] = []
    preset = PRESETS["hdfs"]
    with tempfile.TemporaryDirectory(prefix="fsconform-bench-") as logs:
        store = build_preset(preset, Setup(Path(logs), print))
        benches = Benches(store, Contract({"supports-append": True}), 1)
        try:
            bench = benches.take()
            done: set[str] = set()
            for seed in range(100):
                if len(found) == DIVERGENCES:
                    break
                program = probed(benches.oracle, long_program(seed), "each")
                finding = _first_failing(bench, program)
                if finding is None or finding.signature in done:
                    continue
                done.add(finding.signature)
                found.append(_timed(benches, bench, finding, program))
        finally:
            benches.close()
            store.close()
    return found


def _first_failing(bench: Bench, program: Program) -> Finding | None:
    (trial,) = bench.try_all([program])
    return next((one for one in trial.judgement.findings if one.verdict in FAILING), None)


def _timed(benches: Benches, bench: Bench, finding: Finding, program: Program) -> tuple[float, int, str]:
    from fsconform.engine.collect import Sample

    started = time.perf_counter()
    proven = prove(benches, bench, Sample(finding, program))
    seconds = time.perf_counter() - started
    assert proven is not None, finding.signature
    return seconds, own_steps(proven.program), finding.signature


def main() -> int:
    """Measure and print; 1 if a goal is missed."""
    steps = {fault: fault_steps(fault) for fault in FAULTS}
    missed = [fault for fault, count in steps.items() if count is None]
    median = statistics.median(count for count in steps.values() if count is not None)
    print(f"faults: {len(steps)}, not found: {missed or 'none'}, median {median:g} steps (goal {STEPS_GOAL})")
    times = hdfs_seconds()
    for seconds, count, signature in times:
        print(f"hdfs: {seconds:5.1f} s to {count} steps: {signature}")
    slowest = max(seconds for seconds, _, _ in times)
    print(f"hdfs: slowest {slowest:.1f} s (goal {SECONDS_GOAL:g})")
    return 0 if not missed and median <= STEPS_GOAL and slowest <= SECONDS_GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
