"""What is specified of datasets: the clauses of Spark's and the committers' documents, and the shipped contracts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from fsconform.model.contract import PROPERTY_PREFIX
from fsconform.model.datasets.contract import OPTIONS, CommitContract
from fsconform.specs.contract_xml import ContractError, properties

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")


@dataclass(frozen=True, slots=True)
class DatasetClause:
    """A row: where it stands, how binding it is, and what it says in our words."""

    id: str
    document: str
    section: str
    level: str
    statement: str


@cache
def dataset_clauses() -> dict[str, DatasetClause]:
    """All clauses of datasets by id. Raises ValueError for a broken or repeated row."""
    found: dict[str, DatasetClause] = {}
    folder = resources.files("fsconform.specs") / "clauses" / "spark"
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        table = tomllib.loads(entry.read_text("utf-8"))
        for row in table["clause"]:
            clause = DatasetClause(row["id"], table["document"], row["section"], row["level"], row["statement"])
            if clause.id in found or clause.level not in LEVELS:
                raise ValueError(f"{entry.name}: the row of {clause.id} is repeated or broken")
            found[clause.id] = clause
    return found


def shipped_commit_contracts() -> tuple[str, ...]:
    """The names of the shipped contracts of committers on stores."""
    folder = resources.files("fsconform.specs") / "contracts" / "spark"
    return tuple(sorted(entry.name.removesuffix(".xml") for entry in folder.iterdir() if entry.name.endswith(".xml")))


def shipped_commit_contract(name: str) -> CommitContract:
    """A shipped contract. Raises ContractError for a name there is none of."""
    if name not in shipped_commit_contracts():
        raise ContractError(f"no shipped contract {name!r}: known are {', '.join(shipped_commit_contracts())}")
    entry = resources.files("fsconform.specs") / "contracts" / "spark" / f"{name}.xml"
    return parse_commit_contract(entry.read_bytes(), f"{name}.xml")


def load_commit_contract(path: Path) -> CommitContract:
    """The contract in a file. Raises ContractError."""
    try:
        return parse_commit_contract(path.read_bytes(), str(path))
    except OSError as error:
        raise ContractError(f"{path}: {error.strerror}") from error


def parse_commit_contract(data: bytes, source: str) -> CommitContract:
    """The contract in an XML document. Raises ContractError."""
    found = properties(data, source, OPTIONS)
    return CommitContract({name: bool(value) for name, value in found.items()}, source)


def property_of(option: str) -> str:
    """The name of an option in a contract's XML."""
    return PROPERTY_PREFIX + option
