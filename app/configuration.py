"""``fsconform config``: the JSON Schema of the configuration file, and whether a file is in order."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import click

from fsconform import records
from fsconform.app.campaigns.command import campaign
from fsconform.app.options import STORE_OF_A_FILE
from fsconform.app.pytesting.options import PYTEST
from fsconform.app.run import run
from fsconform.harness import configuration_file
from fsconform.harness.configuration_file import STORES
from fsconform.harness.configured import chosen
from fsconform.harness.console import plain, write_out
from fsconform.harness.inputs import INPUT
from fsconform.harness.option_groups import Commands
from fsconform.harness.problems import Problem

SCHEMA = "configuration.schema.json"
COMMANDS: Mapping[str, click.Command] = {"run": run, "campaign": campaign, "pytest": PYTEST}
"""The commands that a file has a table for."""


@click.group("config", cls=Commands)
def config() -> None:
    """Check the configuration file, or print its JSON Schema."""


@config.command("schema")
def schema() -> None:
    """Print the JSON Schema of fsconform.toml, for editors and validators."""
    write_out((resources.files(records) / SCHEMA).read_text("utf-8"))


@config.command("check")
@click.argument("file", type=INPUT, required=False, metavar="[TOML]")
def check(file: Path | None) -> None:
    """Look whether a file is in order: each key, type and path of it, and that each ${VAR} is set.

    Without a name it is fsconform.toml, or [tool.fsconform] of pyproject.toml, in this folder. Nothing is started. Exit
    codes: 0 in order; 2 something is wrong, with the place.
    """
    document = configuration_file.find(file)
    if document is None:
        raise Problem("there is no fsconform.toml here, and no [tool.fsconform] in pyproject.toml: name a file")
    for name, command in COMMANDS.items():
        value = document.tables.get(name, {})
        configuration_file.check(document, name, value, command)
        configuration_file.as_given(document, name, value, command)
    nothing: dict[str, Any] = {"stores": (), "uri": None}
    own = chosen(document, STORE_OF_A_FILE, nothing, {})
    tables = ", ".join(f"[{document.prefix}{name}]" for name in COMMANDS if name in document.tables) or "no table"
    stores = f"{STORES}: {', '.join(one.name for one in own)}" if own else "no store"
    plain.print(f"{document.path}: in order: {tables} and {stores}", markup=False)


def made() -> dict[str, Any]:
    """The JSON Schema that follows from the options, of which the shipped file is a copy."""
    return configuration_file.schema(COMMANDS, STORE_OF_A_FILE)
