"""How module Pipeline and the model of blocks correspond: what a writer, readers and whoever looks see of one block.

Steps of the module that are seen are steps of a program on a cluster (``model/blocks``): calls of the writer, its end
and that of its lease, kills and restarts of nodes. Behind each of them every reading and every look is tried. The
others are silent: packets that arrive, recoveries that begin, block reports and copies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from fsconform.engine.formal.graphs import StepGraph
from fsconform.engine.formal.namespace import content
from fsconform.model.blocks import rules, steps
from fsconform.model.blocks.answers import Answer, Block, Cluster, Done, Failed, Got, Replica, Sighted
from fsconform.model.blocks.steps import Step
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data

EMIT = r"""
LOCAL INSTANCE Sequences
Shown(set) == { <<n, replicas[n].stamp, replicas[n].len>> : n \in set }
Counted == Shown(places \intersect up)
Seen ==
    CASE closed = "" /\ closed' = "recovery" -> <<"recover", "", stamp', length', Counted'>>
      [] closed = "" /\ closed' /= "" -> <<"close", "", stamp', length', Counted'>>
      [] closed /= "" /\ closed' = "" -> <<"reopen", "", 0, 0, {}>>
      [] sent' > sent -> <<"write", "", 0, 0, {}>>
      [] acked' > acked -> <<"hflush", "", stamp, sent, Shown(pipeline \intersect up)>>
      [] lease = "writer" /\ lease' = "recovery" -> <<"gone", "", 0, 0, {}>>
      [] up' /= up -> <<IF up' \subseteq up THEN "kill" ELSE "restart",
                        CHOOSE n \in Nodes : (n \in up) /= (n \in up'), 0, 0, {}>>
      [] OTHER -> <<"", "", 0, 0, {}>>
Key ==
    ToString(<<[n \in Nodes |-> <<replicas[n].state, replicas[n].stamp, replicas[n].len, replicas[n].kept>>],
        up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, places, taking, failures, appends>>)
Settled ==
    /\ closed /= "" /\ \A n \in up : Right(n) = (n \in places)
    /\ places \intersect up = {} \/ up \ places = {}
Emit ==
    PrintT("STATE " \o ToString(<<{ replicas[n].len : n \in Read }, Read = {},
        Settled, stamp, length, Counted>>) \o " FROM " \o Key)
EmitSteps == [][PrintT("STEP " \o ToString(Seen) \o " FROM " \o Key \o " TO " \o Key')]_vars
"""
"""What has TLC print the module's graph: an invariant for it to look at in each state, a property for each step."""

LINES = ("INVARIANT Emit", "PROPERTY EmitSteps")

FILE, BYTE, OTHER_BYTE = "f", "x", "y"
_SHOWING = ("hflush", "close", "recover")
"""Steps that show the block."""

_CALLS = ("write", "hflush", "close", "reopen", "recover")
"""Steps that must not fail."""

_STATE, _STEP = '"STATE ', '"STEP '

Held = tuple[tuple[str, int, int], ...]
"""Replicas: the node of each, its stamp and its length."""


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """A step that is seen: a call of the writer that succeeded, with the block as it is then, or what became of a node.

    ``replicas`` are those that the NameNode counts on nodes that are up. "gone" is the writer, "recover" the end of a
    recovery of its lease.
    """

    what: str
    node: str = ""
    stamp: int = 0
    length: int = 0
    replicas: Held = ()


@dataclass(frozen=True, slots=True)
class View:
    """What may be seen of a state: lengths that a reader may be given, whether it may fail, and what a look shows.

    ``look`` is stamp, length and replicas of the block once the NameNode has nothing more to do; None before.
    """

    lengths: frozenset[int]
    fails: bool
    look: Seen | None


@dataclass(slots=True)
class Graph(StepGraph[Seen]):
    """The module's graph; states are numbers in the order in which they were met."""

    views: dict[str, View] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def add(self, line: str) -> None:
        """Read a line that TLC printed; others are passed over. Raises ValueError."""
        if line.startswith(_STATE):
            given, _, state = _text(line, _STATE).partition(" FROM ")
            lengths, fails, settled, stamp, length, replicas = _values(given)
            look = Seen("look", "", stamp, length, _held(replicas)) if settled else None
            name = self._name(state)
            if not self.views:
                self.beginnings.add(name)
            self.views[name] = View(frozenset(lengths), fails, look)
        elif line.startswith(_STEP):
            given, _, states = _text(line, _STEP).partition(" FROM ")
            state, _, after = states.partition(" TO ")
            what, node, stamp, length, replicas = _values(given)
            seen = Seen(what, node, stamp, length, _held(replicas)) if what else None
            self.put(self._name(state), seen, self._name(after))

    def _name(self, state: str) -> str:
        return self._names.setdefault(state, str(len(self._names)))

    def viewed(self, states: Iterable[str | None]) -> list[View]:
        """What may be seen of these states."""
        return [self.views[state] for state in states if state is not None]


def _text(line: str, mark: str) -> str:
    return line.strip()[len(mark) : -1].replace('\\"', '"')


def _values(text: str) -> list[Any]:
    for old, new in (("<<", "["), (">>", "]"), ("{", "["), ("}", "]"), ("TRUE", "true"), ("FALSE", "false")):
        text = text.replace(old, new)
    return list(json.loads(text))


def _held(rows: Iterable[tuple[str, int, int]]) -> Held:
    return tuple(sorted((node, stamp, length) for node, stamp, length in rows))


# --- as the model of blocks has it


def asked(seen: Seen, cluster: Cluster) -> Step:
    """The step of a program that it is. Raises ValueError for one that the model has not."""
    match seen.what:
        case "write":
            return steps.Write(FILE, content(BYTE))
        case "hflush":
            return steps.Hflush(FILE)
        case "close":
            return steps.Close(FILE)
        case "reopen":
            return steps.Reopen(FILE)
        case "kill":
            return steps.Kill(FILE)
        case "restart":
            return steps.Restart(len(cluster.killed) - cluster.killed[::-1].index(seen.node))
        case "gone":
            return steps.Vanish(FILE)
        case "recover":
            return steps.Expire(FILE)
        case "look":
            return steps.Look(FILE, steps.REPLICATION)
    raise ValueError(f"the model has no step {seen.what!r}")


def answer(seen: Seen) -> Answer:
    """What the model has for what was seen."""
    if seen.what in ("kill", "restart"):
        return Done(seen.node, nodes=(seen.node,))
    replicas = tuple(Replica(node, "live", stamp, size) for node, stamp, size in seen.replicas)
    block = Block(1, seen.stamp, seen.length, replicas)
    if seen.what == "look":
        return Sighted(steps.REPLICATION, (block,))
    return Done(blocks=(block,) if seen.what in _SHOWING else ())


Judge = Callable[[Step, Cluster, Answer], rules.Verdicts]


def begun(nodes: Iterable[str]) -> Cluster:
    """A cluster on which a client has opened a new file."""
    after = rules.judge_step(steps.Begin(FILE), Cluster(frozenset(nodes)), Done()).after
    assert after is not None
    return after


def variants(seen: Seen, cluster: Cluster, most: int) -> Iterator[Seen]:
    """What might be seen in its place within blocks of ``most`` bytes: every length of block and replicas, old stamps.

    Where the model knows that the stamp must have grown since one was seen, that one; it may grow elsewhere too. Which
    nodes are in a pipeline is the writer's to choose.
    """
    lengths = range(most + 1) if seen.what != "hflush" else (seen.length,)
    file = cluster.files[FILE]
    grows = file.bumped or (seen.what == "recover" and bool(file.stamps and file.content))
    olds = [file.stamps[1]] if grows and file.stamps else []
    if seen.what not in (*_SHOWING, "look"):
        return
    for length in lengths:
        # Looks, and hflush, show the lengths of replicas; what closes a file shows the NameNode's alone.
        own_lengths = seen.what in ("hflush", "look")
        shown = product(range(most + 1), repeat=len(seen.replicas)) if own_lengths else [(length,) * len(seen.replicas)]
        for own in shown:
            held = tuple((node, stamp, size) for (node, stamp, _), size in zip(seen.replicas, own, strict=True))
            yield replace(seen, length=length, replicas=held)
    if seen.what == "look":
        for number, (node, _, size) in enumerate(seen.replicas):
            less = (*seen.replicas[:number], *seen.replicas[number + 1 :])
            yield replace(seen, replicas=less)
            yield replace(seen, replicas=tuple(sorted(((node, seen.stamp - 1, size), *less))))
    else:
        for old in olds:
            yield replace(seen, stamp=old, replicas=tuple((node, old, size) for node, _, size in seen.replicas))


# --- both


@dataclass(slots=True)
class Compared:
    """How many steps and views were compared, how many of them both have, and what only one side has."""

    places: int = 0
    tried: int = 0
    common: int = 0
    differences: list[str] = field(default_factory=list)

    def hold(self, module: bool, model: bool, words: Callable[[], str]) -> None:
        """Hold beside each other whether both have something, which ``words`` say."""
        self.tried += 1
        self.common += module and model
        if module != model:
            self.differences.append(f"only the {'module' if module else 'model'} has {words()}")


def compare(graph: Graph, nodes: Iterable[str], most: int, judge: Judge = rules.judge_step) -> Compared:
    """Hold the module beside the model of blocks, at every place that any behaviour of the module comes to.

    At each one: what may be seen next, right or wrong (``variants``, and that the call fails); every length that a
    reader may be given, other bytes, and that it fails; every look at a block that is settled. What both have is gone
    on from.
    """
    found = Compared()
    first = (graph.closed(graph.beginnings), begun(nodes))
    todo: list[tuple[frozenset[str | None], Cluster, tuple[str, ...]]] = [(*first, ())]
    known = {first[0]: [first[1]]}
    while todo:
        states, cluster, history = todo.pop()
        found.places += 1
        _hold_views(found, graph.viewed(states), cluster, most, judge, history)
        coming = graph.next_of(states)
        for seen, after in _steps(found, coming, cluster, most, judge, history):
            met = known.setdefault(coming[seen], [])
            if after not in met:
                met.append(after)
                todo.append((coming[seen], after, (*history, _word(seen))))
    return found


def _steps(
    found: Compared,
    coming: dict[Seen, frozenset[str | None]],
    cluster: Cluster,
    most: int,
    judge: Judge,
    history: tuple[str, ...],
) -> Iterator[tuple[Seen, Cluster]]:
    """Hold what may be seen next, and yield what both have, with the cluster as it is known then."""
    here = [seen for seen in coming if rules.is_about(asked(seen, cluster), cluster)]
    candidates = {one for seen in here for one in (seen, *variants(seen, cluster, most))}
    for seen in sorted(candidates):
        verdicts = judge(asked(seen, cluster), cluster, answer(seen))
        right = not verdicts.breaches
        found.hold(_has(coming, seen), right, lambda seen=seen: _words(history, _word(seen)))  # type: ignore[misc]
        if seen in coming and right and verdicts.after is not None:
            yield seen, verdicts.after
    failed = Failed("java.io.IOException")
    for seen in {one.what: one for one in here if one.what in _CALLS}.values():
        right = not judge(asked(seen, cluster), cluster, failed).breaches
        found.hold(False, right, lambda seen=seen: _words(history, f"{seen.what} failed"))  # type: ignore[misc]
    if cluster.files[FILE].open:
        right = not judge(steps.Intrude(FILE), cluster, Done()).breaches
        found.hold(False, right, lambda: _words(history, "another writer"))


def _has(coming: Iterable[Seen], seen: Seen) -> bool:
    """Whether the module has it. Which replicas a recovery takes follows from their states, unknown to the model."""
    if seen.what == "recover":
        return (seen.stamp, seen.length) in {(one.stamp, one.length) for one in coming if one.what == "recover"}
    return seen in coming


def _hold_views(
    found: Compared, views: list[View], cluster: Cluster, most: int, judge: Judge, history: tuple[str, ...]
) -> None:
    """Hold what readers are given, and what is seen by a look at a block that is settled."""
    read = steps.Read(FILE)
    lengths = frozenset(length for view in views for length in view.lengths)
    for byte, length in product((BYTE, OTHER_BYTE), range(most + 1)):
        if byte == BYTE or length:
            data = Data(length, contents.digest(content(byte * length)) or "")
            right = not judge(read, cluster, Got((data,))).breaches
            words = f"a reading of {length} bytes{', others' * (byte == OTHER_BYTE)}"
            found.hold(byte == BYTE and length in lengths, right, lambda words=words: _words(history, words))  # type: ignore[misc]
    fails = any(view.fails for view in views)
    right = not judge(read, cluster, Got((Failed("BlockMissingException"),))).breaches
    # Of replicas that were made since a block was seen the model does not know.
    holders = cluster.files[FILE].holders
    if fails or (holders and holders[-1] & cluster.up):
        found.hold(fails, right, lambda: _words(history, "a reading that failed"))
    looks = {view.look for view in views if view.look is not None}
    for seen in sorted({one for look in looks for one in (look, *variants(look, cluster, most))}):
        right = not judge(asked(seen, cluster), cluster, answer(seen)).breaches
        found.hold(seen in looks, right, lambda seen=seen: _words(history, _word(seen)))  # type: ignore[misc]


def _word(seen: Seen) -> str:
    block = f" {seen.length} bytes, stamp {seen.stamp}" if seen.stamp else ""
    held = "".join(f"; {node}: {length} of stamp {stamp}" for node, stamp, length in seen.replicas)
    return f"{seen.what}{f' {seen.node}' if seen.node else ''}{block}{held}"


def _words(history: tuple[str, ...], last: str) -> str:
    return ", then ".join((*history, last))
