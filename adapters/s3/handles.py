"""What an object store named itself in one program: version ids, upload ids and ETags, by the program's numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NULL = "null"


class NotKnown(Exception):
    """A program names a version, an upload or an ETag that the store did not tell of."""


@dataclass(slots=True)
class Handles:
    """Versions of each key and uploads, in the order in which they were made."""

    versions: dict[str, list[str]] = field(default_factory=dict)
    uploads: list[tuple[str, str]] = field(default_factory=list)
    etags: dict[str, str] = field(default_factory=dict)
    parts: dict[tuple[int, int], str] = field(default_factory=dict)

    def made(self, key: str, version: str | None, etag: str = "") -> None:
        """Note a version of a key. A null version takes the place of an earlier one, which can't be named any more."""
        known = self.versions.setdefault(key, [])
        id = version or NULL
        if id == NULL:
            known[:] = ["" if one == NULL else one for one in known]
        known.append(id)
        if etag:
            self.etags[key] = etag

    def copy(self) -> Handles:
        """What is known by now, for another client."""
        versions = {key: list(known) for key, known in self.versions.items()}
        return Handles(versions, list(self.uploads), dict(self.etags), dict(self.parts))

    def version(self, key: str, number: int) -> str:
        """The id of a version. Raises NotKnown."""
        known = self.versions.get(key, [])
        if not 1 <= number <= len(known) or not known[number - 1]:
            raise NotKnown(f"no version {number} of this key has an id")
        return known[number - 1]

    def upload(self, number: int) -> tuple[str, str]:
        """Key and id of an upload. Raises NotKnown."""
        if not 1 <= number <= len(self.uploads):
            raise NotKnown(f"upload {number} was not begun")
        return self.uploads[number - 1]

    def condition(self, key: str, text: str) -> str:
        """The value of a condition's header. Raises NotKnown where the key was not written."""
        if text == "latest":
            if key not in self.etags:
                raise NotKnown("no ETag of this key was told")
            return f'"{self.etags[key]}"'
        return '"00000000000000000000000000000000"' if text == "other" else text


def without_quotes(etag: Any) -> str:
    """An ETag as it stands between its quotes."""
    return str(etag or "").strip('"')
