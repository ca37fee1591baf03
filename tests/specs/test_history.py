"""What is told of real stores' bugs: every id stands once, every witness and every fault that is named exists."""

from __future__ import annotations

import re

import pytest

from fsconform.proving.blocks.faults import FAULTS as OF_BLOCKS
from fsconform.proving.blocks.faults import BlockFault
from fsconform.proving.faults import EVERY, NOT_JUDGED, SHARED, Fault
from fsconform.specs.history import Entry, history
from fsconform.specs.witness import witnesses

_ID = re.compile(r"(HADOOP|HDFS|HDDS|MAPREDUCE|TACHYON)-[0-9]+|(hadoop-connectors|alluxio|hadoop-cos)#[0-9]+")

SEEDED: dict[str, Fault | BlockFault] = {**EVERY, **SHARED, **OF_BLOCKS}
WITNESSES = {witness.name for witness in witnesses()}

IN_THE_SOURCES = [
    "HADOOP-89",
    "HADOOP-1700",
    "HADOOP-1708",
    "HADOOP-4692",
    "HADOOP-5332",
    "HADOOP-11708",
    "HADOOP-13164",
    "HADOOP-13230",
    "HADOOP-14346",
    "HADOOP-16548",
    "HADOOP-16785",
    "HADOOP-17244",
    "HDFS-142",
    "HDFS-145",
    "HDFS-168",
    "HDFS-200",
    "HDFS-265",
    "HDFS-4849",
    "MAPREDUCE-972",
]
"""The reports that the documents which the project began with refer to."""


def test_every_report_of_the_sources_has_its_entry() -> None:
    assert set(IN_THE_SOURCES) <= set(history())
    assert len(history()) >= len(IN_THE_SOURCES) + 26


@pytest.mark.parametrize("entry", history().values(), ids=lambda entry: entry.id)
def test_entry_is_sound(entry: Entry) -> None:
    assert _ID.fullmatch(entry.id) and entry.store and entry.title.endswith(".")
    assert len(set(entry.witnesses)) == len(entry.witnesses)
    assert [name for name in entry.witnesses if name not in WITNESSES and name not in SEEDED] == []
    assert entry.observable or entry.why


@pytest.mark.parametrize("entry", history().values(), ids=lambda entry: entry.id)
def test_what_a_client_can_see_is_reproduced_by_a_seeded_fault_that_is_judged(entry: Entry) -> None:
    """That each is found is held by the tests of the proving ground, of clauses and of histories."""
    seeded = [name for name in entry.witnesses if name in SEEDED and name not in NOT_JUDGED]
    assert bool(seeded) is (entry.observable and not entry.lacks)


def test_programs_lack_nothing() -> None:
    assert [entry.id for entry in history().values() if entry.lacks] == []


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, fault in SEEDED.items()
        if _ID.fullmatch(fault.reference) and (name in EVERY or fault.reference in history())
    ],
)
def test_a_fault_that_is_modelled_on_a_report_is_named_in_its_entry(name: str) -> None:
    assert name in history()[SEEDED[name].reference].witnesses
