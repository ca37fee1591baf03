"""Contracts are written so that nothing of an old one is lost, and read back as they were meant."""

from __future__ import annotations

import pytest

from fsconform.adapters.stores.contracts import shipped, shipped_text
from fsconform.specs.contract_writer import EMPTY, Draft, written
from fsconform.specs.contract_xml import parse

VALUES = {"supports-append": True, "max-path": 255, "fsconform.accepts-invalid-paths": False}

OLD = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- a licence -->

<configuration>
  <!-- why it is so -->
  <property>
    <name> fs.contract.supports-append </name>
    <value>TRUE</value>
    <description>kept &amp; left alone</description>
  </property>
  <property><name>fs.contract.test.fs.mine</name><value>mine://x</value><final>true</final></property>
  <property><name>fs.mine.impl</name><value>org.example.Mine</value></property>
  <property><name>fs.contract.rename-overwrites-dest</name><value>true</value></property>
  <property><name>fs.contract.rename-overwrites-dest</name><value>false</value></property>
</configuration>
"""


def test_a_new_contract_reads_as_it_was_meant() -> None:
    text = written(Draft(VALUES, comments={"supports-append": "by a witness"}, remarks=["the rest is unobserved"]))
    assert parse(text, "x").declared == VALUES
    lines = [line.strip() for line in text.decode().splitlines()]
    assert lines.index("<!-- fsconform: by a witness -->") + 2 == lines.index(
        "<name>fs.contract.supports-append</name>"
    )
    assert lines[-2:] == ["<!-- fsconform: the rest is unobserved -->", "</configuration>"]


@pytest.mark.parametrize("name", shipped())
def test_nothing_to_say_leaves_a_contract_as_it_is(name: str) -> None:
    data = shipped_text(name)
    assert written(Draft({}), data) == data


def test_what_is_not_ours_stays() -> None:
    text = written(Draft({"supports-append": True, "rename-overwrites-dest": True}), OLD).decode()
    kept = OLD.decode().splitlines()
    gone = [line for line in kept if line.strip() and line not in text.splitlines()]
    assert [line.count("rename-overwrites-dest") for line in gone] == [1]
    assert "<value>TRUE</value>" in text, "a value that is meant is not written anew"
    assert parse(text.encode(), "x").declared == {"supports-append": True, "rename-overwrites-dest": True}


def test_an_option_is_taken_out() -> None:
    text = written(Draft({}, dropped=["supports-append", "rename-overwrites-dest"]), OLD)
    assert parse(text, "x").declared == {}
    assert b"why it is so" in text and b"org.example.Mine" in text


def test_comments_of_ours_are_replaced() -> None:
    first = written(Draft(VALUES, comments={"max-path": "old"}, remarks=["older"]), OLD)
    second = written(Draft(VALUES, comments={"max-path": "new"}, remarks=["newer"]), first)
    assert b"old " not in second and b"older" not in second
    assert written(Draft(VALUES, comments={"max-path": "new"}, remarks=["newer"]), second) == second


@pytest.mark.parametrize("text", ["a -- b", "--", "ends in -", "\x00\x1b[31m", "\ud800", "]]> <x> & é", "---->"])
def test_any_text_can_be_said_in_a_comment(text: str) -> None:
    found = written(Draft(VALUES, comments={"max-path": text}, remarks=[text]), EMPTY)
    assert parse(found, "x").declared == VALUES
