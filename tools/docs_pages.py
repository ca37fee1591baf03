"""A hook of MkDocs: the reference pages, made from the code each time the site is built, so that none can be stale.

They stand under ``reference/``: commands, contract options, suites, stores, results.json, the Python interface.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.stores.folders import CONTRACT, PAGE, file_of, folders, store_name
from fsconform.adapters.stores.layers import object_presets, writer_presets
from fsconform.app.main import main
from fsconform.harness.presets import PRESETS
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX
from fsconform.records import findings as known
from fsconform.records.gate import EXIT_CODES
from fsconform.specs.contract_writer import is_like
from fsconform.suites.registry import SUITES

PUBLIC = (
    "fsconform.engine.protocol",
    "fsconform.model.filesystem.oracle",
    "fsconform.model.filesystem.contract",
    "fsconform.model.filesystem.programs",
    "fsconform.model.filesystem.quirks",
    "fsconform.model.core.outcomes",
    "fsconform.model.core.operation",
    "fsconform.records.results",
    "fsconform.records.codec",
    "fsconform.specs.contract_xml",
)
"""What others may import: a store of one's own is a session of ``engine.protocol``."""


def cell(text: str) -> str:
    """A text as it stands in a cell of a table: on one line, with nothing that ends the cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *(tuple(map(cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def plain(text: str) -> str:
    """A docstring as Markdown: names in one pair of backquotes."""
    return inspect.cleandoc(text).replace("``", "`")


# --- the pages


def _commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    if not isinstance(command, click.Group):
        yield context.command_path, command, context
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from _commands(inner, click.Context(inner, info_name=name, parent=context))


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, ...]]:
    for one in command.get_params(context):
        record = one.get_help_record(context)
        if record is not None:
            yield f"`{record[0]}`", record[1]


def commands() -> str:
    """Each command with its usage, help and options."""
    parts = ["# Commands\n"]
    for path, command, context in _commands(main, click.Context(main, info_name="fsconform")):
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f"## {path}\n\n    {path} {usage}\n\n{plain(command.help or '')}\n")
        parts.append(table(("option", "meaning"), _options(command, context)))
    codes = table(("code", "meaning"), ((str(code), words) for code, words in EXIT_CODES.items()))
    return "\n".join((*parts, "## Exit codes\n", codes))


def options() -> str:
    """All contract options."""
    rows = (
        (f"`{PROPERTY_PREFIX}{one.name}`", one.kind, str(one.default).lower(), one.statement)
        for one in OPTIONS.values()
    )
    return (
        "# Contract options\n\n"
        "*exact*: the value forces a behaviour. *permits*: true allows one more. "
        "*informs*: nothing judged depends on it.\n\n" + table(("option", "kind", "default", "true says that"), rows)
    )


def suites() -> str:
    """All suites."""
    rows = ((f"`{one.name}`", "yes" if one.default else "no", one.statement) for one in SUITES.values())
    return "# Suites\n\n" + table(("suite", "in the default job", "what it tries"), rows)


def stores() -> str:
    """All built-in stores."""
    rows = (
        (f"`{one.name}`", "yes" if one.default else "no", "draft" if one.draft else "whole", one.statement)
        for one in PRESETS.values()
    )
    parts = ["# Stores\n", table(("store", "in the default job", "state", "what it is"), rows)]
    layers = [(f"`{one.name}`", one.statement) for one in object_presets().values()]
    layers += [(f"`{one.name}`", one.statement) for one in writer_presets().values()]
    parts.append(table(("of other layers", "what it is"), iter(layers)))
    for folder in folders():
        page, name = folder / PAGE, store_name(folder)
        if page.is_file():
            told = page.read_text("utf-8").replace("](docs/", "](../")
            parts.append(f"## {name}\n\n{told}{_declared(name)}")
    return "\n".join(parts)


def _declared(name: str) -> str:
    """Where the contract of a store stands, what it is like, and what is known of it."""
    preset, told = PRESETS.get(name), []
    if preset is not None:
        like = is_like(file_of(preset.contract, CONTRACT).read_bytes())
        told.append(f"Contract: `{preset.contract}`" + (f", by its differences from `{like}`." if like else "."))
        told += [f"Quirks and waivers of `{preset.like}` hold here too."] if preset.like else []
    if name in known.stores():
        told.append(f"[What is known of it](findings-{name}.md).")
    return f"\n{' '.join(told)}\n" if told else ""


def _type(shape: dict[str, Any]) -> str:
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        return " or ".join(map(_type, shape["anyOf"]))
    if "enum" in shape or "const" in shape:
        return ", ".join(f"`{json.dumps(one)}`" for one in shape.get("enum", [shape.get("const")]))
    if shape.get("type") == "array":
        return f"list of {_type(shape.get('items', {}))}"
    if isinstance(shape.get("additionalProperties"), dict):
        return f"object of {_type(shape['additionalProperties'])}"
    return str(shape.get("type", "any"))


def results() -> str:
    """Each field of results.json, by the JSON schema that is shipped."""
    schema = json.loads((resources.files("fsconform.records") / "results.schema.json").read_bytes())
    parts = [f"# results.json\n\nThe schema is `{schema['$id']}`, in `fsconform/records/results.schema.json`.\n"]
    for name, shape in schema["$defs"].items():
        needed = set(shape.get("required", ()))
        rows = (
            (f"`{field}`", _type(of), "yes" if field in needed else f"no, `{json.dumps(of.get('default'))}`")
            for field, of in shape.get("properties", {}).items()
        )
        parts.append(
            f"## {name}\n\n{plain(shape.get('description', ''))}\n\n{table(('field', 'type', 'always'), rows)}"
        )
    return "\n".join(parts)


def interface() -> str:
    """What others may import, with its docstrings."""
    parts = ["# Python interface\n"]
    for name in PUBLIC:
        module = importlib.import_module(name)
        parts.append(f"## {name}\n\n{plain(module.__doc__ or '')}\n")
        for own, value in vars(module).items():
            if own.startswith("_") or getattr(value, "__module__", "") != name or not (value.__doc__ or "").strip():
                continue
            try:
                shown = str(inspect.signature(value))
            except (TypeError, ValueError):
                shown = ""
            parts.append(f"### {own}\n\n    {own}{shown}\n\n{plain(value.__doc__)}\n")
    return "\n".join(parts)


PAGES = {
    "reference/commands.md": commands,
    "reference/options.md": options,
    "reference/suites.md": suites,
    "reference/stores.md": stores,
    "reference/results.md": results,
    "reference/python.md": interface,
}


def on_files(files: Any, config: Any) -> Any:
    """Called by MkDocs with the files that it found: the generated pages are added."""
    sys.path.insert(0, str(Path(__file__).parent))
    import findings
    from mkdocs.structure.files import File, InclusionLevel

    for path, page in PAGES.items():
        files.append(File.generated(config, path, content=page()))
    for store in known.stores():
        path, unlisted = f"reference/findings-{store}.md", InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, path, content=findings.page(store), inclusion=unlisted))
    return files
