"""The suites' test modules under their own names.

pytest would put the folder above ``suites`` on the path of modules, and with it ``app``, ``model`` and the other rooms
under names that belong to whoever runs the session.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = "fsconform.suites"


@cache
def folders() -> tuple[Path, ...]:
    """Where the suites are installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return tuple(Path(place).resolve() for place in (spec.submodule_search_locations or ())) if spec else ()


class SuiteModule(pytest.Module):
    """A test module of the suites."""

    def _getobj(self) -> ModuleType:
        return importlib.import_module(f"{PACKAGE}.{self.path.stem}")


def module(path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """The collector of a module of the suites, None for any other."""
    if path.parent.resolve() not in folders():
        return None
    found: pytest.Module = SuiteModule.from_parent(parent, path=path)
    return found


def directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """The collector of the folder of the suites, which is not imported as a package; None for any other."""
    return pytest.Dir.from_parent(parent, path=path) if path.resolve() in folders() else None
