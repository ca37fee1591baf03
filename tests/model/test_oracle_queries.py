"""The oracle on getFileStatus, exists, listStatus and open, row by row; and what holds for the oracle as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.engine.enumerate import Bound
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned, Status
from fsconform.model.filesystem.branches import MEANINGS, Branch
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.invariants import breaches, sets_of
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, File, State, put
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.validity import COMMON_BITS

TABLE = """
a=3 | status /a | file /a 3 | - | conforms
a=0 | status /a | file /a 0 | - | conforms
a=3 | status /a | file /a 4 | - | nothing
a=3 | status /a | file /b 3 | - | nothing
a=3 | status /a | dir /a 3 | - | nothing
a=3 | status /a | file /a 3 1 | - | conforms
a=3 | status /a | file /a 3 0 | - | nothing
a=0 | status /a | file /a 0 0 | - | nothing
a=3 | status /a | true | - | nothing
a=3 | status /a | ok | - | nothing
a=3 | status /a | bytes 3 1 | - | nothing
a=3 | status /a | [file /a 3] | - | nothing
a=3 | status /a | FileNotFoundException | - | nothing
a/ | status /a | dir /a 0 | - | conforms
a/ | status /a | dir /a 4096 | - | nothing
a/ | status /a | dir /a 4096 | fsconform.directories-have-length=false | nothing
a/ | status /a | dir /a 4096 | fsconform.directories-have-length | declared
a/ | status /a | dir /a 0 | fsconform.directories-have-length | conforms
a/ | status /a | dir /b 4096 | fsconform.directories-have-length | nothing
a/ | status /a | file /a 0 | fsconform.directories-have-length | nothing
- | status / | dir / 0 | - | conforms
- | status /a | FileNotFoundException | - | conforms
- | status /a | IOException | - | nothing
- | status /a | IOException | strict=false | nothing
- | status /a | RuntimeException | - | deviation
- | status /a | ok | - | nothing
- | status /a | dir /a 0 | - | nothing
a=3 | status /a/b | FileNotFoundException | strict | conforms
a=3 | status /a/b | IOException | fsconform.refuses-paths-below-files | nothing
a=3 | status /A | FileNotFoundException | - | conforms
a=3 | status /A | FileNotFoundException | is-case-sensitive=false | nothing
a=3 | status /A | file /A 3 | is-case-sensitive=false | declared
a/ | status /A | dir /A 0 | is-case-sensitive=false | declared
a=3 | status /A | dir /A 0 | is-case-sensitive=false | nothing
a=3 | status /A | file /A 3 | - | nothing
a=3 | status /A | file /A 3 | is-case-sensitive | nothing
a=3 | status /A/b | FileNotFoundException | - | conforms
- | status /a:b | FileNotFoundException | - | conforms
- | status /a:b | InvalidPathException | - | conforms
- | status /a:b | IOException | - | conforms
- | status /a:b | IllegalArgumentException | - | deviation
- | status /a:b | file /a:b 0 | - | nothing
a:b=3 | status /a:b | file /a:b 3 | - | nothing
a:b=3 | status /a:b | file /a:b 3 | fsconform.accepts-invalid-paths | declared
- | status /a+b | InvalidPathException | - | conforms
a+b=3 | status /a+b | InvalidPathException | - | nothing
a=3 | exists /a | true | - | conforms
a/ | exists /a | true | - | conforms
- | exists / | true | - | conforms
a=3 | exists /a | false | - | nothing
a=3 | exists /a | IOException | - | nothing
- | exists /a | false | - | conforms
- | exists /a | true | - | nothing
- | exists /a | FileNotFoundException | - | nothing
- | exists /a | RuntimeException | - | nothing
a=3 | exists /a/b | false | - | conforms
a=3 | exists /a/b | IOException | fsconform.refuses-paths-below-files | nothing
a=3 | exists /A | false | is-case-sensitive | conforms
a=3 | exists /A | true | - | nothing
a=3 | exists /A | true | is-case-sensitive=false | declared
a=3 | exists /A | false | is-case-sensitive=false | nothing
a/b=3 | exists /a/B | true | is-case-sensitive=false | declared
- | exists /a:b | false | - | conforms
- | exists /a:b | true | - | nothing
- | exists /a:b | InvalidPathException | - | conforms
- | exists /a:b | RuntimeException | - | deviation
- | exists /é | false | - | conforms
- | exists /é | IOException | - | conforms
a/ b=3 | list / | [dir /a 0, file /b 3] | - | conforms
a/ b=3 | list / | [file /b 3, dir /a 0] | - | conforms
- | list / | [] | - | conforms
a/ b=3 | list@filter / | [dir /a 0, file /b 3] | - | conforms
a/ b=3 | list@filter / | [dir /a 9, file /b 3] | fsconform.directories-have-length | declared
a/ b=3 | list@filter / | [dir /a 9, file /b 3] | - | nothing
b=3 | list@filter /b | [file /b 3] | - | conforms
- | list@filter /b | FileNotFoundException | - | conforms
- | list@filter /b | RuntimeException | - | deviation
- | list@filter /b | [] | - | nothing
a=3 | list@filter /a/b | IOException | fsconform.refuses-paths-below-files | declared
a/ b=3 | list@array / | [dir /a 0, file /b 3] | - | conforms
a/ b=3 | list@array / | [dir /a 9, file /b 3] | fsconform.directories-have-length | declared
a/ b=3 | list@array / | [dir /a 9, file /b 3] | - | nothing
b=3 | list@array /b | [file /b 3] | - | conforms
- | list@array /b | FileNotFoundException | - | conforms
- | list@array /b | RuntimeException | - | deviation
- | list@array /b | [] | - | nothing
a=3 | list@array /a/b | IOException | fsconform.refuses-paths-below-files | declared
a/ b=3 | list@iterator / | [dir /a 0, file /b 3] | - | conforms
a/ b=3 | list@iterator / | [dir /a 9, file /b 3] | fsconform.directories-have-length | declared
a/ b=3 | list@iterator / | [dir /a 9, file /b 3] | - | nothing
b=3 | list@iterator /b | [file /b 3] | - | conforms
- | list@iterator /b | FileNotFoundException | - | conforms
- | list@iterator /b | RuntimeException | - | deviation
- | list@iterator /b | [] | - | nothing
a=3 | list@iterator /a/b | IOException | fsconform.refuses-paths-below-files | declared
a/ b=3 | list@located / | [dir /a 0, file /b 3] | - | conforms
a/ b=3 | list@located / | [dir /a 9, file /b 3] | fsconform.directories-have-length | declared
a/ b=3 | list@located / | [dir /a 9, file /b 3] | - | nothing
b=3 | list@located /b | [file /b 3] | - | conforms
- | list@located /b | FileNotFoundException | - | conforms
- | list@located /b | RuntimeException | - | deviation
- | list@located /b | [] | - | nothing
a=3 | list@located /a/b | IOException | fsconform.refuses-paths-below-files | declared
a/ b=3 | list@context / | [dir /a 0, file /b 3] | - | conforms
- | list@context /b | FileNotFoundException | - | conforms
a/ | list /a | [] | - | conforms
a/b/c=3 | list /a | [dir /a/b 0] | - | conforms
a/ b=3 | list / | [file /b 3] | - | nothing
a/ b=3 | list / | [dir /a 0, file /b 3, file /c 0] | - | nothing
a/ b=3 | list / | [dir /a 0, dir /a 0] | - | nothing
a/ b=3 | list / | [dir /a 0, file /b 3, file /b 3] | - | nothing
a/ b=3 | list / | [dir /a 0, file /b 4] | - | nothing
a/ b=3 | list / | [dir /a 0, file /b 3 0] | - | nothing
a/ b=3 | list / | [dir /a 0, dir /b 0] | - | nothing
a/ b=3 | list / | [file /a 0, file /b 3] | - | nothing
a/b=3 | list /a | [file /b 3] | - | nothing
a/b=3 | list /a | [file /a/b/c 3] | - | nothing
a/ | list / | [dir /a 4096] | - | nothing
a/ | list / | [dir /a 4096] | fsconform.directories-have-length | declared
a/ | list / | [dir /a 0] | fsconform.directories-have-length | conforms
a/ | list / | FileNotFoundException | - | nothing
a/ | list /a | true | - | nothing
a=3 | list /a | [file /a 3] | - | conforms
a=3 | list /a | [file /a 3] | fsconform.directories-have-length | conforms
a=3 | list /a | [file /a 4] | - | nothing
a=3 | list /a | [] | - | nothing
a=3 | list /a | [file /a 3, file /a 3] | - | nothing
a=3 | list /a | [dir /a 0] | - | nothing
- | list /a | FileNotFoundException | strict | conforms
- | list /a | IOException | - | nothing
- | list /a | RuntimeException | - | deviation
- | list /a | [] | - | nothing
a=3 | list /a/b | FileNotFoundException | strict | conforms
a=3 | list /a/b | IOException | - | nothing
a=3 | list /a/b | ParentNotDirectoryException | fsconform.refuses-paths-below-files | declared
a=3 | list /a/b | RuntimeException | - | deviation
- | list /a | IOException | fsconform.refuses-paths-below-files | nothing
- | list /a:b | InvalidPathException | - | conforms
- | list /a+b | RuntimeException | - | deviation
a=3 | open /a | bytes 3 1 | - | conforms
a=0 | open /a | bytes 0 1 | - | conforms
a=3 | open /a | bytes 3 2 | - | nothing
a=3 | open /a | bytes 2 1 | - | nothing
a=3 | open /a | ok | - | nothing
a=3 | open /a | true | - | nothing
a=3 | open /a | FileNotFoundException | - | nothing
- | open /a | FileNotFoundException | strict | conforms
- | open /a | IOException | strict | conforms
- | open /a | RuntimeException | - | deviation
- | open /a | bytes 0 1 | - | nothing
a/ | open /a | IOException | strict | conforms
a/ | open /a | UnsupportedOperationException | - | deviation
a/ | open /a | bytes 0 1 | - | nothing
a=3 | open /a/b | IOException | - | conforms
- | open /a:b | InvalidPathException | - | conforms
- | open /a:b | FileNotFoundException | - | conforms
a:b=3 | open /a:b | bytes 3 1 | fsconform.accepts-invalid-paths | declared
- | open /a+b | InvalidPathException | - | conforms
"""

ROWS = tuple(TABLE.strip().splitlines())


@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, check: Callable[[str], tuple[Branch, ...]]) -> None:
    check(row)


def test_every_branch_is_what_some_row_shows(check: Callable[[str], tuple[Branch, ...]]) -> None:
    # The check of a file's listing never needs the option that lets directories have lengths.
    needless = [case.branches[1] for case in MEANINGS[ListStatus].cases if case.name == "file"]
    used = {branch for row in ROWS for branch in check(row)} | set(needless)
    unused = [
        (meaning.operation.__name__, case.name, branch.clause, branch.expected)
        for meaning in (MEANINGS[kind] for kind in (GetFileStatus, Exists, ListStatus, Open))
        for case in meaning.cases[COMMON_BITS:]
        for branch in case.branches
        if branch not in used
    ]
    assert unused == []


def test_content_known_by_digest_alone_is_compared_by_it() -> None:
    seen = contents.Observed(5, "d" * 64)
    oracle = Oracle(Contract({"supports-append": True}))
    state = put(EMPTY, ("a",), File((seen,)))
    assert oracle.step(state, Open(("a",)), Returned(Data(5, "d" * 64)))
    assert not oracle.step(state, Open(("a",)), Returned(Data(5, "e" * 64)))
    assert not oracle.step(state, Open(("a",)), Returned(Data(4, "d" * 64)))
    longer = put(EMPTY, ("a",), File((seen, contents.Segment(1, 2))))
    assert oracle.step(longer, Open(("a",)), Returned(Data(7, "e" * 64)))
    assert not oracle.step(longer, Open(("a",)), Returned(Data(6, "e" * 64)))


@pytest.mark.parametrize("path", [(), ("a",), ("a", "b"), ("x", "y"), ("a:",)], ids=str)
@pytest.mark.parametrize("value", [None, True, False, (), Data(0, ""), Status((), True, 0)], ids=repr)
def test_no_kind_of_value_makes_a_query_fail(
    path: tuple[str, ...], value: object, tree: Callable[[str], State]
) -> None:
    state = tree("a/b=3 c=4")
    for name in ("fsconform.directories-have-length", "is-case-sensitive"):
        oracle = Oracle(Contract({name: name != "is-case-sensitive"}))
        for kind in (GetFileStatus, Exists, ListStatus, Open):
            outcome = Returned(value)  # type: ignore[arg-type]
            assert isinstance(oracle.step(state, kind(path), outcome), tuple)


CONTRACTS = (
    Contract(),
    Contract({"supports-append": True, "supports-strict-exceptions": True}),
    Contract({name: True for name, option in OPTIONS.items() if option.kind != "informs"}),
)


@pytest.mark.parametrize("contract", CONTRACTS, ids=["default", "strict", "all"])
def test_no_state_after_two_operations_breaks_an_invariant(contract: Contract) -> None:
    oracle, checked = Oracle(contract), set()
    for _, program in Bound(2).programs():
        states: list[State] = [EMPTY]
        for step in program:
            predicted = [oracle.predicted(state, step.operation) for state in states]
            following = [after for state in states for after in oracle.expected(state, step.operation)]
            assert all(any(one == other for other in following) for one in predicted)
            states = [after for after in dict.fromkeys(following) if after is not None]
            for state in states:
                if state not in checked:
                    checked.add(state)
                    assert breaches(sets_of(state)) == ()
    assert len(checked) > 60


def test_expected_states_are_told_once_each(tree: Callable[[str], State]) -> None:
    oracle = Oracle(Contract())
    state = tree("a/c=1 b/")
    assert oracle.expected(state, Rename(("a",), ("b",))) == (tree("b/a/c=1"),)
    assert oracle.expected(state, Mkdirs(("d",))) == (tree("a/c=1 b/ d/"),)
    under = Oracle(Contract({"create-file-under-file-allowed": True}))
    assert under.expected(tree("a=1"), Create(("a", "b"), (), False)) == (tree("a=1"), None)


def test_other_option_values_are_told_with_what_they_need(tree: Callable[[str], State]) -> None:
    oracle = Oracle(Contract())
    allowed = oracle.step_under_any(tree("a/c=1 b/"), Rename(("a",), ("b",)), Returned(True))
    assert [(branch.when, after) for branch, after in allowed] == [
        ((("rename-remove-dest-if-empty-dir", False),), tree("b/a/c=1")),
        ((("rename-remove-dest-if-empty-dir", True),), tree("b/c=1")),
    ]
