"""Contracts: what a store declares of itself, in the vocabulary of Hadoop's own contract XML files.

An option is *exact* (its value forces a behaviour), *permits* (its value allows one more) or *informs* (nothing that is
judged so far depends on it). An absent option has the value that Hadoop's own calling test takes as the default.
Source: ContractOptions and the AbstractContract*Test classes of hadoop-common; our own options carry the prefix
``fsconform.``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fsconform.model.core.option import Literal, OptionValue
from fsconform.model.filesystem.options.core import OPTIONS as OPTIONS

if TYPE_CHECKING:
    from fsconform.model.filesystem.quirks import Quirks

PROPERTY_PREFIX = "fs.contract."


@dataclass(frozen=True, slots=True)
class Contract:
    """The options that a store declares, and its known bugs; every other option has its default value."""

    declared: Mapping[str, OptionValue] = field(default_factory=dict)
    source: str = ""
    quirks: Quirks | None = None

    def __post_init__(self) -> None:
        for name in self.declared:
            if name not in OPTIONS:
                raise ValueError(f"no such contract option: {name[:60]}")

    def value(self, name: str) -> OptionValue:
        """The value of an option, declared or by default. Raises KeyError for a name that is no option."""
        found = self.declared.get(name)
        return OPTIONS[name].default if found is None else found

    def holds(self, literals: tuple[Literal, ...]) -> bool:
        """True if every literal of a condition holds under this contract."""
        return all(self.value(name) is value for name, value in literals)
