"""Races of one store: tried once the rest of it was judged, by sessions that meet, and put into its record."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from fsconform.adapters.meeting import NotMet, Round, board
from fsconform.adapters.stores.quirks import races_of
from fsconform.adapters.volumes import mounts
from fsconform.adapters.volumes.mounts import CannotMount
from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.effort import Amounts
from fsconform.engine.events import Listener, saying
from fsconform.engine.exploration import Outcome
from fsconform.engine.histories import confirming
from fsconform.engine.histories.blaming import ATOMIC
from fsconform.engine.histories.concurrent import Concurrent, History, Op, Seen
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.exploration import Exploration, Plan, Tick
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Matrix, Row
from fsconform.engine.histories.race_subject import Proven, RaceSubject
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.histories.subject import RACES as RACES_OF_FILES
from fsconform.engine.injection import Away, HasMedium, Injectable, InjectedFault, Medium, OnVolumes, PowerLoss
from fsconform.engine.protocol import HasWorker, Meeting, Separable, Session, Store, StoreLost
from fsconform.engine.subject import Declaring
from fsconform.engine.waivers import Waived
from fsconform.harness import interrupts
from fsconform.harness.fleet import Up
from fsconform.harness.sites import RECOVERABLE, Owned
from fsconform.harness.wires import Wired
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome as ModelOutcome
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.results import Divergence, QuirkRecord, RacePair, RacesRecord
from fsconform.suites.races import (
    CRASHES,
    DRAWN_RACES,
    FRESHNESS,
    MEDIUM,
    POWER,
    RACE_SUITES,
    RACES,
    STREAM_RACES,
    WIRE,
    RaceSuite,
    failing_links,
    faulty_part_of,
    planned,
)

AnyProven = Proven[Operation, ModelOutcome]

THREADS = "threads on one FileSystem"
"""What the clients of a program of threads are."""

PROVING_SECONDS = 120.0
"""How long races are made smaller and confirmed, at most: the others are reported as they were met."""

RACE_SHARE = 0.2
"""The part of a store's budget that races are tried in, and the part in which they are confirmed, on top of it."""

_CLAUSES = {ATOMIC_RENAME: ATOMIC[Rename], ATOMIC_DELETE: ATOMIC[Delete]}


def plan_of(
    suites: Sequence[RaceSuite],
    amounts: Amounts,
    seed: int,
    budget: float | None,
    contract: Contract | None = None,
    parts: Sequence[str] = (),
    machines: Sequence[str] = (),
    links: Sequence[str] = (),
) -> Plan[Operation] | None:
    """What is tried of some suites on a store with a contract; None for nothing, as where the budget is 0.

    ``parts`` are the daemons behind the store that can be crashed, ``machines`` those whose power or disk can fail,
    ``links`` those of its network that can fail.
    """
    numbers = {
        RACES.name: amounts.races,
        FRESHNESS.name: amounts.watches,
        STREAM_RACES.name: amounts.streams,
        DRAWN_RACES.name: amounts.drawn,
        CRASHES.name: amounts.kills,
        POWER.name: 0,
        MEDIUM.name: 0,
    }
    rows: list[tuple[Row[Operation], int]] = []
    for suite in suites:
        if suite is WIRE:
            if links and contract is not None:
                rows += failing_links(contract, seed, links, amounts.wires, amounts.silences, amounts.drawn_wires)
            continue
        rows += planned(suite, numbers[suite.name], seed, contract)
        if suite is CRASHES and parts:
            rows += planned(suite, amounts.crashes, seed, contract, lambda row: faulty_part_of(row) in parts)
        if suite is POWER:
            rows += planned(suite, amounts.outages, seed, contract, lambda row: faulty_part_of(row) in machines)
        if suite is MEDIUM:
            rows += planned(suite, amounts.spoilt, seed, contract, lambda row: faulty_part_of(row) in machines)
    return within(tuple(rows), budget)


def within(rows: tuple[tuple[Row[Op], int], ...], budget: float | None) -> Plan[Op] | None:
    """A plan of rows within its part of a budget; None for nothing, as where the budget is 0."""
    if not rows or budget == 0:
        return None
    share = RACE_SHARE * budget if budget else None
    return Plan(rows, share, PROVING_SECONDS if share is None else min(share, PROVING_SECONDS))


def run_to_its_end(found: Exploration[Any, Any], problems: list[str]) -> bool:
    """Try what is planned; whether an interrupt ended it. That, and a lost store, are reported in ``problems``."""
    try:
        found.run()
    except StoreLost as error:
        problems.append(f"races: {error}")
    except KeyboardInterrupt:
        interrupts.met()
        problems.append("interrupted while races were tried: those found until then are reported")
        return True
    return False


