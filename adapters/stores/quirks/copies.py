"""What Hadoop's own copying of trees does: a quirk of each store that does not copy by itself."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from fsconform.adapters.stores.quirks.shared import refused
from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import MEANINGS, REFUSED_CLAUSE, Branch
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import EMPTY_DIR, Dir, File, State, locate, put
from fsconform.model.filesystem.transfer.local_copies import LOCAL_TREE, CopyTreeFromLocal, put_tree

UNTIL = datetime.date(2027, 11, 30)


def _copies_too_deep(root: State, op: CopyTreeFromLocal) -> Iterator[Branch]:
    """A directory of the tree that exists at its place gets what is in it below its own name."""
    tree = (*op.path, LOCAL_TREE)
    inner = (*tree, "d")
    if not op.overwrite or any(type(locate(root, one)) is not Dir for one in (op.path, tree, inner)):
        return
    file, below = (*tree, "f"), (*inner, "d")
    met = locate(root, below)
    if type(locate(root, file)) is Dir or type(locate(root, (*inner, "g"))) is Dir:
        return  # the specification says nothing of trees that stand in each other's way
    copied = put(root, file, File(op.content))
    last = (*below, "g")
    if type(locate(root, last)) is Dir:
        last = (*last, "g")
    if type(met) is File or type(locate(root, last)) is Dir:
        yield from (refused(REFUSED_CLAUSE, "IOException", after) for after in (root, copied))
        return
    after = copied if type(met) is Dir else put(copied, below, EMPTY_DIR)
    done = put(after, last, File(()))
    for case in MEANINGS[CopyTreeFromLocal].cases:
        for branch in case.branches:
            if branch.effect is put_tree and case.name.startswith("into a directory that has a directory"):
                yield replace(branch, effect=lambda _root, _op: done)


def copied_too_deep(store: str, link: str) -> Quirk:
    """What FileSystem.copyFromLocalFile does with a tree that meets a directory of one of its names."""
    return Quirk(
        f"{store}/copies-a-tree-too-deep",
        "a tree that is copied over one of its name puts its own directories one level deeper",
        "filesystem.copyFromLocalFile.post.replaces",
        "data wrong",
        "FileUtil.copy calls itself for each entry, finds its directory there, and goes below it as at the top",
        link,
        UNTIL,
        (Step(Mkdirs(("a", LOCAL_TREE, "d"))), Step(CopyTreeFromLocal(("a",), contents.of(1, 4), False, True))),
        (CopyTreeFromLocal,),
        _copies_too_deep,
    )
