"""Results as JSON and back: ``results.json``, and the JSON schema that describes it.

Names in the JSON are those of the dataclasses in ``records.results``. Mappings are written in the order of their keys,
so equal results give equal bytes.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import msgspec

from fsconform.records.given import GivenError, brief, check_levels, read_bytes, reason
from fsconform.records.results import BASELINES, IMPACTS, SCHEMA, VERDICTS, Results

DIALECT = "https://json-schema.org/draft/2020-12/schema"


MOST_BYTES = 1 << 30
"""Of one results.json."""


class RecordError(ValueError):
    """Results that can't be read or written; the text names the file, where there is one, and what is wrong."""


class SchemaError(RecordError):
    """Results of a schema that this version does not read."""


class _Head(msgspec.Struct):
    schema: int


def dumps(results: Results) -> bytes:
    """Results as indented JSON in UTF-8 that ends in a newline.

    A lone surrogate, which UTF-8 has no bytes for, is written as the six characters of its escape (``\\ud800``).
    Raises RecordError for what ``loads`` would refuse: another schema number, an unknown verdict, a number that is not
    finite, a value of a wrong type.
    """
    try:
        data = msgspec.json.encode(results, order="deterministic")
    except UnicodeEncodeError:
        plain = storable(msgspec.to_builtins(results))
        try:
            data = msgspec.json.encode(msgspec.convert(plain, Results), order="deterministic")
        except msgspec.ValidationError as error:
            raise RecordError(f"results: can't be written: {error}") from error
    loads(data)
    return msgspec.json.format(data, indent=2) + b"\n"


def loads(source: bytes | Path) -> Results:
    """Results from JSON, given as bytes or as the path of a file. Fields that this version does not know are ignored.

    Raises RecordError: the file can't be read, it is not JSON, its schema number is another, a field is missing, of a
    wrong type or no verdict.
    """
    name = str(source) if isinstance(source, Path) else "results"
    try:
        data = read_bytes(source, MOST_BYTES) if isinstance(source, Path) else source
    except GivenError as error:
        raise RecordError(str(error)) from error
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.schema != SCHEMA:
            raise SchemaError(f"{name}: has schema {brief(head.schema)}, and this version reads schema {SCHEMA}")
        results = msgspec.json.decode(data, type=Results)
        _check_levels(results, name)
    except msgspec.ValidationError as error:
        raise RecordError(f"{name}: is not the results of a run: {reason(error)}") from error
    except GivenError as error:
        raise RecordError(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{name}: is not JSON: {error}") from error
    _check_words(results, name)
    return results


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of ``results.json``: what ``loads`` accepts."""
    schema: dict[str, Any] = {
        "$schema": DIALECT,
        "$id": f"urn:fsconform:results:{SCHEMA}",
        **msgspec.json.schema(Results),
    }
    definitions = schema["$defs"]
    for definition in definitions.values():
        # Python 3.13 takes the indentation out of docstrings, earlier ones leave it in.
        definition["description"] = inspect.cleandoc(definition["description"])
    definitions["Results"]["properties"]["schema"] = {"const": SCHEMA}
    definitions["Divergence"]["properties"]["verdict"] = {"enum": list(VERDICTS)}
    definitions["Divergence"]["properties"]["impact"] = {"enum": ["", *IMPACTS], "default": ""}
    definitions["Divergence"]["properties"]["baseline"] = {"enum": list(BASELINES), "default": ""}
    definitions["StoreRecord"]["properties"]["verdicts"]["propertyNames"] = {"enum": list(VERDICTS)}
    return schema


def schema_bytes() -> bytes:
    """The text of ``results.schema.json``."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2) + b"\n"


def _check_levels(results: Results, name: str) -> None:
    """Look how deep the values of no certain type are. Raises GivenError."""
    for store in results.stores:
        for option in store.options.values():
            check_levels([option.declared, option.observed, option.default], name)
        for divergence in store.divergences:
            check_levels(divergence.program, name)
            check_levels([step.operation for step in divergence.sequence], name)
            if divergence.history is not None:
                check_levels(divergence.history.program, name)
            check_levels([[change.value, change.declared] for some in divergence.options for change in some], name)
        for error in store.internal_errors:
            check_levels(error.program, name)


def _check_words(results: Results, name: str) -> None:
    for number, store in enumerate(results.stores):
        named = [(verdict, f"stores[{number}].verdicts") for verdict in store.verdicts]
        for index, divergence in enumerate(store.divergences):
            named.append((divergence.verdict, f"stores[{number}].divergences[{index}].verdict"))
            if divergence.impact and divergence.impact not in IMPACTS:
                place = f"stores[{number}].divergences[{index}].impact"
                raise RecordError(
                    f"{name}: is not the results of a run: no impact {brief(divergence.impact)} - at `$.{place}`"
                )
            if divergence.baseline not in BASELINES:
                place = f"stores[{number}].divergences[{index}].baseline"
                raise RecordError(
                    f"{name}: is not the results of a run: no baseline {brief(divergence.baseline)} - at `$.{place}`"
                )
        for verdict, place in named:
            if verdict not in VERDICTS:
                raise RecordError(f"{name}: is not the results of a run: no verdict {brief(verdict)} - at `$.{place}`")


def storable(value: Any) -> Any:
    """A plain value whose strings UTF-8 can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {storable(key): storable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable(part) for part in value]
    return value
