"""Lists the packages inside each room, so that a new one is never forgotten. All else stands in pyproject.toml."""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup  # type: ignore[import-untyped]

table = tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text(encoding="utf-8"))
rooms: dict[str, str] = table["tool"]["setuptools"]["package-dir"]

setup(packages=[*rooms, *(f"{room}.{inner}" for room, folder in rooms.items() for inner in find_packages(folder))])
