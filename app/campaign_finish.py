"""The end of a campaign: each signature minimised and confirmed by the driver, as any run does it, and the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.stores.site import Setup
from fsconform.app.campaign_record import collected, internal, store_record
from fsconform.app.campaign_stores import Shared, driver_store
from fsconform.app.console import Live
from fsconform.app.interrupts import meet, met
from fsconform.app.judging import Judged
from fsconform.app.reproducers import replay_command
from fsconform.app.run import RECOVERABLE
from fsconform.app.targets import Target
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import NOT_PROVEN, Proven, as_met, prove_all
from fsconform.engine.internal import InternalErrors
from fsconform.pipeline.aggregate import Aggregated
from fsconform.pipeline.job import Ran
from fsconform.pipeline.units import Unit

SHOWN = 3
"""Problems of units that are told of a store; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The records, and how the campaign went in a sentence."""

    judged: tuple[Judged, ...]
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
        for target in judged:
            whole = collected(found, target.name)
            troubles = [*problems[target.name], *_troubles(target.name, units, ran, found)]
            errors = internal(found, target.name)
            unproven = [as_met(one, NOT_PROVEN) for one in whole.samples.values()]
            proven, uri, versions = unproven, "", dict[str, str]()
            with errors.noting("minimising"):
                proven, uri, versions = _proven(target, shared.get(target.name), setup, whole, troubles, live, errors)
            records.append(
                Judged(
                    store_record(
                        target, found, whole, proven, units, troubles, uri, versions,
                        replay_command(home, target.name, target.custom, fault, hadoop=setup.profile),
                        ran.seconds, len(pids), errors,
                    ),
                    {},
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
    live: Live,
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

                def told(signature: str, number: int, total: int) -> None:
                    meet()
                    live.proving(target.name, signature, number, total)

                with benches.internal.noting("minimising"):
                    return prove_all(benches, whole, told), uri, versions
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
