"""Causes: symptoms of one bug, such as a colon that many operations refuse alike, have one cause. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fsconform.model.core.operation import paths_of
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.validity import SURE_DEPTH

LONGEST_NAME = 255
"""The bytes of the longest name that most filesystems take."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """A divergence by what its cause is found. ``error`` is the class that was raised, empty where none was.

    ``traits`` are those of the names that the departing call of its smallest program has. ``known`` is a cause that is
    known already: a quirk, or a capability that is claimed. ``alone`` is true of one that
    harms data: it is never taken together with others, as what they share does not tell what is lost.
    """

    signature: str
    operation: str
    error: str = ""
    traits: tuple[str, ...] = ()
    known: str = ""
    alone: bool = False


def causes(symptoms: Iterable[Symptom]) -> Mapping[str, str]:
    """The cause of each symptom by its signature: the known one, else ``ERROR for TRAIT``, else the signature.

    An error and a trait are a cause if two different operations share them; of several such traits the one that most
    operations share, then the first by name.
    """
    listed = list(symptoms)
    sharing: dict[tuple[str, str], set[str]] = {}
    for one in listed:
        for trait in _traits(one):
            sharing.setdefault((one.error, trait), set()).add(one.operation)

    def cause(one: Symptom) -> str:
        shared = [trait for trait in _traits(one) if len(sharing[one.error, trait]) > 1]
        if not shared:
            return one.known or one.signature
        return f"{one.error} for {min(shared, key=lambda trait: (-len(sharing[one.error, trait]), trait))}"

    return {one.signature: cause(one) for one in listed}


def _traits(one: Symptom) -> tuple[str, ...]:
    return () if one.known or one.alone or not one.error else one.traits


def odd_traits(program: Program, step: int) -> tuple[str, ...]:
    """What is odd about the names in one step of a program, which is numbered from 0; empty for plain names."""
    paths = paths_of(program[step].operation) if 0 <= step < len(program) else ()
    return tuple(sorted({trait for path in paths for trait in _odd(path)}))


def _odd(path: Path) -> Iterable[str]:
    if len(path) > SURE_DEPTH:
        yield f"a path of more than {SURE_DEPTH} names"
    for name in path:
        if ":" in name:
            yield "a colon in a name"
        if "\\" in name:
            yield "a backslash in a name"
        if name in (".", ".."):
            yield "a dot-segment"
        if any(ord(one) < 32 or ord(one) == 127 for one in name):
            yield "a control character in a name"
        if any(ord(one) > 127 for one in name):
            yield "a name beyond ASCII"
        if name != name.strip(" "):
            yield "a space at an end of a name"
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            yield f"a name of more than {LONGEST_NAME} bytes"
