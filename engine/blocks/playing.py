"""How a program is played on the machines of a cluster, be they real or in memory: step by step, by few primitives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from fsconform.model.blocks import steps
from fsconform.model.blocks.answers import Answer, Block, Done, Failed, Got, Sighted, Storage
from fsconform.model.blocks.steps import BLOCK_BYTES, Program, Step
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Data, NotExpressible, Unknown

SURE_SECONDS = steps.SOFT_LIMIT_SECONDS - 5
"""So soon after a file was opened the soft limit of its lease has surely not passed."""


class CallFailed(Exception):
    """A call of a client raised an error: its class, and what it said."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(kind, message)
        self.kind, self.message = kind, message


class Machines(Protocol):
    """A cluster, with a client, in a fresh directory. A client's calls raise CallFailed; all raise StoreLost."""

    def begin(self, file: str, replication: int) -> None:
        """Open a new file to write to."""
        ...

    def reopen(self, file: str) -> None:
        """Open a file to append to."""
        ...

    def write(self, file: str, content: Content) -> None:
        """Write to a file that is open."""
        ...

    def hflush(self, file: str) -> None:
        """Call hflush."""
        ...

    def close(self, file: str) -> None:
        """Close it."""
        ...

    def set_replication(self, file: str, replication: int) -> None:
        """Ask for another number of replicas."""
        ...

    def read(self, file: str) -> Data:
        """Open a file and read it to its end."""
        ...

    def look(self, file: str) -> Sighted:
        """What the NameNode has of a file's blocks, and the disks."""
        ...

    def until(self, done: Callable[[], bool]) -> bool:
        """Wait until something holds, or for long; whether it does."""
        ...

    def kill(self, node: str) -> None:
        """Kill a DataNode."""
        ...

    def restart(self, node: str) -> None:
        """Start it again, and wait until the NameNode has its report of all blocks."""
        ...

    def restart_namenode(self) -> None:
        """Kill the NameNode, start it again, and wait until it serves."""
        ...

    def spoil(self, node: str, block: Block, how: str) -> bool:
        """Spoil a node's replica of a block; False if it has none, or none that can be spoilt so."""
        ...

    def scan(self, node: str) -> None:
        """Have a node begin to scan its volumes anew."""
        ...

    def now(self) -> float:
        """The time in seconds, of a clock that begins anywhere."""
        ...

    def idle(self, seconds: float) -> None:
        """Let so much time pass."""
        ...

    def intrude(self, file: str) -> None:
        """Open a file to append to, as another client than its writer, and close it."""
        ...

    def vanish(self) -> None:
        """Kill the client that writes."""
        ...

    def is_closed(self, file: str) -> bool:
        """Whether the NameNode has the file as one that is closed."""
        ...

    def outlast(self, done: Callable[[], bool]) -> bool:
        """Wait until something holds, or for longer than a lease has its hard limit; whether it does."""
        ...

    @property
    def releases(self) -> bool:
        """Whether the cluster began in an older release than it can go on in."""
        ...

    def delete(self, file: str) -> None:
        """Delete a file."""
        ...

    def upgrade(self, asked: bool) -> str:
        """Start all daemons in the newer release; why they refused, and then they are up as before. Else empty."""
        ...

    def rollback(self) -> str:
        """Roll back to the older release; as above."""
        ...

    def finalize(self) -> None:
        """Finalize the upgrade."""
        ...

    def storage(self) -> Storage:
        """What the storage directories have."""
        ...