def left_of(found: Exploration[Any, Any]) -> list[str]:
    """What a budget left of what was planned, as a sentence."""
    done, planned = found.matrix.programs, len(found.plan.rows)
    return [] if found.complete else [f"races: {done} of {planned} programs were run"]


@dataclass(frozen=True, slots=True)
class Raced:
    """What was tried of races, and what the clients were."""

    exploration: Exploration[Operation, ModelOutcome]
    clients: str

    @property
    def matrix(self) -> Matrix[Operation, ModelOutcome]:
        """What was seen of each pair of calls."""
        return self.exploration.matrix

    @property
    def proven(self) -> list[AnyProven]:
        """The races that were found."""
        return self.exploration.proven


def raced(up: Up, outcome: Outcome, hear: Listener) -> Raced | None:
    """Try what is planned of a store's races; None where nothing is. Interrupts, and a lost store, end it.

    Both are reported in ``outcome``.
    """
    plan = up.assignment.races
    if plan is None or outcome.interrupted:
        return None
    found, outcome.interrupted = tried(up.benches, up.store, plan, saying(hear, up.assignment.name), outcome.problems)
    return found


def tried(
    benches: Benches,
    store: Store,
    plan: Plan[Operation],
    tick: Tick,
    problems: list[str],
    judge: Judge | None = None,
) -> tuple[Raced | None, bool]:
    """Try what is planned on a store; and whether an interrupt ended it, which is reported in ``problems``.

    So is a store that is lost: None where it could not even be opened. ``judge`` is by the store's contract if not
    given.
    """
    with contextlib.ExitStack() as stack:
        try:
            sessions = stack.enter_context(sessions_of(store, benches, clients_of(plan)))
        except StoreLost as error:
            problems.append(f"races: {error}")
            return None, False
        matrix = Matrix(RACES_OF_FILES, judge or judge_of(benches.oracle))
        grounds = stack.enter_context(Grounds(Clients(sessions, board, injector_of(store)), store))
        wired = stack.enter_context(Wired(grounds, sessions[0], store, board))
        found = Exploration(wired, matrix, plan, tick)
        interrupted = run_to_its_end(found, problems)
        return Raced(found, clients_are(sessions)), interrupted


class Injector:
    """Injects faults behind a store, at the moment of a meeting."""

    def __init__(self, store: Injectable) -> None:
        self._store = store

    def injects(self, fault: InjectedFault) -> bool:
        """Whether a fault can be injected."""
        return self._store.injects(fault)

    def inject(self, meeting: Meeting, fault: InjectedFault, goes_on: Callable[[], bool]) -> Away | None:
        """From and to when the fault was there; None if the others were not there. Raises StoreLost."""

        def beat() -> None:
            if not goes_on():
                raise NotMet("the others do not come any more")

        place = Round(meeting, beat)
        if isinstance(fault, Medium) and isinstance(self._store, HasMedium):
            return _spoilt(self._store, fault, place)
        try:
            if isinstance(fault, PowerLoss) and isinstance(self._store, OnVolumes):
                place.await_beginning()
                self._store.settle(fault)
            place.begin()
        except NotMet:
            return None
        try:
            if isinstance(fault, PowerLoss) and fault.returned:
                place.await_lanes()
            else:
                place.start()
            return self._store.inject(fault)
        except NotMet:
            return None
        finally:
            place.end()


def _spoilt(store: HasMedium, fault: Medium, place: Round) -> Away | None:
    """From and to when a medium failed: until the lanes are done; None if the others were not there. Raises StoreLost.

    It is mended before the meeting ends, so that who looks afterwards, and tidies up, finds a sound store.
    """
    try:
        place.await_beginning()
    except NotMet:
        return None
    try:
        began = time.monotonic_ns()
        if not fault.delay:
            store.spoil(fault)
        place.begin()
        if fault.delay:
            place.start()
            began = time.monotonic_ns()
            store.spoil(fault)
        place.await_lanes()
    except NotMet:
        return None
    finally:
        try:
            store.mend(fault)
        finally:
            place.end()
    return Away(began, time.monotonic_ns(), began)


ON_VOLUMES = (PowerLoss, Medium)
"""The faults that ask for a store on volumes."""


