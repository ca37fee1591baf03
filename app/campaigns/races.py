"""Units of races where they are executed: concurrent programs become histories, each judged by itself.

What a history gives is a row of its own, so sums over units are the same however a campaign is cut. Which moments met
hangs on the machine: the rows keep the histories, by which they can be judged again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from fsconform.engine.collect import Collected
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.confirming import Clients
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Row as RaceRow
from fsconform.engine.histories.recorded import Sight, encode_history, seen
from fsconform.engine.internal import InternalErrors, sentence
from fsconform.engine.traces import Row, storable
from fsconform.harness.races import THREADS, count
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.contract import Contract
from fsconform.pipeline.units import Unit
from fsconform.suites.races import DELAYS, RACE_SUITES, RaceSuite, planned

BATCH = 32
"""Programs that go to the clients at a time."""

CHUNK = 64
"""Drawn programs that are drawn one after another, by a seed of their own."""

MEASURED = 3
"""So many histories of each watch that are stale are measured in a unit: each takes several searches."""

Numbered = tuple[int, RaceRow[Operation], int]
"""The place of a program, the row it is of, and the number of the round by which its lanes are moved."""


def concurrent(contract: Contract, seed: int, unit: Unit) -> list[Numbered]:
    """The programs of a unit: the same in every process. Raises KeyError for a suite there is none of."""
    suite, end = RACE_SUITES[unit.suite], unit.first + unit.count
    if suite.drawn is None:
        found = planned(suite, end, seed, contract)[unit.first :]
        return [(place, row, number) for place, (row, number) in enumerate(found, unit.first)]
    first = unit.first // CHUNK
    chunks = (_chunk(suite, contract, seed, number) for number in range(first, -(-end // CHUNK)))
    places = enumerate(itertools.chain.from_iterable(chunks), first * CHUNK)
    return [(place, row, place % DELAYS) for place, row in places if unit.first <= place < end]


def _chunk(suite: RaceSuite, contract: Contract, seed: int, number: int) -> Iterator[RaceRow[Operation]]:
    assert suite.drawn is not None
    own = Random(f"{suite.name} {seed} {number}").getrandbits(32)
    return itertools.islice(suite.drawn(contract, own), CHUNK)


def tried(
    clients: Clients[Operation, Outcome],
    delays: Delays,
    judge: Judge,
    programs: Sequence[Numbered],
    are: str,
    internal: InternalErrors,
) -> tuple[list[Row], Collected]:
    """Execute programs and judge each history: its row, without what all rows of a unit share, and the sums.

    ``are`` says what the clients are. An error in our own code costs one program, and is noted. Raises StoreLost.
    """
    collected, rows, stale = Collected(), list[Row](), Counter[tuple[str, str]]()
    for begun in range(0, len(programs), BATCH):
        batch = programs[begun : begun + BATCH]
        histories = clients.execute([delays.moved(row.program, number) for _, row, number in batch])
        delays.note(histories)
        for one, history in zip(batch, histories, strict=True):
            pair = one[1].pair
            rows.append(_row(judge, one, history, are, stale[pair] < MEASURED, collected, internal))
            stale[pair] += rows[-1]["milliseconds"] is not None
    return rows, collected


def _row(
    judge: Judge,
    one: Numbered,
    history: History,
    are: str,
    measured: bool,
    collected: Collected,
    internal: InternalErrors,
) -> Row:
    place, row, number = one
    verdict: Row = dict.fromkeys(("outcome", "pair_verdict"), "")
    verdict |= {"milliseconds": None, "signatures": [], "kinds": [], "clauses": []}
    try:
        sight = seen(judge, row, history, measured)
    except Exception as error:  # our own: it costs this program
        noted = internal.add("judging a race", error)
        verdict |= {"verdict": "inconclusive", "reason": storable(sentence(noted))}
        collected.programs += 1
    else:
        count(sight.matrix, collected)
        verdict |= _told(sight)
    lanes, within, length = history.program.size
    return {
        "number": place,
        **encode_history(history),
        "round": number,
        "first_lane": storable(row.pair[0]),
        "second_lane": storable(row.pair[1]),
        "watches": row.watches,
        "tables": row.group,
        "threads": history.program.threads,
        "clients": THREADS if history.program.threads else are,
        "calls": sum(where >= 0 for where in history.places),
        "overlaps": history.overlaps,
        **verdict,
        "lanes": lanes,
        "within": within,
        "length": length,
    }


def _told(sight: Sight) -> Row:
    return {
        "verdict": sight.verdict,
        "reason": storable(sight.reason),
        "outcome": sight.outcome,
        "pair_verdict": sight.pair_verdict,
        "milliseconds": sight.milliseconds,
        "signatures": [one.signature for one in sight.shown],
        "kinds": [one.verdict for one in sight.shown],
        "clauses": [one.clause for one in sight.shown],
    }
