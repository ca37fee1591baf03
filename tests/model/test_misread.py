"""Patterns as Hadoop's classes read them: what a run of HDFS 3.5.0 gave for each escaped letter and digit."""

from __future__ import annotations

from string import ascii_letters, digits

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Status
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.options.listing import MISREADS_ESCAPES_IN_PATTERNS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, File, State, put
from fsconform.model.filesystem.status import misread_patterns as misread
from fsconform.model.filesystem.status.glob_status import GlobStatus

NAMES = ("xy", "dy", "1y", "_y", "Zy", "b1", "t", "Q", "E", "A", "07", "\t", "\a", "w-", "é")
SEEN = {
    "a": ("\a",),
    "b": ("07", "1y", "A", "E", "Q", "Zy", "_y", "b1", "dy", "t", "w-", "xy"),
    "B": ("\a", "\t", "é"),
    "d": ("07", "1y"),
    "f": (),
    "n": (),
    "r": (),
    "s": ("\t",),
    "t": ("\t",),
    "v": (),
    "w": ("07", "1y", "A", "E", "Q", "Zy", "_y", "b1", "dy", "t", "w-", "xy"),
    "z": (),
    "A": NAMES,
    "D": tuple(name for name in NAMES if not name[0].isdecimal()),
    "Q": (),
    "S": tuple(name for name in NAMES if name != "\t"),
    "W": ("\a", "\t", "é"),
    "0": (),
}
"""By the letter what the pattern of it, escaped, and a star found; all others were refused by an IOException."""

IO = Raised(("java.io.IOException", "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"), "")
BOUNDS = Raised(
    (
        "java.lang.StringIndexOutOfBoundsException",
        "java.lang.IndexOutOfBoundsException",
        "java.lang.RuntimeException",
        "java.lang.Exception",
        "java.lang.Throwable",
        "java.lang.Object",
    ),
    "",
)


def tree(*names: str) -> State:
    """A directory of empty files."""
    root = EMPTY
    for name in names:
        root = put(root, (name,), File(contents.EMPTY))
    return root


def allowed(root: State, pattern: str, outcome: Outcome) -> bool:
    """Whether the oracle lets that pass of a store that declares that it misreads escapes."""
    oracle = Oracle(Contract({MISREADS_ESCAPES_IN_PATTERNS: True}))
    return bool(oracle.step(root, GlobStatus(pattern), outcome))


def listing(*names: str) -> Returned:
    """What globStatus gives of these."""
    return Returned(tuple(Status((name,), False, 0, 1) for name in sorted(names)))


@pytest.mark.parametrize("sign", ascii_letters + digits)
def test_each_escape_is_read_as_hdfs_reads_it(sign: str) -> None:
    root, pattern = tree(*NAMES), f"\\{sign}*"
    if sign in SEEN:
        assert {path[-1] for path in misread.found(root, pattern)} == set(SEEN[sign])
    else:
        with pytest.raises(misread.Misread) as refused:
            misread.found(root, pattern)
        assert refused.value.error == "IOException"
    assert allowed(root, pattern, IO) is (sign not in SEEN)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("\\x78*", {"xy"}),
        ("\\060*", {"07"}),
        ("[\\*d]?", {"dy"}),
        ("{\\d,\\w}?", {"xy", "dy", "1y", "_y", "Zy", "b1", "07", "w-"}),
        ("\\*", set()),
        ("\\pL*", {"xy", "dy", "Zy", "b1", "t", "Q", "E", "A", "w-", "é"}),
    ],
)
def test_more_of_what_escapes_stand_for(pattern: str, names: set[str]) -> None:
    assert {path[-1] for path in misread.found(tree(*NAMES), pattern)} == names


def test_what_is_neither_meant_nor_misread_is_a_divergence() -> None:
    root = tree("1y", "dy", "xy")
    assert allowed(root, "\\d*", listing("dy")), "as it is meant"
    assert allowed(root, "\\d*", listing("1y")), "as it is misread"
    assert not allowed(root, "\\d*", listing())
    assert not allowed(root, "\\d*", listing("1y", "dy"))
    assert not allowed(root, "\\d*", listing("xy"))
    assert not allowed(root, "\\d*", IO)
    assert not allowed(root, "\\d*", BOUNDS)


def test_a_number_without_its_second_digit_is_read_beyond_the_end() -> None:
    root = tree("xy")
    assert allowed(root, "\\xy", BOUNDS)
    assert not allowed(root, "\\xy", IO)
    assert not allowed(root, "\\xy", Returned(None)), "it is there"
    assert allowed(root, "\\xy", listing("xy"))
