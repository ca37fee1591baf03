"""What a step on a cluster may come to: each answer held against the clauses, and what is known of the cluster then.

The model does not say where replicas lie: it takes from what was seen where they surely are, and knows which nodes are
down, which replicas are spoilt and which missed a change. From that follows what a reader must be given and what may
count as a replica. The file's content is that of the filesystem's own model: of a file that is open any beginning of
what was written, not shorter than what was promised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fsconform.model.blocks import clauses as ids
from fsconform.model.blocks import steps
from fsconform.model.blocks.answers import (
    Answer,
    Block,
    Cluster,
    Done,
    Failed,
    File,
    Got,
    Replica,
    Sighted,
    Spoilt,
    Storage,
)
from fsconform.model.blocks.steps import BLOCK_BYTES, SURE, Step
from fsconform.model.core import content as contents
from fsconform.model.core.layers import Judged
from fsconform.model.core.outcomes import Data


@dataclass(slots=True)
class Verdicts(Judged):
    """What was judged of a step; ``after`` is the cluster then, None where nothing more can be said."""

    after: Cluster | None = None


_Rule = Callable[[Verdicts, Any, Cluster, Any], None]

WRITER_FAILED = "failed although DataNodes are up"


def judge_step(step: Step, cluster: Cluster, answer: Answer) -> Verdicts:
    """Judge what came of a step. One that names a file, a kill or a spoilt replica must name one of the program's."""
    found = Verdicts(after=cluster)
    RULES[type(step)](found, step, cluster, answer)
    return found


def is_about(step: Step, cluster: Cluster) -> bool:
    """Whether a step is about what there is: a file that is open, or closed, a node that was killed."""
    name = getattr(step, "file", None)
    file = cluster.files.get(name) if name is not None else None
    match step:
        case steps.Create() | steps.Begin():
            return file is None
        case steps.Write() | steps.Hflush() | steps.Close() | steps.Vanish():
            return file is not None and file.open and not file.left
        case steps.Read():
            return file is not None or step.file in cluster.gone
        case steps.Upgrade() | steps.Rollback():
            return not any(one.open for one in cluster.files.values())
        case steps.Intrude():
            return file is not None and file.open
        case steps.Takeover() | steps.Expire():
            return file is not None and file.left
        case steps.Kill():
            return file is not None and bool(cluster.up)
        case steps.Reopen() | steps.Spoil() | steps.Delete():
            return file is not None and not file.open
        case steps.Isolate(kill) | steps.Restart(kill):
            return kill <= len(cluster.killed)
        case steps.Scan(spoil):
            return 0 < spoil <= sum(len(one.spoilt) for one in cluster.files.values())
        case _:
            return name is None or file is not None


# Writers.


def _deleted(found: Verdicts, step: steps.Delete, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Done):
        found.after = None
        return
    files = {name: file for name, file in cluster.files.items() if name != step.file}
    found.after = replace(cluster, files=files, gone=cluster.gone | {step.file})


def _created(found: Verdicts, step: steps.Create, cluster: Cluster, answer: Answer) -> None:
    file = File(step.replication, step.content, missed=cluster.down)
    _finished(found, step.file, file, cluster, answer)


def _begun(found: Verdicts, step: steps.Begin, cluster: Cluster, answer: Answer) -> None:
    file = File(step.replication, open=True, missed=cluster.down)
    _went_on(found, step.file, file, cluster, answer)


