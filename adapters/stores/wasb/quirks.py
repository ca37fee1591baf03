"""The quirks of Hadoop's connector to WASB, which reads through Hadoop's buffer."""

from __future__ import annotations

from fsconform.adapters.stores.quirks.buffered_reads import drops_the_buffer

QUIRKS = (drops_the_buffer("wasb", "wasb/moves-on-where-there-is-no-other-source"),)
