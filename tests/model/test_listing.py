"""The meaning of listings, patterns, summaries and block locations: what is right, and which clause wrong breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Status, Value, facts
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import decode_operation
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.patterns import compiled, matches
from fsconform.model.filesystem.status.predicates import IsDirectory, IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage

Tree = Callable[[str], State]

STATE = "a/f=3 a/b/g=5 a/b/c/h=0 a/e/ ab=7 [x]=1"


def statuses(text: str) -> tuple[Status, ...]:
    found = []
    for word in text.split():
        name, size, length = word.partition("=")
        found.append(Status(parse("/" + name.rstrip("/")), not size, int(length or 0), 512 if size else 0))
    return tuple(found)


def verdict(state: State, operation: Operation, outcome: Outcome, **options: bool) -> str:
    """The clause of the branch that allows an outcome, with how it stands; or the one that it breaks."""
    contract = Contract(
        {name.replace("_", "-").replace("own-", "fsconform."): value for name, value in options.items()}
    )
    oracle = Oracle(contract)
    allowed = oracle.step(state, operation, outcome)
    if allowed:
        branch, after = allowed[0]
        assert after is state
        standing = "deviation" if branch.deviates else "declared" if branch.departs else "allowed"
        return f"{standing} {branch.clause.removeprefix('filesystem.')}"
    differs = MEANINGS[type(operation)].differs
    difference = differs(state, operation, outcome.value) if differs and isinstance(outcome, Returned) else None
    clause = difference.clause if difference else oracle.situation(state, operation).clause[0]
    return f"broken {clause.removeprefix('filesystem.')}"


def returned(value: Value) -> Returned:
    return Returned(value)


def raised(name: str) -> Raised:
    return Raised(ancestry(name))


@pytest.mark.parametrize(
    ("path", "is_file", "is_directory"),
    [("/", False, True), ("/a", False, True), ("/ab", True, False), ("/x", False, False), ("/ab/x", False, False)],
)
def test_files_and_directories_are_told_apart(tree: Tree, path: str, is_file: bool, is_directory: bool) -> None:
    state = tree(STATE)
    for operation, answer in ((IsFile(parse(path)), is_file), (IsDirectory(parse(path)), is_directory)):
        clause = operation.NAME
        assert verdict(state, operation, returned(answer)) == f"allowed {clause}"
        assert verdict(state, operation, returned(not answer)) == f"broken {clause}"
        assert verdict(state, operation, raised("FileNotFoundException")) == f"broken {clause}"


LISTINGS = """
listStatus with filter /a f | a/f=3 | allowed listStatus.post.filtered
listStatus with filter /a f | - | broken listStatus.post.filtered
listStatus with filter /a f | a/f=3 a/b/ | broken listStatus.post.filtered
listStatus with filter /a f | a/f=3 a/f=3 | broken listStatus.post.filtered
listStatus with filter /a f | a/f=4 | broken listStatus.post.filtered
listStatus with filter /ab x | - | allowed listStatus.post.filtered
listStatus with filter /ab a | ab=7 | allowed listStatus.post.filtered
listStatus with filter /ab a | null | broken listStatus.post.not-null
listStatus with filter /a f via located | a/f=3 | allowed listLocatedStatus.post
listStatus with filter /a f via located | a/f=3 a/.f.crc=8 | broken listLocatedStatus.post
listStatus with filter /x f | FileNotFoundException | allowed listStatus.pre.exists
listStatus with filter /x f | - | broken listStatus.pre.exists
listStatus of several /a /ab | a/f=3 a/b/ a/e/ ab=7 | allowed listStatus.many.post
listStatus of several /a /ab | ab=7 a/e/ a/b/ a/f=3 | allowed listStatus.many.post
listStatus of several /a /ab | a/f=3 a/b/ a/e/ | broken listStatus.many.post
listStatus of several /ab /ab | ab=7 ab=7 | allowed listStatus.many.post
listStatus of several /ab /ab | ab=7 | allowed listStatus.many.duplicates
listStatus of several /ab /ab | ab=7 ab=7 ab=7 | broken listStatus.many.post
listStatus of several /ab /x | ab=7 | broken listStatus.many.pre.exist
listStatus of several /ab /x | FileNotFoundException | allowed listStatus.many.pre.exist
listFiles /a | a/f=3 | allowed listFiles.post.flat
listFiles /a | a/f=3 a/b/ a/e/ | deviation listFiles.unsettled
listFiles /a | a/f=3 a/b/ | broken listFiles.post.flat
listFiles /a | a/f=3 a/b/g=5 | broken listFiles.post.flat
listFiles! /a | a/f=3 a/b/g=5 a/b/c/h=0 | allowed listFiles.post.recursive
listFiles! /a | a/f=3 a/b/g=5 | broken listFiles.post.recursive
listFiles! /a | a/f=3 a/b/ a/b/g=5 a/b/c/ a/b/c/h=0 a/e/ | deviation listFiles.unsettled
listFiles /ab | ab=7 | allowed listFiles.post.flat
listFiles /ab | - | broken listFiles.post.flat
listFiles! /ab | ab=7 | allowed listFiles.unsettled
listFiles! /ab | - | allowed listFiles.unsettled
listFiles! /x | FileNotFoundException | allowed listFiles.pre.exists
listStatus /a via iterator | a/f=3 a/b/ a/e/ | allowed listStatusIterator.post
listStatus /a via iterator | a/f=3 a/b/ | broken listStatusIterator.post
listStatus /x via iterator | FileNotFoundException | allowed listStatusIterator.pre.exists
listStatus /a via located | a/f=3 a/b/ a/e/ | allowed listLocatedStatus.post
listStatus /a via array | a/f=3 a/b/ a/e/ | allowed listStatus.many.post
listStatus /a via filter | a/f=3 a/b/ a/e/ | allowed listStatus.post.filtered
listStatus /a via context | a/f=3 a/b/ a/e/ | allowed listStatus.post.directory
listStatus /a | null | broken listStatus.post.not-null
"""


def listing_of(text: str) -> Operation:
    call, _, via = text.partition(" via ")
    name, *paths = call.split(" /")
    first = parse("/" + paths[0].split()[0])
    match name:
        case "listStatus with filter":
            return ListFiltered(first, paths[0].partition(" ")[2], via)
        case "listStatus of several":
            return ListMany(tuple(parse("/" + path) for path in paths), via)
        case "listStatus":
            return ListStatus(first, via)
    return ListFiles(first, name.endswith("!"), via)


def outcome_of(text: str) -> Outcome:
    if text.endswith("Exception"):
        return raised(text)
    return returned(None if text == "null" else statuses("" if text == "-" else text))


@pytest.mark.parametrize("row", LISTINGS.strip().splitlines())
def test_listings(tree: Tree, row: str) -> None:
    call, outcome, expected = (cell.strip() for cell in row.split("|"))
    assert verdict(tree(STATE), listing_of(call), outcome_of(outcome)) == expected


def test_hidden_files_are_shown_where_a_store_declares_it(tree: Tree) -> None:
    listed = returned(statuses("a/f=3 a/.f.crc=8"))
    operation = ListFiltered(("a",), "f", "located")
    declared = verdict(tree(STATE), operation, listed, own_filtered_listing_shows_hidden_files=True)
    assert declared == "declared listLocatedStatus.post"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("*", "/[x] /a /ab"),
        ("a*", "/a /ab"),
        ("a?", "/ab"),
        ("?", "/a"),
        ("a/[ef]", "/a/e /a/f"),
        ("a/[a-c]", "/a/b"),
        ("a/[^a-c]", "/a/e /a/f"),
        ("*/b/*", "/a/b/c /a/b/g"),
        ("a/{b/g,f}", "/a/b/g /a/f"),
        ("a/{b/{g,c/*},f}", "/a/b/c/h /a/b/g /a/f"),
        ("a{,b}", "/a /ab"),
        ("\\[x\\]", "/[x]"),
        ("[\\[]x[\\]]", "/[x]"),
        ("a/[^\\*\\?]", "/a/b /a/e /a/f"),
        ("[x]", ""),
        ("\\a\\b", "/ab"),
        ("ab/*", ""),
        ("a/*/", "/a/b /a/e /a/f"),
        ("a,b", ""),
    ],
)
def test_patterns(tree: Tree, pattern: str, expected: str) -> None:
    found = compiled(pattern)
    assert found is not None
    assert sorted(map(show, matches(tree(STATE), found))) == expected.split()


@pytest.mark.parametrize(
    "pattern",
    ["[a", "a]", "[]", "[b-a]", "{a", "a}", "{a}", "a\\", "[a\\", "[\\d]", "[-a]", "[!a]", "[a/b]", "a/../b", "."],
)
def test_what_the_javadoc_does_not_explain_is_left_open(tree: Tree, pattern: str) -> None:
    assert compiled(pattern) is None
    for outcome in (returned(None), returned(()), raised("IOException"), raised("RuntimeException")):
        assert verdict(tree(STATE), GlobStatus(pattern), outcome) == "allowed globStatus.unsettled"


@pytest.mark.parametrize(
    ("pattern", "outcome", "expected"),
    [
        ("a*", returned(statuses("a ab=7")), "allowed globStatus.post.matches"),
        ("a*", returned(statuses("ab=7 a")), "broken globStatus.post.sorted"),
        ("a*", returned(statuses("ab=7")), "broken globStatus.post.matches"),
        ("a*", returned(None), "broken globStatus.post.matches"),
        ("a*", raised("IOException"), "broken globStatus.post.matches"),
        ("x*", returned(()), "allowed globStatus.post.empty"),
        ("x*", returned(None), "broken globStatus.post.empty"),
        ("x", returned(None), "allowed globStatus.post.null"),
        ("x", returned(()), "broken globStatus.post.null"),
        ("ab", returned(statuses("ab=7")), "allowed globStatus.post.matches"),
        ("\\ab", returned(()), "broken globStatus.post.matches"),
    ],
)
def test_globs(tree: Tree, pattern: str, outcome: Outcome, expected: str) -> None:
    assert verdict(tree(STATE), GlobStatus(pattern), outcome) == expected


def test_patterns_that_lead_below_a_file_may_be_refused_where_a_store_declares_it(tree: Tree) -> None:
    state, refused = tree(STATE), raised("IOException")
    below = verdict(state, GlobStatus("*/f/x/*"), refused, own_refuses_paths_below_files=True)
    assert below == "declared globStatus.post.matches"
    assert verdict(state, GlobStatus("*/f/x/*"), refused) == "broken globStatus.post.empty"
    assert verdict(state, GlobStatus("a/e/x/*"), refused, own_refuses_paths_below_files=True).startswith("broken")


def test_forbidden_names_that_are_there_leave_patterns_open(tree: Tree) -> None:
    state = tree("a:b=3 c=1")
    assert verdict(state, GlobStatus("*"), raised("IllegalArgumentException")) == "allowed globStatus.unsettled"
    assert verdict(state, GlobStatus("c"), returned(None)) == "broken globStatus.post.matches"


@pytest.mark.parametrize(
    ("pattern", "outcome", "expected"),
    [
        ("\\a*", returned(()), "declared globStatus.post.matches"),
        ("\\a*", returned(None), "broken globStatus.post.matches"),
        ("\\a*", raised("IOException"), "broken globStatus.post.matches"),
        ("\\a*", raised("RuntimeException"), "broken globStatus.post.matches"),
        ("\\c*", raised("IOException"), "declared globStatus.post.empty"),
        ("\\c*", raised("RuntimeException"), "broken globStatus.post.empty"),
        ("\\ab", returned(()), "broken globStatus.post.matches"),
    ],
)
def test_escaped_letters_are_misread_where_a_store_declares_it(
    tree: Tree, pattern: str, outcome: Outcome, expected: str
) -> None:
    found = verdict(tree(STATE), GlobStatus(pattern), outcome, own_misreads_escapes_in_patterns=True)
    assert found.partition(" ")[0] == expected.partition(" ")[0]


@pytest.mark.parametrize(
    ("path", "length", "files", "directories", "expected"),
    [
        ("/ab", 7, 1, 0, "allowed getContentSummary.post.file"),
        ("/ab", 7, 1, 1, "broken getContentSummary.post.file"),
        ("/a", 8, 3, 3, "allowed getContentSummary.post.directory"),
        ("/a", 8, 3, 4, "allowed getContentSummary.post.directory"),
        ("/a", 8, 3, 5, "broken getContentSummary.post.directory"),
        ("/a", 8, 2, 4, "broken getContentSummary.post.directory"),
        ("/a", 9, 3, 4, "broken getContentSummary.post.directory"),
        ("/x", 0, 0, 0, "broken getContentSummary.pre.exists"),
    ],
)
def test_summaries(tree: Tree, path: str, length: int, files: int, directories: int, expected: str) -> None:
    value = facts("summary", length=length, files=files, directories=directories)
    assert verdict(tree(STATE), GetContentSummary(parse(path)), returned(value)) == expected


def test_quota_usage_counts_what_is_below(tree: Tree) -> None:
    for entries, expected in ((6, "allowed"), (7, "allowed"), (5, "broken"), (8, "broken")):
        value = facts("quota usage", entries=entries)
        found = verdict(tree(STATE), GetQuotaUsage(("a",)), returned(value))
        assert found == f"{expected} getQuotaUsage.post.entries"


def locations(*blocks: str, topology: str = "/default/localhost") -> Returned:
    return returned(
        facts(
            "locations",
            blocks=blocks,
            names=("localhost:9866",),
            hosts=("localhost",),
            topologies=(topology,) if topology else (),
        )
    )


@pytest.mark.parametrize(
    ("start", "length", "outcome", "aware", "expected"),
    [
        (0, 7, locations("0,7,1"), False, "allowed post.default"),
        (0, 7, locations("0,7,1", topology=""), False, "deviation post.default"),
        (0, 7, locations("0,7,3"), True, "allowed post.blocks"),
        (0, 7, locations("0,4,1", "4,3,1"), True, "allowed post.blocks"),
        (5, 1, locations("4,3,1"), True, "allowed post.blocks"),
        (5, 0, locations(), True, "allowed post.blocks"),
        (0, 7, locations("0,4,1"), True, "broken post.blocks"),
        (5, 1, locations("0,4,1", "4,3,1"), True, "broken post.blocks"),
        (0, 7, locations("0,7,0"), True, "broken post.blocks"),
        (0, 7, locations("0,8,1"), True, "broken post.blocks"),
        (0, 7, locations(), True, "broken post.blocks"),
        (7, 1, locations(), False, "allowed post.beyond-end"),
        (7, 1, locations("0,7,1"), False, "broken post.beyond-end"),
        (7, 1, returned(None), False, "broken post.beyond-end"),
        (-1, 1, raised("IllegalArgumentException"), False, "allowed pre.range"),
        (-1, 1, raised("HadoopIllegalArgumentException"), True, "allowed pre.range"),
        (-1, 1, raised("IOException"), True, "broken pre.range"),
        (0, -1, locations(), True, "broken pre.range"),
    ],
)
def test_locations(tree: Tree, start: int, length: int, outcome: Outcome, aware: bool, expected: str) -> None:
    operation = GetFileBlockLocations(("ab",), start, length)
    standing, _, clause = expected.partition(" ")
    found = verdict(tree(STATE), operation, outcome, supports_block_locality=aware)
    assert found == f"{standing} getFileBlockLocations.{clause}"


def test_locations_of_no_file(tree: Tree) -> None:
    state, directory = tree(STATE), GetFileBlockLocations(("a",), 0, 1)
    refused = raised("FileNotFoundException")
    assert verdict(state, directory, locations()) == "allowed getFileBlockLocations.post.beyond-end"
    assert verdict(state, directory, refused) == "broken getFileBlockLocations.post.beyond-end"
    declared = verdict(state, directory, refused, own_refuses_locations_of_directories=True)
    assert declared == "declared getFileBlockLocations.post.beyond-end"
    missing = GetFileBlockLocations(("x",), 0, 1)
    assert verdict(state, missing, refused) == "allowed getFileBlockLocations.path.pre.exists"
    null = raised("NullPointerException")
    assert verdict(state, LocateNull(), null) == "allowed getFileBlockLocations.path.pre.not-null"
    assert verdict(state, LocateNull("status"), returned(None)) == "allowed getFileBlockLocations.post.null"
    assert verdict(state, LocateNull("status"), null) == "broken getFileBlockLocations.post.null"


@pytest.mark.parametrize(
    ("via", "clause"),
    [
        ("", "listStatus.post.attributes"),
        ("iterator", "listStatusIterator.post"),
        ("located", "listLocatedStatus.post"),
        ("files", "listFiles.post.located"),
    ],
)
def test_listed_attributes_are_those_of_the_path(tree: Tree, via: str, clause: str) -> None:
    state, operation = tree(STATE), CompareListed(("a",), via)

    def compared(*differing: str, unlocated: int = 0, misplaced: int = 0) -> Returned:
        return returned(facts("comparison", entries=3, differing=differing, unlocated=unlocated, misplaced=misplaced))

    assert verdict(state, operation, compared()) == f"allowed {clause}"
    assert verdict(state, operation, compared("modified")) == f"broken {clause}"
    assert verdict(state, operation, compared("modified"), own_listed_times_differ=True) == f"declared {clause}"
    assert verdict(state, operation, compared("modified", "owner"), own_listed_times_differ=True) == f"broken {clause}"
    if via in ("located", "files"):
        assert verdict(state, operation, compared(unlocated=1)) == f"broken {clause}"
        assert verdict(state, operation, compared(misplaced=1)) == "broken listLocatedStatus.post.locations"
    assert decode_operation({"op": "listing compared", "path": "/a", "via": via}) == operation
