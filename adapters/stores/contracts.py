"""The contracts that are shipped, each with the quirks of its store."""

from __future__ import annotations

from importlib import resources

from fsconform.adapters.stores.quirks import with_quirks
from fsconform.model.filesystem.contract import Contract
from fsconform.specs.contract_xml import ContractError, closest, parse


def shipped() -> tuple[str, ...]:
    """The names of the shipped contracts."""
    folder = resources.files("fsconform.specs") / "contracts"
    return tuple(sorted(entry.name[:-4] for entry in folder.iterdir() if entry.name.endswith(".xml")))


def load_shipped(name: str) -> Contract:
    """A shipped contract, with the quirks of its store. Raises ContractError for a name there is none of."""
    if name not in shipped():
        raise ContractError(f"no shipped contract {name!r}{closest(name, shipped())}")
    data = (resources.files("fsconform.specs") / "contracts" / f"{name}.xml").read_bytes()
    return with_quirks(parse(data, f"{name}.xml"), name)
