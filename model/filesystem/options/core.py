"""The options that bear on the core, the namespace with whole-file content; and how an option is declared."""

from __future__ import annotations

from typing import Literal as Choice

from fsconform.model.core.option import OWN_PREFIX, Option, OptionValue

OPTIONS: dict[str, Option] = {}
"""All options by name, in the order of the vocabulary."""


def option(name: str, kind: Choice["exact", "permits", "informs"], statement: str, default: OptionValue = False) -> str:
    """Declare an option, as :class:`Option` has it; its name. Raises ValueError for a name that is taken."""
    if name in OPTIONS:
        raise ValueError(f"two options are called {name}")
    OPTIONS[name] = Option(name, kind, statement, default)
    return name


IS_CASE_SENSITIVE = option(
    "is-case-sensitive", "exact", "names that differ in case only are different names", default=True
)
CREATE_OVERWRITES_DIRECTORY = option(
    "create-overwrites-directory", "permits", "create with overwrite may replace a directory by a file"
)
CREATE_FILE_UNDER_FILE_ALLOWED = option(
    "create-file-under-file-allowed", "permits", "create may make a file below a file"
)
RENAME_CREATES_DEST_DIRS = option(
    "rename-creates-dest-dirs", "exact", "rename creates the missing parents of its destination"
)
RENAME_OVERWRITES_DEST = option(
    "rename-overwrites-dest", "exact", "rename of a file replaces an existing destination file"
)
RENAME_REMOVE_DEST_IF_EMPTY_DIR = option(
    "rename-remove-dest-if-empty-dir",
    "exact",
    "rename of a directory onto an empty directory replaces it instead of moving below it, as POSIX does",
)
RENAME_RETURNS_FALSE_IF_DEST_EXISTS = option(
    "rename-returns-false-if-dest-exists", "exact", "rename returns false where its final destination already exists"
)
RENAME_RETURNS_FALSE_IF_SOURCE_MISSING = option(
    "rename-returns-false-if-source-missing", "exact", "rename returns false where its source is missing"
)
SUPPORTS_APPEND = option("supports-append", "exact", "append is supported")
SUPPORTS_STRICT_EXCEPTIONS = option(
    "supports-strict-exceptions", "exact", "errors are of the most precise class the specification names for them"
)
RENAME_RETURNS_FALSE_ON_FAILURE = option(
    OWN_PREFIX + "rename-returns-false-on-failure",
    "permits",
    "rename may return false, instead of raising an IOException, where its destination lies below its source, "
    "has a file for an ancestor or no parent, or its source is the root",
)
ACCEPTS_INVALID_PATHS = option(
    OWN_PREFIX + "accepts-invalid-paths",
    "permits",
    "paths with an element that the specification forbids may be used, and then behave exactly as any other",
)
REFUSES_PATHS_BELOW_FILES = option(
    OWN_PREFIX + "refuses-paths-below-files",
    "permits",
    "listings, lookups, append, delete and rename of a path below a file may raise an IOException, and its bulk "
    "deletion fail, though it is missing",
)
DIRECTORIES_HAVE_LENGTH = option(
    OWN_PREFIX + "directories-have-length", "permits", "the status of a directory may have a length other than 0"
)
READ_ONLY = option(
    OWN_PREFIX + "read-only",
    "permits",
    "calls that would change the store may raise an IOException or UnsupportedOperationException, and then change "
    "nothing; it is never inferred",
)
EMPTY_FILES_ARE_DIRECTORIES = option(
    OWN_PREFIX + "empty-files-are-directories",
    "permits",
    "a file without bytes is a directory once it is closed, and a directory that is opened as a file has no bytes; "
    "it is never inferred",
)
