"""The meanings of operations that change the namespace or files beyond the core: what is allowed, and what is not."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Facts, Raised, Returned, Value, facts
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open_file import OpenFile
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate, first
from fsconform.model.filesystem.options.core import REFUSES_PATHS_BELOW_FILES
from fsconform.model.filesystem.oracle import Allowed, Oracle
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED, OpenByHandle
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, Absence, File, State, locate, put
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import CopyFromLocal, CopyTreeFromLocal
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload

STRICT = "supports-strict-exceptions"
ONE, TWO = contents.of(1, 9), contents.of(2, 5)


def tree(**files: contents.Content | None) -> State:
    """A state of files, and of directories where there is no content; an underscore in a name is a slash."""
    state = EMPTY
    for name, content in files.items():
        state = put(state, tuple(name.split("_")), EMPTY_DIR if content is None else File(content))
    return state


def ask(state: State, operation: Operation, outcome: Value | str, *options: str) -> Allowed:
    contract = Contract({option.removeprefix("-"): not option.startswith("-") for option in options})
    seen = Raised(ancestry(outcome)) if isinstance(outcome, str) else Returned(outcome)
    return Oracle(contract).step(state, operation, seen)


def after(allowed: Allowed) -> State:
    (_, state), *others = allowed
    assert state is not None and not others
    return state


def bytes_of(state: State, path: str) -> contents.Content | None:
    node = locate(state, parse(path))
    return node.content if isinstance(node, File) else None


def data(content: contents.Content) -> Data:
    return Data(contents.length(content), contents.digest(content) or "")


def copied(left: bool) -> Facts:
    return facts("copied", left=left)


A, B, C = ("a",), ("b",), ("c",)
CONCAT, TRUNCATE = "supports-concat", "fsconform.supports-truncate"


def test_concat_joins_in_the_order_given() -> None:
    state = after(ask(tree(a=ONE, b=TWO, c=ONE), Concat(A, (C, B)), None, CONCAT))
    assert bytes_of(state, "/a") == ONE + ONE + TWO
    assert isinstance(locate(state, B), Absence) and isinstance(locate(state, C), Absence)


@pytest.mark.parametrize(
    ("state", "sources", "error", "clause"),
    [
        (tree(b=TWO), (B,), "FileNotFoundException", "pre.exists"),
        (tree(a=ONE), (), "IllegalArgumentException", "pre.sources"),
        (tree(a=ONE, d_b=TWO), (("d", "b"),), "IllegalArgumentException", "pre.same-directory"),
        (tree(a=ONE), (A,), "IOException", "pre.distinct"),
        (tree(a=ONE, b=TWO), (B, B), "IllegalArgumentException", "pre.distinct"),
        (tree(a=ONE), (B,), "FileNotFoundException", "pre.block-size"),
        (tree(a=None, b=TWO), (B,), "IOException", "pre.exists"),
    ],
)
def test_concat_refuses(state: State, sources: tuple[tuple[str, ...], ...], error: str, clause: str) -> None:
    operation = Concat(A, sources)
    ((branch, then),) = ask(state, operation, error, CONCAT, STRICT)
    assert branch.clause == f"filesystem.concat.{clause}" and then is state
    assert not ask(state, operation, None, CONCAT, STRICT)


def test_concat_that_is_not_supported_says_so() -> None:
    state, operation = tree(a=ONE, b=TWO), Concat(A, (B,))
    ((branch, then),) = ask(state, operation, "UnsupportedOperationException")
    assert branch.clause == "filesystem.concat.unsupported" and then is state
    assert not ask(state, operation, None)
    assert not ask(state, operation, "UnsupportedOperationException", CONCAT)


def test_concat_of_parts_of_blocks_is_a_store_s_own_affair() -> None:
    state, operation = tree(a=ONE, b=TWO), Concat(A, (B,))
    whole = "fsconform.concat-of-whole-blocks-only"
    assert not ask(state, operation, "IOException", CONCAT)
    assert ask(state, operation, "IOException", CONCAT, whole) and not ask(state, operation, None, CONCAT, whole)


@pytest.mark.parametrize("done", [True, False])
def test_truncate_keeps_the_first_bytes(done: bool) -> None:
    state = after(ask(tree(a=ONE + TWO), Truncate(A, 11), done, TRUNCATE))
    assert bytes_of(state, "/a") == ONE + contents.of(2, 2)


def test_the_first_bytes_of_what_is_known_by_digest_only_are_not_known() -> None:
    observed = (contents.Observed(4, "00"),)
    assert first(observed + ONE, 4) == observed and first(observed, 3) is None and first(ONE, 0) == ()


@pytest.mark.parametrize("length", [-1, 10])
def test_truncate_refuses_other_lengths(length: int) -> None:
    state, operation = tree(a=ONE), Truncate(A, length)
    ((branch, _),) = ask(state, operation, "HadoopIllegalArgumentException", TRUNCATE, STRICT)
    assert branch.clause == "filesystem.truncate.pre.length"
    assert not ask(state, operation, "IllegalArgumentException", TRUNCATE, STRICT)
    assert not ask(state, operation, "IllegalArgumentException", TRUNCATE)
    superclass = "fsconform.truncate-raises-illegal-argument"
    ((branch, _),) = ask(state, operation, "IllegalArgumentException", TRUNCATE, STRICT, superclass)
    assert branch.departs and branch.clause == "filesystem.truncate.pre.length"
    assert not ask(state, operation, True, TRUNCATE)


def test_create_non_recursive_makes_no_parents() -> None:
    operation = CreateNonRecursive(("d", "a"), TWO, overwrite=False)
    assert ask(EMPTY, operation, "FileNotFoundException", STRICT)
    assert not ask(EMPTY, operation, None)
    assert bytes_of(after(ask(tree(d=None), operation, None)), "/d/a") == TWO


@pytest.mark.parametrize(
    ("state", "src", "dst", "over", "error", "clause"),
    [
        (EMPTY, A, B, False, "FileNotFoundException", "pre.source-exists"),
        (tree(a_c=ONE), A, A, True, "IOException", "pre.empty-directory"),
        (tree(a=None), A, ("a", "b"), True, "IOException", "pre.not-below-itself"),
        (tree(a=ONE), A, ("b", "c"), False, "FileNotFoundException", "pre.parent-exists"),
        (tree(a=ONE, b=TWO), A, ("b", "c"), False, "ParentNotDirectoryException", "pre.parent-is-directory"),
        (tree(a=ONE, b=None), A, B, True, "IOException", "pre.same-type"),
        (tree(a=None, b=ONE), A, B, True, "IOException", "pre.same-type"),
        (tree(a=ONE, b=TWO), A, B, False, "FileAlreadyExistsException", "pre.no-file-at-destination"),
        (tree(a=None, b=None), A, B, False, "FileAlreadyExistsException", "pre.no-directory-at-destination"),
        (tree(a=None, b_c=ONE), A, B, True, "IOException", "pre.empty-directory"),
        (tree(a=None), A, (), True, "IOException", "pre.destination-not-root"),
    ],
)
def test_rename_with_options_refuses(
    state: State, src: tuple[str, ...], dst: tuple[str, ...], over: bool, error: str, clause: str
) -> None:
    operation = RenameWith(src, dst, over)
    allowed = ask(state, operation, error, STRICT)
    assert any(branch.clause == f"rename.rename3.{clause}" for branch, _ in allowed)
    assert all(then is state for _, then in allowed)
    assert not ask(state, operation, None, STRICT)


@pytest.mark.parametrize("state", [tree(a=ONE), tree(a=None)])
def test_rename_with_options_of_a_path_to_itself_is_refused_by_a_proposal_alone(state: State) -> None:
    operation = RenameWith(A, A, True)
    [(refused, kept)] = ask(state, operation, "FileAlreadyExistsException", STRICT)
    assert refused.clause == "rename.rename3.pre.not-itself" and not refused.deviates and kept is state
    for answer in ("FileNotFoundException", None):
        [(branch, after)] = ask(state, operation, answer, STRICT)
        assert branch.clause == refused.clause and branch.deviates and after is state
    assert not ask(state, RenameWith(A, A, False), None, STRICT), "the Javadoc has it refused without OVERWRITE"


def test_rename_with_options_takes_the_destination_as_given() -> None:
    state = after(ask(tree(a_c=ONE, b=None), RenameWith(A, B, True), None))
    assert bytes_of(state, "/b/c") == ONE and isinstance(locate(state, A), Absence)
    assert bytes_of(after(ask(tree(a=ONE, b=TWO), RenameWith(A, B, True), None)), "/b") == ONE


def test_a_copy_leaves_or_deletes_its_source_as_it_is_told() -> None:
    operation = CopyFromLocal(A, TWO, delete=True, overwrite=False)
    assert bytes_of(after(ask(EMPTY, operation, copied(False))), "/a") == TWO
    assert not ask(EMPTY, operation, copied(True))
    differs = MEANINGS[CopyFromLocal].differs
    assert differs is not None
    difference = differs(EMPTY, operation, copied(True))
    assert difference is not None and difference.clause == "filesystem.copyFromLocalFile.post.source"


def test_a_copy_into_a_directory_has_its_own_name() -> None:
    copy = CopyFromLocal(A, TWO, delete=False, overwrite=True)
    assert bytes_of(after(ask(tree(a=None), copy, copied(True))), "/a/f") == TWO
    again = CopyFromLocal(A, TWO, delete=False, overwrite=False)
    assert not ask(tree(a_f=ONE), again, copied(True)) and ask(tree(a_f=ONE), again, "PathExistsException", STRICT)


def test_a_tree_is_copied_with_all_it_holds() -> None:
    copy = CopyTreeFromLocal(A, TWO, delete=False, overwrite=True)
    new = after(ask(EMPTY, copy, copied(True)))
    assert bytes_of(new, "/a/f") == TWO and bytes_of(new, "/a/d/g") == ()
    merged = after(ask(tree(a_t_d_x=ONE, a_t_f=ONE), copy, copied(True)))
    assert bytes_of(merged, "/a/t/f") == TWO and bytes_of(merged, "/a/t/d/x") == ONE
    for error in ("PathExistsException", "FileAlreadyExistsException"):
        assert ask(tree(a=ONE), copy, error, STRICT)
    assert not ask(tree(a=ONE), copy, copied(True))


def test_a_builder_refuses_what_must_be_honoured_and_is_unknown() -> None:
    unknown = ("fsconform.x=1",)
    must = CreateFile(A, TWO, True, True, unknown, ())
    assert ask(EMPTY, must, "IllegalArgumentException") and not ask(EMPTY, must, None)
    for operation in (
        CreateFile(A, TWO, True, True, (), unknown),
        CreateFile(A, TWO, True, True, unknown, unknown),
    ):
        assert bytes_of(after(ask(EMPTY, operation, None)), "/a") == TWO
        assert not ask(EMPTY, operation, "IllegalArgumentException")


@pytest.mark.parametrize(
    ("option", "clause"),
    [
        ("fsconform.x=1", "opt.unknown"),
        ("fs.option.openfile.length=-1", "length.negative"),
        ("fs.option.openfile.length=x", "numbers.unparseable"),
        ("fs.option.openfile.split.end=3", "split.read-past-end"),
        ("fs.option.openfile.split.start=-3", "split.negative"),
        ("fs.option.openfile.read.policy=random", "read-policy.harmless"),
        ("fs.option.openfile.read.policy=none", "read-policy.unknown"),
        ("fs.option.openfile.read.policy=none,random", "read-policy.list"),
    ],
)
def test_options_of_open_file_change_no_byte(option: str, clause: str) -> None:
    operation = OpenFile(A, (), (option,))
    ((branch, _),) = ask(tree(a=ONE), operation, data(ONE))
    assert branch.clause == f"fsdatainputstreambuilder.{clause}"
    assert not ask(tree(a=ONE), operation, data(TWO)) and not ask(tree(a=ONE), operation, "IllegalArgumentException")


def test_a_file_can_be_read_up_to_the_length_that_is_declared() -> None:
    operation = OpenFile(A, (), ("fs.option.openfile.length=4",))
    state = tree(a=ONE)
    assert ask(state, operation, data(contents.of(1, 4))) and ask(state, operation, data(ONE))
    assert not ask(state, operation, data(contents.of(1, 3))) and not ask(state, operation, data(contents.of(2, 4)))


HANDLES = ("supports-content-check", "supports-file-reference", STRICT)


@pytest.mark.parametrize(
    ("kind", "opened"),
    [
        ("exact", {"nothing"}),
        ("content", {"nothing", "rename"}),
        ("path", {"nothing", "append"}),
        ("reference", {"nothing", "append", "rename"}),
    ],
)
@pytest.mark.parametrize("change", ["nothing", "append", "rename", "delete", "replace"])
def test_a_handle_opens_after_what_it_tolerates(kind: str, opened: set[str], change: str) -> None:
    operation = OpenByHandle(A, kind, change, B)
    content = ONE + HANDLE_APPENDED if change == "append" else ONE
    given = ask(tree(a=ONE), operation, data(content), *HANDLES)
    assert bool(given) is (change in opened or (kind, change) == ("path", "replace"))
    assert all(branch.deviates is (change == "replace") for branch, _ in given)
    assert bool(ask(tree(a=ONE), operation, "InvalidPathHandleException", *HANDLES)) is (change not in opened)
    assert not ask(tree(a=ONE), operation, "UnsupportedOperationException", *HANDLES)
    assert after(ask(tree(a=ONE), operation, "UnsupportedOperationException")) == tree(a=ONE)


@pytest.mark.parametrize("kind", ["exact", "content", "path", "reference"])
def test_a_handle_opens_after_its_file_was_renamed_to_itself(kind: str) -> None:
    operation = OpenByHandle(A, kind, "rename", A)
    assert after(ask(tree(a=ONE), operation, data(ONE), *HANDLES)) == tree(a=ONE)
    assert not ask(tree(a=ONE), operation, data(TWO), *HANDLES)
    assert not ask(tree(a=ONE), operation, "InvalidPathHandleException", *HANDLES)
    assert not ask(tree(a=ONE, b=TWO), OpenByHandle(A, kind, "rename", B), data(ONE), *HANDLES)


def test_bulk_delete_takes_files_and_forgives_what_is_missing() -> None:
    def deleted(*failed: str, size: int = 1, capable: bool = True) -> Facts:
        return facts("bulk delete", pageSize=size, failed=failed, capable=capable, default=size == 1)

    state, one = tree(a=ONE, b=TWO), BulkDelete((), (A,))
    assert after(ask(state, one, deleted())) == tree(b=TWO)
    missing = BulkDelete((), (C,))
    assert after(ask(state, missing, deleted())) == state and not ask(state, missing, deleted("/c"))
    below = BulkDelete((), (("a", "c"),))
    assert not ask(state, below, deleted("/a/c"))
    assert after(ask(state, below, deleted("/a/c"), REFUSES_PATHS_BELOW_FILES)) == state
    assert not ask(state, missing, deleted("/c"), REFUSES_PATHS_BELOW_FILES)
    odd, invalid = BulkDelete((), (("a;b",),)), BulkDelete(("a:b",), (("a:b",),))
    assert after(ask(state, odd, deleted("/a;b"))) == after(ask(state, odd, deleted())) == state
    assert after(ask(state, invalid, deleted("/a:b"))) == state and not ask(state, invalid, deleted())
    both = BulkDelete((), (A, B))
    assert ask(state, both, "IllegalArgumentException") and not ask(state, both, deleted())
    assert ask(state, both, deleted(size=2))
    assert ask(tree(a=None, b=ONE), BulkDelete(A, (B,)), "IllegalArgumentException")
    differs = MEANINGS[BulkDelete].differs
    assert differs is not None
    difference = differs(state, one, deleted(capable=False))
    assert difference is not None and difference.clause == "bulkdelete.capability"


def test_parents_may_go_with_the_last_file_that_is_deleted_in_bulk() -> None:
    state = tree(a_b_c=ONE)
    found = ask(state, BulkDelete((), (("a", "b", "c"),)), facts("bulk delete", pageSize=1, failed=()))
    assert [then for _, then in found if then is not None] and {then for _, then in found} == {
        tree(a_b=None),
        tree(a=None),
        EMPTY,
    }


def test_bug_parents_may_go_with_the_last_file_where_directories_are_listed_too() -> None:
    """S3A has no marker for a directory that a copy from the local disk implied: it goes with its last file."""
    state = tree(a_b_c=ONE, d=ONE)
    listed = BulkDelete((), (("a", "b"), ("a", "b"), ("a", "b", "c")))
    found = ask(state, listed, facts("bulk delete", pageSize=250, failed=()))
    assert tree(d=ONE) in [after for _, after in found]
    assert all(after is not None and "d" in after.tree.children for _, after in found)


def test_listed_directories_may_go_in_the_order_in_which_they_are_listed() -> None:
    state = tree(a_b=None, c=ONE)
    told = facts("bulk delete", pageSize=100, failed=("/a",), capable=True, default=False)
    found = [after for _, after in ask(state, BulkDelete((), (A, ("a", "b"), ("a", "b"))), told)]
    assert tree(a=None, c=ONE) in found and tree(c=ONE) in found and state in found
    assert tree(a_b=None) not in found


def test_an_upload_is_there_when_it_is_complete() -> None:
    uploads = "supports-multipartuploader"
    for ending in ("complete", "reversed"):
        operation = Upload(A, TWO, 2, ending)
        assert bytes_of(after(ask(tree(a=ONE), operation, None, uploads)), "/a") == TWO
        assert not ask(EMPTY, operation, None)
    assert after(ask(tree(a=ONE), Upload(A, TWO, 2, "abort"), None, uploads)) == tree(a=ONE)
    assert not ask(tree(a=None), Upload(A, TWO, 1, "abort"), None, uploads)
    assert ask(EMPTY, Upload(A, (), 0, "complete"), "IllegalArgumentException", uploads)
    below = ask(tree(a=ONE), Upload(("a", "c"), (), 0, "complete"), "IllegalArgumentException", uploads)
    assert below and not any(branch.deviates for branch, _ in below)


def test_an_upload_that_is_completed_at_its_own_path_is_no_misuse() -> None:
    """A program may name the path itself as the other one."""
    uploads = "supports-multipartuploader"
    for state in (EMPTY, tree(a=TWO)):
        assert bytes_of(after(ask(state, MisuseUpload(A, ONE, "other path", A), None, uploads)), "/a") == ONE
        assert not ask(state, MisuseUpload(A, ONE, "other path", A), "IOException", uploads)
        assert not ask(state, MisuseUpload(A, ONE, "other path", B), None, uploads)
