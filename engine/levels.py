"""Levels: what a broken clause weighs, by where the clause comes from (its ``basis`` in the catalogue).

A clause of the released documents or of the Javadoc breaks a MUST on its own. A clause of a proposal, which no release
publishes, and one that we derived ourselves are deviations; but where a call loses, corrupts or makes up data it fails
the gate whatever the clause rests on. Directories that a refused call leaves behind are not data; entries that it
takes away are.
"""

from __future__ import annotations

from fsconform.engine.subject import Verdict
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Facts, Outcome, Raised, Returned, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.state import Dir, File, Node, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.specs.catalogue import BINDING, catalogue

WEIGHED: frozenset[Verdict] = frozenset(("violation", "undeclared"))
"""The verdicts that rest on a clause. What a contract says of itself and is false fails whatever it is about."""


def weighed(verdict: Verdict, basis: str, harms: bool) -> Verdict:
    """The verdict of a departure from a clause: a deviation where the clause does not bind and no data come to harm."""
    if verdict not in WEIGHED or basis in BINDING or harms:
        return verdict
    return "deviation"


def basis_of(clause: str) -> str:
    """Where a clause comes from; ``published`` for one that the catalogue does not have."""
    row = catalogue().get(clause)
    return row.basis if row is not None else "published"


def harms_data(state: State, operation: Operation, outcome: Outcome) -> bool:
    """True unless an answer shows that no data were lost, corrupted or made up.

    ``state`` is the state that the specification expects, in which the answer is not allowed. An error of a call that
    changes something is no harm by itself, nor are facts other than a file's bytes.
    """
    if operation.MUTATES:
        return isinstance(outcome, Returned) and not isinstance(outcome.value, Facts)
    if not isinstance(operation, GetFileStatus | ListStatus | Open):
        return not (isinstance(outcome, Returned) and isinstance(outcome.value, Facts))
    node = locate(state, operation.path)
    if isinstance(outcome, Raised):
        return isinstance(node, File | Dir)
    value = outcome.value if isinstance(outcome, Returned) else None
    match operation, value:
        case GetFileStatus(), Status():
            return _status_harmed(node, value)
        case ListStatus(), tuple():
            return _listing_harmed(operation.path, node, [one for one in value if isinstance(one, Status)])
        case Open(), Data():
            return not isinstance(node, File) or not _holds(node, value)
        case _:
            return True


def _status_harmed(node: object, status: Status) -> bool:
    if isinstance(node, File):
        return status.is_dir or status.length != contents.length(node.content)
    return not status.is_dir


def _listing_harmed(path: Path, node: object, listed: list[Status]) -> bool:
    expected: dict[Path, Node] = {}
    if isinstance(node, File):
        expected = {path: node}
    elif isinstance(node, Dir):
        expected = {(*path, name): child for name, child in node.children.items()}
    seen = {status.path for status in listed}
    return not seen.issuperset(expected) or any(_status_harmed(expected.get(one.path), one) for one in listed)


def _holds(node: File, data: Data) -> bool:
    digest = contents.digest(node.content)
    return data.length == contents.length(node.content) and digest in (None, data.digest)
