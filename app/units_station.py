"""Where units are executed in a process: one store at a time, with one session and so one bridge, kept and re-used.

The process may end at any moment. The worker of a Hadoop store ends with it; what it leaves in the sandbox the
campaign's driver sweeps, and what stands in the scratch folder goes with that.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.app.presets import PRESETS
from fsconform.app.sites import connect
from fsconform.engine.judge import Judge, Judgement
from fsconform.engine.process import collect_seldom
from fsconform.engine.protocol import Session, Snapshot, Store
from fsconform.engine.trial import Bench
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Trace
from fsconform.model.filesystem.state import EMPTY, State

EMBEDDED = ("local", "file", "rawlocal", "proving")
"""The built-in stores that each process builds for itself. All others are shared: they are up before it begins."""


@dataclass(frozen=True, slots=True)
class StoreOrder:
    """A store as executors reach it: by a ``connection``, or, without, as the preset of its name that they build."""

    name: str
    contract: Contract
    connection: Connection | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What all units of a campaign share."""

    campaign: str
    seed: int
    stores: tuple[StoreOrder, ...]
    timeout: float = 30.0
    rate: float | None = None
    xmx: str = "512m"
    profile: str = ""
    fault: str = ""
    model: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    """For each store the digest of its contract."""

    def store(self, name: str) -> StoreOrder:
        """The order of a store. Raises KeyError."""
        for one in self.stores:
            if one.name == name:
                return one
        raise KeyError(name)

    def setup(self, logs: Path) -> Setup:
        """What the stores are built with."""
        return Setup(logs, lambda text: None, self.timeout, self.rate, self.xmx, self.profile, False, self.fault)


class EachTraceJudge(Judge):
    """A judge that counts the invariants of a state anew in each trace.

    So the clauses that are counted follow from the traces alone, and not from which traces a process happened to judge
    before: sums over units are the same however a campaign is cut.
    """

    def judge(self, trace: Trace, snapshots: Mapping[int, Snapshot] | None = None, start: State = EMPTY) -> Judgement:
        """See Judge."""
        self.checked = {}
        return Judge.judge(self, trace, snapshots, start)


class Station:
    """A store that is open, with the bench at which its units are tried."""

    def __init__(self, order: Order, name: str, scratch: Path) -> None:
        """Open it. Raises StoreLost, SandboxRefused, JarError, NoJava or OSError."""
        collect_seldom()
        one = order.store(name)
        self.order, self.name, self.scratch = order, name, scratch
        self.contract = one.contract
        self._site: Site | None = None
        setup = order.setup(scratch / "logs")
        setup.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = one.connection
        if connection is None:
            preset = PRESETS[name]
            before, tempfile.tempdir = tempfile.tempdir, str(scratch)  # what is killed leaves nothing outside of it
            try:
                self._site = preset.bring_up(preset, setup)
            finally:
                tempfile.tempdir = before
            connection = self._site.connection
        try:
            self.store: Store = connect(connection, setup)
            self.session: Session = self.store.session()
        except BaseException:
            self._take_down()
            raise
        self.bench = Bench(self.session, EachTraceJudge(Oracle(one.contract)), reopen=self._reopened)

    @property
    def hadoop(self) -> str:
        """The version of the Hadoop client, empty where there is none."""
        return self.store.versions.get("hadoop", "")

    def _reopened(self) -> Session:
        self.session = self.store.session()
        return self.session

    def close(self) -> None:
        """Close the session and what was built for it."""
        try:
            self.session.close()
            self.store.close()
        finally:
            self._take_down()

    def _take_down(self) -> None:
        if self._site is not None:
            self._site.close()


_kept: dict[str, Station] = {}
"""The station of this process, under one key: at most one is open."""

_KEY = "station"


def station(order: Order, name: str, scratch: Path) -> Station:
    """The station of a store, the last one if it is of that store. Raises what Station does."""
    kept = _kept.get(_KEY)
    if kept is not None and (kept.order, kept.name) == (order, name):
        return kept
    leave()
    _kept[_KEY] = fresh = Station(order, name, scratch)
    return fresh


def leave() -> None:
    """Close the station of this process, if there is one."""
    kept = _kept.pop(_KEY, None)
    if kept is not None:
        kept.close()
