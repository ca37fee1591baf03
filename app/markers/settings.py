"""The options that all commands on a bucket share, and the properties that they add up to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.markers.options import OptionError, Place, client, connection, merged, place
from fsconform.app.inputs import INPUT, configuration_files
from fsconform.app.markers.codes import USAGE, Ended
from fsconform.app.problems import Problem
from fsconform.app.targets import learn_secrets, pairs
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
