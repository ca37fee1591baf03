"""What the calls of Hadoop's raw local filesystem do to a tree, step by step, as its source has them.

RawLocalFileSystem asks the operating system first, and copies where that refuses (FileUtil.copy). A copy visits the
children of a directory in an order that nobody promises, so a call has several results: all that are possible.
Nothing here is a quirk; ``rawlocal`` and ``file`` say which results are known bugs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.errors import FULL_NAMES
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import REFUSED_CLAUSE, Branch
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.quirks import MARK
from fsconform.model.filesystem.state import EMPTY_DIR, Absence, Dir, File, Node, State, locate, put, remove

LONGEST_NAME = 255
"""Bytes of a name that the operating system takes."""
LONGEST_PATH = 4095
"""Bytes of a path that the operating system takes, from its own root on."""
SANDBOX = 400
"""Bytes that the path of a sandbox may have: by so many the limit of a program's own paths is lower."""
MANY = 64
"""So many results of one directory's copy are looked at; a call with more has unknown effects."""
MOST_RESULTS = 4 * MANY
"""So many of a directory and all that is in it."""
MOST = 8192
"""So many files and directories are looked at for one call, and again where one is refused beside others."""
DEEPEST = 220
"""So many levels of directories are copied; what a call does with more of them is not known."""

OWN_DIRECTORY, DEEPER, COLON, OVER = "own directory", "deeper", "colon", "over"
"""What may be found on the way: a file copied onto itself; a copy into a directory instead of onto it; an error after
something was moved; a name that a Path can't be made of."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a call may end: what it returned or, in ``error``, raised by its short name; the tree then; what was met."""

    tree: State
    value: bool | None = True
    error: str = ""
    met: frozenset[str] = frozenset()


def branch_of(result: Result, clause: str = REFUSED_CLAUSE) -> Branch:
    """What a result of a call looks like: its error or value, and the tree that follows."""
    raised = FULL_NAMES[result.error] if result.error else ""
    words = f"raise {result.error}" if result.error else "return" if result.value is None else f"return {result.value}"
    return Branch(clause, "MUST", words, lambda _root, _op: result.tree, raised, result.value)


def is_settled(root: State, operation: Operation) -> bool:
    """True if no stream writes to a path that the operation names."""
    return not streams.is_met(root, paths_of(operation))


