"""Taking over a store's real state after a divergence, so that the rest of a program is still judged."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.engine.protocol import Snapshot
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned
from fsconform.model.core.paths import ROOT
from fsconform.model.filesystem.invariants import Breach, Sets, breaches
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.quirks import Quirks, is_marked
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, Dir, File, Node, State, locate, put, walk
from fsconform.model.filesystem.status.list_status import ListStatus


@dataclass(frozen=True, slots=True)
class Adopted:
    """The model's form of a snapshot, None where the store shows itself in two ways; and the invariants it breaks."""

    state: State | None
    breaches: tuple[Breach, ...]


def adopt(snapshot: Snapshot, program: Program) -> Adopted:
    """The state a snapshot shows. Content is recognised where it is one that the program wrote."""
    directories = [ROOT] + [entry.listed.path for entry in snapshot.entries if entry.listed.is_dir]
    files = [entry.listed.path for entry in snapshot.entries if not entry.listed.is_dir]
    broken = breaches(Sets(tuple(directories), tuple(files)), accept_invalid=True)
    if broken or not snapshot.consistent:
        return Adopted(None, broken)
    known = _known_contents(program)
    state = EMPTY
    for entry in sorted(snapshot.entries, key=lambda one: len(one.listed.path)):
        node: Node = EMPTY_DIR
        if not entry.listed.is_dir:
            if entry.data is None or entry.data.length < 0:
                return Adopted(None, ())  # a file that nobody could read, whatever the snapshot says of itself
            node = File(_recognise(entry.data, known))
        state = put(state, entry.listed.path, node)
    return Adopted(state, ())


def is_concealed(before: State, shown: State, quirks: Quirks) -> bool:
    """True if a look may have missed something that a store with these quirks has.

    ``before`` is the state that was followed up to the divergence: what is missing of it in the state that was
    ``shown`` may be there all the same where the store leaves it out of listings, and what the store remembers of
    earlier calls shows nowhere.
    """
    if is_marked(before):
        return True
    hiding = quirks.assuming(ListStatus)
    for path, _ in walk(before) if hiding else ():
        if isinstance(locate(shown, path), File | Dir):
            continue
        operation, nothing = ListStatus(path[:-1]), Returned(())
        seen = (state for quirk in hiding if quirk.as_if for state, _ in quirk.as_if(before, operation, nothing))
        if any(not isinstance(locate(state, path), File | Dir) for state in seen):
            return True
    return False


def _known_contents(program: Program) -> dict[Data, contents.Content]:
    written = [contents.EMPTY]
    for step in program:
        if isinstance(step.operation, Create):
            written.append(step.operation.content)
        elif isinstance(step.operation, Append):
            written.extend([content + step.operation.content for content in tuple(written)][-8:])
    known: dict[Data, contents.Content] = {}
    for content in written:
        known.setdefault(Data(contents.length(content), contents.digest(content) or ""), content)
    return known


def _recognise(data: Data, known: dict[Data, contents.Content]) -> contents.Content:
    found = known.get(data)
    return (contents.Observed(data.length, data.digest),) if found is None else found
