"""What `fsconform recheck --format recording --json` writes: what was judged of each store, and what was flagged."""

from __future__ import annotations

import msgspec

SCHEMA = 1
"""The number of this form."""


class FlaggedCall(msgspec.Struct, frozen=True):
    """A call whose outcome the contract does not allow. ``place`` is file and line, ``beside`` those of the calls that
    it was judged together with; ``options`` are what the contract would have to declare for it.

    ``waiver`` is the reason for which a waiver accepts it, empty without one: the verdict is then ``waived``.
    """

    place: str
    store: str
    call: str
    observed: str
    expected: str
    clause: str
    verdict: str
    signature: str
    options: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    waiver: str = ""


class JudgedStore(msgspec.Struct, frozen=True):
    """A store of the recordings. Each of its ``calls`` is counted as judged, learned from, or not judged.

    ``overlapping`` are those that were judged by the orders which they may have had, ``given_up`` those which overlap
    and were not judged for that; ``clauses`` and ``quirks`` have how often each was used.
    """

    calls: int
    judged: int
    learned: int
    unjudged: int
    overlapping: int
    given_up: int
    clauses: dict[str, int]
    quirks: dict[str, int]
    flagged: tuple[FlaggedCall, ...] = ()


class RecordingVerdicts(msgspec.Struct, frozen=True):
    """The whole document. ``stores`` are by URI and class; ``incomplete`` says which recordings were cut off.

    ``waiver_problems`` names waivers that have expired.
    """

    schema: int
    format: str
    recordings: tuple[str, ...]
    incomplete: tuple[str, ...]
    stores: dict[str, JudgedStore]
    waiver_problems: tuple[str, ...] = ()


def schema_bytes() -> bytes:
    """The text of ``recording-verdicts.schema.json``."""
    schema = msgspec.json.schema(RecordingVerdicts)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "What fsconform recheck found in recordings"
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
