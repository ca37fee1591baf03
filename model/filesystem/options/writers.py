"""The options that bear on what streams do that write a file."""

from __future__ import annotations

from fsconform.model.core.option import Option

CREATE_VISIBILITY_DELAYED = "create-visibility-delayed"
SUPPORTS_HFLUSH = "supports-hflush"
SUPPORTS_HSYNC = "supports-hsync"
METADATA_UPDATED_ON_HSYNC = "metadata_updated_on_hsync"

JUDGED: tuple[Option, ...] = (
    Option(CREATE_VISIBILITY_DELAYED, "permits", "a new file may stay invisible until its stream is closed"),
    Option(SUPPORTS_HFLUSH, "exact", "hflush of an output stream makes all data visible, and the stream says so"),
    Option(SUPPORTS_HSYNC, "exact", "hsync of an output stream makes all data visible, and the stream says so"),
    Option(METADATA_UPDATED_ON_HSYNC, "exact", "the length in a file's status is what was written when hsync returned"),
)
