"""What a divergence means for who uses the store: the worst that its answer, or a look at the store, shows.

The answer of a query is compared with the state that the specification expects. What a call that changes something has
done is seen in a snapshot of the store: bytes that every allowed outcome keeps and that are nowhere any more are lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.state import Dir, File, Node, State, locate, walk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.records.results import DATA_IMPACTS

LOST, WRONG, OTHERS = DATA_IMPACTS
TIMING, ANSWER, ERROR, SHOULD = "visible too late or too long", "wrong answer", "wrong error", "SHOULD"

_NOT_FOUND = "java.io.FileNotFoundException"
_ASKING = Exists | GetFileStatus | ListStatus | Open


def of_answer(state: State, operation: Operation, outcome: Outcome, earlier: Iterable[State], kind: str) -> str:
    """The impact of a wrong answer where ``state`` is expected; ``earlier`` are the states that the program passed.

    ``kind`` is what is wrong in words, by which answers of streams are told.
    """
    if operation.MUTATES:
        return ERROR if isinstance(outcome, Raised) else ANSWER
    if isinstance(operation, _ASKING):
        path = paths_of(operation)[0]
        node = locate(state, path)
        found = _asked(node if isinstance(node, File | Dir) else None, outcome)
        stood = any(isinstance(locate(one, path), File | Dir) for one in earlier)
        return TIMING if found == OTHERS and stood else found
    if any(words in kind for words in ("other bytes", "another byte", "bytes that the file never had")):
        return WRONG
    return ERROR if isinstance(outcome, Raised) else ANSWER


def _asked(node: Node | None, outcome: Outcome) -> str:
    if isinstance(outcome, Raised):
        return LOST if _NOT_FOUND in outcome.classes and node is not None and _bytes(node) else ERROR
    value = outcome.value if isinstance(outcome, Returned) else None
    match value:
        case False:
            return LOST if node is not None and _bytes(node) else ANSWER
        case True:
            return OTHERS
        case Data(length, _) if isinstance(node, File):
            return LOST if length < contents.length(node.content) else WRONG
        case Data(length, _):
            return OTHERS if length else ANSWER
        case Status() if node is None:
            return OTHERS
        case Status(is_dir=True) if isinstance(node, File):
            return LOST if _bytes(node) else ANSWER
        case tuple() if isinstance(node, Dir):
            listed = {one.path[-1] for one in value if one.path}
            if any(name not in listed and _bytes(child) for name, child in node.children.items()):
                return LOST
            return OTHERS if listed.difference(node.children) else ANSWER
        case _:
            return ANSWER


def _bytes(node: Node) -> int:
    """The bytes of a file, or of all files below a directory."""
    if isinstance(node, File):
        return contents.length(node.content)
    return sum(contents.length(one.content) for _, one in walk(node) if isinstance(one, File))


def of_change(before: State, allowed: Iterable[State | None], after: State, written: Content = ()) -> str:
    """The impact that a look after a call shows; empty if no data were harmed, or nobody can tell.

    ``allowed`` are the states that the call may lead to: what is missing must be missing beside each of them.
    ``written`` is what the call was given to write, and said that it did: those data are its caller's own.
    """
    states = list(allowed)
    if not states or any(one is None for one in states):
        return ""
    there = _files(after)
    known = set(_files(before)).union(*(_files(one) for one in states if one is not None))
    lost = all(_files(one) - there for one in states if one is not None)
    if lost:
        return WRONG if set(there) - known else LOST
    own = Counter([(contents.length(written), contents.digest(written) or "")])
    return OTHERS if all(there - _files(one) - own for one in states if one is not None) else ""


def _files(state: State) -> Counter[tuple[int, str]]:
    """How many files hold each content, of those that hold any."""
    return Counter(
        (contents.length(node.content), contents.digest(node.content) or "")
        for _, node in walk(state)
        if isinstance(node, File) and contents.length(node.content)
    )
