"""The options that bear on operations which change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.options.core import option

SUPPORTS_CONCAT = option("supports-concat", "exact", "concat is supported")
SUPPORTS_FILE_REFERENCE = option("supports-file-reference", "exact", "path handles may refer to files that moved")
SUPPORTS_CONTENT_CHECK = option("supports-content-check", "exact", "path handles may check content")
SUPPORTS_MULTIPARTUPLOADER = option("supports-multipartuploader", "exact", "multipart uploads are supported")
SUPPORTS_TRUNCATE = option(OWN_PREFIX + "supports-truncate", "exact", "truncate is supported")
CONCAT_OF_WHOLE_BLOCKS = option(
    OWN_PREFIX + "concat-of-whole-blocks-only",
    "exact",
    "concat is refused where the target, or a source other than the last, does not fill whole blocks",
)
CONCAT_REFUSES_EMPTY_SOURCES = option(
    OWN_PREFIX + "concat-refuses-empty-sources", "permits", "concat may refuse a source without data"
)
PLAIN_IO_EXCEPTIONS = option(
    OWN_PREFIX + "concat-and-truncate-raise-plain-io-exceptions",
    "permits",
    "concat and truncate may raise an IOException where an IllegalArgumentException, or the precise class of a "
    "missing file, is to be raised",
)
TRUNCATE_ILLEGAL_ARGUMENT = option(
    OWN_PREFIX + "truncate-raises-illegal-argument",
    "permits",
    "truncate to a length that the file has not may raise an IllegalArgumentException, the superclass of the "
    "HadoopIllegalArgumentException that is to be raised",
)
NON_RECURSIVE_MAKES_PARENTS = option(
    OWN_PREFIX + "create-non-recursive-makes-parents",
    "permits",
    "createNonRecursive, and the builder of createFile without recursive(), may make missing parents",
)
HANDLES_NOT_FOUND = option(
    OWN_PREFIX + "handles-raise-file-not-found",
    "permits",
    "opening a path handle whose file is gone or moved may raise FileNotFoundException instead of "
    "InvalidPathHandleException",
)
