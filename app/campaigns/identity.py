"""What a campaign is, as its folder keeps it: whoever goes on with it must mean the same one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Any

from fsconform.engine.traces import SCHEMA
from fsconform.harness.problems import Problem
from fsconform.model.filesystem.contract import Contract
from fsconform.pipeline import layout
from fsconform.pipeline.depot import Depot
from fsconform.records.given import brief, json_of, reason, text_of

ROOMS = ("model", "specs", "engine", "suites")
"""What programs and verdicts follow from."""

_NAMED = {
    "seed": "--seed",
    "programs": "--programs",
    "size": "--unit",
    "suites": "--suite",
    "stores": "--store, --uri or --contract",
    "fault": "--fault",
    "model": "the version of fsconform",
    "hadoop": "--hadoop",
}


def digest(contract: Contract) -> str:
    """Twelve digits that tell contracts apart by what they declare."""
    text = json.dumps(dict(contract.declared), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def model_version() -> str:
    """The version of fsconform, with eight digits that tell the sources of model, specs, engine and suites apart."""
    whole = hashlib.sha256()
    for room in ROOMS:
        for name, data in sorted(_sources(resources.files(f"fsconform.{room}"), room)):
            whole.update(f"{name}\0{len(data)}\0".encode() + data)
    return f"{metadata.version('fsconform')}+{whole.hexdigest()[:8]}"


def _sources(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _sources(entry, name) if entry.name != "__pycache__" else []
        elif entry.name.endswith((".py", ".toml", ".xml")):
            found.append((name, entry.read_bytes()))
    return found


def settle(depot: Depot, where: str, wanted: Mapping[str, Any], campaign: str) -> tuple[str, bool]:
    """The id of the campaign in a folder, and whether it had begun before: the one that is ``wanted``, or a new one.

    Raises Problem for a folder that holds another campaign or something else, and DepotError.
    """
    plan = {"schema": SCHEMA, "campaign": campaign, **wanted}
    text = json.dumps(plan, indent=1, sort_keys=True).encode() + b"\n"
    if depot.read(layout.PLAN) is None:
        if held := depot.names(""):
            raise Problem(
                f"{where} holds {', '.join(held[:3])} and no {layout.PLAN}: name a folder that is empty or missing"
            )
        if depot.put_if_absent(layout.PLAN, text):
            return campaign, False
    found = _read(depot, where)
    if found.get("schema") != SCHEMA:
        raise Problem(
            f"{where}/{layout.PLAN} has schema {brief(found.get('schema'))}, and this version goes on with {SCHEMA}"
        )
    other = [name for name in wanted if found.get(name) != json.loads(json.dumps(wanted[name]))]
    if other:
        told = "; ".join(
            f"{_NAMED.get(name, name)}: {_short(found.get(name))}, not {_short(wanted[name])}" for name in other
        )
        raise Problem(
            f"{where} holds another campaign ({told}): say the same to go on with it, or choose another --out"
        )
    return str(found["campaign"]), True


def _read(depot: Depot, where: str) -> dict[str, Any]:
    try:
        found = json_of(text_of(depot.read(layout.PLAN) or b"", layout.PLAN), layout.PLAN)
        if not isinstance(found, dict) or not isinstance(found.get("campaign"), str):
            raise ValueError("it is no plan of a campaign")
        return found
    except ValueError as error:
        raise Problem(f"{where}/{layout.PLAN}: can't be read: {reason(error)}: choose another --out") from error


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
