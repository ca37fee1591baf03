"""What is specified of objects: the clauses of S3's documents, and contracts of object stores."""

from __future__ import annotations

from pathlib import Path

from fsconform.model.objects.contract import OPTIONS, ObjectContract
from fsconform.specs.layers import LayerClause, declared, layer_clauses, text_of

LAYER = "s3"


def object_clauses() -> dict[str, LayerClause]:
    """All clauses of objects by id. Raises ValueError for a broken or repeated row."""
    return layer_clauses(LAYER)


def load_object_contract(path: Path) -> ObjectContract:
    """The contract in a file. Raises ContractError."""
    return parse_object_contract(text_of(path), str(path))


def parse_object_contract(data: bytes, source: str) -> ObjectContract:
    """The contract in an XML document. Raises ContractError."""
    return ObjectContract(declared(data, source, OPTIONS), source)
