"""The options that bear on operations which list, match and sum up."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX, Option

SUPPORTS_BLOCK_LOCALITY = "supports-block-locality"

REFUSES_LOCATIONS_OF_DIRECTORIES = OWN_PREFIX + "refuses-locations-of-directories"
REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION = OWN_PREFIX + "refuses-negative-ranges-by-ioexception"
LISTED_TIMES_DIFFER = OWN_PREFIX + "listed-times-differ"
FILTERED_LISTING_SHOWS_HIDDEN_FILES = OWN_PREFIX + "filtered-listing-shows-hidden-files"
MISREADS_ESCAPES_IN_PATTERNS = OWN_PREFIX + "misreads-escapes-in-patterns"
APPENDS_IN_CONTEXTS = OWN_PREFIX + "appends-in-contexts"

JUDGED: tuple[Option, ...] = (
    Option(
        SUPPORTS_BLOCK_LOCALITY,
        "exact",
        "getFileBlockLocations gives the blocks of a file with the hosts that hold them, not one block on localhost",
    ),
    Option(
        REFUSES_LOCATIONS_OF_DIRECTORIES,
        "permits",
        "getFileBlockLocations of a directory may raise FileNotFoundException, instead of giving no locations",
    ),
    Option(
        REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION,
        "permits",
        "getFileBlockLocations of a range below 0 may raise an IOException, instead of an IllegalArgumentException",
    ),
    Option(
        LISTED_TIMES_DIFFER,
        "permits",
        "the times in a listed status may be others than those in the status that getFileStatus gives of the path",
    ),
    Option(
        FILTERED_LISTING_SHOWS_HIDDEN_FILES,
        "permits",
        "listLocatedStatus with a filter, the form for layered filesystems, may show files that no other listing shows",
    ),
    Option(
        MISREADS_ESCAPES_IN_PATTERNS,
        "permits",
        "globStatus may read an escaped letter or digit as regular expressions of RE2/J do, or refuse it where they do",
    ),
    Option(
        APPENDS_IN_CONTEXTS,
        "permits",
        "append may be supported through FileContext although it is not by the FileSystem itself",
    ),
)
