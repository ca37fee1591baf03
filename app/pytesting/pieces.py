"""Pieces: what the items of pytest are. A suite in parts, each an explorer that is run by itself."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fsconform.app.pytesting import RACES
from fsconform.engine.effort import Amounts, machine_programs
from fsconform.engine.explorers import Explorer, Source, both_modes, from_made
from fsconform.engine.grammar import Suite
from fsconform.engine.histories.exploration import Plan
from fsconform.harness import plans
from fsconform.harness.races import plan_of
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.specs.witness import Witness, witnesses
from fsconform.suites.exploring import explorer as drawn
from fsconform.suites.races import OF_CLIENTS
from fsconform.suites.registry import DEFAULT, SUITES

SHARDS = 4
"""Long enumerations are split into so many pieces, whatever the number of workers."""

RANDOM_SHARDS = 2
"""Random programs are split into so many: each takes a second to begin."""

BLOCK = 64
"""Neighbouring places that stay together when an explorer is split."""

SEEDS_APART = 1_000_003
"""What lies between the seeds of the shards of an explorer that has no end."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a suite on one store: ``label`` names it among those of its area, ``title`` its explorer in reports.

    ``short`` is a piece that is not one of several parts of an explorer.
    """

    store: str
    area: str
    label: str
    title: str
    explorer: Explorer
    short: bool
    root: bool

    @property
    def weight(self) -> int:
        """What it gets of a budget beside others: its programs. To count them may take seconds."""
        return self.explorer.planned or 1

    @property
    def id(self) -> str:
        """The piece in the name of an item."""
        return f"{self.store}-{self.label}"

    @property
    def key(self) -> str:
        """The piece among all of its store."""
        return f"{self.area}/{self.label}"


@dataclass(frozen=True, slots=True)
class RacePiece:
    """A suite of races on a store; ``plan`` is None where the budget leaves nothing of it."""

    store: str
    suite: str
    plan: Plan[Operation] | None

    area = RACES
    root = False
    short = True

    @property
    def title(self) -> str:
        """What it is called in reports."""
        return self.suite

    @property
    def id(self) -> str:
        """The piece in the name of an item."""
        return f"{self.store}-{self.suite}"

    @property
    def key(self) -> str:
        """The piece among all of its store."""
        return f"{self.area}/{self.suite}"


AnyPiece = Piece | RacePiece


def race_pieces(
    store: str, contract: Contract, seed: int, amounts: Amounts, budget: float | None, machines: Sequence[str] = ()
) -> tuple[RacePiece, ...]:
    """A piece for each suite of races; ``budget`` is that of the store, of which races have their part.

    ``machines`` are those behind the store that can lose their power.
    """
    return tuple(
        RacePiece(store, suite.name, plan_of((suite,), amounts, seed, budget, contract, machines=machines))
        for suite in OF_CLIENTS.values()
    )


def pieces(store: str, area: str, oracle: Oracle, seed: int, amounts: Amounts) -> tuple[Piece, ...]:
    """The pieces of the suites of an area, in the order in which they are run; ``amounts`` are those of the store."""
    suites = [suite for suite in SUITES.values() if suite.area == area]
    return tuple(piece for suite in suites for piece in _of(suite, store, oracle, seed, _share(suite, amounts)))


def _share(suite: Suite, amounts: Amounts) -> Amounts:
    """What a suite has of the amounts of a store: of lists as much as it has of the witnesses."""
    machines = machine_programs([SUITES[name] for name in DEFAULT], amounts)
    own, every = len(_witnesses(suite)), len(witnesses())

    def part(programs: int | None) -> int | None:
        return None if programs is None else math.ceil(programs * own / every)

    return replace(
        amounts,
        # What is not run by default shares its witnesses with what is.
        variations=part(amounts.variations) if suite.default else 0,
        ladders=part(amounts.ladders),
        machines=machines.get(suite.name, amounts.least),
        least=0,
    )


def _of(suite: Suite, store: str, oracle: Oracle, seed: int, amounts: Amounts) -> Iterator[Piece]:
    prefix = "" if suite.name == suite.area else f"{suite.name}-"

    def piece(label: str, title: str, explorer: Explorer, parts: int = 1) -> Piece:
        words = re.sub(r"[^A-Za-z0-9]+", "-", f"{prefix}{label}").strip("-")
        return Piece(store, suite.area, words, f"{suite.name}: {title}", explorer, parts == 1, suite.root)

    for witness in _witnesses(suite):
        probed = partial(both_modes, [witness.program], oracle)
        yield piece(f"witness {witness.name}", "witnesses", from_made("witnesses", probed, whole=True))
    for explorer in plans.explorers((suite,), oracle, seed, plans.Filter(), amounts=amounts):
        if explorer.name == "witnesses":
            continue
        title = explorer.name.removesuffix(f" {suite.name}")
        if explorer.whole or plans.kind_of(explorer.name) in ("ladders", "traces"):
            yield piece(title, title, explorer)
        elif explorer.size is not None:
            for shard in range(SHARDS):
                yield piece(f"{title} {shard + 1} of {SHARDS}", title, _every(explorer, shard), SHARDS)
        else:
            for shard in range(RANDOM_SHARDS):
                quota = _quota(explorer.quota, shard, RANDOM_SHARDS)
                source = drawn(suite, oracle, seed + shard * SEEDS_APART).source
                other = replace(explorer, source=source, quota=quota)
                yield piece(f"{title} {shard + 1} of {RANDOM_SHARDS}", title, other, RANDOM_SHARDS)


def _witnesses(suite: Suite) -> list[Witness]:
    """The witnesses that are run with a suite: of several suites that name a group the one with the fewest has it."""
    own = {group for group in suite.witnesses if min(_naming(group, suite.root), key=_claim) is suite}
    return [one for one in witnesses() if one.group in own and one.root is suite.root]


def _naming(group: str, root: bool) -> list[Suite]:
    return [suite for suite in SUITES.values() if group in suite.witnesses and suite.root is root]


def _claim(suite: Suite) -> int:
    return len(suite.witnesses)


def _every(explorer: Explorer, shard: int) -> Explorer:
    """One of the shards of an explorer: every fourth block of its places."""
    inner: Source = explorer.source

    def source(first: int) -> Iterator[tuple[int, Program]]:
        block = first // BLOCK
        while True:
            start = (block * SHARDS + shard) * BLOCK
            more = False
            for place, program in inner(start):
                more = True
                if place >= start + BLOCK:
                    break
                yield place, program
            if not more:
                return
            block += 1

    quota = _quota(explorer.quota, shard, SHARDS)
    return replace(explorer, source=source, size=lambda: _part(explorer.bound or 0, shard, SHARDS), quota=quota)


def _part(programs: int, shard: int, parts: int) -> int:
    return (programs + parts - 1 - shard) // parts


def _quota(programs: int | None, shard: int, parts: int) -> int | None:
    return None if programs is None else _part(programs, shard, parts)
