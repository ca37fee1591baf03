"""The options that bear on what streams do that write a file."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.options.core import option

CREATE_VISIBILITY_DELAYED = option(
    "create-visibility-delayed", "permits", "a new file may stay invisible until its stream is closed"
)
SUPPORTS_HFLUSH = option(
    "supports-hflush", "exact", "hflush of an output stream makes all data visible, and the stream says so"
)
SUPPORTS_HSYNC = option(
    "supports-hsync", "exact", "hsync of an output stream makes all data visible, and the stream says so"
)
METADATA_UPDATED_ON_HSYNC = option(
    "metadata_updated_on_hsync", "exact", "the length in a file's status is what was written when hsync returned"
)
EXCLUSIVE_WRITER = option(
    OWN_PREFIX + "exclusive-writer",
    "informs",
    "while a file is written, whoever else would append to it or create it is refused; races judge it",
)
CLOSE_DURABLE = option(
    OWN_PREFIX + "close-durable",
    "informs",
    "what close has saved survives a loss of power, as if it had been synced; the suite power judges it",
)
NAMESPACE_DURABLE = option(
    OWN_PREFIX + "namespace-durable",
    "informs",
    "create, mkdirs, rename and delete survive a loss of power once they have returned; the suite power judges it",
)
CHECKSUMS_VERIFIED = option(
    OWN_PREFIX + "checksums-verified",
    "informs",
    "bytes that changed below the store are never read without an error; the suite medium judges it",
)
