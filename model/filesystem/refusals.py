"""Refusals that the operations beyond the core have in common, and calls that may not be implemented."""

from __future__ import annotations

from fsconform.model.core.option import Literal
from fsconform.model.filesystem.branches import Branch, Check, Level, gives, raises, runtime_instead
from fsconform.model.filesystem.options.changes import PLAIN_IO_EXCEPTIONS
from fsconform.model.filesystem.options.core import SUPPORTS_STRICT_EXCEPTIONS

RELAXED: Literal = (SUPPORTS_STRICT_EXCEPTIONS, False)
PLAIN: Literal = (PLAIN_IO_EXCEPTIONS, True)

UNSUPPORTED = "introduction.failures.unsupported"
EXCEPTIONS = "introduction.failures.exceptions"
UNIMPLEMENTED = raises(UNSUPPORTED, "UnsupportedOperationException")


def answers(expected: str, check: Check) -> tuple[Branch, ...]:
    """The branches of a query that no document limits: it answers, or is not implemented."""
    return (gives(UNSUPPORTED, expected, check), UNIMPLEMENTED)


def unsupported(clause: str, option: str) -> tuple[Branch, ...]:
    """What a store may do that declares not to have the call: it SHOULD raise UnsupportedOperationException."""
    missing = (option, False)
    return (
        raises(clause, "UnsupportedOperationException", missing, level="SHOULD"),
        raises(clause, "IOException", missing, level="SHOULD", deviates=True),
        raises(clause, "RuntimeException", missing, level="SHOULD", deviates=True),
    )


def one_of(clause: str, *errors: str, level: Level = "MUST") -> tuple[Branch, ...]:
    """The errors that the documents name; any RuntimeException in their place is a deviation."""
    return runtime_instead(tuple(raises(clause, error, level=level) for error in errors))


def precisely(clause: str, *errors: str, level: Level = "MUST") -> tuple[Branch, ...]:
    """As :func:`one_of`, for errors more precise than IOException: without strict exceptions that one will do."""
    return runtime_instead(
        (
            *(raises(clause, error, level=level) for error in errors),
            raises(clause, "IOException", RELAXED, level=level, departs=True),
        )
    )


def illegal_argument(clause: str, error: str) -> tuple[Branch, ...]:
    """The documents name an IllegalArgumentException; some stores declare to raise an IOException instead."""
    return raises(clause, error), raises(clause, "IOException", PLAIN, departs=True)


def unnamed(clause: str, level: Level = "MUST") -> tuple[Branch, ...]:
    """The documents name no error: an IOException or an IllegalArgumentException, and others as a deviation."""
    return one_of(clause, "IOException", "IllegalArgumentException", level=level)
