"""Known wrong answers within an outcome: the outcome with the answer that is due in the place of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, gives
from fsconform.model.filesystem.input.read_stream import KIND, ReadOn, ReadStream
from fsconform.model.filesystem.state import Node, State
from fsconform.model.filesystem.status import entries
from fsconform.model.filesystem.status.list_filtered import ListMany
from fsconform.model.filesystem.stream_scripts import OVERLAPPING, TOGETHER, Action, parse

SCRIPTED: tuple[type[ReadStream] | type[ReadOn], ...] = (ReadStream, ReadOn)

Due = Callable[[Action, str], str | None]
"""From an action and the answer that was given to the one that is due; None where the answer is no known wrong one."""

VECTORED = "vectored"


def mended(op: ReadStream | ReadOn, outcome: Outcome, due: Due) -> Iterator[Outcome]:
    """The outcome with known wrong answers replaced; nothing where there is none."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts) or outcome.value.kind != KIND:
        return
    known = dict(outcome.value.items)
    changed = False
    for number, text in enumerate(op.script, 1):
        given = known.get(str(number))
        if isinstance(given, str) and (right := _of_parts(parse(text), given, due)) is not None:
            known[str(number)] = right
            changed = True
    if changed:
        yield replace(outcome, value=Facts(KIND, tuple(sorted(known.items()))))


def _of_parts(action: Action, given: str, due: Due) -> str | None:
    if not action.parts:
        return due(action, given)
    right = due(action, given)
    if right is not None:
        return right
    sign = TOGETHER if action.kind == "together" else OVERLAPPING
    answers = given.split(sign)
    if len(answers) != len(action.parts):
        return None
    found = [due(part, answer) for part, answer in zip(action.parts, answers, strict=True)]
    if not any(one is not None for one in found):
        return None
    return sign.join(one if one is not None else answer for one, answer in zip(found, answers, strict=True))


def as_listed(outcome: Outcome) -> Outcome | None:
    """Of a file that is observed and that no listing has: as if all listings had it. None for any other outcome."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts) or outcome.value.get("listed") != -1:
        return None
    known = dict(outcome.value.items)
    known.update(listed=known.get("length"), disagree=(), untimely=())
    return replace(outcome, value=replace(outcome.value, items=tuple(sorted(known.items()))))


def listed_by_several(op: ListMany, shown: Callable[[Path], entries.Entries], any_length: bool) -> Branch:
    """A listing of several paths that has of each path what is ``shown`` of it; ``any_length`` is for directories."""
    wanted: dict[Path, Node] = {}
    times: Counter[Path] = Counter()
    for path in op.paths:
        found = shown(path)
        wanted.update(found)
        times.update(found.keys())

    def check(_root: State, _op: Operation, value: object) -> bool:
        if not isinstance(value, tuple) or not entries.covers(value, wanted, any_length):
            return False
        return Counter(status.path for status in value) == times

    return gives("filesystem.listStatus.many.post", "each path's listing without hidden names", check)
