"""Lays the rooms out under ``build/lint/fsconform`` as links, as an installed copy has them, and prints that folder.

In the repository the rooms stand at the root, so a tool that follows imports would see ``model`` where the code says
``fsconform.model``. mypy and import-linter read this tree instead.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TREE = REPOSITORY / "build" / "lint"


def rooms() -> dict[str, str]:
    """Package name to folder, as pyproject.toml maps them."""
    table = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    mapping: dict[str, str] = table["tool"]["setuptools"]["package-dir"]
    return mapping


def build() -> Path:
    """Make the tree agree with the rooms; raises FileNotFoundError for a room that has no folder."""
    package = TREE / "fsconform"
    package.mkdir(parents=True, exist_ok=True)
    # import-linter wants an ordinary package as its root; the installed fsconform is a namespace, without this file.
    (package / "__init__.py").touch()
    wanted = {name.removeprefix("fsconform."): folder for name, folder in rooms().items()}
    for link in package.iterdir():
        if link.is_symlink() and (link.name not in wanted or not link.exists()):
            link.unlink()
    for name, folder in wanted.items():
        link = package / name
        if not (REPOSITORY / folder / "__init__.py").is_file():
            raise FileNotFoundError(f"{folder}/__init__.py: pyproject.toml names this room, and it is not there")
        if not link.is_symlink():
            link.symlink_to(Path("..", "..", "..", folder))
    return package


if __name__ == "__main__":
    print(build())
