"""The shipped contracts: of filesystems, with the quirks of their stores, of objects and of Spark's writers."""

from __future__ import annotations

from fsconform.adapters.stores.folders import COMMITS, CONTRACT, OBJECTS, file_of, folders, store_name, with_file
from fsconform.adapters.stores.quirks import with_quirks
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.filesystem.contract import Contract
from fsconform.model.objects.contract import ObjectContract
from fsconform.specs.contract_writer import is_like, laid_over
from fsconform.specs.contract_xml import ContractError, closest, parse
from fsconform.specs.layers import parse_commit_contract, parse_object_contract


def shipped() -> tuple[str, ...]:
    """The names of the shipped contracts."""
    return with_file(CONTRACT)


def shipped_text(name: str) -> bytes:
    """The XML of a shipped contract, whole where its file holds the differences from another one.

    Raises ContractError for a name there is none of.
    """
    if name not in shipped():
        raise ContractError(f"no shipped contract {name!r}{closest(name, shipped())}")
    document = file_of(name, CONTRACT).read_bytes()
    other = is_like(document)
    return laid_over(document, shipped_text(other)) if other else document


def load_shipped(name: str) -> Contract:
    """A shipped contract, with the quirks of its store. Raises ContractError for a name there is none of."""
    return with_quirks(parse(shipped_text(name), f"{name}.xml"), name)


def shipped_object_contracts() -> tuple[str, ...]:
    """The names of the shipped contracts of object stores."""
    return with_file(OBJECTS)


def shipped_object_contract(name: str) -> ObjectContract:
    """The shipped contract of an object store. Raises ContractError for a name there is none of."""
    known = shipped_object_contracts()
    if name not in known:
        raise ContractError(f"no shipped contract {name!r}: known are {', '.join(known)}")
    return parse_object_contract(file_of(name, OBJECTS).read_bytes(), f"{name}.xml")


def _of_committers() -> dict[str, bytes]:
    found = {}
    for folder in folders():
        for entry in folder.iterdir():
            if entry.name.startswith(COMMITS):
                committer = entry.name.removeprefix(COMMITS).removesuffix(".xml")
                found[f"{store_name(folder)}-{committer}"] = entry.read_bytes()
    return found


def shipped_commit_contracts() -> tuple[str, ...]:
    """The names of the shipped contracts of committers on stores: ``STORE-COMMITTER``."""
    return tuple(sorted(_of_committers()))


def shipped_commit_contract(name: str) -> CommitContract:
    """The shipped contract of a committer on a store. Raises ContractError for a name there is none of."""
    known = _of_committers()
    if name not in known:
        raise ContractError(f"no shipped contract {name!r}: known are {', '.join(sorted(known))}")
    return parse_commit_contract(known[name], f"{name}.xml")
