"""The options that bear on operations which change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX, Option

SUPPORTS_CONCAT = "supports-concat"
SUPPORTS_FILE_REFERENCE = "supports-file-reference"
SUPPORTS_CONTENT_CHECK = "supports-content-check"
SUPPORTS_MULTIPARTUPLOADER = "supports-multipartuploader"

SUPPORTS_TRUNCATE = OWN_PREFIX + "supports-truncate"
CONCAT_OF_WHOLE_BLOCKS = OWN_PREFIX + "concat-of-whole-blocks-only"
CONCAT_REFUSES_EMPTY_SOURCES = OWN_PREFIX + "concat-refuses-empty-sources"
PLAIN_IO_EXCEPTIONS = OWN_PREFIX + "concat-and-truncate-raise-plain-io-exceptions"
TRUNCATE_ILLEGAL_ARGUMENT = OWN_PREFIX + "truncate-raises-illegal-argument"
NON_RECURSIVE_MAKES_PARENTS = OWN_PREFIX + "create-non-recursive-makes-parents"
HANDLES_NOT_FOUND = OWN_PREFIX + "handles-raise-file-not-found"

JUDGED: tuple[Option, ...] = (
    Option(SUPPORTS_CONCAT, "exact", "concat is supported"),
    Option(SUPPORTS_FILE_REFERENCE, "exact", "path handles may refer to files that moved"),
    Option(SUPPORTS_CONTENT_CHECK, "exact", "path handles may check content"),
    Option(SUPPORTS_MULTIPARTUPLOADER, "exact", "multipart uploads are supported"),
    Option(SUPPORTS_TRUNCATE, "exact", "truncate is supported"),
    Option(
        CONCAT_OF_WHOLE_BLOCKS,
        "exact",
        "concat is refused where the target, or a source other than the last, does not fill whole blocks",
    ),
    Option(CONCAT_REFUSES_EMPTY_SOURCES, "permits", "concat may refuse a source without data"),
    Option(
        PLAIN_IO_EXCEPTIONS,
        "permits",
        "concat and truncate may raise an IOException where an IllegalArgumentException, or the precise class of a "
        "missing file, is to be raised",
    ),
    Option(
        TRUNCATE_ILLEGAL_ARGUMENT,
        "permits",
        "truncate to a length that the file has not may raise an IllegalArgumentException, the superclass of the "
        "HadoopIllegalArgumentException that is to be raised",
    ),
    Option(
        NON_RECURSIVE_MAKES_PARENTS,
        "permits",
        "createNonRecursive, and the builder of createFile without recursive(), may make missing parents",
    ),
    Option(
        HANDLES_NOT_FOUND,
        "permits",
        "opening a path handle whose file is gone or moved may raise FileNotFoundException instead of "
        "InvalidPathHandleException",
    ),
)
