"""A store to which names that differ in case only are the same: what it does with such names is not modelled.

Source: introduction.md, "Path Names".
"""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.branches import Branch, lost
from fsconform.model.filesystem.options.core import IS_CASE_SENSITIVE
from fsconform.model.filesystem.rules.rule import RULES, Rule
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status.queries import CASE_CLAUSE, confused

_ANYTHING = Branch(
    CASE_CLAUSE, "UNDEFINED", "do anything: what names that differ in case only do is not modelled", effect=lost
)


def _gives_up(root: State, operation: Operation) -> Branch | None:
    return _ANYTHING if confused(root, operation) else None


RULES.append(Rule(when=(IS_CASE_SENSITIVE, False), gives_up=_gives_up))