class Grounds:
    """Clients of a store, and of the same store on volumes for programs in which a machine or its disk fails.

    That one is brought up when the first such program comes, and taken down at the end.
    """

    def __init__(self, clients: Clients, store: Store) -> None:
        self._clients, self._store = clients, store
        self._on_volumes: Clients | None = None
        self._lack = ""
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Nothing is brought up yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take down what was brought up."""
        self._stack.close()

    def execute(self, programs: Sequence[Concurrent]) -> list[History]:
        """What came of each program. Raises StoreLost, ValueError."""
        failing = [program for program in programs if isinstance(program.fault, ON_VOLUMES)]
        others = [program for program in programs if not isinstance(program.fault, ON_VOLUMES)]
        on_volumes = iter(self._executed_on_volumes(failing) if failing else ())
        usual = iter(self._clients.execute(others) if others else ())
        return [next(on_volumes if isinstance(one.fault, ON_VOLUMES) else usual) for one in programs]

    def _executed_on_volumes(self, programs: Sequence[Concurrent]) -> list[History]:
        if self._on_volumes is None and not self._lack:
            self._bring_up()
        if self._on_volumes is None:
            return [History(program, (), (), self._lack) for program in programs]
        return self._on_volumes.execute(programs)

    def _bring_up(self) -> None:
        """Raises StoreLost."""
        if isinstance(self._store, OnVolumes) and not isinstance(self._store, Owned):
            self._on_volumes = self._clients
            return
        self._lack = mounts.lacking()
        if self._lack:
            return
        try:
            store = self._store.on_volumes() if isinstance(self._store, Owned) else None
        except CannotMount as error:
            self._lack = str(error)
            return
        except RECOVERABLE as error:
            raise StoreLost(f"the store did not come up on volumes: {error}") from error
        if store is None:
            self._lack = "behind this store there is no machine of the harness's own whose power or disk could fail"
            return
        self._stack.callback(store.close)
        self._on_volumes = Clients(opened(store, 2, self._stack), board, injector_of(store))


def injector_of(store: Store) -> Injector | None:
    """Who injects faults behind a store; None where nothing there is the harness's own."""
    return Injector(store) if isinstance(store, Injectable) else None


def clients_are(sessions: Iterable[Session]) -> str:
    """What the clients are that have these sessions, or the processes that stand for them."""
    apart_from_us = all(isinstance(session, HasWorker | Separable) for session in sessions)
    return "processes" if apart_from_us else "threads of one process"


def clients_of(plan: Plan[Op]) -> int:
    """How many clients the programs of a plan take, each with a session of its own; threads share one."""
    return most_clients(row.program for row, _ in plan.rows)


def most_clients(programs: Iterable[Concurrent[Op]]) -> int:
    """How many clients programs take at most."""
    return max(1 if program.threads else len(program.lanes) for program in programs)


@contextlib.contextmanager
def sessions_of(store: Store, benches: Benches, clients: int) -> Iterator[list[Session]]:
    """A session for each client: those that are open already, and as many more as it takes. Raises StoreLost."""
    with contextlib.ExitStack() as stack:
        lent = [stack.enter_context(benches.lent()).session for _ in range(min(clients, benches.shards))]
        for _ in range(clients - len(lent)):
            lent.append(store.session())
            stack.callback(lent[-1].close)
        yield apart(lent, stack)


def apart(sessions: list[Session], stack: contextlib.ExitStack) -> list[Session]:
    """Sessions for clients at once, beside those of a store: in processes of their own where the store has such.

    ``stack`` closes what is opened. One client alone needs no other process. Raises StoreLost.
    """
    if len(sessions) < 2:
        return sessions
    found: list[Session] = []
    for session in sessions:
        if isinstance(session, Separable):
            session = session.separate()
            stack.callback(session.close)
        found.append(session)
    return found


def judge_of(oracle: Oracle) -> Judge:
    """Who judges races by an oracle's contract, and by the known races of the store."""
    return Judge(oracle, races_of(oracle.quirks.names))


def known(oracle: Oracle, found: Raced | None) -> list[QuirkRecord]:
    """The records of a store's known races, each with how many programs needed it."""
    return recorder.quirk_records(races_of(oracle.quirks.names), found.matrix.samples if found is not None else {})


def count(matrix: Matrix[Operation, ModelOutcome], collected: Collected) -> None:
    """Add what was judged of races to what was collected of the store."""
    collected.programs += matrix.programs
    collected.operations += matrix.calls
    collected.clauses.update(matrix.clauses)
    for name, times in matrix.broken.items():
        if name in _CLAUSES:
            collected.used[(name, False), _CLAUSES[name]] += times


