"""How much of Hadoop's own classes a run of fsconform takes: lines and branches, by JaCoCo.

``python tools/connector_coverage.py STORE... [-- ARGUMENTS OF fsconform run]`` runs each store with JaCoCo's agent in
every JVM, workers' and servers', and writes ``docs/connector-coverage.json`` and the table of
``docs/connector-coverage.md``. ``--table`` only makes the table anew. The JVMs send what they took to this process
every second, as workers may end at any moment: what a JVM did in its last second may be missing.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from fsconform.adapters import jars
from fsconform.adapters.java import find_java
from fsconform.adapters.resolver import Coordinates, retrieve

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "connector-coverage.md"
DATA = REPOSITORY / "docs" / "connector-coverage.json"
WORK = REPOSITORY / "build" / "connector-coverage"
BEGIN, END = "<!-- made by tools/connector_coverage.py -->\n", "<!-- end -->\n"
JACOCO = "0.8.13"
AGENT = Coordinates("org.jacoco", "org.jacoco.agent", JACOCO, "runtime")
CLI = Coordinates("org.jacoco", "org.jacoco.cli", JACOCO, "nodeps")
INCLUDED = "org.apache.hadoop.fs.*:org.apache.hadoop.hdfs.*"
EVERY_SECONDS = 1.0

HEADER, SESSION, EXECUTION, DONE, DUMP = 0x01, 0x10, 0x11, 0x20, 0x40
MAGIC = struct.pack(">BHH", HEADER, 0xC0C0, 0x1007)
ASK = bytes((DUMP, 1, 1))

CLASSES: Mapping[str, tuple[str, ...]] = {
    "rawlocal": ("fs.RawLocalFileSystem", "fs.FileUtil", "fs.BufferedFSInputStream"),
    "file": (
        "fs.ChecksumFileSystem",
        "fs.ChecksumFs",
        "fs.FSInputChecker",
        "fs.FSOutputSummer",
        "fs.FilterFileSystem",
        "fs.LocalFileSystem",
    ),
    "hdfs": (
        "hdfs.DistributedFileSystem",
        "hdfs.DFSClient",
        "hdfs.DFSInputStream",
        "hdfs.DFSOutputStream",
        "hdfs.server.namenode.FSDirRenameOp",
        "hdfs.server.namenode.FSDirWriteFileOp",
        "hdfs.server.namenode.FSDirDeleteOp",
        "hdfs.server.namenode.FSDirConcatOp",
        "hdfs.server.namenode.FSDirTruncateOp",
    ),
    "s3a": (
        "fs.s3a.S3AFileSystem",
        "fs.s3a.S3ABlockOutputStream",
        "fs.s3a.impl.RenameOperation",
        "fs.s3a.impl.DeleteOperation",
        "fs.s3a.impl.MkdirOperation",
    ),
}
"""The classes that the table has, of each store, below ``org.apache.hadoop``."""

CONTRACT_TESTS: Mapping[str, tuple[int, int]] = {
    "fs.RawLocalFileSystem": (53, 53),
    "fs.ChecksumFileSystem": (52, 47),
    "hdfs.DistributedFileSystem": (21, 20),
    "hdfs.server.namenode.FSDirRenameOp": (71, 57),
    "fs.s3a.S3AFileSystem": (60, 43),
    "fs.s3a.S3ABlockOutputStream": (65, 36),
}
"""Lines and branches in per cent that Hadoop's contract tests take of a class, as they were measured before."""


