"""The options of Hadoop's vocabulary that nothing judged depends on, each with its default."""

from __future__ import annotations

from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.options.core import option

_UNJUDGED: tuple[tuple[str, OptionValue, str], ...] = (
    ("supports-atomic-rename", False, "renames are atomic"),
    ("supports-atomic-directory-delete", False, "recursive deletes are atomic"),
    ("supports-available-on-closed-file", False, "available on a closed stream does not raise"),
    ("supports-getfilestatus", False, "Hadoop's getFileStatus tests apply"),
    ("supports-concurrent-uploads", False, "several multipart uploads to one path may be open"),
    ("has-consistent-finalization", False, "multipart finalisation is consistent"),
    ("multipart-uploader-enabled", False, "multipart upload tests apply"),
    ("supports-etags", False, "statuses carry etags"),
    ("supports-leaserecovery", False, "leases can be recovered"),
    ("supports-safemode", False, "safe mode is supported"),
    ("rename-atomic", False, "renames are atomic"),
    ("distcp.should-not-use-file-buffer", False, "distcp copies without file buffers"),
    ("test.root-tests-enabled", False, "tests of the real root directory are allowed"),
    ("test.random-seek-count", 0, "number of random seeks that Hadoop's seek test makes"),
    ("max-path", 0, "longest path in characters, 0 for no limit"),
    ("max-filesize", 0, "largest file in bytes, 0 or -1 for no limit"),
)

for _name, _default, _statement in _UNJUDGED:
    option(_name, "informs", _statement, _default)
