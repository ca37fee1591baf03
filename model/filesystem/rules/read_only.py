"""A store that can't be changed may refuse each call that would change it, and then nothing is changed.

Source: introduction.md, "Operations and failures".
"""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.branches import Branch, raises
from fsconform.model.filesystem.metadata.rename_and_access_times import RenameTimed
from fsconform.model.filesystem.options.core import READ_ONLY
from fsconform.model.filesystem.rules.rule import RULES, Rule

_DECLARED: Literal = (READ_ONLY, True)
_REFUSALS = tuple(
    raises("introduction.failures.unsupported", error, _DECLARED, departs=True)
    for error in ("UnsupportedOperationException", "IOException")
)


def _refuses(kind: type[Operation]) -> tuple[Branch, ...]:
    # RenameTimed changes something and takes it back.
    return _REFUSALS if kind.MUTATES or kind is RenameTimed else ()


RULES.append(Rule(when=_DECLARED, refuses=_refuses))
