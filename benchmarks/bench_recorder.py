"""What recording costs: the same calls on RawLocalFileSystem, plain and recorded, by turns in one JVM.

Each sixth of the calls writes a file, which is read whole later: its bytes are digested twice.
``python benchmarks/bench_recorder.py [CALLS] [BYTES]``.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from fsconform.adapters.jars import class_path, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.recorder.building import DIRECTORY, build, recorded_class

CALLS, BYTES = 6_000, 4_096
CONNECTOR = "org.apache.hadoop.fs.RawLocalFileSystem"
SOURCE = Path(__file__).with_name("java") / "Rounds.java"


def main() -> None:
    """Print the median of five turns for each, and what a call costs more."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    size = int(sys.argv[2]) if len(sys.argv) > 2 else BYTES
    jars = resolve(load_profile())
    with tempfile.TemporaryDirectory() as folder:
        jar, settings = Path(folder, "recorder.jar"), Path(folder, "settings.xml")
        build(CONNECTOR, jars, jar)
        properties = {"fs.file.impl": recorded_class(CONNECTOR), DIRECTORY: f"{folder}/calls"}
        rows = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items())
        settings.write_text(f"<configuration>{''.join(rows)}</configuration>", "utf-8")
        command = [find_java().executable, "-cp", class_path([jar, *jars]), SOURCE, settings, f"file://{folder}/work"]
        arguments = [*map(str, command), str(calls), str(size)]
        told = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=1800).stdout
    turns = [line.split() for line in told.splitlines()]
    plain, recorded = (statistics.median(float(taken) for which, taken in turns if which == kind) for kind in "01")
    more = (recorded - plain) / calls * 1e6
    print(f"{calls} calls, files of {size} bytes: plain {plain:.2f} s, recorded {recorded:.2f} s")
    print(f"{more:.0f} µs a call more, {100 * (recorded / plain - 1):.1f} %")


if __name__ == "__main__":
    main()
