"""A comparison as JSON, and the JSON schema that describes it: ``comparison.schema.json``."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from fsconform.records.codec import DIALECT, storable
from fsconform.records.comparison import SCHEMA, Comparison
from fsconform.records.results import VERDICTS


def dumps(comparison: Comparison) -> bytes:
    """The comparison as indented JSON in UTF-8 that ends in a newline; lone surrogates as the text of their escapes."""
    data = msgspec.json.encode(storable(msgspec.to_builtins(comparison)), order="deterministic")
    return msgspec.json.format(data, indent=2) + b"\n"


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what ``dumps`` writes."""
    schema: dict[str, Any] = {"$schema": DIALECT, **msgspec.json.schema(Comparison)}
    definitions = schema["$defs"]
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition["description"])
    definitions["Comparison"]["properties"]["schema"] = {"const": SCHEMA}
    definitions["Sight"]["properties"]["verdict"] = {"enum": list(VERDICTS)}
    return schema


def schema_bytes() -> bytes:
    """The text of ``comparison.schema.json``."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2) + b"\n"
