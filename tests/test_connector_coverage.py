"""Coverage of connectors: the agents' protocol, the sums, and the table of the page."""

from __future__ import annotations

import io
import json
import runpy
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.services.daemon import JAVA_OPTIONS, daemon_environment

REPOSITORY = Path(__file__).resolve().parent.parent
TOOL: dict[str, Any] = runpy.run_path(str(REPOSITORY / "tools" / "connector_coverage.py"))
SESSION = b"\x10" + struct.pack(">H", 1) + b"s" + bytes(16)


def of_class(number: int, name: str, count: int, bits: int) -> bytes:
    """A class as an agent sends it."""
    size = bytes((0x80 | (count & 0x7F), count >> 7)) if count > 0x7F else bytes((count,))
    head = b"\x11" + struct.pack(">qH", number, len(name)) + name.encode()
    return head + size + bits.to_bytes((count + 7) // 8, "little")


def taken_from(*streams: bytes) -> Any:
    """What agents that sent these came to."""
    taken = TOOL["Taken"]()
    for stream in streams:
        TOOL["read_blocks"](io.BytesIO(stream), taken)
    return taken


def test_what_several_jvms_took_is_put_together_and_written_as_it_was_read(tmp_path: Path) -> None:
    first = TOOL["MAGIC"] + SESSION + of_class(7, "a/B", 3, 0b001) + of_class(-9, "a/C", 200, 1 << 199) + b"\x20"
    second = TOOL["MAGIC"] + SESSION + of_class(7, "a/B", 3, 0b100) + b"\x20"
    taken = taken_from(first, second)
    assert taken.probes == {7: (3, 0b101), -9: (200, 1 << 199)}
    assert taken.sessions == 2
    taken.write(tmp_path / "jacoco.exec")
    again = taken_from((tmp_path / "jacoco.exec").read_bytes())
    assert (again.names, again.probes) == (taken.names, taken.probes)


@pytest.mark.parametrize(("stream", "error"), [(b"\x77", ValueError), (of_class(7, "a/B", 3, 1)[:-2], EOFError)])
def test_what_no_agent_sends_is_refused(stream: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        taken_from(stream)


def test_a_class_is_summed_up_with_those_in_it_and_with_no_other() -> None:
    def row(name: str, *numbers: int) -> dict[str, str]:
        kinds = ("LINE_COVERED", "LINE_MISSED", "BRANCH_COVERED", "BRANCH_MISSED")
        return {"PACKAGE": "org.apache.hadoop.fs", "CLASS": name, **dict(zip(kinds, map(str, numbers), strict=True))}

    rows = [row("A", 3, 1, 2, 2), row("A.Inner", 1, 3, 0, 4), row("AB", 9, 9, 9, 9)]
    found = TOOL["summed"](rows, "fs.A")
    assert found == {"line_covered": 4, "line_missed": 4, "branch_covered": 2, "branch_missed": 6}
    assert (TOOL["share"](found, "line"), TOOL["share"](found, "branch")) == (50.0, 25.0)


def test_the_table_is_that_of_the_data() -> None:
    data = json.loads(TOOL["DATA"].read_text("utf-8"))
    assert TOOL["PAGE"].read_text("utf-8") == TOOL["paged"](data)
    for store, entry in data.items():
        assert set(entry["classes"]) == set(TOOL["CLASSES"][store])
        for name, row in entry["classes"].items():
            assert row["line_covered"] + row["line_missed"] > 0, f"{store}: no such class: {name}"


def test_class_files_are_those_of_the_classes_and_the_first_of_each_wins(tmp_path: Path) -> None:
    names = ("fs/A", "fs/A$Inner", "fs/AB", "hdfs/A")
    for jar in ("first", "second"):
        with zipfile.ZipFile(tmp_path / jar, "w") as file:
            for name in names[jar == "first" :]:
                file.writestr(f"org/apache/hadoop/{name}.class", jar)
    TOOL["class_files"]([tmp_path / "first", tmp_path / "second"], ("fs.A",), tmp_path / "out")
    found = {path.name: path.read_text("ascii") for path in (tmp_path / "out").rglob("*.class")}
    assert found == {"A$Inner.class": "first", "A.class": "second"}


def test_servers_get_the_options_for_their_jvms_and_none_without() -> None:
    assert daemon_environment({JAVA_OPTIONS: "-javaagent:a.jar"})["JAVA_TOOL_OPTIONS"] == "-javaagent:a.jar"
    assert "JAVA_TOOL_OPTIONS" not in daemon_environment({"JAVA_TOOL_OPTIONS": "-javaagent:a.jar"})
