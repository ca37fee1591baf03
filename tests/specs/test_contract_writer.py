"""Contracts are written so that nothing of an old one is lost, and read back as they were meant."""

from __future__ import annotations

import pytest
from lxml import etree

from fsconform.adapters.stores.contracts import shipped, shipped_text
from fsconform.adapters.stores.folders import CONTRACT, file_of
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.specs.contract_writer import EMPTY, Draft, is_like, laid_over, written
from fsconform.specs.contract_xml import ContractError, parse, properties

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


def test_differences_are_laid_over_the_other_contract() -> None:
    base = written(Draft({"supports-append": True, "supports-concat": True, "rename-overwrites-dest": True}))
    own = b"""<!-- what is mine --><configuration like="other" without="rename-overwrites-dest">
      <property><name>fs.contract.supports-append</name><value>false</value></property>
      <property><name>fs.contract.supports-settimes</name><value>true</value></property>
    </configuration>"""
    assert (is_like(own), is_like(base)) == ("other", "")
    whole = laid_over(own, base)
    declared = {"supports-append": False, "supports-concat": True, "supports-settimes": True}
    assert parse(whole, "x").declared == declared
    assert b"what is mine" in whole and not is_like(whole)
    with pytest.raises(ContractError, match="only a shipped contract is like another"):
        parse(own, "x")


@pytest.mark.parametrize("name", [name for name in shipped() if is_like(file_of(name, CONTRACT).read_bytes())])
def test_a_contract_that_is_like_another_holds_differences_alone(name: str) -> None:
    document = file_of(name, CONTRACT).read_bytes()
    other = parse(shipped_text(is_like(document)), "x").declared
    own = properties(document, "x", OPTIONS, may_be_like=True)
    assert not {option for option, value in own.items() if other.get(option) == value}
    without = etree.fromstring(document).get("without", "").split()
    assert {*without} <= {*other} and parse(shipped_text(name), "x").declared.keys() == {*own, *other} - {*without}
