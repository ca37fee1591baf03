"""What all operations have in common: frozen data whose fields tell by their types what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, cast
from typing import Literal as Choice

from fsconform.model.core.paths import Path

Long = int
"""A field that Hadoop's interface has as a long: what is out of its range can't be asked of any store."""
Int = int
"""One that an interface has as a number of 32 bits."""
Short = int
"""One that it has as a short."""
Few = int
"""One that counts how often something is done here, and what is kept for it."""
Mode = int
"""One that is a mode of a file or directory as Unix has it, with a sticky bit; it is written in octal."""
Quota = int
"""One that is a quota of names or of bytes; -1 for none."""

BOUNDS: dict[str, tuple[int, int]] = {
    "Long": (-(1 << 63), (1 << 63) - 1),
    "Int": (-(1 << 31), (1 << 31) - 1),
    "Short": (-(1 << 15), (1 << 15) - 1),
    "Few": (0, 10_000),
    "Mode": (0, 0o1777),
    "Quota": (-1, (1 << 63) - 1),
}
"""The least and the greatest value of each kind of number, by the name of its type. A field is of one of them."""

Form = Choice["path", "paths", "content", "flag", "number", "text", "texts"]
"""What a field holds; ``texts`` is a tuple of texts, ``paths`` one of paths."""

_FORMS: dict[str, Form] = {
    "Path": "path",
    "tuple[Path, ...]": "paths",
    "Content": "content",
    "bool": "flag",
    **dict.fromkeys(BOUNDS, "number"),
    "str": "text",
    "tuple[str, ...]": "texts",
}


class Operation:
    """A call at the FileSystem interface.

    ``NAME`` is how programs and reports call it, ``MUTATES`` is true if it may change the store. ``VIAS`` are the other
    ways into the store that mean the same: overloads, builders, FileContext. Operations that have some carry the one
    they take in their field ``via``, the empty text being the plain call.
    """

    __slots__ = ()
    NAME: ClassVar[str]
    MUTATES: ClassVar[bool] = False
    VIAS: ClassVar[tuple[str, ...]] = ()
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """By field the words that mean something, where only some do; of a field of texts each is one of them."""

    @property
    def via(self) -> str:
        """The way into the store; operations with several of them hold it as a field."""
        return ""

    def check(self) -> None:
        """Raise ValueError for what a field holds and no word or number of its own refuses."""


OPERATIONS: dict[str, type[Operation]] = {}
"""All operations by name: each is entered where it is declared, by :func:`operation`."""

_K = TypeVar("_K", bound=type[Operation])


def operation(kind: _K) -> _K:
    """Enter an operation under its name. A decorator; raises ValueError for a name that is taken."""
    if OPERATIONS.setdefault(kind.NAME, kind) is not kind:
        raise ValueError(f"two operations are called {kind.NAME}")
    return kind


_SHOWN = 200
_O = TypeVar("_O", bound=Operation)


_Shape = tuple[tuple[str, Form], ...]
_Places = tuple[tuple[str, bool], ...]
_shapes: dict[type, _Shape] = {}
_bounds: dict[type, dict[str, tuple[int, int]]] = {}
_defaults: dict[type, dict[str, Any]] = {}
_places: dict[type, _Places] = {}


def shape(kind: type[Operation]) -> _Shape:
    """The fields of an operation with what they hold, in the order of its arguments."""
    found = _shapes.get(kind)
    if found is None:
        own = fields(cast(Any, kind))
        found = _shapes[kind] = tuple((field.name, _FORMS[str(field.type)]) for field in own)
        _defaults[kind] = {field.name: field.default for field in own if field.default is not MISSING}
        _bounds[kind] = {field.name: BOUNDS[str(field.type)] for field in own if str(field.type) in BOUNDS}
        _places[kind] = tuple((name, form == "paths") for name, form in found if form in ("path", "paths"))
    return found


def defaults(kind: type[Operation]) -> dict[str, Any]:
    """The fields of an operation that go without saying, with their values."""
    shape(kind)
    return _defaults[kind]


def bounds(kind: type[Operation]) -> dict[str, tuple[int, int]]:
    """The least and the greatest value of each field of an operation that is a number."""
    shape(kind)
    return _bounds[kind]


def check_bound(name: str, value: int, bound: tuple[int, int]) -> None:
    """Raise ValueError, with the range, for a number that is out of it."""
    least, greatest = bound
    if not least <= value <= greatest:
        told = str(value) if -(10**30) < value < 10**30 else f"a number of about {value.bit_length()} bits"
        raise ValueError(f"{name} is {told}: write a number from {least} to {greatest}")


def check_words_of(operation: Operation, known: Mapping[str, tuple[str, ...]]) -> None:
    """Raise ValueError for a word in one of these fields that is none of the known ones."""
    for name, words in known.items():
        value = getattr(operation, name)
        for word in value if isinstance(value, tuple) else (value,):
            if word not in words:
                raise ValueError(f"{name} of {operation.NAME} is {brief(word)}: write one of {', '.join(words)}")


def check_words(operation: Operation) -> None:
    """Raise ValueError for a word that an operation has no meaning for, and for what its own check refuses."""
    check_words_of(operation, operation.WORDS)
    operation.check()


def reason(error: Exception) -> str:
    """What is wrong, as an error says that names the whole it is in: cut if it is long, as what it quotes may be."""
    told = str(error)
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…"


def brief(value: object) -> str:
    """A value as an error shows it: its ``repr``, cut if it is long."""
    try:
        told = repr(value)
    except ValueError:  # a number of thousands of digits
        return f"a {type(value).__name__}"
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…"


def _places_of(kind: type[Operation]) -> _Places:
    if kind not in _places:
        shape(kind)
    return _places[kind]


def paths_of(operation: Operation) -> tuple[Path, ...]:
    """The paths an operation names, in the order of its arguments."""
    kind = type(operation)
    read = _read.get(kind)
    if read is None:
        read = _read[kind] = _reader(_places_of(kind))
    return read(operation)


_read: dict[type, Callable[[Operation], tuple[Path, ...]]] = {}


def _reader(places: _Places) -> Callable[[Operation], tuple[Path, ...]]:
    """What reads the paths of one kind of operation."""
    names = [name for name, _ in places]
    if any(many for _, many in places):

        def read(operation: Operation) -> tuple[Path, ...]:
            found: tuple[Path, ...] = ()
            for name, many in places:
                value = getattr(operation, name)
                found += value if many else (value,)
            return found

        return read
    if len(names) == 1:
        one = attrgetter(*names)
        return lambda operation: (one(operation),)
    return attrgetter(*names) if names else lambda operation: ()


def with_paths(operation: _O, change: Callable[[Path], Path]) -> _O:
    """The operation with each of its paths changed."""
    changed: dict[str, Any] = {
        name: tuple(map(change, getattr(operation, name))) if many else change(getattr(operation, name))
        for name, many in _places_of(type(operation))
    }
    return cast(_O, replace(cast(Any, operation), **changed)) if changed else operation
