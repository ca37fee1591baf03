"""What is specified of datasets: the clauses of Spark's and the committers' documents, and contracts."""

from __future__ import annotations

from pathlib import Path

from fsconform.model.datasets.contract import OPTIONS, CommitContract
from fsconform.specs.layers import LayerClause, declared, layer_clauses, property_of, text_of

__all__ = [
    "dataset_clauses",
    "load_commit_contract",
    "parse_commit_contract",
    "property_of",
]

LAYER = "spark"


def dataset_clauses() -> dict[str, LayerClause]:
    """All clauses of datasets by id. Raises ValueError for a broken or repeated row."""
    return layer_clauses(LAYER)


def load_commit_contract(path: Path) -> CommitContract:
    """The contract in a file. Raises ContractError."""
    return parse_commit_contract(text_of(path), str(path))


def parse_commit_contract(data: bytes, source: str) -> CommitContract:
    """The contract in an XML document. Raises ContractError."""
    return CommitContract(declared(data, source, OPTIONS), source)
