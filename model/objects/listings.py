"""Listings of keys, versions and uploads, held against the clauses.

What a listing must give follows from the keys in UTF-8 order: a prefix selects, a delimiter rolls keys up into common
prefixes, and pages follow one another without a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconform.model.core import content as contents
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import contract as options
from fsconform.model.objects.answers import Answered, Bucket, Entry, Listing, Version
from fsconform.model.objects.effects import null_as_none
from fsconform.model.objects.operations import ListMultipartUploads, ListObjectsV2, ListObjectVersions
from fsconform.model.objects.verdicts import Verdicts, joined, must_succeed, place_of

DELETED_BELOW = "delete markers alone below it"


@dataclass(frozen=True, slots=True)
class _Clauses:
    """The clauses of one kind of listing."""

    all: str
    only: str
    prefix: str
    delimiter: str
    order: str
    pages: str
    entry: str


OBJECTS = _Clauses(
    ids.LIST_ALL, ids.LIST_ONLY, ids.LIST_PREFIX, ids.LIST_DELIMITER, ids.LIST_ORDER, ids.LIST_MAX_KEYS, ids.LIST_ENTRY
)
VERSIONS = _Clauses(
    ids.VERSIONS_ALL,
    ids.VERSIONS_ONLY,
    ids.VERSIONS_ALL,
    ids.VERSIONS_DELIMITER,
    ids.VERSIONS_ORDER,
    ids.VERSIONS_PAGES,
    ids.VERSIONS_ENTRY,
)
UPLOADS = _Clauses(
    ids.UPLOADS_ALL,
    ids.UPLOADS_ONLY,
    ids.UPLOADS_PREFIX,
    ids.UPLOADS_DELIMITER,
    ids.UPLOADS_ORDER,
    ids.UPLOADS_PAGES,
    ids.UPLOADS_ALL,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a listing was asked for, whatever it lists. ``most`` is the size of a page, 0 for the store's own."""

    prefix: str
    delimiter: str
    most: int
    start_after: str = ""

    def rolled_up(self, key: str) -> str | None:
        """The common prefix that a key is rolled up into, None if it is listed itself."""
        if not self.delimiter:
            return None
        rest, found, _ = key[len(self.prefix) :].partition(self.delimiter)
        return self.prefix + rest + self.delimiter if found else None

    def wanted(self, keys: Sequence[str]) -> tuple[list[str], list[str]]:
        """Of keys in order those that must be listed, and the common prefixes."""
        entries: list[str] = []
        prefixes: dict[str, None] = {}
        for key in keys:
            if not key.startswith(self.prefix) or not self._after(key):
                continue
            group = self.rolled_up(key)
            if group is None:
                entries.append(key)
            elif self._after(group):
                prefixes[group] = None
        return entries, list(prefixes)

    def _after(self, name: str) -> bool:
        return not self.start_after or name.encode() > self.start_after.encode()

    @property
    def flags(self) -> list[str]:
        """What was asked for, in words."""
        asked = {
            "prefix": self.prefix,
            "delimiter": self.delimiter,
            "by pages": self.most,
            "start-after": self.start_after,
        }
        return [name for name, value in asked.items() if value]


def list_objects(found: Verdicts, request: ListObjectsV2, bucket: Bucket, answer: Answered) -> None:
    """Judge a listing of keys."""
    asked = Asked(request.prefix, request.delimiter, request.max_keys, request.start_after)
    done = must_succeed(found, ids.LIST_ALL, answer)
    if done is None or not isinstance(done.value, Listing):
        return
    listing = done.value
    keys = bucket.keys()
    if request.start_after:
        found.judged(ids.LIST_START_AFTER)
    _Compared(found, bucket, asked, listing, OBJECTS).compare(keys, keys, lambda key: [key])
    found.judged(ids.LIST_KEY_COUNT, ids.LIST_ENTRY)
    for page in listing.pages:
        if page.told >= 0 and page.told != len(page):
            found.breach(
                ids.LIST_KEY_COUNT, "tells another KeyCount", f"tell KeyCount {len(page)}", str(page.told), who="a page"
            )
    for entry in listing.entries():
        version = bucket.current(entry.key)
        if version is not None:
            _entry(found, bucket, entry, version, ids.LIST_ENTRY)


