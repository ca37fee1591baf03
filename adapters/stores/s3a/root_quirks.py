"""The quirks of S3A that only the real root of a bucket has: they are on where programs play there."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import Branch, returns
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Absence, Dir, File, State, locate, put, remove

_MOVED = "filesystem.rename.post.file"


def _file(name: str) -> Step:
    return Step(Create((name,), contents.of(1, 3), False))


def _without_first(name: str) -> str:
    """What Java's substring(1) leaves of a name, as it comes to stand in a key: half a pair of surrogates is lost."""
    return f"?{name[1:]}" if ord(name[0]) > 0xFFFF else name[1:]


def _into_a_directory(root: State, op: Rename) -> Iterator[Branch]:
    node, into = locate(root, op.src), locate(root, op.dst)
    if len(op.src) != 1 or not op.dst or type(node) is not File or type(into) is not Dir:
        return
    after, name = remove(root, op.src), _without_first(op.src[0])
    if name:
        there = locate(root, (*op.dst, name))
        if type(there) is Dir:
            return
        after = put(after, (*op.dst, name), node)
    yield returns(_MOVED, True, effect=lambda _root, _op: after)


_LOSES_A_LETTER = Quirk(
    "s3a-root/rename-into-a-directory-loses-the-first-letter",
    "a file that is renamed from the root into a directory loses the first letter of its name",
    _MOVED,
    "data lost",
    "RenameOperation cuts the key of the parent and a slash off that of the file; the root's key is empty",
    "s3a/loses-the-first-letter-of-a-file-that-is-renamed-from-the-root",
    UNTIL,
    (_file("file"), Step(Mkdirs(("b",))), Step(Rename(("file",), ("b",)))),
    (Rename,),
    _into_a_directory,
)


def _into_the_root(root: State, op: Rename) -> Iterator[Branch]:
    if op.src and not op.dst:
        missing = isinstance(locate(root, op.src), Absence)
        yield returns("filesystem.rename.pre.source-exists" if missing else _MOVED, False)


_REFUSES_THE_ROOT = Quirk(
    "s3a-root/rename-into-the-root-returns-false",
    "a rename whose destination is the root returns false",
    _MOVED,
    "wrong answer",
    "S3AFileSystem refuses an empty destination key before it looks at what is to be renamed",
    "s3a/renames-nothing-into-the-root",
    UNTIL,
    (Step(Create(("a", "b"), contents.of(1, 3), False)), Step(Rename(("a", "b"), ()))),
    (Rename,),
    _into_the_root,
)

QUIRKS = (_LOSES_A_LETTER, _REFUSES_THE_ROOT)
