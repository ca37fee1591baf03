"""From a campaign's sums to the record of a store, as ``fsconform run`` has it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fsconform.app.judging import clause_text
from fsconform.app.targets import Target
from fsconform.engine import recorder
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import Proven
from fsconform.engine.gate import Terms
from fsconform.engine.internal import InternalErrors, decode_internal
from fsconform.engine.traces import decode_finding
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import decode_program
from fsconform.model.filesystem.quirks import NONE
from fsconform.pipeline.aggregate import Aggregated
from fsconform.pipeline.units import Unit
from fsconform.records.results import ExplorerRecord, Latency, StoreRecord


def collected(found: Aggregated, store: str) -> Collected:
    """What was collected of a store; latencies, of which only percentiles are wanted, are left out."""
    whole = Collected(
        programs=found.total(store, "programs"),
        operations=found.total(store, "operations"),
        probes=found.total(store, "probes"),
        not_expressible=found.total(store, "not expressible"),
        throttled_out=found.total(store, "throttled out"),
    )
    whole.clauses = Counter({name: n for (name, _), n in found.counted(store, "clause").items()})
    for (literal, clause), count in found.counted(store, "option").items():
        name, value = json.loads(literal)
        whole.used[((name, value), clause)] = count
    for (reason, signature), count in found.counted(store, "lost").items():
        whole.losses[reason] += count
        whole.lost_in |= {reason: signature} if signature else {}
    for row in found.signatures:
        if row["store"] == store:
            best = row["smallest"]
            finding = decode_finding(best | {"signature": row["signature"]})
            program = decode_program(json.loads(best["program"]))
            whole.samples[row["signature"]] = Sample(finding, program, row["sights"], best["met"])
    return whole


def internal(found: Aggregated, store: str) -> InternalErrors:
    """The errors in our own code that executors met."""
    errors = InternalErrors()
    for (_, detail), count in found.counted(store, "internal").items():
        errors.merge((replace(decode_internal(json.loads(detail)), count=count),))
    return errors


def latencies(found: Aggregated, store: str) -> dict[str, Latency]:
    """Percentiles of each operation, from nanoseconds to microseconds."""
    return {
        row["name"]: Latency(row["count"], *(round(one / 1000, 1) for one in (*row["cuts"], row["longest"])))
        for row in found.latencies
        if row["store"] == store
    }


def explorers(found: Aggregated, store: str, units: Sequence[Unit]) -> list[ExplorerRecord]:
    """What was executed of each suite, by source; seconds are those of executors, summed."""
    records = []
    for suite, source in dict.fromkeys((unit.suite, unit.source) for unit in units if unit.store == store):
        own = [unit for unit in units if (unit.store, unit.suite, unit.source) == (store, suite, source)]
        done = sum(1 for unit in own if unit.number in found.chosen)
        sums = {
            row["name"]: int(row["count"])
            for row in found.counts
            if (row["store"], row["suite"], row["kind"]) == (store, suite, "total")
        }
        programs = sums.get(f"programs of {source}", 0)
        records.append(
            ExplorerRecord(
                f"campaign, {source} {suite}" if source == "enumeration" else f"campaign, {suite}",
                programs,
                sums.get(f"operations of {source}", 0),
                round(sums.get(f"nanoseconds of {source}", 0) / 1e9, 3),
                programs,
                sum(unit.count for unit in own),
                "complete" if done == len(own) else f"{done} of {len(own)} units",
            )
        )
    return records


def store_record(
    target: Target,
    found: Aggregated,
    whole: Collected,
    proven: Sequence[Proven],
    units: Sequence[Unit],
    problems: Sequence[str],
    uri: str,
    versions: dict[str, str],
    command: str,
    seconds: float,
    sessions: int,
    errors: InternalErrors,
) -> StoreRecord:
    """The record of a store. ``seconds`` is the wall time of the campaign's jobs, ``errors`` are those of ours."""
    store = target.name
    waived = recorder.waived_of(Terms(store, target.waivers), proven, complete=False)
    records = recorder.divergences(Oracle(target.contract), store, proven, clause_text, waived, command, errors)
    quirks = target.contract.quirks or NONE
    troubles = list(problems)
    troubles += whole.told_losses(waived.by_signature)
    if whole.throttled_out:
        reasons = ", ".join(reason for reason, _ in found.counted(store, "throttled"))
        troubles.append(f"throttled ({reasons}): {whole.throttled_out} programs could not be judged")
    return replace(
        recorder.store_record(store, target.contract, target.statement, whole, proven, records, waived, quirks),
        uri=uri,
        seconds=round(seconds, 3),
        store_seconds=round(found.total(store, "store nanoseconds") / 1e9, 3),
        explorers=explorers(found, store, units),
        latencies=latencies(found, store),
        versions=versions,
        problems=troubles,
        sessions=sessions,
        internal_errors=recorder.internal_errors(store, errors.all(), command),
    )