def _reopened(found: Verdicts, step: steps.Reopen, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    _went_on(found, step.file, replace(file, open=True, bumped=_is_under_construction(file)), cluster, answer)


def _written(found: Verdicts, step: steps.Write, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    changed = replace(file, content=(*file.content, *step.content), missed=file.missed | cluster.down)
    _went_on(found, step.file, changed, cluster, answer)


def _hflushed(found: Verdicts, step: steps.Hflush, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    size = contents.length(file.content)
    match answer:
        case Done(blocks=blocks):
            found.judged(ids.ALL_NODES, ids.LENGTH)
            promised = size % BLOCK_BYTES or min(size, BLOCK_BYTES)
            for one in blocks[-1].replicas if blocks else ():
                if one.node not in cluster.up or one.counted != "live":
                    continue
                if one.length < promised:
                    told = f"{one.length} of them on {one.node}"
                    wanted = f"{promised} bytes of the block with each node of the pipeline"
                    found.breach(ids.ALL_NODES, "returned before all nodes of the pipeline had the data", wanted, told)
                elif one.length > promised:
                    told = f"{one.length} bytes on {one.node}"
                    found.breach(ids.LENGTH, "left a replica longer than what was written", f"{promised} bytes", told)
            promising = replace(file, promised=size, missed=file.missed | cluster.down)
            found.after = _placed(found, step.file, promising, cluster, blocks)
        case _:
            _went_on(found, step.file, file, cluster, answer)


def _closed(found: Verdicts, step: steps.Close, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    _finished(found, step.file, replace(file, missed=file.missed | cluster.down), cluster, answer)


def _went_on(found: Verdicts, name: str, file: File, cluster: Cluster, answer: Answer) -> None:
    """A call of a writer that promises nothing by itself, but to go on."""
    found.judged(ids.STAGES)
    if isinstance(answer, Failed):
        _failed(found, name, file, cluster, answer)
        return
    found.after = cluster.with_file(name, file)


def _failed(found: Verdicts, name: str, file: File, cluster: Cluster, answer: Failed) -> None:
    if cluster.up:
        wanted = f"the writer to go on with {_listed(cluster.up)}"
        found.breach(ids.STAGES, WRITER_FAILED, wanted, f"{answer.kind}: {answer.message}")
    found.after = cluster.with_file(name, replace(file, open=False, doubtful=True))


def _finished(found: Verdicts, name: str, file: File, cluster: Cluster, answer: Answer) -> None:
    found.judged(ids.STAGES)
    match answer:
        case Done(blocks=blocks):
            done = replace(file, open=False, promised=contents.length(file.content))
            _layout(found, done, cluster, blocks)
            found.after = _placed(found, name, done, cluster, blocks)
        case Failed():
            _failed(found, name, file, cluster, answer)


def _layout(found: Verdicts, file: File, cluster: Cluster, blocks: tuple[Block, ...]) -> None:
    """Full blocks one after another, each with an ID of its own."""
    found.judged(ids.NEXT_BLOCK, ids.BLOCK_SIZE, ids.UNIQUE_ID)
    size = contents.length(file.content)
    told = ", ".join(f"{one.length} bytes" for one in blocks) or "no block"
    if sum(one.length for one in blocks) != size:
        found.breach(ids.NEXT_BLOCK, "left blocks of another length in all", f"{size} bytes in all", told)
    elif any(one.length != BLOCK_BYTES for one in blocks[:-1]):
        found.breach(ids.BLOCK_SIZE, "left a block short that is not the last", f"{BLOCK_BYTES} bytes in each", told)
    others = {one for other in cluster.files.values() if other.stamps is not file.stamps for one in other.stamps}
    own = [one.id for one in blocks]
    if len({*own}) < len(own) or others & {*own}:
        found.breach(ids.UNIQUE_ID, "gave a block the ID of another one", "IDs of their own", f"{own}")


def _placed(found: Verdicts, name: str, file: File, cluster: Cluster, blocks: tuple[Block, ...]) -> Cluster:
    """What is known once the blocks of a file were seen; the stamp of a block that was recovered must have grown."""
    if file.bumped and blocks and blocks[-1].id in file.stamps:
        last, before = blocks[-1], file.stamps[blocks[-1].id]
        found.judged(ids.INCREASE)
        if last.stamp <= before:
            found.breach(ids.INCREASE, "left the generation stamp as it was", f"more than {before}", f"{last.stamp}")
    stamps = {one.id: one.stamp for one in blocks}
    holders = tuple(one.counted & cluster.up for one in blocks)
    return cluster.with_file(name, replace(file, stamps=stamps, holders=holders, bumped=False, unsure=False))


def _replicated(found: Verdicts, step: steps.SetReplication, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    found.judged(ids.PER_FILE)
    if isinstance(answer, Failed):
        found.breach(ids.PER_FILE, "failed", "true", f"{answer.kind}: {answer.message}")
        found.after = None
        return
    # Which replicas are given up is the NameNode's to choose.
    unsure = file.unsure or step.replication < file.replication
    found.after = cluster.with_file(step.file, replace(file, replication=step.replication, unsure=unsure))


# Leases.


def _intruded(found: Verdicts, step: steps.Intrude, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    lives = ids.RENEWED if step.idle >= steps.SOFT_LIMIT_SECONDS else ids.EXCLUSIVE
    clause = ids.SOFT_LIMIT if file.left else lives
    found.judged(clause)
    if isinstance(answer, Done):
        found.breach(clause, "let another client append", "an error, as the file has a writer", "it was let in")
        found.after = None


def _vanished(found: Verdicts, step: steps.Vanish, cluster: Cluster, answer: Answer) -> None:
    left = {name: replace(file, left=True) for name, file in cluster.files.items() if file.open}
    found.after = replace(cluster, files={**cluster.files, **left})


def _taken_over(found: Verdicts, step: steps.Takeover, cluster: Cluster, answer: Answer) -> None:
    _ended(found, step.file, cluster, answer, ids.TAKEOVER, "kept another client out after the soft limit")


def _expired(found: Verdicts, step: steps.Expire, cluster: Cluster, answer: Answer) -> None:
    _ended(found, step.file, cluster, answer, ids.HARD_LIMIT, "left the file open after the hard limit")


def _ended(found: Verdicts, name: str, cluster: Cluster, answer: Answer, clause: str, otherwise: str) -> None:
    """The lease of a writer that is gone has ended: the file is closed, with all that was promised at least."""
    file = cluster.files[name]
    found.judged(clause)
    match answer:
        case Done(blocks=blocks):
            length, written = sum(one.length for one in blocks), contents.length(file.content)
            told = f"{length} bytes"
            if length < file.promised:
                wanted = f"{file.promised} bytes at least"
                found.breach(clause, "closed the file with fewer bytes than were promised", wanted, told)
                found.after = None
            elif length > written:
                found.breach(clause, "closed the file with more bytes than were written", f"{written} at most", told)
                found.after = None
            else:
                kept = contents.slice_of(file.content, 0, length)
                bumped = file.bumped or _is_under_construction(file)
                closed = replace(file, open=False, left=False, content=kept, promised=length, bumped=bumped)
                found.after = _placed(found, name, closed, cluster, blocks)
        case Failed():
            found.breach(clause, otherwise, "the file to be closed", f"{answer.kind}: {answer.message}")
            found.after = None


def _is_under_construction(file: File) -> bool:
    """Whether the last block was seen, and not full: to append to it, or to recover it, takes a new stamp."""
    blocks, rest = divmod(contents.length(file.content), BLOCK_BYTES)
    return rest > 0 and blocks + 1 == len(file.stamps)


# Readers.


_OF_RELEASE = {"upgraded": ids.CONVERTED, "rolled back": ids.ROLLBACK, "finalized": ids.FINALIZE}
"""The clause that keeps files through what was done to the release."""


def _read(found: Verdicts, step: steps.Read, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Got):
        return
    if step.file not in cluster.files:
        _read_in_vain(found, cluster, answer)
        return
    file = cluster.files[step.file]
    size = contents.length(file.content)
    least = file.promised
    most = size if file.open or file.doubtful else file.promised
    for one in answer.results:
        match one:
            case Failed():
                _unread(found, file, cluster, one)
            case Data():
                _given(found, file, cluster, one, least, most)
    if step.times >= SURE and not file.open:
        found.after = cluster.with_file(step.file, file.meeting("reader"))


def _read_in_vain(found: Verdicts, cluster: Cluster, answer: Got) -> None:
    """A file that is not there: after a rollback one that was made since the upgrade."""
    if cluster.moved != "rolled back":
        return
    found.judged(ids.NO_FORWARD)
    for one in answer.results:
        if isinstance(one, Data):
            told = f"{one.length} bytes"
            found.breach(ids.NO_FORWARD, "read a file that was made since the upgrade", "no such file", told)


def _unread(found: Verdicts, file: File, cluster: Cluster, one: Failed) -> None:
    """It may fail where of some block no replica is surely there that is up, whole and up to date."""
    clause = _OF_RELEASE.get(cluster.moved) or (ids.OTHER_REPLICA if file.spoilt else ids.NEXT_REPLICA)
    found.judged(clause)
    # A reader of an open file asks for the length of its last block too, which may have been begun since a flush.
    reached = contents.length(file.content) if file.open or file.doubtful else file.promised
    needed = -(-reached // BLOCK_BYTES)
    sure = [_readable(file, cluster, number) for number in range(needed)]
    if all(sure):
        others = "; ".join(f"block {number} from {_listed(nodes)}" for number, nodes in enumerate(sure))
        found.breach(clause, "failed although there are good replicas", others, f"{one.kind}: {one.message}")


def _readable(file: File, cluster: Cluster, number: int) -> frozenset[str]:
    """The nodes from which a block can surely be read."""
    return frozenset() if file.unsure else _sources(file, cluster, number)


def _sources(file: File, cluster: Cluster, number: int) -> frozenset[str]:
    """The nodes some of which have a block that can be read, and copied."""
    if number >= len(file.holders) or (file.unsure and cluster.down):
        return frozenset()
    bad = {one.node for one in file.spoilt if one.block == number}
    return (file.holders[number] & cluster.up) - bad


def _given(found: Verdicts, file: File, cluster: Cluster, data: Data, least: int, most: int) -> None:
    """What a reader is given: a beginning of what was written, as long as was promised at least."""
    moved = _OF_RELEASE.get(cluster.moved)
    short = moved or (ids.OUTDATED if file.missed else ids.OPEN_LENGTH if file.open else ids.HFLUSH_ALL)
    found.judged(*((ids.VERIFIED, ids.OTHER_REPLICA) if file.spoilt else (short,)))
    told = f"{data.length} bytes, SHA-256 {data.digest[:8]}"
    if data.length < least:
        found.breach(short, "gave fewer bytes than were promised", f"{least} bytes at least", told)
    elif data.length > most:
        long = ids.NO_FORWARD if cluster.moved == "rolled back" else ids.OPEN_LENGTH
        found.breach(long, "gave more bytes than were written", f"{most} bytes at most", told)
    elif contents.digest(contents.slice_of(file.content, 0, data.length)) != data.digest:
        clause = moved or (ids.VERIFIED if file.spoilt else ids.OUTDATED if file.missed else ids.STAGES)
        found.breach(clause, "gave other bytes than were written", "a beginning of what was written", told)


# Machines.


def _killed(found: Verdicts, step: steps.Kill, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Done):
        found.after = None
        return
    down = replace(cluster, down=cluster.down | {answer.node}, killed=(*cluster.killed, answer.node))
    found.after = _without(down, answer.node)


def _without(cluster: Cluster, node: str) -> Cluster:
    """The pipelines that a node was in go on without it, with a greater stamp; a block of an open file changes."""
    for name, file in cluster.files.items():
        if file.open and file.holders and node in file.holders[-1]:
            holders = (*file.holders[:-1], file.holders[-1] - {node})
            cluster = cluster.with_file(name, replace(file, holders=holders, bumped=True))
    return cluster


def _isolated(found: Verdicts, step: steps.Isolate, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Done):
        found.after = None
        return
    after = replace(cluster, down=cluster.down | {*answer.nodes})
    for node in answer.nodes:
        after = _without(after, node)
    found.after = after


def _came_back(found: Verdicts, step: steps.Restart, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Done):
        return
    after = replace(cluster, down=cluster.down - {*answer.nodes})
    for name, file in cluster.files.items():
        if file.replication < len(cluster.nodes) and answer.nodes:
            # Others may have been made meanwhile, and any may be given up.
            after = after.with_file(name, replace(file, unsure=True))
    found.after = after


def _namenode_restarted(found: Verdicts, step: steps.RestartNameNode, cluster: Cluster, answer: Answer) -> None:
    found.after = replace(cluster, restarted=True)


def _spoilt(found: Verdicts, step: steps.Spoil, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Done):
        found.after = None
        return
    file = cluster.files[step.file]
    spoilt = (*file.spoilt, Spoilt(step.block, answer.node, step.how))
    found.after = cluster.with_file(step.file, replace(file, spoilt=spoilt))


def _scanned(found: Verdicts, step: steps.Scan, cluster: Cluster, answer: Answer) -> None:
    if isinstance(answer, Done):
        files = {name: file.meeting("scanner", answer.node) for name, file in cluster.files.items()}
        found.after = replace(cluster, files=files)


# Releases.


def _upgraded(found: Verdicts, step: steps.Upgrade, cluster: Cluster, answer: Answer) -> None:
    second = cluster.before is not None
    if cluster.moved == "finalized" or (second and not step.asked):
        # What is of the newer layout already is taken up by a mere start.
        return
    if second or not step.asked:
        refused = ids.ONE_UPGRADE if second else ids.REQUIRED
        found.judged(refused)
        if isinstance(answer, Storage):
            what = "began a second upgrade" if second else "took up data of an older layout version"
            found.breach(refused, what, "the NameNode to refuse to start", "it serves")
            found.after = None
        return
    found.judged(ids.CONVERTED, ids.OLD_KEPT)
    if not isinstance(answer, Storage):
        found.breach(ids.CONVERTED, "failed", "all data to be converted", _said(answer))
        found.after = None
        return
    _layouts(found, answer)
    if bare := [name for name, digest in answer.kept if not digest]:
        wanted = "the state before to be kept by each daemon"
        found.breach(ids.OLD_KEPT, "kept nothing of the state before", wanted, f"nothing with {', '.join(bare)}")
    found.after = replace(cluster, moved="upgraded", before=cluster.files, kept=answer.kept, restarted=True)


def _rolled_back(found: Verdicts, step: steps.Rollback, cluster: Cluster, answer: Answer) -> None:
    if cluster.before is None:
        found.judged(ids.FINALIZE)
        if isinstance(answer, Storage):
            found.breach(ids.FINALIZE, "rolled back though nothing is left to go to", "an error", "it was carried out")
            found.after = None
        return
    found.judged(ids.ROLLBACK, ids.ROLLBACK_BLOCKS)
    if not isinstance(answer, Storage):
        found.breach(ids.ROLLBACK, "failed", "the state before the upgrade", _said(answer))
        found.after = None
        return
    _layouts(found, answer)
    old = {block for file in cluster.before.values() for block in file.stamps}
    made = {block for file in cluster.files.values() for block in file.stamps} - old
    if left := made & answer.blocks:
        wanted = "no replica of a block that was made since the upgrade"
        found.breach(ids.ROLLBACK_BLOCKS, "left replicas made since the upgrade", wanted, f"blocks {sorted(left)}")
    gone = (cluster.gone | {*cluster.files}) - {*cluster.before}
    files, back = cluster.before, replace(cluster, moved="rolled back", before=None, kept=(), restarted=True)
    found.after = replace(back, files=files, gone=gone)


def _finalized(found: Verdicts, step: steps.Finalize, cluster: Cluster, answer: Answer) -> None:
    found.judged(ids.FINALIZE)
    if not isinstance(answer, Storage):
        found.breach(ids.FINALIZE, "failed", "the upgrade to be finalized", _said(answer))
        found.after = None
        return
    if left := [name for name, digest in answer.kept if digest]:
        wanted = "nothing kept of the state before"
        found.breach(ids.FINALIZE, "left the state before the upgrade", wanted, f"with {', '.join(left)}")
    found.after = replace(cluster, moved="finalized", before=None, kept=())


def _inspected(found: Verdicts, step: steps.Inspect, cluster: Cluster, answer: Answer) -> None:
    if not isinstance(answer, Storage):
        return
    _layouts(found, answer)
    if cluster.before is None:
        return
    found.judged(ids.OLD_KEPT)
    now = dict(answer.kept)
    if other := [name for name, digest in cluster.kept if now.get(name) != digest]:
        wanted = "what was kept at the upgrade, as it was"
        found.breach(ids.OLD_KEPT, "changed what is kept of the state before", wanted, f"with {', '.join(other)}")


def _layouts(found: Verdicts, answer: Storage) -> None:
    found.judged(ids.LAYOUT_STORED)
    if bare := [name for name, version in answer.layouts if not version]:
        wanted = "a layout version in the directories of each daemon"
        found.breach(ids.LAYOUT_STORED, "stored no layout version", wanted, f"none with {', '.join(bare)}")


def _said(answer: Answer) -> str:
    return f"{answer.kind}: {answer.message}" if isinstance(answer, Failed) else "nothing"


# What a look saw.


def _looked(found: Verdicts, step: steps.Look, cluster: Cluster, answer: Answer) -> None:
    file = cluster.files[step.file]
    if not isinstance(answer, Sighted) or file.open or file.doubtful:
        return
    found.judged(ids.PER_FILE)
    if answer.replication != file.replication:
        told = f"{answer.replication}"
        found.breach(ids.PER_FILE, "showed another replication factor", f"{file.replication}", told)
    _layout(found, file, cluster, answer.blocks)
    found.judged(*(ids.SCANNED if one.met == "scanner" else ids.REPORTED for one in file.spoilt if one.met))
    for number, block in enumerate(answer.blocks):
        spoilt = {one.node: one for one in file.spoilt if one.block == number}
        _each(found, file, block, spoilt, cluster)
        _enough(found, replace(file, holders=(_sources(file, cluster, number),)), block, spoilt, cluster)
    found.after = replace(_placed(found, step.file, file, cluster, answer.blocks), restarted=False)


def _each(found: Verdicts, file: File, block: Block, spoilt: Mapping[str, Spoilt], cluster: Cluster) -> None:
    """What counts as a replica is one."""
    for one in block.replicas:
        if one.counted != "live" or one.node in cluster.down:
            continue
        found.judged(ids.STORED, ids.LENGTH, *((ids.OLD_REPORTED,) if one.node in file.missed else ()))
        told = f"on {one.node}: stamp {one.stamp}, {one.length} bytes"
        bad = spoilt.get(one.node)
        if bad is not None:
            # One that was replaced where it lay.
            clause = ids.SCANNED if bad.met == "scanner" else ids.REPORTED
            if bad.met and not _is_good(one, block):
                who = f"{bad.how} of a replica spoilt, met by a {bad.met}"
                found.breach(clause, "left a spoilt replica counted as good", "it to be reported", told, who=who)
        elif not one.stored:
            found.breach(ids.STORED, "counted a replica that is not stored", "data and metadata on its disk", told)
        elif one.stamp != block.stamp:
            wanted = f"none with another stamp than {block.stamp}"
            found.breach(ids.OLD_REPORTED, "counted a replica of another generation", wanted, told)
        elif one.length != block.length:
            found.breach(ids.LENGTH, "counted a replica of another length", f"{block.length} bytes", told)


def _is_good(replica: Replica, block: Block) -> bool:
    return replica.sound and (replica.stamp, replica.length) == (block.stamp, block.length)


def _enough(found: Verdicts, file: File, block: Block, spoilt: Mapping[str, Spoilt], cluster: Cluster) -> None:
    """As many good replicas as the file asks for and the nodes allow; no excess one, and no corrupt one then.

    ``file.holders`` has the nodes alone from which this block can be copied: where there are none, nothing can be.
    """
    there = {one.node: one for one in block.replicas}
    corrupt = {node for node in spoilt if node in there and there[node].stored and not _is_good(there[node], block)}
    unmet = {node for node in corrupt if not spoilt[node].met}
    good = {
        one.node for one in block.replicas if one.counted == "live" and one.node in cluster.up and _is_good(one, block)
    }
    wanted = min(file.replication, len(cluster.up - corrupt))
    told = ", ".join(map(shown, block.replicas)) or "no replica"
    clause = _missing_by(file, spoilt, cluster)
    if not unmet:
        found.judged(clause, ids.OVER)
        if len(good) < wanted and (file.holders[0] or good):
            found.breach(clause, "left fewer good replicas than the file asks for", f"{wanted} of them", told)
    live = [one for one in block.replicas if one.counted in ("live", "excess") and one.node in cluster.up]
    if len(live) > file.replication:
        found.breach(ids.OVER, "left more replicas than the file asks for", f"{file.replication} of them", told)
    if unmet or not spoilt:
        return
    found.judged(ids.REPLACED, ids.KEPT_FIRST)
    gone = {node for node in spoilt if node in cluster.up and node not in good and node not in corrupt}
    if len(good) < file.replication and gone and not cluster.killed:
        wanted_first = f"the corrupt one to stay until there are {file.replication} good ones"
        found.breach(ids.KEPT_FIRST, "deleted a corrupt replica too early", wanted_first, told)
    if len(good) >= file.replication and corrupt & cluster.up:
        found.breach(ids.REPLACED, "left a corrupt replica that has been replaced", "it to be removed", told)


def _missing_by(file: File, spoilt: Mapping[str, Spoilt], cluster: Cluster) -> str:
    """The clause that asks for replicas that are missing."""
    if spoilt:
        return ids.REPLACED
    if cluster.restarted:
        return ids.LOCATIONS
    return ids.REPLICATED if cluster.killed else ids.KEPT


def shown(replica: Replica) -> str:
    counted = replica.counted or "not known to the NameNode"
    disk = f"stamp {replica.stamp}, {replica.length} bytes" if replica.stored else "not stored"
    return f"{replica.node} ({counted}; {disk}{'' if replica.sound else ', checksums differ'})"


def _listed(nodes: frozenset[str]) -> str:
    return ", ".join(sorted(nodes))


def situation(step: Step, cluster: Cluster) -> Iterator[str]:
    """What a signature says of where a step was made, without names."""
    file = cluster.files.get(getattr(step, "file", ""))
    if file is not None:
        if file.open:
            yield "open, writer gone" if file.left else "open"
        yield from sorted({f"{one.how} spoilt" for one in file.spoilt})
        if file.missed - cluster.down:
            yield "a node back that missed a change"
    if cluster.down:
        yield "a node down"
    if cluster.restarted and not cluster.moved:
        yield "NameNode restarted"
    if cluster.moved:
        yield cluster.moved


RULES: Mapping[type[Step], _Rule] = {
    steps.Create: _created,
    steps.Begin: _begun,
    steps.Reopen: _reopened,
    steps.Write: _written,
    steps.Hflush: _hflushed,
    steps.Close: _closed,
    steps.SetReplication: _replicated,
    steps.Read: _read,
    steps.Look: _looked,
    steps.Kill: _killed,
    steps.Isolate: _isolated,
    steps.Restart: _came_back,
    steps.RestartNameNode: _namenode_restarted,
    steps.Spoil: _spoilt,
    steps.Scan: _scanned,
    steps.Intrude: _intruded,
    steps.Vanish: _vanished,
    steps.Takeover: _taken_over,
    steps.Expire: _expired,
    steps.Delete: _deleted,
    steps.Upgrade: _upgraded,
    steps.Rollback: _rolled_back,
    steps.Finalize: _finalized,
    steps.Inspect: _inspected,
}
