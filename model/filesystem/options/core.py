"""The options that bear on the core: the namespace with whole-file content; and those nothing judged depends on."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX, Option, OptionValue

IS_CASE_SENSITIVE = "is-case-sensitive"
CREATE_OVERWRITES_DIRECTORY = "create-overwrites-directory"
CREATE_FILE_UNDER_FILE_ALLOWED = "create-file-under-file-allowed"
RENAME_CREATES_DEST_DIRS = "rename-creates-dest-dirs"
RENAME_OVERWRITES_DEST = "rename-overwrites-dest"
RENAME_REMOVE_DEST_IF_EMPTY_DIR = "rename-remove-dest-if-empty-dir"
RENAME_RETURNS_FALSE_IF_DEST_EXISTS = "rename-returns-false-if-dest-exists"
RENAME_RETURNS_FALSE_IF_SOURCE_MISSING = "rename-returns-false-if-source-missing"
SUPPORTS_APPEND = "supports-append"
SUPPORTS_STRICT_EXCEPTIONS = "supports-strict-exceptions"

RENAME_RETURNS_FALSE_ON_FAILURE = OWN_PREFIX + "rename-returns-false-on-failure"
ACCEPTS_INVALID_PATHS = OWN_PREFIX + "accepts-invalid-paths"
REFUSES_PATHS_BELOW_FILES = OWN_PREFIX + "refuses-paths-below-files"
DIRECTORIES_HAVE_LENGTH = OWN_PREFIX + "directories-have-length"
READ_ONLY = OWN_PREFIX + "read-only"
EMPTY_FILES_ARE_DIRECTORIES = OWN_PREFIX + "empty-files-are-directories"

JUDGED = (
    Option(IS_CASE_SENSITIVE, "exact", "names that differ in case only are different names", default=True),
    Option(CREATE_OVERWRITES_DIRECTORY, "permits", "create with overwrite may replace a directory by a file"),
    Option(CREATE_FILE_UNDER_FILE_ALLOWED, "permits", "create may make a file below a file"),
    Option(RENAME_CREATES_DEST_DIRS, "exact", "rename creates the missing parents of its destination"),
    Option(RENAME_OVERWRITES_DEST, "exact", "rename of a file replaces an existing destination file"),
    Option(
        RENAME_REMOVE_DEST_IF_EMPTY_DIR,
        "exact",
        "rename of a directory onto an empty directory replaces it instead of moving below it, as POSIX does",
    ),
    Option(
        RENAME_RETURNS_FALSE_IF_DEST_EXISTS, "exact", "rename returns false where its final destination already exists"
    ),
    Option(RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, "exact", "rename returns false where its source is missing"),
    Option(SUPPORTS_APPEND, "exact", "append is supported"),
    Option(
        SUPPORTS_STRICT_EXCEPTIONS, "exact", "errors are of the most precise class the specification names for them"
    ),
    Option(
        RENAME_RETURNS_FALSE_ON_FAILURE,
        "permits",
        "rename may return false, instead of raising an IOException, where its destination lies below its source, "
        "has a file for an ancestor or no parent, or its source is the root",
    ),
    Option(
        ACCEPTS_INVALID_PATHS,
        "permits",
        "paths with an element that the specification forbids may be used, and then behave exactly as any other",
    ),
    Option(
        REFUSES_PATHS_BELOW_FILES,
        "permits",
        "listings, lookups, append, delete and rename of a path below a file may raise an IOException, and its bulk "
        "deletion fail, though it is missing",
    ),
    Option(DIRECTORIES_HAVE_LENGTH, "permits", "the status of a directory may have a length other than 0"),
    Option(
        READ_ONLY,
        "permits",
        "calls that would change the store may raise an IOException or UnsupportedOperationException, and then change "
        "nothing; it is never inferred",
    ),
    Option(
        EMPTY_FILES_ARE_DIRECTORIES,
        "permits",
        "a file without bytes is a directory once it is closed, and a directory that is opened as a file has no bytes; "
        "it is never inferred",
    ),
)

INFORMS: tuple[tuple[str, OptionValue, str], ...] = (
    ("is-blobstore", False, "the store is an object store: no real directory tree"),
    ("create-visibility-delayed", False, "a new file may stay invisible until its stream is closed"),
    ("supports-atomic-rename", False, "renames are atomic"),
    ("supports-atomic-directory-delete", False, "recursive deletes are atomic"),
    ("supports-block-locality", False, "block locations are reported"),
    ("supports-concat", False, "concat is supported"),
    ("supports-seek", False, "streams can seek"),
    ("rejects-seek-past-eof", False, "seeking beyond the end of a file is rejected"),
    ("supports-seek-on-closed-file", False, "seek on a closed stream does not raise"),
    ("supports-available-on-closed-file", False, "available on a closed stream does not raise"),
    ("supports-positioned-readable", False, "positioned reads are supported"),
    ("supports-unix-permissions", False, "POSIX permissions are supported"),
    ("supports-settimes", False, "setTimes is supported"),
    ("supports-getfilestatus", False, "Hadoop's getFileStatus tests apply"),
    ("supports-file-reference", False, "path handles may refer to files that moved"),
    ("supports-content-check", False, "path handles may check content"),
    ("supports-unbuffer", False, "unbuffer is supported"),
    ("supports-hflush", False, "hflush is supported"),
    ("supports-hsync", False, "hsync is supported"),
    ("metadata_updated_on_hsync", False, "the length in the metadata is updated by hsync"),
    ("supports-multipartuploader", False, "multipart uploads are supported"),
    ("supports-concurrent-uploads", False, "several multipart uploads to one path may be open"),
    ("has-consistent-finalization", False, "multipart finalisation is consistent"),
    ("multipart-uploader-enabled", False, "multipart upload tests apply"),
    ("vector-io-early-eof-check", False, "vectored reads check for the end of the file at once"),
    ("vector-io-overlapping-ranges", False, "vectored reads accept overlapping ranges"),
    ("supports-etags", False, "statuses carry etags"),
    ("etags-available", False, "statuses carry etags"),
    ("etags-preserved-in-rename", False, "rename preserves etags"),
    ("supports-leaserecovery", False, "leases can be recovered"),
    ("supports-safemode", False, "safe mode is supported"),
    ("rename-atomic", False, "renames are atomic"),
    ("distcp.should-not-use-file-buffer", False, "distcp copies without file buffers"),
    ("test.root-tests-enabled", False, "tests of the real root directory are allowed"),
    ("test.random-seek-count", 0, "number of random seeks that Hadoop's seek test makes"),
    ("max-path", 0, "longest path in characters, 0 for no limit"),
    ("max-filesize", 0, "largest file in bytes, 0 or -1 for no limit"),
)

INFORMING = tuple(Option(name, "informs", statement, default) for name, default, statement in INFORMS)
