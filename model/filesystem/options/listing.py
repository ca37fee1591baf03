"""The options that bear on operations which list, match and sum up."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.options.core import option

SUPPORTS_BLOCK_LOCALITY = option(
    "supports-block-locality",
    "exact",
    "getFileBlockLocations gives the blocks of a file with the hosts that hold them, not one block on localhost",
)
REFUSES_LOCATIONS_OF_DIRECTORIES = option(
    OWN_PREFIX + "refuses-locations-of-directories",
    "permits",
    "getFileBlockLocations of a directory may raise FileNotFoundException, instead of giving no locations",
)
REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION = option(
    OWN_PREFIX + "refuses-negative-ranges-by-ioexception",
    "permits",
    "getFileBlockLocations of a range below 0 may raise an IOException, instead of an IllegalArgumentException",
)
LISTED_TIMES_DIFFER = option(
    OWN_PREFIX + "listed-times-differ",
    "permits",
    "the times in a listed status may be others than those in the status that getFileStatus gives of the path",
)
FILTERED_LISTING_SHOWS_HIDDEN_FILES = option(
    OWN_PREFIX + "filtered-listing-shows-hidden-files",
    "permits",
    "listLocatedStatus with a filter, the form for layered filesystems, may show files that no other listing shows",
)
MISREADS_ESCAPES_IN_PATTERNS = option(
    OWN_PREFIX + "misreads-escapes-in-patterns",
    "permits",
    "globStatus may read an escaped letter or digit as regular expressions of RE2/J do, or refuse it where they do",
)
APPENDS_IN_CONTEXTS = option(
    OWN_PREFIX + "appends-in-contexts",
    "permits",
    "append may be supported through FileContext although it is not by the FileSystem itself",
)
