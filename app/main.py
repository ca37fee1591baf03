"""The ``fsconform`` command: a group, to which each command comes from a module of its own, loaded when called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from fsconform.engine.process import collect_seldom


class Lazy(click.Group):
    """A group whose commands stand in modules that are loaded when they are named, as one command needs little of all.

    ``places`` are commands by name, each as ``module:attribute``.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the alphabet."""
        return sorted({*self.places, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, loaded if need be."""
        if cmd_name not in self.places:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.places[cmd_name].partition(":")
        found = getattr(importlib.import_module(f"fsconform.app.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found


@click.group(
    cls=Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    places={
        "run": "run:run",
        "campaign": "campaign:campaign",
        "contract": "contract:contract",
        "init": "initialise:init",
        "recheck": "recheck:recheck",
        "replay": "replay:replay",
        "stores": "stores:stores",
        "doctor": "doctor:doctor",
        "jars": "jars:jars",
        "spec": "groups:spec",
        "clean": "clean:clean",
        "markers": "groups:markers",
        "pathcapability": "markers.capability:pathcapability",
        "compare": "compare:compare_runs",
        "copycheck": "copycheck:copycheck",
    },
)
@click.version_option(package_name="fsconform")
def main() -> None:
    """Find where a Hadoop-compatible store departs from the Hadoop FileSystem specification."""
    collect_seldom()


if __name__ == "__main__":
    main()
