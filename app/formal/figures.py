"""The figures of the last check of the modules, kept in the cache for the reports of later runs.

They hold for the modules and the model that were checked, and for no others: the file is named by their digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from fsconform.adapters.jars import cache_root
from fsconform.app.formal.checking import Checked, Sum
from fsconform.records.results import FormalRecord
from fsconform.specs import formal

FOLDERS = (("fsconform.model", ""), ("fsconform.engine.formal", ""), ("fsconform.adapters.stores", ""))
"""Packages, and folders in them, on which the figures rest."""


def digest() -> str:
    """SHA-256 of the modules, their checks, the model and the contracts, in hexadecimal."""
    sha = hashlib.sha256(formal.digest().encode())
    for package, inner in FOLDERS:
        for path in sorted(Path(str(resources.files(package)), inner).rglob("*")):
            if path.suffix in (".py", ".xml"):
                sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()


def folder() -> Path:
    """Where figures and traces are kept."""
    return cache_root() / "formal"


def record(checked: Iterable[Checked], tool: str, date: str) -> FormalRecord:
    """The figures of checks that came out right."""
    total, passed, states = Sum(), 0, 0
    for one in checked:
        if one.right:
            total.add(one)
            passed += 1
            states += one.outcome.distinct
    return FormalRecord(
        tool,
        date,
        passed,
        states,
        total.transitions,
        total.states,
        list(total.contracts),
        total.differences,
        modules=list(total.modules),
    )


def keep(figures: FormalRecord) -> None:
    """Keep figures, unless those that are there compare more. What can't be kept is not."""
    known = kept()
    if known is not None and known.transitions > figures.transitions:
        return
    name, text = f"figures-{digest()}.json", json.dumps(asdict(figures), indent=1)
    with contextlib.suppress(OSError):
        save(name, text)


def kept() -> FormalRecord | None:
    """The figures of the modules and the model as they are here, if they were checked on this machine."""
    file = folder() / f"figures-{digest()}.json"
    try:
        table: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return FormalRecord(**table)
    except (OSError, ValueError, TypeError):
        return None


def save(name: str, text: str) -> None:
    """Put a file into the cache, whole or not at all. Raises OSError."""
    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=home)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(made).replace(home / name)
    except BaseException:
        Path(made).unlink()
        raise
