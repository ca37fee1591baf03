"""Makes an audit log: judges an HDFS of its own, several clients at once, until the audit log is long enough.

Run it as ``python tools/audit_log.py --lines 100000 FILE``. The suites are the harness's own, seed after seed, each
in a sandbox of its own; what the runs find is of no interest here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from fsconform.adapters import jars
from fsconform.adapters.services.hdfs import HdfsService

BUDGET_SECONDS = 60


def lines_in(file: Path) -> int:
    """The number of lines of a file."""
    with file.open("rb") as log:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: log.read(1 << 20), b""))


def make(log: Path, lines: int, clients: int, suites: list[str], budget: float = BUDGET_SECONDS) -> None:
    """Write an audit log of at least so many lines. Raises ServiceError, or RuntimeError if a run adds nothing."""
    with tempfile.TemporaryDirectory(prefix="fsconform-audit-") as home:
        classpath = jars.resolve(jars.load_profile(), ["minicluster"])
        with HdfsService(Path(home) / "hdfs", classpath, audit=log) as service:
            seed = 0
            while (before := lines_in(log)) < lines:
                settings = [f"--conf={name}={value}" for name, value in service.client_configuration().items()]
                command = [
                    *(sys.executable, "-m", "fsconform.app.main", "run", "--name", "hdfs"),
                    *("--uri", f"{service.uri}/fsconform-{seed}", "--contract", "hdfs"),
                    *("--seed", str(seed), "--shards", str(clients), "--budget", str(budget), "--out", f"{home}/runs"),
                    *(part for suite in suites for part in ("--suite", suite)),
                    *settings,
                ]
                ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                seed += 1
                after = lines_in(log)
                print(f"seed {seed - 1}: {after} lines", flush=True)
                if after < before + 100:
                    raise RuntimeError(f"a run added {after - before} lines:\n{ended.stdout}\n{ended.stderr}")


def main() -> None:
    """Make the log that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS)
    parser.add_argument("--suite", action="append", default=[])
    asked = parser.parse_args()
    make(asked.file, asked.lines, asked.clients, asked.suite, asked.budget)


if __name__ == "__main__":
    main()
