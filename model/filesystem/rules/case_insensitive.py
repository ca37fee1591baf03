"""A store to which names that differ in case only are the same: what it does with such names is not modelled.

Source: introduction.md, "Path Names".
"""

from __future__ import annotations

from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.filesystem.branches import Branch, lost
from fsconform.model.filesystem.options.core import IS_CASE_SENSITIVE
from fsconform.model.filesystem.rules.rule import RULES, Rule
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status.case_variants import CASE_CLAUSE, case_variant, meets_variant
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.predicates import Exists

_ANYTHING = Branch(
    CASE_CLAUSE, "UNDEFINED", "do anything: what names that differ in case only do is not modelled", effect=lost
)


def confused(root: State, operation: Operation) -> bool:
    """True if a path of the operation meets a name that differs in case only, and no case of the model covers that."""
    if isinstance(operation, GetFileStatus | Exists) and operation.path:
        return case_variant(root, operation.path) is None and meets_variant(root, operation.path)
    return any(meets_variant(root, path) for path in paths_of(operation))


def _gives_up(root: State, operation: Operation) -> Branch | None:
    return _ANYTHING if confused(root, operation) else None


RULES.append(Rule(when=(IS_CASE_SENSITIVE, False), gives_up=_gives_up))
