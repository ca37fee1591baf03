"""Which call of a history that no order explains is at fault, and which clause that breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsconform.engine.histories.concurrent import History, Observed
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER

ATOMIC: dict[type[Operation], str] = {
    Rename: "filesystem.rename.atomic",
    Create: "introduction.atomicity.create",
    Delete: "filesystem.delete.atomic",
    Mkdirs: "filesystem.mkdirs.atomic",
    Append: "outputstream.concurrent.writers",
}
"""What a call breaks that others saw half done, or that was lost: of several, the first is the one that is named."""

VISIBLE: dict[type[Operation], str] = {
    Rename: "introduction.consistency.rename",
    Create: "introduction.consistency.create",
    Delete: "introduction.consistency.delete",
    Mkdirs: "filesystem.mkdirs.post",
    Append: "filesystem.append.post",
}
"""What a call breaks that others did not see though it had returned."""

_OF_PROMISES: dict[str, tuple[type[Operation], ...]] = {
    ATOMIC_RENAME: (Rename,),
    ATOMIC_DELETE: (Delete,),
    EXCLUSIVE_WRITER: (Append, Create),
}

UNHEARD = Unknown("taken for a call of which nobody heard")


@dataclass(frozen=True, slots=True)
class Blame:
    """The place of a call in the history, and the clause it breaks; ``unseen`` if others did not see what it did."""

    place: int
    clause: str
    unseen: bool = False


def blame(judge: Judge, history: History, broken: Sequence[str] = ()) -> Blame:
    """The changing call that explains all once nothing is asked of it: it may have happened at any time, or never.

    Where another client looked only after that call had returned, what it did was not seen in time. If no single call
    explains all, it is the first in the order of :data:`ATOMIC`. Of promises that are ``broken`` it is a call that the
    first of them is of.
    """
    order = list(ATOMIC)
    changing = [
        number for number, place in enumerate(history.places) if place >= 0 and _kind(history, number) in ATOMIC
    ]
    changing.sort(key=lambda number: order.index(_kind(history, number)))
    for number in changing if broken else ():
        if isinstance(history.calls[number].operation, _OF_PROMISES[broken[0]]):
            return Blame(number, ATOMIC[_kind(history, number)])
    for number in changing:
        if not judge.judge(_without(history, [number])).fails:
            late = _looks_after(history, number)
            if late and not judge.judge(_without(history, late)).fails:
                return Blame(number, VISIBLE[_kind(history, number)], unseen=True)
            return Blame(number, ATOMIC[_kind(history, number)])
    first = changing[0] if changing else 0
    return Blame(first, ATOMIC.get(_kind(history, first), "introduction.consistency.all-clients"))


def _kind(history: History, number: int) -> type[Operation]:
    return type(history.calls[number].operation)


def _without(history: History, numbers: Sequence[int]) -> History:
    """The history as if nobody had heard of some of its calls."""

    def unheard(call: Observed) -> Observed:
        return replace(call, outcome=UNHEARD, returned=None)

    calls = tuple(unheard(call) if number in numbers else call for number, call in enumerate(history.calls))
    return replace(history, calls=calls)


def _looks_after(history: History, number: int) -> list[int]:
    """The looks of other clients that began after a call had returned."""
    call = history.calls[number]
    return [
        other
        for other, look in enumerate(history.calls)
        if look.client != call.client and not look.operation.MUTATES and look.invoked > (call.returned or 0)
    ]
