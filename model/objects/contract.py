"""Contracts of object stores: which departures from what S3 documents a store declares.

Each option permits one departure. A contract without any is that of a store that answers as S3 documents it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.layers import LayerContract
from fsconform.model.core.option import OWN_PREFIX, Option

UPLOADS_AT_ONCE = OWN_PREFIX + "s3-uploads-listed-at-once"
NO_CONDITIONAL_WRITES = OWN_PREFIX + "s3-conditions-of-writes-ignored"
NO_CONDITIONAL_DELETES = OWN_PREFIX + "s3-conditions-of-deletes-ignored"
KEYS_AS_PATHS = OWN_PREFIX + "s3-keys-are-paths"
NO_VERSIONING = OWN_PREFIX + "s3-no-versioning"
UPLOADS_BY_WHOLE_KEY = OWN_PREFIX + "s3-uploads-listed-by-whole-key"

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(NO_CONDITIONAL_WRITES, "permits", "If-Match and If-None-Match of a write may be ignored"),
        Option(NO_CONDITIONAL_DELETES, "permits", "If-Match of a delete may be ignored"),
        Option(
            KEYS_AS_PATHS,
            "permits",
            "keys and prefixes that are no paths of files, with an empty element or one of over 255 bytes, may be "
            "refused with 400",
        ),
        Option(NO_VERSIONING, "permits", "versioning of buckets may be refused"),
        Option(
            UPLOADS_BY_WHOLE_KEY,
            "permits",
            "a listing of uploads in progress may give those of a whole key alone where a prefix is asked for",
        ),
        Option(
            UPLOADS_AT_ONCE,
            "permits",
            "a listing of uploads in progress may give all at once and in any order, whatever delimiter and size of a "
            "page are asked for",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class ObjectContract(LayerContract):
    """The departures of an object store that are declared; all others are not."""

    OPTIONS: ClassVar[Mapping[str, Option]] = OPTIONS

    source: str = "no contract: all that S3 documents"


STRICT = ObjectContract()
