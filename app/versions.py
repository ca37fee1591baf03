"""The versions of everything that a verdict may depend on."""

from __future__ import annotations

import platform
from importlib import metadata

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
