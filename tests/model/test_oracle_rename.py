"""The oracle on rename, row by row: every case, every option, every allowed outcome, and several failures at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.filesystem.branches import MEANINGS, Branch
from fsconform.model.filesystem.namespace.rename import Rename, destination
from fsconform.model.filesystem.state import State

OPTIONS = {
    "OVERWRITES": "rename-overwrites-dest",
    "MAKES": "rename-creates-dest-dirs",
    "POSIX": "rename-remove-dest-if-empty-dir",
    "EXISTS-FALSE": "rename-returns-false-if-dest-exists",
    "MISSING-FALSE": "rename-returns-false-if-source-missing",
    "FAILURE-FALSE": "fsconform.rename-returns-false-on-failure",
    "UNDER-ALLOWED": "create-file-under-file-allowed",
    "BELOW-FILES": "fsconform.refuses-paths-below-files",
    "INVALID": "fsconform.accepts-invalid-paths",
}

TABLE = """
- | rename /a /b | FileNotFoundException | strict | conforms
- | rename /a /b | FileNotFoundException | MISSING-FALSE=false | conforms
- | rename /a /b | FileNotFoundException | MISSING-FALSE | nothing
- | rename /a /b | IOException | strict=false | declared
- | rename /a /b | IOException | strict | nothing
- | rename /a /b | IOException | MISSING-FALSE | nothing
- | rename /a /b | false | MISSING-FALSE | declared
- | rename /a /b | false | - | nothing
- | rename /a /b | true | MISSING-FALSE | nothing
- | rename /a /b | RuntimeException | strict | deviation
- | rename /a /a | FileNotFoundException | strict | conforms
- | rename /a /a | true | - | nothing
a=3 | rename /a/b /c | FileNotFoundException | strict | conforms
a=3 | rename /a/b /c | IOException | strict | nothing
a=3 | rename /a/b /c | ParentNotDirectoryException | strict BELOW-FILES | declared
a=3 | rename /a/b /c | IOException | strict BELOW-FILES=false | nothing
a=3 | rename /a/b /c | true | BELOW-FILES | nothing
b/ | rename /a/c /b | IOException | strict BELOW-FILES | nothing
- | rename / /a | IOException | strict | conforms
- | rename / / | IOException | strict | conforms
- | rename / / | true | - | conforms
- | rename / / | false | - | conforms
- | rename / / | RuntimeException | - | nothing
a/ | rename / /a | RuntimeException | - | deviation
a/ | rename / /a | false | - | nothing
a/ | rename / /a | false | FAILURE-FALSE=false | nothing
a/ | rename / /a | false | FAILURE-FALSE | declared
a/ | rename / /a | IOException | FAILURE-FALSE | conforms
a/ | rename / /a | true | FAILURE-FALSE | nothing
a/ | rename /a /a/b | IOException | strict | conforms
a/b/ | rename /a /a/b | IOException | strict | conforms
a/ | rename /a /a/b/c | IOException | strict | conforms
a/ | rename /a /a/b | RuntimeException | - | deviation
a/ | rename /a /a/b | false | - | nothing
a/ | rename /a /a/b | false | FAILURE-FALSE | declared
a/ | rename /a /a/b | true | - | nothing
a/b/ | rename /a /a/b | true | POSIX | nothing
a/ ab/ | rename /a /ab/c | true | - | conforms | ab/c/
a=3 | rename /a /b/c | IOException | - | conforms
a=3 | rename /a /b/c | IOException | MAKES=false | conforms
a=3 | rename /a /b/c | FileNotFoundException | strict | conforms
a=3 | rename /a /b/c | RuntimeException | - | deviation
a=3 | rename /a /b/c | false | - | nothing
a=3 | rename /a /b/c | false | FAILURE-FALSE | declared
a=3 | rename /a /b/c | false | MAKES | nothing
a=3 | rename /a /b/c | false | MAKES FAILURE-FALSE | nothing
a=3 | rename /a /b/c | IOException | MAKES | nothing
a=3 | rename /a /b/c | true | - | nothing
a=3 | rename /a /b/c | true | MAKES | conforms | b/c=3
a/x=1 | rename /a /b/c/d | true | MAKES | conforms | b/c/d/x=1
- | rename /a /b/c | true | MAKES | nothing
- | rename /a /b/c | false | - | nothing
- | rename /a /b/c | false | FAILURE-FALSE | declared
- | rename /a /b/c | false | MAKES | nothing
- | rename /a /b/c | false | MAKES MISSING-FALSE | declared
a=3 b=5 | rename /a /b/c | IOException | strict | conforms
a=3 b=5 | rename /a /b/c/d | ParentNotDirectoryException | strict | conforms
a=3 b=5 | rename /a /b/c | RuntimeException | - | deviation
a=3 b=5 | rename /a /b/c | false | - | nothing
a=3 b=5 | rename /a /b/c | false | FAILURE-FALSE | declared
a=3 b=5 | rename /a /b/c | true | MAKES | nothing
a=3 b=5 | rename /a /b/c | true | - | nothing
a=3 b=5 | rename /a /b/c | true | MAKES UNDER-ALLOWED | nothing
a=3 b=5 | rename /a /b/c/d | false | - | nothing
a=3 b=5 | rename /a /b/c/d | false | FAILURE-FALSE | declared
a=3 b=5 | rename /a /b/c/d | true | MAKES | nothing
a=3 b=5 | rename /a /b/c/d | true | UNDER-ALLOWED | nothing
a=3 b=5 | rename /a /b/c/d | true | MAKES UNDER-ALLOWED | declared | lost
a=3 | rename /a /a/b/c | true | MAKES UNDER-ALLOWED | nothing
a=3 | rename /a /a/b | IOException | - | conforms
a=3 | rename /a /a/b | false | FAILURE-FALSE | declared
a=3 b=5 | rename /a /b | FileAlreadyExistsException | strict | conforms
a=3 b=5 | rename /a /b | IOException | strict | conforms
a=3 b=5 | rename /a /b | IOException | EXISTS-FALSE=false OVERWRITES=false | conforms
a=3 b=5 | rename /a /b | RuntimeException | - | deviation
a=3 b=5 | rename /a /b | false | - | nothing
a=3 b=5 | rename /a /b | false | EXISTS-FALSE | declared
a=3 b=5 | rename /a /b | FileAlreadyExistsException | EXISTS-FALSE | nothing
a=3 b=5 | rename /a /b | false | OVERWRITES EXISTS-FALSE | nothing
a=3 b=5 | rename /a /b | FileAlreadyExistsException | OVERWRITES | nothing
a=3 b=5 | rename /a /b | true | OVERWRITES | declared | b=3
a=3 b=5 | rename /a /b | true | - | nothing
a=3 b=5 | rename /a /b | true | EXISTS-FALSE | nothing
a=3 b=5 | rename /a /b | true | OVERWRITES EXISTS-FALSE | declared | b=3
a=3 b/a=5 | rename /a /b | FileAlreadyExistsException | strict | conforms
a=3 b/a=5 | rename /a /b | IOException | strict | conforms
a=3 b/a=5 | rename /a /b | RuntimeException | - | deviation
a=3 b/a=5 | rename /a /b | false | - | nothing
a=3 b/a=5 | rename /a /b | false | EXISTS-FALSE | declared
a=3 b/a=5 | rename /a /b | IOException | EXISTS-FALSE | nothing
a=3 b/a=5 | rename /a /b | FileAlreadyExistsException | OVERWRITES | conforms
a=3 b/a=5 | rename /a /b | true | OVERWRITES | declared | b/a=3
a=3 b/a=5 | rename /a /b | true | - | nothing
a/ b=5 | rename /a /b | FileAlreadyExistsException | strict | conforms
a/ b=5 | rename /a /b | IOException | strict | conforms
a/ b=5 | rename /a /b | RuntimeException | - | deviation
a/ b=5 | rename /a /b | false | EXISTS-FALSE | declared
a/ b=5 | rename /a /b | false | - | nothing
a/ b=5 | rename /a /b | IOException | EXISTS-FALSE | nothing
a/ b=5 | rename /a /b | true | OVERWRITES | nothing
a/ b/a=5 | rename /a /b | FileAlreadyExistsException | - | conforms
a/ b/a=5 | rename /a /b | true | OVERWRITES | nothing
a/c=1 b/a/ | rename /a /b | FileAlreadyExistsException | strict | conforms
a/c=1 b/a/ | rename /a /b | IOException | strict | conforms
a/c=1 b/a/ | rename /a /b | RuntimeException | - | deviation
a/c=1 b/a/ | rename /a /b | false | - | nothing
a/c=1 b/a/ | rename /a /b | false | EXISTS-FALSE | declared
a/c=1 b/a/ | rename /a /b | FileAlreadyExistsException | EXISTS-FALSE | nothing
a/c=1 b/a/ | rename /a /b | true | - | conforms | b/a/c=1
a/c=1 b/a/d=2 | rename /a /b | true | - | conforms | b/a/c=1 b/a/d=2
a/c=1 b/a/c=2 | rename /a /b | true | - | nothing
a/c=1 b/a/ | rename /a /b | true | EXISTS-FALSE | nothing
a=3 b/a/ | rename /a /b | IOException | strict | conforms
a/b/b/ | rename /a/b/b /a | true | - | conforms | a/b/
a/b/b/c=1 | rename /a/b/b /a | true | - | conforms | a/b/c=1
a/b/b/c=1 | rename /a/b/b /a | IOException | strict | conforms
a/b/b/b/ | rename /a/b/b /a | true | - | conforms | a/b/b/
a/b/c=2 a/b/b/c=1 | rename /a/b/b /a | true | - | nothing
a=3 | rename /a /a | true | - | conforms
a=3 | rename /a /a | false | EXISTS-FALSE | nothing
a=3 | rename /a /a | FileAlreadyExistsException | - | nothing
a/b=3 | rename /a/b /a | true | - | conforms
a=3 | rename /a / | true | - | conforms
a/ | rename /a /a | true | - | conforms
a/ | rename /a /a | false | - | conforms
a/ | rename /a /a | IOException | - | conforms
a/ | rename /a /a | RuntimeException | - | nothing
a/b/ | rename /a/b /a | false | - | conforms
a/c=1 b/ | rename /a /b | true | - | conforms | b/a/c=1
a/c=1 b/ | rename /a /b | true | POSIX=false | conforms | b/a/c=1
a/c=1 b/ | rename /a /b | true | POSIX | declared | b/c=1
a/c=1 b/ | rename /a /b | false | EXISTS-FALSE | nothing
a/c=1 b/ | rename /a /b | IOException | - | nothing
a=3 b/ | rename /a /b | true | POSIX | conforms | b/a=3
a/ b/c=1 | rename /a /b | true | POSIX | conforms | b/a/ b/c=1
a=3 | rename /a /b | true | - | conforms | b=3
a=3 b/ | rename /a /b/c | true | - | conforms | b/c=3
a/b=3 | rename /a/b / | true | - | conforms | a/ b=3
a=3 | rename /a /b | false | - | nothing
a=3 | rename /a /b | IOException | - | nothing
a=3 | rename /a /b | RuntimeException | - | nothing
a=3 | rename /a /b | ok | - | nothing
a/ | rename /a /b | true | - | conforms | b/
a/c=1 b/ | rename /a /b/d | true | - | conforms | b/d/c=1
a/c=1 | rename /a /b | false | - | nothing
a/c/ | rename /a/c / | true | - | conforms | a/ c/
b/a=3 | rename /b / | true | - | conforms
b/a=3 | rename /b /b/a | IOException | strict | conforms
b/a=3 | rename /b /b/a | FileAlreadyExistsException | strict | conforms
b/a=3 | rename /b /b/a | false | - | nothing
b/a=3 | rename /b /b/a | false | EXISTS-FALSE | declared
a/b/c=1 | rename /a/b/c /a/b | true | - | conforms
b/b/x=1 | rename /b/b / | IOException | - | conforms
- | rename /a /b:c | FileNotFoundException | strict | conforms
- | rename /a /b:c | InvalidPathException | strict | conforms
a=3 | rename /a /b:c | InvalidPathException | strict | conforms
a=3 | rename /a /b:c | IOException | strict | conforms
a=3 | rename /a /b:c | true | - | nothing
a=3 | rename /a /b:c | false | - | nothing
a=3 | rename /a /b:c | true | INVALID | declared | b:c=3
a=3 | rename /a /b:c | false | INVALID | nothing
a=3 | rename /a /b+c | true | - | conforms | b+c=3
a=3 | rename /a /b+c | InvalidPathException | - | conforms
a=3 | rename /a /b+c | false | - | deviation
a=3 b+c=5 | rename /a /b+c | false | - | nothing
a+b=3 c/ | rename /a+b /c | InvalidPathException | - | conforms
"""


def _in_full(row: str) -> str:
    for short, name in OPTIONS.items():
        row = row.replace(short, name)
    return row


ROWS = tuple(map(_in_full, TABLE.strip().splitlines()))


@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, check: Callable[[str], tuple[Branch, ...]]) -> None:
    check(row)


def test_bug_a_file_may_not_be_renamed_onto_a_directory(check: Callable[[str], tuple[Branch, ...]]) -> None:
    """docs/errata.md: exclusivity forbids the success of a file whose final destination is a directory."""
    check("a=3 b/a/ | rename /a /b | true | - | nothing")


def test_every_branch_is_what_some_row_shows(check: Callable[[str], tuple[Branch, ...]]) -> None:
    used = {branch for row in ROWS for branch in check(row)}
    common = 2
    unused = [
        (case.name, branch.clause, branch.expected)
        for case in MEANINGS[Rename].cases[common:]
        for branch in case.branches
        if branch not in used
    ]
    assert unused == []


def test_final_destination(tree: Callable[[str], State]) -> None:
    state = tree("a=3 b/c/ d=5")
    assert destination(state, Rename(("a",), ("b",))) == ("b", "a")
    assert destination(state, Rename(("a",), ("b", "c"))) == ("b", "c", "a")
    assert destination(state, Rename(("a",), ("d",))) == ("d",)
    assert destination(state, Rename(("a",), ("x",))) == ("x",)
    assert destination(state, Rename(("b",), ("b",))) == ("b",)
    assert destination(state, Rename(("b", "c"), ())) == ("c",)