def divergences(
    subject: RaceSubject[Op, Seen],
    store: str,
    contract: Declaring,
    proven: Iterable[Proven[Op, Seen]],
    waived: Waived,
    command: str,
    clients: str,
) -> list[Divergence]:
    """The records of the races that were found. ``command`` replays a file, ``{replay}`` being its path."""
    return [
        replace(
            recorder.divergence(subject, store, contract, one, waived, command, subject.sequence(one)),
            history=subject.history(one, THREADS if one.history.program.threads else clients),
        )
        for one in proven
    ]


def record(found: Exploration[Any, Any], clients: str) -> RacesRecord:
    """What was tried, and what was seen of each pair of calls."""
    matrix, shared = found.matrix, [row.program.threads for row, _ in found.plan.rows]
    if any(shared):
        clients = THREADS if all(shared) else f"{clients}, and {THREADS}"
    return RacesRecord(
        planned=len(found.plan.rows),
        programs=matrix.programs,
        calls=matrix.calls,
        overlaps=matrix.overlaps,
        seconds=round(found.seconds, 3),
        clients=clients,
        pairs=matrix.pairs(),
        freshness=matrix.freshness(),
        notes=matrix.notes,
        clauses=dict(sorted(matrix.clauses.items())),
        confirmed_after=None if found.confirmed_after is None else round(found.confirmed_after, 3),
    )


def together(records: Sequence[RacesRecord]) -> RacesRecord:
    """What was tried of several suites of a store, each by itself, in one record."""
    return RacesRecord(
        planned=sum(one.planned for one in records),
        programs=sum(one.programs for one in records),
        calls=sum(one.calls for one in records),
        overlaps=sum(one.overlaps for one in records),
        seconds=round(sum(one.seconds for one in records), 3),
        clients=", or ".join(dict.fromkeys(one.clients for one in records)),
        pairs=[pair for one in records for pair in one.pairs],
        freshness=[row for one in records for row in one.freshness],
        notes=list(dict.fromkeys(note for one in records for note in one.notes)),
        clauses=dict(sorted(sum((Counter(one.clauses) for one in records), Counter[str]()).items())),
        confirmed_after=min((one.confirmed_after for one in records if one.confirmed_after is not None), default=None),
    )


def in_order(record: RacesRecord) -> RacesRecord:
    """The record with pairs in the order in which the suites have them."""
    rows = [row for suite in RACE_SUITES.values() for row in suite.rows()]
    order = {key: number for number, key in enumerate(dict.fromkeys((row.group, *row.pair) for row in rows))}

    def place(one: RacePair) -> tuple[int, str, str]:
        """Pairs of drawn programs come last, by their names."""
        return order.get((one.group, one.first, one.second), len(order)), one.first, one.second

    return replace(
        record,
        pairs=sorted(record.pairs, key=place),
        freshness=sorted(record.freshness, key=lambda one: order["", one.change, one.look]),
    )


def seen_again(store: Store, contract: Contract, program: Concurrent) -> tuple[list[AnyProven], int]:
    """The races that two rounds of a program show, and how many runs were not judged. Raises StoreLost."""
    with contextlib.ExitStack() as stack:
        sessions = opened(store, 1 if program.threads else len(program.lanes), stack)
        grounds = stack.enter_context(Grounds(Clients(sessions, board, injector_of(store)), store))
        wired = stack.enter_context(Wired(grounds, sessions[0], store, board))
        return shown_again(RACES_OF_FILES, wired, judge_of(Oracle(contract)), program)


def opened(store: Store, clients: int, stack: contextlib.ExitStack) -> list[Session]:
    """New sessions on a store, one for each client at once; ``stack`` closes them. Raises StoreLost."""
    sessions: list[Session] = []
    for _ in range(clients):
        sessions.append(store.session())
        stack.callback(sessions[-1].close)
    return apart(sessions, stack)


def shown_again(
    subject: RaceSubject[Op, Seen],
    clients: confirming.Clients[Op, Seen],
    judge: confirming.Judge[Op, Seen],
    program: Concurrent[Op],
) -> tuple[list[Proven[Op, Seen]], int]:
    """As :func:`seen_again`, by clients that are there."""

    def name(met: confirming.Met[Op, Seen]) -> str:
        return subject.signature(met.history, met.judged, subject.blame(judge, met.history, met.judged))

    found, unjudged = confirming.seen_again(clients, judge, name, program)
    return [subject.proven(judge, one, one.shown) for one in found.values()], unjudged
