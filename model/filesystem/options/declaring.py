"""Where contract options are declared."""

from __future__ import annotations

from typing import Literal as Choice

from fsconform.model.core.option import Option, OptionValue

OPTIONS: dict[str, Option] = {}
"""All options by name, in the order of the vocabulary."""


def option(name: str, kind: Choice["exact", "permits", "informs"], statement: str, default: OptionValue = False) -> str:
    """Declare an option, as :class:`Option` has it; its name. Raises ValueError for a name that is taken."""
    if name in OPTIONS:
        raise ValueError(f"two options are called {name}")
    OPTIONS[name] = Option(name, kind, statement, default)
    return name