def list_versions(found: Verdicts, request: ListObjectVersions, bucket: Bucket, answer: Answered) -> None:
    """Judge a listing of versions."""
    asked = Asked(request.prefix, request.delimiter, request.max_keys)
    done = must_succeed(found, ids.VERSIONS_ALL, answer, (options.NO_VERSIONING,))
    if done is None or not isinstance(done.value, Listing):
        return
    keys = sorted((key for key, versions in bucket.objects.items() if versions), key=str.encode)
    ids_of = {key: [one.id for one in bucket.objects[key]] for key in keys}
    _Compared(found, bucket, asked, done.value, VERSIONS).compare(keys, keys, lambda key: ids_of[key])
    found.judged(ids.VERSIONS_ENTRY, ids.VERSIONS_LATEST)
    for entry in done.value.entries():
        versions = bucket.objects.get(entry.key, ())
        for version in versions:
            if version.id != null_as_none(entry.id):
                continue
            _entry(found, bucket, entry, version, ids.VERSIONS_ENTRY)
            if entry.latest != (version is versions[0]):
                is_not = "is" if version is versions[0] else "is not"
                found.breach(
                    ids.VERSIONS_LATEST,
                    f"tells wrongly that a version {'is not' if is_not == 'is' else 'is'} the latest",
                    f"tell that it {is_not} the latest",
                    f"IsLatest is {str(entry.latest).lower()}",
                    who=joined(place_of(bucket, entry.key)),
                )


def list_uploads(found: Verdicts, request: ListMultipartUploads, bucket: Bucket, answer: Answered) -> None:
    """Judge a listing of uploads in progress."""
    asked = Asked(request.prefix, request.delimiter, request.max_uploads)
    done = must_succeed(found, ids.UPLOADS_ALL, answer)
    if done is None or not isinstance(done.value, Listing):
        return
    running: dict[str, list[str]] = {}
    for upload in bucket.uploads:
        if not upload.ended:
            running.setdefault(upload.key, []).append(upload.id)
    keys = sorted(running, key=str.encode)
    _Compared(found, bucket, asked, done.value, UPLOADS).compare(keys, keys, lambda key: running[key])


def _entry(found: Verdicts, bucket: Bucket, entry: Entry, version: Version, clause: str) -> None:
    """What a listing tells of an object."""
    if entry.marker != version.marker:
        found.breach(clause, "takes a delete marker for a version, or otherwise", "tell it as it is", f"{entry}")
        return
    if version.content is None:
        return
    length = contents.length(version.content)
    who = joined(place_of(bucket, entry.key))
    if entry.length != length:
        found.breach(clause, "tells another length", f"tell {length} bytes", f"{entry.length} bytes", who=who)
    if entry.etag != version.etag:
        found.breach(clause, "tells another ETag", f"tell the ETag {version.etag}", entry.etag, who=who)


