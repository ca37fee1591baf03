"""The options that bear on what streams do that a file is read by."""

from __future__ import annotations

from fsconform.model.core.option import Option

SUPPORTS_SEEK = "supports-seek"
REJECTS_SEEK_PAST_EOF = "rejects-seek-past-eof"
SUPPORTS_SEEK_ON_CLOSED_FILE = "supports-seek-on-closed-file"
SUPPORTS_POSITIONED_READABLE = "supports-positioned-readable"
SUPPORTS_UNBUFFER = "supports-unbuffer"
VECTOR_IO_EARLY_EOF_CHECK = "vector-io-early-eof-check"
VECTOR_IO_OVERLAPPING_RANGES = "vector-io-overlapping-ranges"

JUDGED: tuple[Option, ...] = (
    Option(SUPPORTS_SEEK, "exact", "streams can seek; those that can't may refuse seeks and positioned reads"),
    Option(
        REJECTS_SEEK_PAST_EOF,
        "exact",
        "seeking beyond the end of a file is rejected, instead of giving -1 by the next read",
        default=True,
    ),
    Option(SUPPORTS_SEEK_ON_CLOSED_FILE, "permits", "seek on a closed stream need not raise"),
    Option(SUPPORTS_POSITIONED_READABLE, "exact", "positioned reads are supported", default=True),
    Option(SUPPORTS_UNBUFFER, "exact", "streams can unbuffer, and say so"),
    Option(
        VECTOR_IO_EARLY_EOF_CHECK,
        "exact",
        "readVectored itself refuses a range beyond the end, instead of the future of that range",
    ),
    Option(VECTOR_IO_OVERLAPPING_RANGES, "permits", "vectored reads may accept ranges that overlap"),
)
