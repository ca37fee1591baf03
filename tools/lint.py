"""Runs every static check on the repository: ruff, its formatter, mypy and import-linter. Exit status 1 if any fails.

It uses the programs that are installed beside the Python that runs it. ``--fix`` lets ruff mend what it can first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import lint_tree

BESIDE = Path(sys.executable).parent


def python_sources() -> list[str]:
    """What mypy checks: the rooms through the tree of links, and whatever else of ours is Python."""
    others = ["conftest.py", "setup.py", "tools", "tests", "benchmarks"]
    present = [name for name in others if name.endswith(".py") or any((lint_tree.REPOSITORY / name).rglob("*.py"))]
    return [str(lint_tree.TREE.relative_to(lint_tree.REPOSITORY) / "fsconform"), *present]


def passes(title: str, *command: str) -> bool:
    """Run one check; its output is shown only if it fails."""
    # The tree comes first, or import-linter would find the editable installation, which has no root package.
    environment = {**os.environ, "PYTHONPATH": str(lint_tree.TREE), "PYTHONDONTWRITEBYTECODE": "1"}
    started = time.monotonic()
    program, *arguments = command
    done = subprocess.run(
        [str(BESIDE / program), *arguments],
        cwd=lint_tree.REPOSITORY,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = "FAILED" if done.returncode else "ok"
    print(f"lint: {title}: {verdict} ({time.monotonic() - started:.1f} s)", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, sep="", flush=True)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Run all checks, going on after one that fails."""
    lint_tree.build()
    if "--fix" in arguments:
        passes("ruff check --fix", "ruff", "check", "--fix", ".")
        passes("ruff format", "ruff", "format", ".")
    results = [
        passes("ruff check", "ruff", "check", "--output-format", "concise", "."),
        passes("ruff format", "ruff", "format", "--check", "."),
        passes("mypy --strict", "mypy", "--strict", *python_sources()),
        passes("imports", "lint-imports", "--cache-dir", "build/import-cache"),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
