"""Calls and outcomes as a person writes them, and the ways to go wrong that signatures tell apart."""

from __future__ import annotations

import pytest

from fsconform.engine.describe import call, expected_value, kind_of, observed
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned, Status, Unknown, Value
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.acls import ModifyAcl
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, File, State, put
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_filtered import ListMany
from fsconform.model.filesystem.status.list_status import ListStatus

D, F = ("d",), ("f",)
STATE: State = put(put(EMPTY, D, EMPTY_DIR), F, File(contents.of(1, 3)))


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (ListMany((("a",), ("b", "c"))), "listStatus of several([/a, /b/c])"),
        (ModifyAcl(F, ("user:u:r--", "group:g:rw-")), "modifyAclEntries(/f, entries=[user:u:r--, group:g:rw-])"),
        (Mkdirs(D, via="static"), "mkdirs(/d) via static"),
    ],
)
def test_calls_are_written_with_all_their_arguments(operation: Operation, words: str) -> None:
    assert call(operation) == words


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Unknown("no answer in 2 s"), "unknown: no answer in 2 s"),
        (NotExpressible("there is no such call"), "not expressible: there is no such call"),
        (Raised(ancestry("IOException"), "disk\nfull"), "raised IOException: disk"),
        (Raised(ancestry("IOException")), "raised IOException"),
        (Returned(tuple(Status((f"e{n}",), True, 0, 0) for n in range(14))), "and 2 more]"),
    ],
)
def test_outcomes_are_written_on_one_line(outcome: Outcome, words: str) -> None:
    told = observed(outcome)
    assert told.endswith(words) and "\n" not in told


def status(path: tuple[str, ...], is_dir: bool, length: int, block: int) -> Status:
    return Status(path, is_dir, length, block)


@pytest.mark.parametrize(
    ("operation", "value", "kind"),
    [
        (GetFileStatus(F), status(D, False, 3, 1), "a status with another path"),
        (GetFileStatus(F), status(F, True, 0, 0), "a directory for a file"),
        (GetFileStatus(D), status(D, False, 0, 1), "a file for a directory"),
        (GetFileStatus(D), status(D, True, 7, 0), "a directory with a length"),
        (GetFileStatus(F), status(F, False, 4, 1), "a wrong length"),
        (GetFileStatus(F), status(F, False, 3, 0), "a block size of 0"),
        (Open(F), Data(3, "0" * 64), "other bytes"),
        (Open(F), Data(2, "0" * 64), "too few bytes"),
        (Open(F), Data(4, "0" * 64), "too many bytes"),
        (Open(D), Data(0, "0" * 64), "the bytes of a directory"),
        (Open(F), status(F, False, 3, 1), "the status of a file"),
        (Open(F), True, None),
        (ListStatus(()), (status(D, True, 0, 0),) * 2, "a listing with repeated entries and missing entries"),
        (ListStatus(()), (status(D, True, 0, 0), status(F, False, 2, 1)), "a listing with a wrong length"),
        (ListStatus(F), (status(D, True, 0, 0),), "a listing with extra entries and missing entries"),
        (GetFileStatus(("x",)), status(("x",), True, 0, 0), "another result"),
    ],
)
def test_ways_to_go_wrong_have_words_without_names_and_sizes(
    operation: Operation, value: Value, kind: str | None
) -> None:
    assert kind_of(Returned(value), STATE, operation) == f"returned {'true' if kind is None else kind}"


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Open(F), "return 3 bytes, SHA-256 "),
        (GetFileStatus(F), "return /f (file, 3 bytes)"),
        (GetFileStatus(D), "return /d (directory, 0 bytes)"),
        (ListStatus(F), "return [/f (file, 3 bytes)]"),
        (ListStatus(()), "return [/d (directory, 0 bytes), /f (file, 3 bytes)]"),
        (Mkdirs(D), ""),
    ],
)
def test_what_a_query_must_return_is_written_in_full(operation: Operation, words: str) -> None:
    told = expected_value(STATE, operation)
    assert told.startswith(words) if words else not told
