"""The ``fsconform`` command: a group, to which each command comes from a module of its own, loaded when called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
import cloup

from fsconform.engine import extras
from fsconform.engine.process import collect_seldom
from fsconform.harness.option_groups import Commands
from fsconform.harness.output import scrubbed


class Lazy(Commands):
    """A group whose commands stand in modules that are loaded when they are named, as one command needs little of all.

    ``places`` are the sections of its help: commands by name, each as ``module:attribute``.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, Mapping[str, str]], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._sections = places
        self.places = {name: place for section in places.values() for name, place in section.items()}

    def list_sections(self, ctx: click.Context, include_default_section: bool = True) -> list[cloup.Section]:
        """The sections of the help, whose commands are loaded."""
        return [
            cloup.Section(title, {name: one for name in names if (one := self.get_command(ctx, name)) is not None})
            for title, names in self._sections.items()
        ]

    def main(self, args: Sequence[str] | None = None, *rest: Any, **more: Any) -> Any:
        """Run a command, and end the process with its exit code: with 70 after a fault in fsconform itself.

        What click ends with 1 for, an interrupt that a command does not act upon, ends with 3: 1 are divergences.
        Whatever is printed, errors of usage and faults too, is without secrets.
        """
        from fsconform.harness import output

        output.mend()
        with scrubbed(sys.argv[1:] if args is None else args):
            code = self._ended(args, *rest, **more)
        sys.exit(code)

    def _ended(self, args: Sequence[str] | None, *rest: Any, **more: Any) -> int:
        """Run a command; its exit code."""
        from fsconform.harness import faults
        from fsconform.harness.console import console
        from fsconform.harness.problems import Problem
        from fsconform.records.gate import INCONCLUSIVE, USAGE

        faults.forget()
        try:
            result = super().main(args, *rest, **more | {"standalone_mode": False})
        except click.exceptions.Exit as ended:
            return ended.exit_code
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (click.Abort, KeyboardInterrupt, EOFError):
            console.print("interrupted")
            return INCONCLUSIVE
        except ModuleNotFoundError as error:
            if (told := extras.mend(error)) == "":
                console.print(faults.tell(error, args), end="", markup=False, soft_wrap=True)
                return faults.FAULT
            Problem(told).show()
            return USAGE
        except Exception as error:
            console.print(faults.tell(error, args), end="", markup=False, soft_wrap=True)
            return faults.FAULT
        return result if isinstance(result, int) else 0

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the alphabet."""
        return sorted({*self.places, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, loaded if need be."""
        if cmd_name not in self.places:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.places[cmd_name].partition(":")
        try:
            found = getattr(importlib.import_module(f"fsconform.app.{module}"), attribute)
        except ModuleNotFoundError as error:
            if (told := extras.mend(error)) == "":
                raise
            return _without(cmd_name, told)
        assert isinstance(found, click.Command)
        return found


def _without(name: str, told: str) -> click.Command:
    """A command in the place of one that needs a library which is not here: it says what to install."""
    from fsconform.harness.problems import Problem

    def callback() -> None:
        raise Problem(told)

    given = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    return click.Command(name, callback=callback, context_settings=given, short_help=f"({told})", help=told)


@click.group(
    cls=Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    places={
        "A first look": {
            "try": "trying:try_store",
            "init": "initialise:init",
            "doctor": "doctor:doctor",
            "stores": "stores:stores",
            "fit": "fit:fit",
        },
        "Judge": {
            "run": "run:run",
            "contract": "contract:contract",
            "campaign": "campaigns.command:campaign",
            "copycheck": "copycheck:copycheck",
            "record": "record:record",
            "recheck": "recheck:recheck",
        },
        "What was found": {
            "replay": "replay:replay",
            "reproduce": "reproduce:reproduce",
            "compare": "compare:compare_runs",
            "waive": "waive:waive",
            "export": "export:export",
            "atlas": "export:atlas",
        },
        "The specification": {"spec": "groups:spec"},
        "Directory markers of S3A": {
            "markers": "groups:markers",
            "pathcapability": "markers.capability:pathcapability",
        },
        "This machine": {"config": "configuration:config", "jars": "jars:jars", "clean": "clean:clean"},
    },
)
@click.version_option(package_name="fsconform")
def main() -> None:
    """Find where a Hadoop-compatible store diverges from the Hadoop FileSystem specification.

    Exit codes: 0 nothing undeclared; 1 divergences; 2 usage or configuration; 3 inconclusive; 70 a fault of fsconform.
    """
    collect_seldom()


if __name__ == "__main__":
    main()
