"""The quirks of HDFS."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from fsconform.model import content as contents
from fsconform.model.branches import REFUSED_CLAUSE, Branch, raises
from fsconform.model.operations import Create, Mkdirs
from fsconform.model.paths import Path
from fsconform.model.programs import Step
from fsconform.model.quirks import Quirk
from fsconform.model.state import EMPTY_DIR, MISSING, NO_PARENT, Dir, locate, put

UNTIL = datetime.date(2027, 11, 30)
LONGEST_NAME = 255
"""Bytes of a name in UTF-8 (dfs.namenode.fs-limits.max-component-length)."""


def _before_a_long_name(path: Path) -> Path | None:
    """The path up to its first name that is too long; None if there is none."""
    for place, name in enumerate(path):
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            return path[:place]
    return None


def _leaves_parents(root: Dir, op: Create | Mkdirs) -> Iterator[Branch]:
    parent = _before_a_long_name(op.path)
    if parent and locate(root, parent) in (MISSING, NO_PARENT):
        made = put(root, parent, EMPTY_DIR)
        yield from (
            Branch(branch.clause, "MUST", branch.expected, lambda _root, _op: made, branch.raises)
            for branch in (raises(REFUSED_CLAUSE, "IOException"),)
        )


_PARENTS = Quirk(
    "hdfs/refused-long-name-makes-parents",
    "a call that is refused for the length of a name has made the parents",
    REFUSED_CLAUSE,
    "wrong answer",
    "the NameNode makes missing parents before it checks the last name of a path",
    "docs/findings.md#hdfs-leaves-the-parents-of-what-it-refused",
    UNTIL,
    (Step(Create(("a", "n" * 256), contents.of(1, 3), False)),),
    (Create, Mkdirs),
    _leaves_parents,
)

QUIRKS = (_PARENTS,)
