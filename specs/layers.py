"""Clauses and contracts of the layers beside the filesystem: objects in S3, datasets that Spark writes, markers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from fsconform.model.blocks.clauses import CLAUSES as OF_BLOCKS
from fsconform.model.core.option import Option
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.model.markers import clauses as markers
from fsconform.model.objects.contract import ObjectContract
from fsconform.records.given import GivenError, read_bytes
from fsconform.specs.catalogue import Clause, catalogue
from fsconform.specs.contract_xml import MOST_BYTES, ContractError, properties

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")


@cache
def layer_clauses(layer: str) -> dict[str, Clause]:
    """All clauses of a layer by id. Raises ValueError for a broken or repeated row."""
    found: dict[str, Clause] = {}
    folder = resources.files("fsconform.specs") / "clauses" / layer
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        table = tomllib.loads(entry.read_text("utf-8"))
        for row in table["clause"]:
            clause = Clause(
                row["id"], table["document"], row["section"], row["level"], row["statement"], "modelled", basis=""
            )
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


OBJECTS = "s3"


def object_clauses() -> dict[str, Clause]:
    """All clauses of objects by id. Raises ValueError for a broken or repeated row."""
    return layer_clauses(OBJECTS)


def load_object_contract(path: Path) -> ObjectContract:
    """The contract in a file. Raises ContractError."""
    return parse_object_contract(text_of(path), str(path))


def parse_object_contract(data: bytes, source: str) -> ObjectContract:
    """The contract in an XML document. Raises ContractError."""
    return ObjectContract(declared(data, source, ObjectContract.OPTIONS), source)


@cache
def block_clauses() -> dict[str, Clause]:
    """The clauses of blocks and replicas by id: those of the catalogue that are judged on a cluster."""
    return {name: clause for name, clause in catalogue().items() if name in OF_BLOCKS}


MARKERS = "s3a-directory-markers.txt"


@cache
def marker_clauses() -> dict[str, Clause]:
    """The clauses of directory markers by id, which ``fsconform markers judge`` holds S3A against."""
    return {
        row.id: Clause(row.id, MARKERS, row.section, "MUST", row.statement, "modelled", area="markers")
        for row in markers.CLAUSES.values()
    }


__all__ = [
    "dataset_clauses",
    "every_clause",
    "load_commit_contract",
    "marker_clauses",
    "parse_commit_contract",
    "property_of",
]

DATASETS = "spark"


def dataset_clauses() -> dict[str, Clause]:
    """All clauses of datasets by id. Raises ValueError for a broken or repeated row."""
    return layer_clauses(DATASETS)


def load_commit_contract(path: Path) -> CommitContract:
    """The contract in a file. Raises ContractError."""
    return parse_commit_contract(text_of(path), str(path))


def parse_commit_contract(data: bytes, source: str) -> CommitContract:
    """The contract in an XML document. Raises ContractError."""
    return CommitContract(declared(data, source, CommitContract.OPTIONS), source)


def every_clause() -> dict[str, Clause]:
    """The clauses of all layers by id: filesystem, directory markers, objects and datasets."""
    return {**catalogue(), **marker_clauses(), **object_clauses(), **dataset_clauses()}
