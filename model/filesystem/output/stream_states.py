"""What an operation on a stream meets: the state that the stream is in; and how its answers are read."""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Case, Check, lost, raises, returns
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.state import MISSING, State, locate
from fsconform.model.filesystem.stream_answers import is_a
from fsconform.model.filesystem.stream_scripts import error_of
from fsconform.model.filesystem.validity import flags

PHASES = ("open", "closed", "aborted", "astray")


def anything(what: str) -> Case:
    """What is done with a stream of which nothing is known, or that was never opened."""
    return Case(
        f"{what} that nothing is known of",
        clause.PATH_CHANGED_WRITES,
        (
            returns(clause.PATH_CHANGED_WRITES, ANY, level="UNDEFINED"),
            raises(clause.PATH_CHANGED_WRITES, "Throwable", level="UNDEFINED"),
        ),
    )


ASTRAY = anything("a stream")


def is_free(root: State, path: Path) -> bool:
    """True of a path of a plain name in a directory, at which nothing is: whole episodes are judged only there."""
    return locate(root, path) is MISSING and not flags(path)


def elsewhere(broken: str) -> Case:
    """An episode at another path."""
    anywhere = returns(broken, ANY, effect=lost, level="UNDEFINED")
    return Case("another place", broken, (anywhere, raises(broken, "Throwable", level="UNDEFINED")))


def phase(root: State, name: str) -> int:
    """The number of the state that a stream is in, among ``PHASES``."""
    found = root.writers.get(name)
    return PHASES.index(found.phase) if found is not None and found.phase in PHASES else 3


def answer(value: object) -> str:
    """The answer among facts; empty where there is none."""
    told = value.get("answer") if isinstance(value, Facts) else None
    return told if isinstance(told, str) else ""


def told(value: object, name: str) -> bool:
    """True if that fact is."""
    return isinstance(value, Facts) and value.get(name) is True


def is_raised(value: object, *classes: str) -> bool:
    """True if the answer is an error of one of these classes."""
    return is_a(error_of(answer(value)), *classes)


def done(_root: State, _op: Any, value: Any) -> bool:
    """A check that it was done."""
    return answer(value) == "done"


def fails(*classes: str) -> Check:
    """A check that it raised an error of one of these classes."""
    return lambda _root, _op, value: is_raised(value, *classes)
