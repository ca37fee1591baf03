"""The options that bear on what streams do that a file is read by."""

from __future__ import annotations

from fsconform.model.filesystem.options.core import option

SUPPORTS_SEEK = option(
    "supports-seek", "exact", "streams can seek; those that can't may refuse seeks and positioned reads"
)
REJECTS_SEEK_PAST_EOF = option(
    "rejects-seek-past-eof",
    "exact",
    "seeking beyond the end of a file is rejected, instead of giving -1 by the next read",
    default=True,
)
SUPPORTS_SEEK_ON_CLOSED_FILE = option(
    "supports-seek-on-closed-file", "permits", "seek on a closed stream need not raise"
)
SUPPORTS_POSITIONED_READABLE = option(
    "supports-positioned-readable", "exact", "positioned reads are supported", default=True
)
SUPPORTS_UNBUFFER = option("supports-unbuffer", "exact", "streams can unbuffer, and say so")
VECTOR_IO_EARLY_EOF_CHECK = option(
    "vector-io-early-eof-check",
    "exact",
    "readVectored itself refuses a range beyond the end, instead of the future of that range",
)
VECTOR_IO_OVERLAPPING_RANGES = option(
    "vector-io-overlapping-ranges", "permits", "vectored reads may accept ranges that overlap"
)