@dataclass(slots=True)
class Taken:
    """Which probes of which classes were taken, over all JVMs of a run."""

    names: dict[int, str] = field(default_factory=dict)
    probes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Of each class by its id: the number of its probes, and a bit for each that was taken."""
    sessions: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, number: int, name: str, count: int, bits: int) -> None:
        """What one JVM took of a class since it was last asked."""
        with self.lock:
            self.names[number] = name
            self.probes[number] = (count, self.probes.get(number, (count, 0))[1] | bits)

    def write(self, path: Path) -> None:
        """An execution data file, as JaCoCo's own tools read it."""
        with path.open("wb") as file:
            file.write(MAGIC + struct.pack(">B", SESSION) + _utf("fsconform") + struct.pack(">qq", 0, 1))
            for number, (count, bits) in self.probes.items():
                file.write(struct.pack(">Bq", EXECUTION, number) + _utf(self.names[number]) + _variable(count))
                file.write(bits.to_bytes((count + 7) // 8, "little"))


def _utf(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">H", len(encoded)) + encoded


def _variable(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(0x80 | (number & 0x7F))
        number >>= 7
    return bytes((*found, number))


def read_blocks(stream: BinaryIO, taken: Taken) -> None:
    """Take in all that an agent sends, to the end of the stream. Raises ValueError for what no agent sends."""
    while kind := stream.read(1):
        match kind[0]:
            case 0x01:
                _exactly(stream, 4)
            case 0x10:
                _exactly(stream, struct.unpack(">H", _exactly(stream, 2))[0] + 16)
                taken.sessions += 1
            case 0x11:
                number, size = struct.unpack(">qH", _exactly(stream, 10))
                name = _exactly(stream, size).decode()
                count = shift = 0
                while True:
                    (byte,) = _exactly(stream, 1)
                    count |= (byte & 0x7F) << shift
                    shift += 7
                    if byte < 0x80:
                        break
                taken.add(number, name, count, int.from_bytes(_exactly(stream, (count + 7) // 8), "little"))
            case 0x20:
                pass
            case other:
                raise ValueError(f"no block of JaCoCo: {other:#x}")


def _exactly(stream: BinaryIO, size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def _asked(connection: socket.socket, taken: Taken) -> None:
    """Ask one JVM until it is gone."""

    def reading() -> None:
        with suppress(OSError, EOFError), connection.makefile("rb") as stream:
            read_blocks(stream, taken)

    reader = threading.Thread(target=reading, daemon=True)
    reader.start()
    with suppress(OSError), connection:
        connection.sendall(MAGIC)
        while reader.is_alive():
            connection.sendall(ASK)
            reader.join(EVERY_SECONDS)


def _listening(server: socket.socket, taken: Taken) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_asked, args=(connection, taken), daemon=True).start()


def run(store: str, arguments: Sequence[str], tools: Mapping[Coordinates, Path]) -> tuple[Taken, int, float]:
    """Run a store with the agent in each JVM: what was taken, the exit code of the run, and its seconds."""
    taken = Taken()
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as out:
        threading.Thread(target=_listening, args=(server, taken), daemon=True).start()
        port = server.getsockname()[1]
        agent = f"-javaagent:{tools[AGENT]}=output=tcpclient,address=127.0.0.1,port={port},includes={INCLUDED}"
        environment = {**os.environ, "JAVA_TOOL_OPTIONS": agent, "FSCONFORM_SERVER_JAVA_OPTIONS": agent}
        command = [sys.executable, "-m", "fsconform.app.main", "run", "--store", store, "--out", out, *arguments]
        begun = time.monotonic()
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False)
        time.sleep(2 * EVERY_SECONDS)
        return taken, done.returncode, time.monotonic() - begun


def reported(
    taken: Taken, tools: Mapping[Coordinates, Path], hadoop: Sequence[Path], store: str
) -> list[dict[str, str]]:
    """JaCoCo's report of the classes of a store, as the rows of its CSV."""
    WORK.mkdir(parents=True, exist_ok=True)
    data, rows = WORK / f"{store}.exec", WORK / f"{store}.csv"
    taken.write(data)
    with tempfile.TemporaryDirectory() as folder:
        class_files(hadoop, CLASSES[store], Path(folder))
        command = [str(find_java().executable), "-jar", str(tools[CLI]), "report", str(data), "--csv", str(rows)]
        command += ["--classfiles", folder]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with rows.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def class_files(hadoop: Sequence[Path], names: Sequence[str], folder: Path) -> None:
    """Unpack these classes and those in them, each from the first jar that has it: jars share some, in other forms."""
    wanted = tuple(f"org/apache/hadoop/{name.replace('.', '/')}" for name in names)
    for path in hadoop:
        with zipfile.ZipFile(path) as jar:
            for entry in jar.namelist():
                outer = entry.removesuffix(".class").split("$")[0]
                if entry.endswith(".class") and outer in wanted and not (folder / entry).exists():
                    jar.extract(entry, folder)


def summed(rows: Sequence[Mapping[str, str]], name: str) -> dict[str, int]:
    """Lines and branches of a class with the classes in it; all 0 where there is no such class."""
    package, _, simple = f"org.apache.hadoop.{name}".rpartition(".")
    own = [row for row in rows if row["PACKAGE"] == package and row["CLASS"].split(".")[0] == simple]
    kinds = ("LINE_COVERED", "LINE_MISSED", "BRANCH_COVERED", "BRANCH_MISSED")
    return {kind.lower(): sum(int(row[kind]) for row in own) for kind in kinds}


def share(row: Mapping[str, int], kind: str) -> float:
    """What was taken of lines or branches, in per cent; 100 where there are none."""
    whole = row[f"{kind}_covered"] + row[f"{kind}_missed"]
    return 100 * row[f"{kind}_covered"] / whole if whole else 100.0


def table(data: Mapping[str, Mapping[str, object]]) -> str:
    """The table of the page."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    yield "| store | class of `org.apache.hadoop` | lines | branches | contract tests: lines | branches |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for store, entry in data.items():
        rows = entry["classes"]
        assert isinstance(rows, dict)
        for name, row in rows.items():
            theirs = CONTRACT_TESTS.get(name)
            cells = [store, f"`{name}`", f"{share(row, 'line'):.0f} %", f"{share(row, 'branch'):.0f} %"]
            cells += [f"{number} %" for number in theirs] if theirs else ["", ""]
            yield f"| {' | '.join(cells)} |"
    yield ""
    for store, entry in data.items():
        yield f"- `{store}`: `fsconform run {entry['arguments']}`, Hadoop {entry['hadoop']}, JaCoCo {entry['jacoco']}."


def paged(data: Mapping[str, Mapping[str, object]]) -> str:
    """The page with its table up to date."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return f"{before}{BEGIN}{table(data)}{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str]) -> int:
    """Run the stores, keep what they took, and write the table. Exit status 1 if a run could not be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("stores", nargs="*", choices=[*CLASSES, []], metavar="STORE", help=", ".join(CLASSES))
    parser.add_argument("--table", action="store_true", help="run nothing, only make the table anew")
    parser.add_argument("--run", default="", metavar="ARGUMENTS", help="further arguments of fsconform run")
    given = parser.parse_args(arguments)
    data = json.loads(DATA.read_text("utf-8")) if DATA.is_file() else {}
    failed = False
    if not given.table:
        tools = retrieve([AGENT, CLI], WORK / "jars")
        hadoop = jars.resolve(jars.load_profile(), ("minicluster", "s3a"))
        for store in given.stores or CLASSES:
            taken, code, seconds = run(store, given.run.split(), tools)
            print(f"coverage: {store}: exit code {code}, {seconds:.0f} s, {len(taken.probes)} classes", flush=True)
            failed |= code not in (0, 1)
            rows = reported(taken, tools, hadoop, store)
            data[store] = {
                "arguments": " ".join(("--store", store, *given.run.split())),
                "hadoop": jars.DEFAULT,
                "jacoco": JACOCO,
                "classes": {name: summed(rows, name) for name in CLASSES[store]},
            }
            DATA.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    PAGE.write_text(paged(data), "utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