def size(text: str) -> int:
    """Bytes of a name in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def refusable(path: Path) -> Iterator[int]:
    """The numbers of the elements of a path at which the operating system may begin to refuse it for its length."""
    total = 0
    for place, name in enumerate(path):
        total += size(name) + 1
        if size(name) > LONGEST_NAME or total > LONGEST_PATH:
            yield place
            return
        if total > LONGEST_PATH - SANDBOX:
            yield place


def is_long(path: Path) -> bool:
    """True if the operating system refuses a path for its length, wherever the sandbox is."""
    return any(size(name) > LONGEST_NAME for name in path) or sum(size(name) + 1 for name in path) > LONGEST_PATH


def there(root: State, path: Path) -> Node | None:
    """What is at a path."""
    node = locate(root, path)
    return None if isinstance(node, Absence) else node


def made(root: State, path: Path) -> Result:
    """``mkdirs``. False where the operating system refuses a name; what is above it is made then."""
    node: Node | None = root.tree
    for depth, name in enumerate(path, 1):
        node = node.children.get(name) if isinstance(node, Dir) else None
        if node is None:
            break
        if type(node) is File:
            error = "FileAlreadyExistsException" if depth == len(path) else "ParentNotDirectoryException"
            return Result(root, None, error)
    long = next((place for place, name in enumerate(path) if size(name) > LONGEST_NAME), None)
    above = path if long is None else path[:long]
    tree = root if there(root, above) is not None else put(root, above, EMPTY_DIR)
    return Result(tree, long is None)


def written(root: State, path: Path, content: Content, overwrite: bool = True) -> Result:
    """``create`` with what is written to it."""
    node = there(root, path)
    if node is not None and not overwrite:
        return Result(root, None, "FileAlreadyExistsException")
    parents = made(root, path[:-1]) if path else Result(root)
    if parents.error:
        return parents
    if not parents.value:
        return Result(parents.tree, None, "IOException")
    if type(node) is Dir or size(path[-1]) > LONGEST_NAME:
        return Result(parents.tree, None, "FileNotFoundException")
    kept = node.meta if type(node) is File else None
    return Result(put(parents.tree, path, File(content, kept)), None)


@lru_cache(maxsize=64)
def renamed(root: State, src: Path, dst: Path) -> tuple[Result, ...]:
    """``rename``: all results that it may have; none where there are too many."""
    moved = _by_the_system(root, src, dst)
    if moved is not None:
        return (Result(moved),)
    node = there(root, src)
    if node is None:
        return (Result(root, None, "FileNotFoundException"),)
    try:
        return _Copy(src, dst).of(root, src, node, dst)
    except _TooMany:
        return ()


class _TooMany(Exception):
    pass


def _by_the_system(root: State, src: Path, dst: Path) -> State | None:
    source, target = there(root, src), there(root, dst)
    if source is None or is_long(dst):
        return None
    if src == dst:
        return root
    if not src or not dst or is_ancestor(src, dst) or type(there(root, dst[:-1])) is not Dir:
        return None
    free = target is None or (type(target) is type(source) and (type(target) is File or not _children(target)))
    return put(remove(root, src), dst, source) if free else None


def _children(node: Node) -> tuple[str, ...]:
    return tuple(sorted(node.children)) if type(node) is Dir else ()


def _resolved(root: State, name: str, dst: Path) -> tuple[Path, bool] | None:
    """Where a copy to a path goes; true if it goes into a directory there. None for a name that Path refuses."""
    if type(there(root, dst)) is not Dir:
        return dst, False
    return None if ":" in name else ((*dst, name), True)


class _Copy:
    """FileUtil.copy of one file or directory, its source being deleted, and of all that is in it.

    No child is looked at twice in one and the same tree, and none more than once where all go well. Where one is
    refused it is looked at again in the trees that its siblings may have left; there is a bound for that.
    """

    def __init__(self, src: Path, dst: Path) -> None:
        self.evaluations, self._top = 0, len(src)
        # What is copied out of what it goes into, or the other way about, may meet what a sibling left.
        self._apart = dst[: len(src)] != src and src[: len(dst)] != dst
        self._known: dict[tuple[int, Path, Path], tuple[State, tuple[Result, ...]]] = {}

    def of(self, root: State, src: Path, node: Node, dst: Path, below: bool = False) -> tuple[Result, ...]:
        """All results that it may have in a tree; ``below`` of one that is a child."""
        self.evaluations += 1
        if self.evaluations > MOST or len(src) - self._top > DEEPEST:
            raise _TooMany
        resolved = _resolved(root, src[-1] if src else "", dst)
        if resolved is None:
            return (Result(root, None, "IllegalArgumentException", frozenset((COLON,))),)
        dest, into = resolved
        met = frozenset((DEEPER,)) if into and below else frozenset[str]()
        if type(node) is File:
            return (_file_copied(root, src, node, dest, met),)
        if dest == src or is_ancestor(src, dest):
            return (Result(root, None, "IOException", met),)
        return self._directory(root, src, node, dest, met)

    def _directory(self, root: State, src: Path, node: Node, dest: Path, met: frozenset[str]) -> tuple[Result, ...]:
        start = made(root, dest)
        if start.error or not start.value:
            return (Result(start.tree, start.value if not start.error else None, start.error, met),)
        whole, refused = Result(start.tree, True, "", met), list[str]()
        safe: list[str] = []
        for name in _children(node):
            results = None if ":" in name else self._child(whole.tree if self._apart else start.tree, src, name, dest)
            if results is None or any(one.error for one in results):
                refused.append(name)
                continue
            safe.append(name)
            after = results if self._apart else self._child(whole.tree, src, name, dest)
            whole = Result(after[0].tree, True, "", whole.met | after[0].met)
        if not refused:
            return (Result(remove(whole.tree, src), True, "", whole.met),)
        if 2 ** len(safe) * len(refused) > MANY:
            raise _TooMany
        found: list[Result] = []
        for chosen in range(2 ** len(safe)):
            found += self._stopped(start.tree, src, dest, met, refused, _chosen(safe, chosen))
            if len(found) > MOST_RESULTS:
                raise _TooMany
        return tuple(found)

    def _stopped(
        self, tree: State, src: Path, dest: Path, met: frozenset[str], refused: list[str], before: list[str]
    ) -> Iterator[Result]:
        """The copies of a directory that stop at a child that is refused, after others were copied."""
        for name in before:
            after = self._child(tree, src, name, dest)
            tree, met = after[0].tree, met | after[0].met
        for name in refused:
            if ":" in name:
                yield Result(tree, None, "IllegalArgumentException", met | {COLON})
                continue
            for one in self._child(tree, src, name, dest):
                if one.error:
                    yield Result(one.tree, None, one.error, met | one.met)

    def _child(self, root: State, src: Path, name: str, dest: Path) -> tuple[Result, ...]:
        path, goes = (*src, name), (*dest, name)
        known = self._known.get((id(root), path, goes))
        if known is None:
            node = locate(root, path)
            assert not isinstance(node, Absence)
            # The tree is kept along with its results: no other gets its identity meanwhile.
            known = self._known[id(root), path, goes] = root, self.of(root, path, node, goes, True)
        return known[1]


def _chosen(names: list[str], number: int) -> list[str]:
    return [name for place, name in enumerate(names) if number >> place & 1]


def _file_copied(root: State, src: Path, node: File, dest: Path, met: frozenset[str]) -> Result:
    if dest == src:
        emptied = put(root, src, File(contents.EMPTY))  # as a stream may find it that was opened before
        return Result(remove(emptied, src), True, "", met | {OWN_DIRECTORY})
    if type(there(root, dest)) is File:
        met |= {OVER}
    result = written(root, dest, node.content)
    if result.error:
        return Result(result.tree, None, result.error, met)
    return Result(remove(put(result.tree, dest, _anew(node)), src), True, "", met)


def _anew(node: File) -> File:
    """A copy of a file: what is known of its bytes, as that they are checksums, and nothing else of it."""
    marks = {name: fact for name, fact in (node.meta or {}).items() if name.startswith(MARK)}
    return File(node.content, Map(marks) if marks else None)


def concatenated(root: State, path: Path, sources: tuple[Path, ...]) -> Result | None:
    """``concat``: the target is written anew of the bytes of the sources, which stay. None for what never ends."""
    begun = written(root, path, contents.EMPTY)
    if begun.error:
        return begun
    tree, content, held, saved = begun.tree, contents.EMPTY, 0, False
    for source in sources:
        node = there(tree, source)
        if type(node) is not File:
            return Result(put(tree, path, File(content)), None, "FileNotFoundException")
        if source == path:
            if saved:
                return None  # what is read has been written a moment ago, and is written again
            continue
        held, passed_on = buffered(held, contents.length(node.content))
        saved = saved or passed_on
        content = (*content, *node.content)
    return Result(put(tree, path, File(content)), None)


def buffered(held: int, size: int) -> tuple[int, bool]:
    """The bytes that a stream holds back once it has copied a file, and whether any were saved meanwhile."""
    saved = False
    while size > 0:
        piece = min(size, BUFFER)
        if piece == BUFFER:
            held, saved = 0, True
        elif piece > BUFFER - held:
            held, saved = piece, True
        else:
            held += piece
        size -= piece
    return held, saved


BUFFER = 4096
"""Bytes that a stream holds back before it writes them (io.file.buffer.size)."""
