"""From options to what is to be judged of blocks and replicas: clusters that are the harness's own, and programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from fsconform.adapters import temporary
from fsconform.adapters.jars import DEFAULT, load_profile, resolve
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import START_SECONDS, logs_kept
from fsconform.engine.blocks.subject import Session
from fsconform.engine.effort import Effort
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Waiver, WaiverError
from fsconform.harness.problems import Problem, known
from fsconform.harness.targets import given_waivers
from fsconform.model.blocks.contract import PROMISED, BlockContract
from fsconform.model.blocks.steps import Program
from fsconform.proving.blocks.faults import FAULTS
from fsconform.suites.blocks import BLOCK_SUITES, BlockSuite

if TYPE_CHECKING:
    from fsconform.adapters.blocks.machines import Apart

BLOCKS_NAME = "blocks and replicas"
"""What a plan is about, as errors tell it."""

OLDER = "3.3.6"
"""The release in which clusters begin that are upgraded."""

CLUSTER, IN_MEMORY = "hdfs-cluster", "blocks-proving"
"""The stores: HDFS, and the cluster in memory that proves the suites."""


@dataclass(frozen=True, slots=True)
class Up:
    """A cluster that is up."""

    uri: str
    versions: dict[str, str]
    session: Session
    close: Callable[[], None]


class BringUp(Protocol):
    """Brings a cluster up."""

    def __call__(self, setup: Setup) -> Up:
        """Raises JarError, NoJava, ServiceError, StoreLost or OSError."""
        ...


def _on_hdfs(setup: Setup) -> Up:
    from fsconform.adapters.blocks.machines import HOME, HdfsBlocks
    from fsconform.adapters.services.hdfs_cluster import APART, HdfsCluster

    home = temporary.folder(CLUSTER)
    jars = setup.jars("minicluster")
    cluster = HdfsCluster(home / "hdfs", jars, racks=APART, progress=setup.say, start_timeout=START_SECONDS)
    setup.logs.mkdir(parents=True, exist_ok=True)
    with logs_kept(CLUSTER, home, setup, cluster.stop):
        cluster.start()
        log = setup.logs / f"{CLUSTER}-client.log"
        session = HdfsBlocks(cluster, setup.jars("client"), log, _apart(setup, home, jars))

    def close() -> None:
        try:
            session.close()
        finally:
            cluster.stop()
            shutil.rmtree(home, ignore_errors=True)

    return Up(cluster.uri + HOME, cluster.versions, session, close)


def _apart(setup: Setup, home: Path, newer: Sequence[Path]) -> Apart | None:
    """What describes clusters that begin in an older release; nothing where there is no older one."""
    from fsconform.adapters.blocks.machines import Releases
    from fsconform.adapters.services.hdfs_cluster import APART, HdfsCluster

    if (setup.profile or DEFAULT) == OLDER:
        return None
    numbers = count(1)

    def described() -> tuple[HdfsCluster, Releases]:
        older = resolve(load_profile(OLDER), ("minicluster",), setup.say)
        place = home / f"upgrade-{next(numbers)}"
        cluster = HdfsCluster(place, older, racks=APART, progress=setup.say, start_timeout=START_SECONDS)
        return cluster, Releases(tuple(older), tuple(newer))

    return described


def _in_memory(setup: Setup) -> Up:
    from fsconform.proving.blocks.machines import MemoryBlocks

    session = MemoryBlocks(FAULTS[setup.fault].store) if setup.fault else MemoryBlocks()
    return Up("memory:", {}, session, lambda: None)


BLOCK_STORES: Mapping[str, tuple[str, BringUp]] = {
    CLUSTER: ("The machines of an HDFS with three DataNodes of two volumes each", _on_hdfs),
    IN_MEMORY: ("A cluster in memory that proves the suites of blocks and replicas: see --fault", _in_memory),
}
"""What can be judged so, by name: what it is, and how it is brought up."""


@dataclass(frozen=True, slots=True)
class BlockTarget:
    """A cluster, with its waivers."""

    name: str
    contract: BlockContract = PROMISED
    waivers: tuple[Waiver, ...] = ()

    @property
    def statement(self) -> str:
        """What the cluster is."""
        return BLOCK_STORES[self.name][0]

    @property
    def bring_up(self) -> BringUp:
        """What brings it up."""
        return BLOCK_STORES[self.name][1]


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """The clusters to judge, and by which suites; none where the run is about something else.

    ``default`` for the few programs of a run that chooses nothing, which judges more than clusters.
    """

    targets: tuple[BlockTarget, ...] = ()
    suites: tuple[BlockSuite, ...] = ()
    default: bool = False

    @property
    def alone(self) -> bool:
        """Whether the run is about blocks, and nothing else."""
        return bool(self.targets) and not self.default

    def programs(self, effort: Effort | None) -> dict[str, tuple[Program, ...]]:
        """What is run, by suite: all there is, the short selections with effort quick, or those of a default run."""
        return {
            suite.name: tuple(one for name, one in suite.programs.items() if self._has(suite, name, effort))
            for suite in self.suites
        }

    def _has(self, suite: BlockSuite, name: str, effort: Effort | None) -> bool:
        if self.default:
            return name in suite.default
        return effort is None or str(effort) != "quick" or name in suite.short


def default_blocks(effort: Effort | None, budget: float | None, waiver_files: Iterable[Path]) -> BlockPlan:
    """What a run has that chooses nothing: a few programs, or none with effort quick or a budget. Raises Problem."""
    if budget is not None or (effort is not None and str(effort) == "quick"):
        return BlockPlan()
    suites = tuple(suite for suite in BLOCK_SUITES.values() if suite.default)
    return BlockPlan(_targets((CLUSTER,), waiver_files), suites, default=True)


def plan_blocks(stores: Sequence[str], suites: Sequence[str], waiver_files: Iterable[Path], fault: str) -> BlockPlan:
    """What the options ask for: suites of blocks and replicas are run by themselves. Raises Problem."""
    ours = [name for name in dict.fromkeys(suites) if name in BLOCK_SUITES]
    if not ours:
        if IN_MEMORY in stores:
            raise Problem(f"--store {IN_MEMORY} is for --suite {' or '.join(BLOCK_SUITES)}: add one of them")
        return BlockPlan()
    if other := next((name for name in suites if name not in BLOCK_SUITES), ""):
        raise Problem(f"--suite {ours[0]} is of the machines of a cluster, and runs by itself: leave {other} out")
    if not stores:
        raise Problem(f"--suite {ours[0]} needs a cluster: add --store {' or '.join(BLOCK_STORES)}")
    for name in stores:
        if name not in BLOCK_STORES:
            raise Problem(f"--suite {ours[0]} needs the machines of a cluster: {' or '.join(BLOCK_STORES)}, not {name}")
    check_block_fault(fault, stores)
    return BlockPlan(_targets(stores, waiver_files), tuple(BLOCK_SUITES[name] for name in ours))


def _targets(stores: Sequence[str], waiver_files: Iterable[Path]) -> tuple[BlockTarget, ...]:
    try:
        given = given_waivers(waiver_files)
    except WaiverError as error:
        raise Problem(str(error)) from error
    return tuple(BlockTarget(name, waivers=given) for name in dict.fromkeys(stores))


def check_block_fault(fault: str, stores: Sequence[str]) -> None:
    """Check that a fault is one of the cluster in memory, and asked of it alone. Raises Problem."""
    if not fault:
        return
    if {*stores} != {IN_MEMORY}:
        raise Problem(f"--fault is for the stores that prove the harness: ask for --store {IN_MEMORY} alone")
    known("fault", fault, FAULTS)


def block_terms(name: str, files: Iterable[Path]) -> Terms:
    """What the divergences of a cluster are held against: the waivers in files. Raises Problem."""
    try:
        return Terms(name, given_waivers(files))
    except WaiverError as error:
        raise Problem(str(error)) from error
