"""Stores in memory that have a quirk, and the shadows beside it.

A *twin* is the store in memory with the quirk of a real store: with that quirk on, nothing may be found on it. A
*shadow* is a fault that looks like the quirk from afar (the same operation, the same kind of outcome, another loss), on
a store that has the quirk as well: it must be found although the quirk is on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from fsconform.proving.faults.base import Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import Writer
from fsconform.proving.streams import Stream


@dataclass(frozen=True, slots=True)
class Twin:
    """A store in memory with the quirk of an id, and its shadows by their names.

    ``along`` are the quirks that come along with it: they are on where it is judged.
    """

    quirk: str
    fault: Fault
    along: tuple[str, ...] = ()
    shadows: dict[str, Fault] = field(default_factory=dict)


TWINS: dict[str, Twin] = {}
SHADOWS: dict[str, Fault] = {}

_Kind = TypeVar("_Kind", bound=FullStore | Writer | Stream)


def _store(kind: type[_Kind], below: type[FullStore]) -> type[FullStore]:
    """The kind of store that is meant: itself, or, of a kind of stream, the one ``below`` with streams of that kind."""
    if issubclass(kind, FullStore):
        return kind
    return type(kind.__name__, (below,), {"writer_kind" if issubclass(kind, Writer) else "stream_kind": kind})


def twin(
    quirk: str,
    abilities: Mapping[str, bool] | None = None,
    declared: Mapping[str, bool] | None = None,
    along: tuple[str, ...] = (),
    root: bool = False,
    below: type[FullStore] = FullStore,
) -> Callable[[type[_Kind]], type[_Kind]]:
    """Register a kind of store as the twin of a quirk, or a kind of stream of the store ``below``.

    Raises ValueError if the quirk has one already.

    ``abilities`` are the fields of kept.Abilities that differ from the start, ``declared`` the contract options;
    ``root`` says that only the real root has it.
    """

    def register(kind: type[_Kind]) -> type[_Kind]:
        if quirk in TWINS:
            raise ValueError(f"two twins of {quirk}")
        store = _store(kind, below)
        fault = Fault(quirk, f"has the quirk {quirk}", "", store, "", abilities or {}, declared or {}, root)
        TWINS[quirk] = Twin(quirk, fault, along)
        return kind

    return register


def shadow(quirk: str, name: str, description: str) -> Callable[[type[_Kind]], type[_Kind]]:
    """Register a kind of store, the twin with another fault, as a shadow, or a kind of stream of the twin.

    The twin must be registered before, and lends its abilities and options. Raises ValueError for a name that is taken.
    """

    def register(kind: type[_Kind]) -> type[_Kind]:
        beside = TWINS[quirk]
        if name in SHADOWS:
            raise ValueError(f"two shadows are called {name}")
        store, like = _store(kind, beside.fault.kind), beside.fault
        fault = Fault(name, description, "", store, "", like.abilities, like.declared, like.root)
        SHADOWS[name] = beside.shadows[name] = fault
        return kind

    return register
