"""What holds for every test session: the rooms are loaded as ``fsconform.<room>`` and never under a second name.

A room loaded as ``model`` beside ``fsconform.model`` has each of its types twice, and they compare unequal. Only test
modules, conftest files and ``__init__.py`` files without code may come from the tree under a bare name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parent


def _is_stray(name: str, module: ModuleType) -> bool:
    """Whether this module is a file of the repository that was loaded under a name it must not have."""
    file = getattr(module, "__file__", None)
    if file is None or name.partition(".")[0] == "fsconform":
        return False
    path = Path(file)
    if not path.is_relative_to(REPOSITORY) or path.is_relative_to(sys.prefix):
        return False
    if path.name == "__init__.py":
        # pytest loads these as the packages of the test modules beside them. A docstring does no harm.
        return any(not isinstance(statement, ast.Expr) for statement in ast.parse(path.read_bytes()).body)
    return not path.name.startswith(("test_", "conftest."))


@pytest.fixture(scope="session", autouse=True)
def rooms_have_one_name() -> Iterator[None]:
    """Fails the session after its last test if a room was loaded without the prefix; under xdist, in each worker."""
    yield
    # A module that replaced itself in sys.modules may be anything, hence the copy and the getattr above.
    strays = sorted(name for name, module in list(sys.modules.items()) if _is_stray(name, module))
    assert not strays, f"loaded from the tree without the prefix 'fsconform.': {', '.join(strays)}"
