"""Clauses and contracts of layers beside the filesystem's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from fsconform.model.core.option import Option
from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.records.given import GivenError, read_bytes
from fsconform.specs.contract_xml import MOST_BYTES, ContractError, properties

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")


@dataclass(frozen=True, slots=True)
class LayerClause:
    """A row: where it stands, how binding it is, and what it says in our words."""

    id: str
    document: str
    section: str
    level: str
    statement: str


@cache
def layer_clauses(layer: str) -> dict[str, LayerClause]:
    """All clauses of a layer by id. Raises ValueError for a broken or repeated row."""
    found: dict[str, LayerClause] = {}
    folder = resources.files("fsconform.specs") / "clauses" / layer
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        table = tomllib.loads(entry.read_text("utf-8"))
        for row in table["clause"]:
            clause = LayerClause(row["id"], table["document"], row["section"], row["level"], row["statement"])
            if clause.id in found or clause.level not in LEVELS:
                raise ValueError(f"{entry.name}: the row of {clause.id} is repeated or broken")
            found[clause.id] = clause
    return found


def text_of(path: Path) -> bytes:
    """The bytes of a contract in a file. Raises ContractError."""
    try:
        return read_bytes(path, MOST_BYTES)
    except GivenError as error:
        raise ContractError(str(error)) from error


def declared(data: bytes, source: str, options: Mapping[str, Option]) -> dict[str, bool]:
    """What a contract in XML declares of the options of a layer. Raises ContractError."""
    return {name: bool(value) for name, value in properties(data, source, options).items()}


def property_of(option: str) -> str:
    """The name of an option in a contract's XML."""
    return PROPERTY_PREFIX + option
