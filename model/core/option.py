"""What a contract option is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

OWN_PREFIX = "fsconform."

OptionValue = bool | int
Literal = tuple[str, bool]
"""An option and the value that a condition asks of it."""


@dataclass(frozen=True, slots=True)
class Option:
    """One contract option. ``name`` is without the prefix ``fs.contract.``; ``statement`` says what true means."""

    name: str
    kind: Choice["exact", "permits", "informs"]
    statement: str
    default: OptionValue = False
