"""The end of a campaign: each signature minimised and confirmed by the driver, and the records, as of any run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns.raced import CampaignRaces, confirmed
from fsconform.app.campaigns.stores import Shared, driver_store
from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import NOT_PROVEN, Proven, as_met, prove_all
from fsconform.engine.events import Listener, saying
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.gate import Terms
from fsconform.engine.histories.subject import RACES
from fsconform.engine.internal import InternalErrors, decode_internal
from fsconform.engine.traces import decode_finding
from fsconform.harness import races
from fsconform.harness.console import Live
from fsconform.harness.interrupts import meeting, met
from fsconform.harness.reproducers import replay_command
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import Target
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import decode_program
from fsconform.model.filesystem.quirks import NONE
from fsconform.pipeline.aggregate import Aggregated
from fsconform.pipeline.job import Ran
from fsconform.pipeline.units import Unit
from fsconform.records.gate import by_severity
from fsconform.records.results import ExplorerRecord, Latency, StoreRecord

SHOWN = 3
"""Problems of units that are told of a store; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The records, and how the campaign went in a sentence."""

    records: tuple[StoreRecord, ...]
    told: str


def finish(
    fault: str,
    judged: Sequence[Target],
    units: Sequence[Unit],
    shared: Mapping[str, Shared],
    setup: Setup,
    ran: Ran,
    found: Aggregated,
    problems: Mapping[str, Sequence[str]],
    home: Path,
) -> Finished:
    """The records of all stores. Raises SandboxRefused."""
    records = []
    pids = {row["pid"] for row in ran.attempts}
    with Live() as live:
        hear = meeting(live.hear)
        for target in judged:
            whole = collected(found, target.name)
            troubles = [*problems[target.name], *_troubles(target.name, units, ran, found)]
            errors = internal(found, target.name)
            unproven = [as_met(one, NOT_PROVEN) for one in whole.samples.values()]
            proven, uri, versions = unproven, "", dict[str, str]()
            with errors.noting("minimising"):
                proven, uri, versions = _proven(target, shared.get(target.name), setup, whole, troubles, hear, errors)
            raced: CampaignRaces | None = None
            with errors.noting("confirming races"):
                tick = saying(hear, target.name)
                raced = confirmed(target, found, units, shared.get(target.name), setup, troubles, tick)
            records.append(
                store_record(
                    target, found, whole, proven, raced, units, troubles, uri, versions,
                    replay_command(home, target.name, target.custom, fault, hadoop=setup.profile),
                    ran.seconds, len(pids), errors,
                )
            )  # fmt: skip
    attempts = sum(1 for row in ran.attempts if row["status"] in ("chosen", "beaten"))
    told = f"{len(found.chosen)} of {len(units)} units, {attempts} attempts told by {len(pids)} Python workers"
    return Finished(tuple(records), f"{told}, {ran.jobs} jobs in {ran.seconds:.1f} s")


def _troubles(store: str, units: Sequence[Unit], ran: Ran, found: Aggregated) -> list[str]:
    """What keeps a store's part of the campaign from being whole."""
    own = {unit.number for unit in units if unit.store == store}
    left = own - found.chosen.keys()
    troubles = [one for one in found.problems if int(one.split(":")[0].split()[1]) in own]
    if left:
        why = "interrupted" if ran.interrupted else "not executed"
        troubles.append(f"{why}: {len(left)} of {len(own)} units are missing; the same command goes on with them")
        troubles += list(ran.problems)[:SHOWN]
        if len(ran.problems) > SHOWN:
            troubles.append(f"and {len(ran.problems) - SHOWN} more such problems")
    return troubles


def _proven(
    target: Target,
    shared: Shared | None,
    setup: Setup,
    whole: Collected,
    troubles: list[str],
    hear: Listener,
    errors: InternalErrors,
) -> tuple[list[Proven], str, dict[str, str]]:
    """Each signature with its minimal program; as it was met where the store can't be reached or on an interrupt."""
    uri = shared.connection.uri if shared is not None else f"{target.name} (one for each executor)"
    versions = dict(shared.connection.versions) if shared is not None else {}
    if not whole.samples:
        return [], uri, versions
    try:
        store = driver_store(target, shared, setup)
        try:
            benches = Benches(store, target.contract, target.shards)
            try:
                benches.open()
                versions |= store.versions
                with benches.internal.noting("minimising"):
                    return prove_all(benches, whole, hear), uri, versions
            finally:
                errors.merge(benches.internal.drain())
                benches.close()
        finally:
            store.close()
    except KeyboardInterrupt:
        met()
        troubles.append("interrupted while minimising: what was found is reported as it was met")
    except RECOVERABLE as error:
        troubles.append(f"not minimised: {error}")
    return (
        [as_met(one, NOT_PROVEN) for one in whole.samples.values()],
        uri,
        versions,
    )


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
    """What was executed of each suite, by source; seconds are those of executors, summed. Races have their record."""
    records = []
    wanted = [unit for unit in units if unit.store == store and unit.source != "races"]
    for suite, source in dict.fromkeys((unit.suite, unit.source) for unit in wanted):
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
    raced: CampaignRaces | None,
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
    store, subject = target.name, Filesystem(Oracle(target.contract))
    of_races = raced.raced.proven if raced is not None else []
    failing = recorder.failing_of(subject, proven) | recorder.failing_of(RACES, of_races)
    waived = Terms(store, target.waivers).applied(failing, complete=False)
    records = recorder.divergences(subject, store, proven, waived, command, errors)
    every: list[Any] = [*proven, *of_races]
    if raced is not None:
        told = store, target.contract, of_races, waived, command, raced.raced.clients
        records = by_severity([*records, *races.divergences(RACES, *told)])
    quirks = NONE if target.contract.quirks is None else target.contract.quirks  # an empty set has its name
    troubles = list(problems)
    troubles += whole.told_losses(waived.by_signature)
    if whole.throttled_out:
        reasons = ", ".join(reason for reason, _ in found.counted(store, "throttled"))
        troubles.append(f"throttled ({reasons}): {whole.throttled_out} programs could not be judged")
    return replace(
        recorder.store_record(
            subject,
            store,
            target.contract,
            target.statement,
            whole,
            every,
            records,
            waived,
            quirks,
            known_races=races.known(subject.oracle, raced.raced if raced is not None else None),
        ),
        uri=uri,
        seconds=round(seconds, 3),
        store_seconds=round(found.total(store, "store nanoseconds") / 1e9, 3),
        explorers=explorers(found, store, units),
        latencies=latencies(found, store),
        versions=versions,
        problems=troubles,
        sessions=sessions,
        races=raced.record if raced is not None else None,
        internal_errors=recorder.internal_errors(store, errors.all(), command),
    )
