"""The words that fields of operations may hold, where only some mean anything: read by whatever takes programs in.

A program comes from a file that anybody may have written. What its words don't mean is refused there, with the words
that there are, and not met by a model or an adapter that has no case for it.
"""

from __future__ import annotations

from fsconform.model.core.operation import OPERATIONS, Operation
from fsconform.model.core.operation import check_words as operation_check
from fsconform.model.core.operation import check_words_of as check_each
from fsconform.model.filesystem.input import scripts
from fsconform.model.filesystem.operations import streams

WORDS: dict[type[Operation], dict[str, tuple[str, ...]]] = {}
"""By operation and field; of a field of texts each is one of the words."""

WORDS.update({kind: dict(kind.WORDS) for kind in OPERATIONS.values() if kind.WORDS})


def check_words(operation: Operation) -> None:
    """Raise ValueError for a word that an operation has no meaning for, and for a script that is none."""
    if not operation.WORDS:
        check_each(operation, WORDS.get(type(operation), {}))
    operation_check(operation)
    if isinstance(operation, streams.ReadStream | streams.ReadOn):
        for text in operation.script:
            scripts.parse(text)
