"""The options that all commands on a bucket share, and the properties that they add up to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.markers.options import OptionError, Place, client, connection, merged, place
from fsconform.harness.inputs import INPUT, configuration_files
from fsconform.harness.problems import Problem
from fsconform.harness.targets import learn_secrets, pairs
from fsconform.model.markers.policy import PolicyError, Retention, retention


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--conf``, which Hadoop calls ``-D``, and ``--conf-file``, which Hadoop calls ``-conf``."""
    properties = click.option(
        "-D", "--conf", "conf", multiple=True, metavar="NAME=VALUE", help="A property, as fs.s3a.endpoint=…."
    )
    files = click.option(
        "-conf",
        "--conf-file",
        "conf_files",
        multiple=True,
        type=INPUT,
        metavar="XML",
        help="A Hadoop configuration file; for secrets, which are not for a command line.",
    )
    return properties(files(command))


def properties(conf: tuple[str, ...], conf_files: tuple[Path, ...]) -> dict[str, str]:
    """The properties of the files and of the command line. Raises Ended."""
    try:
        configuration_files(conf_files)
        given = pairs(conf)
        found = merged(conf_files, given)
        learn_secrets((), given, conf_files)
        return found
    except (Problem, OptionError) as error:
        raise Ended(USAGE, str(error)) from error


def placed(uri: str) -> Place:
    """The directory of a bucket that a URI names. Raises Ended."""
    try:
        return place(uri)
    except (OptionError, ValueError) as error:
        raise Ended(USAGE, str(error)) from error


def policy(options: dict[str, str], bucket: str) -> Retention:
    """The policy of the bucket. Raises Ended."""
    try:
        return retention(options, bucket)
    except PolicyError as error:
        raise Ended(USAGE, str(error)) from error


def connected(options: dict[str, str], bucket: str) -> tuple[Any, int]:
    """A client of S3 and the number of keys to delete in one request. Raises Ended."""
    try:
        to = connection(options, bucket)
        return client(to), to.page
    except OptionError as error:
        raise Ended(USAGE, str(error)) from error


OK, FAILED, INTERRUPTED, USAGE, REFUSED, NOT_FOUND, UNACCEPTABLE, UNREACHABLE = 0, 1, 3, 42, 43, 44, 46, 53
LACKS = 255
"""What a shell sees of -1: a path lacks a capability."""


class Ended(click.ClickException):
    """The command ends with a code, for the reason that the text says."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        vars(self)["exit_code"] = code  # click declares it for a class as a whole


class OwnUsage(click.Command):
    """A command whose usage errors have the code that the document gives them."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """What click does. Raises click.UsageError with the code."""
        try:
            return super().make_context(*arguments, **more)
        except click.UsageError as error:
            vars(error)["exit_code"] = USAGE
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """What click does. Raises click.UsageError with the code."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            vars(error)["exit_code"] = USAGE
            raise


class OwnUsageGroup(OwnUsage, click.Group):
    """A group of such commands, which also takes Hadoop's way to name them: ``markers -audit URI``."""

    command_class = OwnUsage

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command that ``-audit`` or ``-clean`` names in front."""
        if args and args[0] not in self.commands:
            named = [one.lstrip("-") for one in args if one in ("-audit", "--audit", "-clean", "--clean")]
            if len(named) > 1:
                raise click.UsageError("exactly one of -audit and -clean", ctx)
            if named:
                rest = [one for one in args if one not in ("-audit", "--audit", "-clean", "--clean")]
                args = [named[0], *rest]
        return super().parse_args(ctx, args)