class _Compared:
    """A listing beside what must be in it."""

    def __init__(self, found: Verdicts, bucket: Bucket, asked: Asked, listing: Listing, clauses: _Clauses) -> None:
        self._found, self._bucket, self._asked = found, bucket, asked
        self._listing, self._clauses = listing, clauses

    def compare(self, keys: Sequence[str], there: Sequence[str], ids_of: Callable[[str], list[str]]) -> None:
        """Compare with the keys in order; ``ids_of`` gives the entries of a key in order."""
        names, prefixes = self._asked.wanted(keys)
        clauses = self._clauses
        self._found.judged(clauses.all, clauses.only, clauses.order)
        if self._asked.prefix:
            self._found.judged(clauses.prefix)
        if self._asked.delimiter:
            self._found.judged(clauses.delimiter)
        got = [(one.key, null_as_none(one.id) or one.key) for one in self._listing.entries()]
        wanted = [(key, id or key) for key in names for id in ids_of(key)]
        expected = f"list {_told([*dict.fromkeys(names), *prefixes])}"
        observed = _told([*(key for key, _ in got), *self._listing.prefixes()])
        self._extra([one for one in got if one not in wanted], set(there), expected, observed)
        self._omitted([key for key, id in wanted if (key, id) not in got], "a key", expected, observed)
        groups = list(self._listing.prefixes())
        self._groups(groups, prefixes, expected, observed)
        if len(set(got)) < len(got):
            self._breach(clauses.only, "lists something twice", [], "", expected, observed)
        elif not self._in_order(got, wanted):
            self._breach(clauses.order, "lists in another order", [], "", expected, observed)
        self._pages(expected)

    def _in_order(self, got: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> bool:
        """Whether both have the same order, objects and delete markers each by themselves: clients part the two."""
        markers = {(one.key, null_as_none(one.id) or one.key) for one in self._listing.entries() if one.marker}
        mine = [one for one in got if one in wanted]
        right = [one for one in wanted if one in got]
        return all(
            [one for one in mine if (one in markers) is lane] == [one for one in right if (one in markers) is lane]
            for lane in (False, True)
        )

    def _extra(self, extra: list[tuple[str, str]], there: set[str], expected: str, observed: str) -> None:
        asked, clauses = self._asked, self._clauses
        for key, _ in extra[:1]:
            if key not in there:
                self._breach(clauses.only, "lists a key that is not there", [], key, expected, observed)
            elif not key.startswith(asked.prefix):
                self._breach(clauses.prefix, "lists a key without the prefix", [], key, expected, observed)
            elif asked.start_after and key.encode() <= asked.start_after.encode():
                self._breach(ids.LIST_START_AFTER, "lists a key that comes before", [], key, expected, observed)
            elif asked.rolled_up(key) is not None:
                self._breach(clauses.delimiter, "lists a key that is rolled up", [], key, expected, observed)
            else:
                self._breach(clauses.only, "lists what is not there of a key", [], key, expected, observed)

    def _omitted(self, omitted: list[str], what: str, expected: str, observed: str) -> None:
        for roles in dict.fromkeys(tuple(place_of(self._bucket, key)) for key in omitted):
            key = next(one for one in omitted if tuple(place_of(self._bucket, one)) == roles)
            self._breach(self._omitting(), f"omits {what}", list(roles), key, expected, observed)

    def _omitting(self) -> str:
        if self._asked.most and self._clauses is OBJECTS:
            return ids.LIST_PAGES
        if self._asked.most and not self._asked.prefix:
            return self._clauses.pages
        return self._clauses.prefix if self._asked.prefix else self._clauses.all

    def _groups(self, got: list[str], wanted: list[str], expected: str, observed: str) -> None:
        clause = self._clauses.delimiter
        extra: dict[bool, str] = {}
        for one in sorted(set(got) - set(wanted)):
            extra.setdefault(self._clauses is OBJECTS and self._deleted_below(one), one)
        for deleted, one in extra.items():
            below = [DELETED_BELOW] if deleted else []
            self._breach(clause, "lists a common prefix without keys", below, one, expected, observed)
        for roles in dict.fromkeys(tuple(self._group_roles(one)) for one in wanted if one not in got):
            key = next(one for one in wanted if one not in got and tuple(self._group_roles(one)) == roles)
            self._breach(clause, "omits a common prefix", list(roles), key, expected, observed)
        if len(set(got)) < len(got):
            self._breach(clause, "lists a common prefix twice", [], "", expected, observed)
        elif got != sorted(got, key=str.encode):
            self._breach(self._clauses.order, "lists common prefixes in another order", [], "", expected, observed)

    def _deleted_below(self, group: str) -> bool:
        """Whether there are versions below a common prefix, and a delete marker is the newest of each key."""
        keys = [key for key, versions in self._bucket.objects.items() if versions and key.startswith(group)]
        return bool(keys) and not any(self._bucket.current(key) for key in keys)

    def _group_roles(self, group: str) -> list[str]:
        """What is so of all keys of a common prefix."""
        keys = [key for key in self._bucket.objects if key.startswith(group) and self._shows(key)]
        every = [set(place_of(self._bucket, key)) for key in keys]
        return sorted(set.intersection(*every)) if every else []

    def _shows(self, key: str) -> bool:
        return self._clauses is VERSIONS or self._bucket.current(key) is not None

    def _pages(self, expected: str) -> None:
        asked, clauses = self._asked, self._clauses
        if not asked.most:
            return
        self._found.judged(clauses.pages, ids.LIST_PAGES if clauses is OBJECTS else clauses.pages)
        if any(len(page) > asked.most for page in self._listing.pages):
            sizes = [len(page) for page in self._listing.pages]
            self._breach(clauses.pages, "gives a page that is too large", [], "", f"at most {asked.most}", str(sizes))
        if self._listing.endless:
            what = "one page after another without an end"
            self._breach(clauses.pages, "says that more follows and gives nothing new", [], "", expected, what)

    def _breach(self, clause: str, symptom: str, roles: list[str], key: str, expected: str, observed: str) -> None:
        who = joined([*self._asked.flags, *roles])
        self._found.breach(clause, symptom, expected, f"listed {observed}", self._options(clause), who=who)

    def _options(self, clause: str) -> tuple[str, ...]:
        if clause in (ids.UPLOADS_DELIMITER, ids.UPLOADS_ORDER, ids.UPLOADS_PAGES):
            return (options.UPLOADS_AT_ONCE,)
        return (options.UPLOADS_BY_WHOLE_KEY,) if clause == ids.UPLOADS_PREFIX else ()


def _told(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return (shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")) or "nothing"