class Player:
    """Plays one program. What a step names that there is not is answered by NotExpressible."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._down: list[str] = []
        self._killed: list[str] = []
        self._spoilt: list[str] = []
        self._written: dict[str, int] = {}
        """Bytes of each file that is, or was, written."""
        self._open: set[str] = set()
        self._left: set[str] = set()
        """Files whose writer is gone."""
        self._old_blocks: frozenset[int] = frozenset()
        """The blocks there were before an upgrade."""
        self._since: dict[str, float] = {}
        """When each file was opened: its lease was renewed then, or later."""

    def play(self, program: Program) -> tuple[Answer, ...]:
        """An answer for each step, up to one that nobody knows. Raises StoreLost."""
        found: list[Answer] = []
        for step in program:
            try:
                answer = self._step(step)
            except CallFailed as error:
                self._open.discard(getattr(step, "file", ""))
                answer = Failed(error.kind, error.message)
            found.append(answer)
            if isinstance(answer, Unknown):
                break
        return tuple(found)

    def _step(self, step: Step) -> Answer:
        lacks = self._lacks(step)
        if lacks:
            return NotExpressible(lacks)
        machines = self._machines
        match step:
            case steps.Create(file, content, replication):
                machines.begin(file, replication)
                self._begun(file)
                self._write(file, content)
                return self._close(file)
            case steps.Begin(file, replication):
                self._since[file] = machines.now()
                machines.begin(file, replication)
                self._begun(file)
            case steps.Reopen(file):
                self._since[file] = machines.now()
                machines.reopen(file)
                self._open.add(file)
            case steps.Write(file, content):
                self._write(file, content)
            case steps.Hflush(file):
                machines.hflush(file)
                machines.until(lambda: self._has_flushed(file))
                return Done(blocks=machines.look(file).blocks)
            case steps.Close(file):
                return self._close(file)
            case steps.SetReplication(file, replication):
                machines.set_replication(file, replication)
            case steps.Read(file, times):
                return Got(tuple(dict.fromkeys(self._read(file) for _ in range(max(1, times)))))
            case steps.Look(file, good, corrupt):
                machines.until(lambda: self._has(machines.look(file).blocks, good, corrupt))
                return machines.look(file)
            case steps.Delete(file):
                machines.delete(file)
            case steps.Intrude() | steps.Vanish() | steps.Takeover() | steps.Expire():
                return self._of_leases(step)
            case steps.Upgrade() | steps.Rollback() | steps.Finalize() | steps.Inspect():
                return self._of_releases(step)
            case _:
                return self._of_machines(step)
        return Done()

    def _of_leases(self, step: Step) -> Answer:
        machines = self._machines
        match step:
            case steps.Intrude(file, idle):
                machines.idle(idle)
                refused = self._refused(file)
                if refused is not None:
                    return refused
                if file in self._left and machines.now() - self._since[file] >= SURE_SECONDS:
                    return NotExpressible("the soft limit may have passed")
            case steps.Vanish():
                machines.vanish()
                self._left |= self._open
                self._open.clear()
            case steps.Takeover(file):
                if not machines.outlast(lambda: self._refused(file) is None):
                    return Failed("refused", "another client was let in at no time")
                return self._ended(file)
            case steps.Expire(file):
                if not machines.outlast(lambda: machines.is_closed(file)):
                    return Failed("open", "the NameNode has the file as open")
                return self._ended(file)
        return Done()

    def _of_releases(self, step: Step) -> Answer:
        machines, refused = self._machines, ""
        match step:
            case steps.Upgrade(asked):
                before = machines.storage().blocks
                refused = machines.upgrade(asked)
                if not refused:
                    self._old_blocks = before
            case steps.Rollback():
                refused = machines.rollback()
                if not refused:
                    machines.until(lambda: machines.storage().blocks <= self._old_blocks)
            case steps.Finalize():
                machines.finalize()
                machines.until(lambda: not any(digest for _, digest in machines.storage().kept))
        return Failed("refused", refused) if refused else machines.storage()

    def _refused(self, file: str) -> Failed | None:
        try:
            self._machines.intrude(file)
        except CallFailed as error:
            return Failed(error.kind, error.message)
        return None

    def _ended(self, file: str) -> Done:
        self._left.discard(file)
        return Done(blocks=self._machines.look(file).blocks)

    def _of_machines(self, step: Step) -> Answer:
        machines = self._machines
        match step:
            case steps.Kill(file, replica):
                node = self._holder(file, replica)
                self._kill(node)
                self._killed.append(node)
                return Done(node)
            case steps.Isolate(kill):
                alone = self._killed[kill - 1]
                others = tuple(one for one in self._up if one != alone)
                for node in others:
                    self._kill(node)
                return Done(nodes=others)
            case steps.Restart(kill):
                back = tuple(self._down) if not kill else (self._killed[kill - 1],)
                for node in back:
                    machines.restart(node)
                    self._down.remove(node)
                return Done(nodes=back)
            case steps.RestartNameNode():
                machines.restart_namenode()
            case steps.Spoil(file, how, number, replica):
                blocks = machines.look(file).blocks
                block = blocks[number]
                holders = sorted(block.counted - {*self._down})
                node = holders[replica % len(holders)]
                if not machines.spoil(node, block, how):
                    return NotExpressible("the replica can't be spoilt so")
                self._spoilt.append(node)
                return Done(node)
            case steps.Scan(spoil):
                machines.scan(self._spoilt[spoil - 1])
                return Done(self._spoilt[spoil - 1])
        return Done()

    @property
    def _up(self) -> list[str]:
        return [node for node in steps.NODES if node not in self._down]

    def _lacks(self, step: Step) -> str:
        """What a step names that there is not; empty for nothing."""
        file = getattr(step, "file", None)
        known = file is None or file in self._written
        match step:
            case steps.Create() | steps.Begin():
                return "the file is there already" if known else ""
            case steps.Write() | steps.Hflush() | steps.Close():
                return "" if file in self._open else "the file is not open"
            case steps.Reopen():
                there = known and file not in self._open | self._left
                return "" if there else "there is no such file that is closed"
            case steps.Vanish():
                return "" if file in self._open else "the file is not open"
            case steps.Intrude():
                return "" if file in self._open | self._left else "the file is not open"
            case steps.Upgrade() | steps.Rollback() | steps.Finalize():
                ready = not self._open | self._left and not self._down
                lacking = "" if self._machines.releases else "the cluster has one release"
                return lacking or ("" if ready else "a file is open, or a DataNode is down")
            case steps.Takeover() | steps.Expire():
                return "" if file in self._left else "there is no such file whose writer is gone"
            case steps.Kill():
                return "" if known and len(self._up) > 1 else "there is no such file, or one DataNode is left"
            case steps.Isolate(kill):
                there = 0 < kill <= len(self._killed) and self._killed[kill - 1] not in self._down
                return "" if there else "the DataNode of that kill is not up"
            case steps.Restart(kill):
                there = not kill or (kill <= len(self._killed) and self._killed[kill - 1] in self._down)
                return "" if there else "the DataNode of that kill is not down"
            case steps.Spoil(block=number):
                if not known or file in self._open | self._left:
                    return "there is no such file that is closed"
                blocks = self._machines.look(str(file)).blocks
                there = number < len(blocks) and bool(blocks[number].counted - {*self._down})
                return "" if there else "there is no such replica"
            case steps.Scan(spoil):
                there = 0 < spoil <= len(self._spoilt) and self._spoilt[spoil - 1] not in self._down
                return "" if there else "there is no such replica that was spoilt"
        return "" if known else "there is no such file"

    def _begun(self, file: str) -> None:
        self._written[file] = 0
        self._open.add(file)

    def _write(self, file: str, content: Content) -> None:
        self._machines.write(file, content)
        self._written[file] += contents.length(content)

    def _close(self, file: str) -> Answer:
        self._machines.close(file)
        self._open.discard(file)
        return Done(blocks=self._machines.look(file).blocks)

    def _read(self, file: str) -> Data | Failed:
        try:
            return self._machines.read(file)
        except CallFailed as error:
            return Failed(error.kind, error.message)

    def _kill(self, node: str) -> None:
        self._machines.kill(node)
        self._down.append(node)

    def _holder(self, file: str, replica: int) -> str:
        blocks = self._machines.look(file).blocks
        holders = sorted(blocks[-1].counted - {*self._down}) if blocks else self._up
        return (holders or self._up)[replica % len(holders or self._up)]

    def _has_flushed(self, file: str) -> bool:
        """Whether all nodes have on their disks what was written: a node acknowledges a little before."""
        blocks, size = self._machines.look(file).blocks, self._written[file]
        last = size % BLOCK_BYTES or min(size, BLOCK_BYTES)
        counted = [one for one in blocks[-1].replicas if one.counted == "live"] if blocks else []
        return all(one.length >= last for one in counted if one.node not in self._down)

    def _has(self, blocks: Sequence[Block], good: int, corrupt: int) -> bool:
        def counts(block: Block) -> tuple[int, int, bool]:
            up = [one for one in block.replicas if one.node not in self._down]
            live = [one for one in up if one.counted == "live" and one.sound and one.length == block.length]
            bad = [one for one in up if one.stored and one not in live]
            settled = all(one.counted == "corrupt" for one in bad) and all(one.counted != "excess" for one in up)
            return len(live), len(bad), settled

        return all(counts(block) == (good, corrupt, True) for block in blocks)
