"""Which Hadoop a run uses, and what its releases are known to do otherwise than the one that shipped contracts are of.

A shipped contract describes a store as the default release shows it. Where another release departs, a contract and a
waivers file of its own stand beside it in the store's folder: ``contract-hadoop-VERSION.xml``, whose options are laid
over those of the shipped one, and ``waivers-hadoop-VERSION.toml``.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from typing import Any

import click

from fsconform.adapters.jars import DEFAULT, known_versions
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.folders import file_of, waivers_in
from fsconform.engine.waivers import Waiver
from fsconform.model.filesystem.contract import Contract
from fsconform.specs.contract_xml import parse as parse_contract

VARIABLE = "FSCONFORM_HADOOP"
"""The environment variable that names the Hadoop version where no option does."""


def completed(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """The versions that a shell completes."""
    return [version for version in known_versions() if version.startswith(begun)]


def hadoop_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that names the Hadoop version, passed on as ``profile``."""
    text = f"The Hadoop version to take clients and HDFS from; else that of {VARIABLE}, else {DEFAULT}."
    return click.option(
        *("--hadoop", "profile"),
        default="",
        metavar="VERSION",
        envvar=VARIABLE,
        shell_complete=completed,
        help=text,
    )


def chosen(option: str | None) -> str:
    """The version that an option names, else the environment; empty where neither does."""
    return option or os.environ.get(VARIABLE, "")


def contract_of(name: str, hadoop: str = "") -> Contract:
    """The shipped contract of a name, as it is for a Hadoop version. Raises ContractError."""
    shipped = load_shipped(name)
    entry = file_of(name, f"contract-hadoop-{hadoop}.xml")
    if _is_default(hadoop) or not entry.is_file():
        return shipped
    own = parse_contract(entry.read_bytes(), f"hadoop-{hadoop}/{name}.xml")
    source = f"{name}.xml with hadoop-{hadoop}/{name}.xml"
    return Contract({**shipped.declared, **own.declared}, source, shipped.quirks)


def waivers_of(contract: str, hadoop: str = "") -> tuple[Waiver, ...]:
    """The waivers that come with a shipped contract, for a Hadoop version. Raises WaiverError.

    Those of the shipped contract need not be used with another version: it may not have that departure.
    """
    shipped = waivers_in(contract)
    if _is_default(hadoop):
        return shipped
    own = waivers_in(contract, f"hadoop-{hadoop}")
    mine = {(one.signature, one.names) for one in own}
    return (*(replace(one, optional=True) for one in shipped if (one.signature, one.names) not in mine), *own)


def _is_default(hadoop: str) -> bool:
    return hadoop in ("", DEFAULT)


PACKAGES = ("fsconform", "hypothesis", "jpype1", "immutables", "msgspec", "pyspark")


def versions() -> dict[str, str]:
    """Versions of Python, the operating system and the packages that take part in judging."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.release()}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
