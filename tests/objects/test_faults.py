"""The suite against the object store in memory: nothing without a fault, and each fault found by its clause."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from fsconform.adapters.s3.session import S3Session
from fsconform.engine.layers import met
from fsconform.engine.objects.subject import OBJECTS, Tried
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.contract import (
    KEYS_AS_PATHS,
    NO_CONDITIONAL_DELETES,
    NO_CONDITIONAL_WRITES,
    NO_VERSIONING,
    OPTIONS,
    STRICT,
    UPLOADS_AT_ONCE,
    UPLOADS_BY_WHOLE_KEY,
    ObjectContract,
)
from fsconform.proving.objects.faults import FAULTS
from fsconform.specs.layers import object_clauses
from fsconform.suites.s3_objects import S3_OBJECTS

EVERY = 400
"""More programs than any group has that is run whole."""

ALL_CLAUSES = {value for name, value in vars(ids).items() if name.isupper() and isinstance(value, str)} - ids.OF_RACES


def test_the_catalogue_and_the_code_have_the_same_clauses() -> None:
    assert set(object_clauses()) == ALL_CLAUSES | ids.OF_RACES


@pytest.mark.parametrize("prefix", ["", "some/where/"])
def test_a_sound_store_departs_from_nothing_and_every_clause_is_judged(session: Any, tries: Any, prefix: str) -> None:
    judged: set[str] = set()
    sound = session(prefix=prefix)
    for group, tried in tries(sound, EVERY, 60):
        assert tried.judgement.findings == [], (group, tried.program)
        assert not any(isinstance(answer, Unknown) for answer in tried.seen), tried.seen
        judged |= set(tried.judgement.clauses)
    assert not sound.left
    if not prefix:
        assert judged == ALL_CLAUSES


def by_turns(session: S3Session) -> Iterator[Tried]:
    """Witnesses, and then programs of all other groups by turns."""
    witnesses, large, *others = (group.programs(0) for group in S3_OBJECTS.groups)
    rounds = itertools.islice(itertools.zip_longest(*others), EVERY // 2)
    for program in itertools.chain(witnesses, large, itertools.chain.from_iterable(rounds)):
        if program is not None:
            yield OBJECTS.attempt(session, program, STRICT)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_shown_by_a_small_program(session: Any, fault: str) -> None:
    faulty = session(fault)
    found = next((one for one in by_turns(faulty) if one.judgement.findings), None)
    assert found is not None, FAULTS[fault][1]
    finding = found.judgement.findings[0]
    assert finding.failing
    proven = OBJECTS.prove(session(fault), met(finding, found), STRICT)
    assert proven.confirmed == "3/3" and proven.finding.signature == finding.signature
    assert len(proven.tried.program) <= 6, proven.tried.program


@pytest.mark.long
def test_the_faults_together_break_every_clause(session: Any, tries: Any) -> None:
    broken = {
        finding.clause
        for fault in FAULTS
        for _, tried in tries(session(fault), EVERY, 30)
        for finding in tried.judgement.findings
    }
    assert broken == ALL_CLAUSES


@pytest.mark.parametrize(
    ("fault", "option", "clause"),
    [
        ("ignores-if-none-match", NO_CONDITIONAL_WRITES, ids.PUT_NONE_MATCH),
        ("ignores-if-match", NO_CONDITIONAL_DELETES, ids.DELETE_MATCH),
        ("no-versioning", NO_VERSIONING, ids.VERSIONING),
        ("uploads-by-whole-key", UPLOADS_BY_WHOLE_KEY, ids.UPLOADS_PREFIX),
        ("uploads-by-time", UPLOADS_AT_ONCE, ids.UPLOADS_ORDER),
        ("keys-as-paths", KEYS_AS_PATHS, ids.PUT_SUCCEEDS),
        ("keys-as-paths", KEYS_AS_PATHS, ids.BULK_DELETES),
    ],
)
def test_an_option_permits_its_departure_and_no_other(
    session: Any, tries: Any, fault: str, option: str, clause: str
) -> None:
    faulty = session(fault)
    tried = next(one for _, one in tries(faulty, EVERY, 12) if any(f.clause == clause for f in one.judgement.findings))
    verdicts = {}
    for declared in ({}, {option: True}, {other: True for other in OPTIONS if other != option}):
        again = OBJECTS.attempt(faulty, tried.program, ObjectContract(declared))
        verdicts[tuple(declared)] = {f.verdict for f in again.judgement.findings if f.clause == clause}
    assert list(verdicts.values()) == [{"undeclared"}, {"declared"}, {"undeclared"}]
