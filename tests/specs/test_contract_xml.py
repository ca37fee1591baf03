"""Contracts in Hadoop's XML: the shipped ones load, and a broken one is refused with its file, line and mend."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped, shipped
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.specs.contract_xml import ContractError, closest, load, parse

HEAD = "<?xml version='1.0'?>\n"


def prop(name: str, value: str) -> str:
    return f"<property><name>{name}</name><value>{value}</value></property>\n"


def conf(*properties: str) -> bytes:
    return (HEAD + "<configuration>\n" + "".join(properties) + "</configuration>\n").encode()


@pytest.mark.parametrize("name", shipped())
def test_shipped_contracts_load(name: str) -> None:
    contract = load_shipped(name)
    assert contract.source == f"{name}.xml"
    assert contract.declared and set(contract.declared) <= set(OPTIONS)
    assert all(type(value) is type(OPTIONS[option].default) for option, value in contract.declared.items())


@pytest.mark.parametrize("name", ["hdfs", "hdfs-ec", "webhdfs"])
def test_what_the_documents_say_of_hdfs_alone_is_declared_either_way(name: str) -> None:
    declared = load_shipped(name).declared
    assert declared["supports-concat"] is True
    assert declared["fsconform.concat-of-whole-blocks-only"] is False


def test_shipped_names() -> None:
    assert {"file", "hdfs", "proving", "rawlocal"} <= set(shipped())
    with pytest.raises(ContractError, match=r"no shipped contract 'hdsf': did you mean 'hdfs'\?"):
        load_shipped("hdsf")


def test_values_are_typed() -> None:
    contract = parse(
        conf(
            "<!-- a comment -->",
            prop("fs.contract.supports-append", " TRUE "),
            prop("fs.contract.is-case-sensitive", "false"),
            prop("fs.contract.test.random-seek-count", "500"),
            prop("fs.contract.max-filesize", "-1"),
            prop("fs.contract.fsconform.accepts-invalid-paths", "true"),
            prop("fs.contract.test.fs.s3a", "s3a://bucket"),
            prop("fs.defaultFS", "file:///"),
        ),
        "some.xml",
    )
    assert contract.declared == {
        "supports-append": True,
        "is-case-sensitive": False,
        "test.random-seek-count": 500,
        "max-filesize": -1,
        "fsconform.accepts-invalid-paths": True,
    }
    assert contract.source == "some.xml"


BROKEN = {
    "not well-formed": (HEAD.encode() + b"<configuration>\n<property>\n</configuration>", 4, "not well-formed"),
    "empty": (b"", 1, "not well-formed"),
    "no XML": (b"[waiver]\n", 1, "not well-formed"),
    "two roots": (conf() + b"<configuration/>", 4, "not well-formed"),
    "wrong root": (HEAD.encode() + b"<contract/>", 2, "<contract>, not <configuration>"),
    "wrong element": (conf("\n", "<propert/>"), 4, "<propert> where <property> is expected"),
    "unknown option": (
        conf("\n\n", prop("fs.contract.suports-append", "true")),
        5,
        "'fs.contract.suports-append': did you mean 'fs.contract.supports-append'?",
    ),
    "wrong value": (conf(prop("fs.contract.supports-append", "yes")), 3, "supports-append is 'yes', not true or false"),
    "number for true": (conf(prop("fs.contract.supports-append", "1")), 3, "not true or false"),
    "empty value": (conf(prop("fs.contract.supports-append", "")), 3, "is '', not true or false"),
    "text for a number": (
        conf(prop("fs.contract.test.random-seek-count", "many")),
        3,
        "random-seek-count is 'many', not a whole number",
    ),
    "missing value": (
        conf("<property><name>fs.contract.supports-append</name></property>"),
        3,
        "needs a <name> and a <value>",
    ),
    "missing name": (conf("\n", "<property><value>true</value></property>"), 4, "needs a <name> and a <value>"),
    "two names": (
        conf(
            "<property><name>fs.contract.supports-append</name>\n",
            "<name>fs.contract.supports-concat</name><value>true</value></property>",
        ),
        4,
        "a second <name>: leave one of them out",
    ),
    "two values": (
        conf(
            "<property><name>fs.contract.supports-append</name>\n",
            "<value>true</value>\n<value>false</value></property>",
        ),
        5,
        "a second <value>: leave one of them out",
    ),
    "a value in two pieces": (
        conf("<property><name>fs.contract.max-filesize</name><value>1<!-- x -->000</value></property>"),
        3,
        "there is more than text in <value>",
    ),
    "a value twice, as an attribute too": (
        conf('<property value="false"><name>fs.contract.supports-append</name><value>true</value></property>'),
        3,
        "value as an attribute: write it as an element <value>",
    ),
    "bomb": (
        (
            HEAD
            + '<!DOCTYPE configuration [\n<!ENTITY a "aaaaaaaaaa">\n'
            + "".join(
                f'<!ENTITY {new} "{f"&{old};" * 10}">\n' for old, new in zip("abcdefghi", "bcdefghij", strict=True)
            )
            + "]>\n<configuration>"
            + prop("fs.contract.supports-append", "&j;")
            + "</configuration>"
        ).encode(),
        None,
        "",
    ),
    "bomb that is not used": (
        (HEAD + '\n<!DOCTYPE configuration [<!ENTITY a "true">]>\n<configuration/>').encode(),
        3,
        "document type declaration is not allowed",
    ),
    "external entity": (
        (
            HEAD
            + '<!DOCTYPE configuration [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<configuration>'
            + prop("fs.contract.supports-append", "&a;")
            + "</configuration>"
        ).encode(),
        2,
        "document type declaration is not allowed",
    ),
    "external declaration": (
        (HEAD + '<!DOCTYPE configuration SYSTEM "http://127.0.0.1:1/x.dtd">\n<configuration/>').encode(),
        2,
        "document type declaration is not allowed",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_contract(name: str, tmp_path: Path) -> None:
    data, line, text = BROKEN[name]
    path = tmp_path / "contract.xml"
    path.write_bytes(data)
    started = time.monotonic()
    with pytest.raises(ContractError) as caught:
        load(path)
    assert time.monotonic() - started < 10
    told = str(caught.value)
    assert told.startswith(f"{path}:") and text in told
    found = told.removeprefix(f"{path}:").partition(":")[0]
    assert found.isdigit() and (line is None or int(found) == line), told
    assert "aaaaaaaaaaaa" not in told


def test_an_external_entity_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    os.mkfifo(secret)
    data = f'<!DOCTYPE c [<!ENTITY % x SYSTEM "{secret.as_uri()}"> %x;]>\n<configuration/>'.encode()
    # Reading the pipe, which nobody writes to, would never end.
    with pytest.raises(ContractError):
        parse(data, "contract.xml")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="none\\.xml: No such file"):
        load(tmp_path / "none.xml")


def test_hints() -> None:
    assert closest("fil", ("file", "hdfs")) == ": did you mean 'file'?"
    assert closest("zzz", ("file", "hdfs")) == ": known are file, hdfs"
    assert closest("zzz", [str(number) for number in range(13)]) == ""
