"""Sessions on the object store in memory, sound or with a fault, and what the suite finds on one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fsconform.adapters.s3.session import S3Session
from fsconform.engine.objects.subject import OBJECTS, Collected, Tried
from fsconform.model.objects.contract import STRICT
from fsconform.proving.objects.faults import objects
from fsconform.proving.objects.store import ObjectError
from fsconform.suites.s3_objects import S3_OBJECTS


def opened(fault: str = "", prefix: str = "") -> S3Session:
    store = objects(fault)
    if prefix:
        store.create_bucket(Bucket="given")
    return S3Session(store, ObjectError, "given" if prefix else "", prefix)


@pytest.fixture
def session() -> Callable[..., S3Session]:
    return opened


def trying(session: S3Session, whole: int, others: int) -> Iterator[tuple[str, Tried]]:
    for group in S3_OBJECTS.groups:
        for program in itertools.islice(group.programs(0), whole if group.whole else others):
            yield group.name, OBJECTS.attempt(session, program, STRICT)


@pytest.fixture
def tries() -> Callable[[S3Session, int, int], Iterator[tuple[str, Any]]]:
    """Programs of the suite on a session, so many of each group that is run whole, and of each other one."""
    return trying


@pytest.fixture
def collected() -> Callable[[S3Session, int, int], Collected]:
    """What so many programs of each group give."""

    def collect(session: S3Session, whole: int, others: int) -> Collected:
        found: Collected = Collected()
        for _, tried in trying(session, whole, others):
            found.take(tried)
        return found

    return collect
