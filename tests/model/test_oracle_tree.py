"""The oracle on mkdirs, create, append and delete, row by row: every case, every option, every allowed outcome."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core.errors import ancestry
from fsconform.model.core.outcomes import Raised
from fsconform.model.filesystem.branches import MEANINGS, Branch
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.metadata.rename_and_access_times import RenameTimed
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.options.core import READ_ONLY
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.predicates import Exists

MKDIRS_ROWS = """
- | mkdirs /a | true | - | conforms | a/
- | mkdirs /a/b/c | true | - | conforms | a/b/c/
x=1 | mkdirs /a/b | true | - | conforms | a/b/ x=1
- | mkdirs /a | false | - | nothing
- | mkdirs /a | ok | - | nothing
- | mkdirs /a | IOException | - | nothing
- | mkdirs /a | RuntimeException | - | nothing
- | mkdirs /a | dir /a 0 | - | nothing
a/ | mkdirs /a | true | - | conforms
a/b=3 | mkdirs /a | true | - | conforms
- | mkdirs / | true | - | conforms
a/ | mkdirs /a | false | - | nothing
a/ | mkdirs /a | FileAlreadyExistsException | - | nothing
a=3 | mkdirs /a | FileAlreadyExistsException | - | conforms
a=3 | mkdirs /a | FileAlreadyExistsException | strict | conforms
a=3 | mkdirs /a | ParentNotDirectoryException | strict | conforms
a=3 | mkdirs /a | IOException | - | conforms
a=3 | mkdirs /a | IOException | strict=false | conforms
a=3 | mkdirs /a | PathIsDirectoryException | - | conforms
a=3 | mkdirs /a | IOException | strict | nothing
a=3 | mkdirs /a | class java.nio.file.FileAlreadyExistsException | strict | nothing
a=3 | mkdirs /a | class com.example.Own | - | conforms
a=3 | mkdirs /a | RuntimeException | strict | deviation
a=3 | mkdirs /a | UnsupportedOperationException | - | deviation
a=3 | mkdirs /a | Exception | - | nothing
a=3 | mkdirs /a | Error | - | nothing
a=3 | mkdirs /a | true | - | nothing
a=3 | mkdirs /a | false | - | nothing
a=3 | mkdirs /a/b | FileAlreadyExistsException | strict | conforms
a=3 | mkdirs /a/b/c | ParentNotDirectoryException | strict | conforms
a=3 | mkdirs /a/b | IOException | - | conforms
a=3 | mkdirs /a/b | IOException | strict | nothing
a=3 | mkdirs /a/b | RuntimeException | - | deviation
a=3 | mkdirs /a/b | true | - | nothing
a=3 | mkdirs /a/b | true | create-file-under-file-allowed | nothing
- | mkdirs /a:b | InvalidPathException | - | conforms
- | mkdirs /a/.. | InvalidPathException | - | conforms
- | mkdirs /a//b | InvalidPathException | - | conforms
- | mkdirs /a/./b | InvalidPathException | - | conforms
- | mkdirs /a:b | IOException | - | conforms
- | mkdirs /a:b | IllegalArgumentException | - | deviation
- | mkdirs /a:b | true | - | nothing
- | mkdirs /a:b | false | - | nothing
- | mkdirs /a:b | false | fsconform.accepts-invalid-paths | nothing
- | mkdirs /a:b | true | fsconform.accepts-invalid-paths=false | nothing
- | mkdirs /a:b | true | fsconform.accepts-invalid-paths | declared | a:b/
- | mkdirs /a:b | InvalidPathException | fsconform.accepts-invalid-paths | conforms
a:b=3 | mkdirs /a:b | FileAlreadyExistsException | fsconform.accepts-invalid-paths | conforms
a=3 | mkdirs /a/b:c | InvalidPathException | strict | conforms
a=3 | mkdirs /a/b:c | FileAlreadyExistsException | strict fsconform.accepts-invalid-paths | conforms
a=3 | mkdirs /a/b:c | FileAlreadyExistsException | strict | conforms
- | mkdirs /a+b | true | - | conforms | a+b/
- | mkdirs /a+b | InvalidPathException | - | conforms
- | mkdirs /a+b | IOException | - | conforms
- | mkdirs /a+b | RuntimeException | - | deviation
- | mkdirs /a+b | false | - | deviation
- | mkdirs /a+b | ok | - | nothing
- | mkdirs /é | InvalidPathException | - | conforms
- | mkdirs /a. | InvalidPathException | - | conforms
- | mkdirs /.a | InvalidPathException | - | nothing
a+b/ | mkdirs /a+b | InvalidPathException | - | nothing
a+b/ | mkdirs /a+b | true | - | conforms
a+b=3 | mkdirs /a+b | InvalidPathException | - | deviation
a+b=3 | mkdirs /a+b/c | InvalidPathException | - | conforms
"""

CREATE_ROWS = """
- | create / 3 | IOException | strict | conforms
- | create / 3 | FileAlreadyExistsException | strict | conforms
- | create / 3 | RuntimeException | strict | deviation
- | create / 3 | ok | create-overwrites-directory | nothing
- | create /a 3 | ok | - | conforms | a=3
- | create /a 0 | ok | - | conforms | a=0
- | create! /a 3 | ok | - | conforms | a=3
- | create /a/b/c 3 | ok | - | conforms | a/b/c=3
- | create /a 3 | true | - | nothing
- | create /a 3 | FileNotFoundException | - | nothing
- | create /a/b 3 | FileNotFoundException | - | nothing
- | create /a 3 | RuntimeException | - | nothing
a=5 | create! /a 3 | ok | - | conforms | a=3
a=5 | create! /a 3 | FileAlreadyExistsException | - | nothing
a=5 | create /a 3 | FileAlreadyExistsException | strict | conforms
a=5 | create /a 3 | IOException | strict=false | declared
a=5 | create /a 3 | IOException | strict | nothing
a=5 | create /a 3 | RuntimeException | strict | deviation
a=5 | create /a 3 | ok | - | nothing
a/ | create! /a 3 | FileAlreadyExistsException | strict | conforms
a/ | create! /a 3 | FileNotFoundException | - | conforms
a/ | create! /a 3 | FileNotFoundException | strict | nothing
a/ | create! /a 3 | IOException | - | conforms
a/ | create! /a 3 | IOException | strict | nothing
a/ | create! /a 3 | RuntimeException | - | deviation
a/ | create! /a 3 | ok | - | nothing
a/ | create! /a 3 | ok | create-overwrites-directory=false | nothing
a/ | create! /a 3 | ok | create-overwrites-directory | declared | a=3
a/b=5 | create! /a 3 | ok | create-overwrites-directory | declared | a=3
a/ | create! /a 3 | FileAlreadyExistsException | create-overwrites-directory | conforms
a/ | create /a 3 | ok | create-overwrites-directory | nothing
a/ | create /a 3 | FileAlreadyExistsException | strict | conforms
a/ | create /a 3 | FileNotFoundException | - | conforms
a/ | create /a 3 | IOException | - | conforms
a/ | create /a 3 | IOException | strict | nothing
a/ | create /a 3 | RuntimeException | - | deviation
- | create! / 3 | ok | create-overwrites-directory | nothing
- | create! / 3 | FileAlreadyExistsException | strict | conforms
a=5 | create /a/b 3 | ParentNotDirectoryException | strict | conforms
a=5 | create! /a/b/c 3 | FileAlreadyExistsException | strict | conforms
a=5 | create /a/b 3 | IOException | - | conforms
a=5 | create /a/b 3 | FileNotFoundException | strict | nothing
a=5 | create /a/b 3 | RuntimeException | - | deviation
a=5 | create /a/b 3 | ok | - | nothing
a=5 | create /a/b 3 | ok | create-file-under-file-allowed=false | nothing
a=5 | create /a/b 3 | ok | create-file-under-file-allowed | declared | lost
a=5 | create /a/b 3 | ParentNotDirectoryException | create-file-under-file-allowed | conforms
- | create /a:b 3 | ok | - | nothing
- | create /a:b 3 | ok | fsconform.accepts-invalid-paths | declared | a:b=3
a=5 | create /a/b:c 3 | ok | create-file-under-file-allowed | nothing
a=5 | create /a/b:c 3 | ok | create-file-under-file-allowed fsconform.accepts-invalid-paths | declared | lost
- | create /a+b 3 | ok | - | conforms | a+b=3
- | create /a+b 3 | InvalidPathException | - | conforms
a+b=5 | create! /a+b 3 | InvalidPathException | - | nothing
"""

APPEND_ROWS = """
a=5 | append /a 3 | ok | append | conforms | a=8
a=0 | append /a 3 | ok | append | conforms | a=3
a=5 | append /a 0 | ok | append | conforms | a=5
a=5 | append /a 3 | ok | - | nothing
a=5 | append /a 3 | ok | append=false | nothing
a=5 | append /a 3 | UnsupportedOperationException | - | conforms
a=5 | append /a 3 | UnsupportedOperationException | append=false | conforms
a=5 | append /a 3 | UnsupportedOperationException | append | nothing
a=5 | append /a 3 | IOException | - | deviation
a=5 | append /a 3 | IOException | append | nothing
a=5 | append /a 3 | RuntimeException | - | deviation
a=5 | append /a 3 | RuntimeException | append | nothing
a=5 | append@context /a 3 | ok | append | conforms | a=8
a=5 | append@context /a 3 | ok | - | nothing
a=5 | append@context /a 3 | ok | fsconform.appends-in-contexts | declared | a=8
a=5 | append@context /a 3 | UnsupportedOperationException | fsconform.appends-in-contexts | conforms
a=5 | append@context /a 3 | IOException | - | deviation
a=5 | append@context /a 3 | RuntimeException | - | deviation
a=5 | append@builder /a 3 | ok | append | conforms | a=8
- | append /a 3 | FileNotFoundException | append | conforms
- | append /a 3 | FileNotFoundException | append strict | conforms
- | append /a 3 | IOException | append | declared
- | append /a 3 | IOException | append strict | nothing
- | append /a 3 | RuntimeException | append strict | deviation
- | append /a 3 | UnsupportedOperationException | append | deviation
- | append /a 3 | UnsupportedOperationException | - | conforms
- | append /a 3 | IOException | strict | deviation
- | append /a 3 | IOException | - | declared
- | append /a 3 | FileNotFoundException | - | conforms
- | append /a 3 | ok | append | nothing
- | append /a/b 3 | FileNotFoundException | append strict | conforms
a/ | append /a 3 | IOException | append strict | conforms
a/ | append /a 3 | FileNotFoundException | append strict | conforms
a/ | append /a 3 | RuntimeException | append | deviation
a/ | append /a 3 | UnsupportedOperationException | append=false | conforms
a/ | append /a 3 | IOException | append=false | conforms
a/ | append /a 3 | ok | append | nothing
- | append / 3 | IOException | append | conforms
a=5 | append /a/b 3 | FileNotFoundException | append strict | conforms
a=5 | append /a/b 3 | IOException | append strict | nothing
a=5 | append /a/b 3 | ParentNotDirectoryException | append strict fsconform.refuses-paths-below-files | declared
a=5 | append /a/b 3 | IOException | append strict fsconform.refuses-paths-below-files=false | nothing
a=5 | append /a/b 3 | ok | append fsconform.refuses-paths-below-files | nothing
- | append /a:b 3 | FileNotFoundException | append strict | conforms
- | append /a:b 3 | InvalidPathException | append strict | conforms
a:b=5 | append /a:b 3 | ok | append fsconform.accepts-invalid-paths | declared | a:b=8
"""

DELETE_ROWS = """
a/b=3 | delete /a | IOException | - | conforms
a/b/ | delete /a | PathIsNotEmptyDirectoryException | strict | conforms
a/b/ | delete /a | RuntimeException | - | deviation
a/b=3 | delete /a | true | - | nothing
a/b=3 | delete /a | false | - | nothing
- | delete /a | false | - | conforms
- | delete! /a/b | false | strict | conforms
a=3 | delete! /a/b | false | - | conforms
- | delete /a | true | - | deviation
- | delete /a | FileNotFoundException | - | nothing
- | delete /a | RuntimeException | - | nothing
- | delete /a | IOException | fsconform.refuses-paths-below-files | nothing
a=3 | delete /a/b | IOException | - | nothing
a=3 | delete /a/b | AccessControlException | fsconform.refuses-paths-below-files | declared
a=3 | delete /a/b/c | IOException | fsconform.refuses-paths-below-files | declared
a=3 | delete /a/b | true | fsconform.refuses-paths-below-files | deviation
- | delete /a | ok | - | nothing
a=3 b=1 | delete /a | true | - | conforms | b=1
a/b=3 | delete! /a/b | true | - | conforms | a/
a=3 | delete /a | false | - | nothing
a=3 | delete /a | IOException | - | nothing
a/ | delete /a | true | - | conforms | -
a/ | delete! /a | true | - | conforms | -
a/ | delete /a | false | - | nothing
a/ | delete /a | IOException | - | nothing
a/b=3 c/ | delete! /a | true | - | conforms | c/
a/b/c=3 | delete! /a/b | true | - | conforms | a/
a/b=3 | delete! /a | false | - | nothing
a/b=3 | delete! /a | IOException | - | nothing
- | delete / | true | - | conforms
- | delete / | false | - | deviation
- | delete / | IOException | - | nothing
a=3 | delete / | IOException | - | conforms
a=3 | delete / | RuntimeException | - | deviation
a=3 | delete / | false | - | conforms
a=3 | delete / | true | - | nothing
a=3 | delete! / | true | - | conforms | -
a=3 | delete! / | false | - | conforms
a=3 | delete! / | IOException | - | conforms
- | delete! / | true | - | conforms
a=3 | delete! / | RuntimeException | - | nothing
- | delete /a:b | InvalidPathException | - | conforms
- | delete /a:b | IOException | - | conforms
- | delete /a:b | RuntimeException | - | deviation
- | delete /a:b | false | - | conforms
- | delete /a:b | true | - | deviation
a:b=3 | delete /a:b | true | fsconform.accepts-invalid-paths | declared | -
- | delete /a+b | InvalidPathException | - | conforms
a+b=3 | delete /a+b | InvalidPathException | - | nothing
a=3 | delete /a | IOException | fsconform.read-only | declared
a=3 | delete /a | UnsupportedOperationException | fsconform.read-only | declared
a=3 | delete /a | RuntimeException | fsconform.read-only | nothing
a=3 | delete /a | false | fsconform.read-only | nothing
a=3 | delete /a | true | fsconform.read-only | conforms | -
- | mkdirs /a | IOException | fsconform.read-only | declared
- | create /a 3 | UnsupportedOperationException | fsconform.read-only | declared
"""

ROWS = tuple(
    row for table in (MKDIRS_ROWS, CREATE_ROWS, APPEND_ROWS, DELETE_ROWS) for row in table.strip().splitlines()
)


@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, check: Callable[[str], tuple[Branch, ...]]) -> None:
    check(row)


def test_every_branch_is_what_some_row_shows(check: Callable[[str], tuple[Branch, ...]]) -> None:
    used = {branch for row in ROWS for branch in check(row)}
    # No row can tell of a quota: tests/model/test_attributes.py shows them.
    unused = [
        (meaning.operation.__name__, case.name, branch.clause, branch.expected)
        for meaning in (MEANINGS[Mkdirs], MEANINGS[Create], MEANINGS[Append], MEANINGS[Delete])
        for case in meaning.cases
        for branch in case.branches
        if branch not in used and case.name != "over a quota"
    ]
    # A better-standing refusal of the same class stands for these.
    shadowed = [("missing", "RuntimeException"), ("directory", "IOException"), ("directory", "RuntimeException")]
    assert unused == [("Append", case, "filesystem.append.unsupported", f"raise {error}") for case, error in shadowed]


def test_a_refusal_is_not_explained_by_a_store_that_can_not_be_changed(tree: Callable[[str], State]) -> None:
    refusal = Raised(ancestry("UnsupportedOperationException"))
    for state, call in ((EMPTY, Mkdirs(("a",))), (tree("a=3"), RenameTimed(("a",)))):
        assert not Oracle(Contract()).step_under_any(state, call, refusal)
        assert Oracle(Contract({READ_ONLY: True})).step_under_any(state, call, refusal)
        assert not Oracle(Contract({READ_ONLY: True})).step_under_any(state, Exists(("a",)), refusal)
