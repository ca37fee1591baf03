"""Faults in names: the store keeps or compares another name than the one it was given."""

from __future__ import annotations

import unicodedata

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore

LONGEST_NAME = 254
"""Bytes of UTF-8 that the fault ``name-cut`` keeps."""


class _Renaming(FullStore):
    """Rewrites every element of every path; the rewritten one is what listings show."""

    def rewrite(self, element: str) -> str:
        raise NotImplementedError

    def locate(self, path: str) -> tuple[str, str]:
        name, _ = super().locate(path)
        if not name:
            return name, name
        rewritten = "/" + "/".join(self.rewrite(element) for element in name[1:].split("/"))
        return rewritten, rewritten if self.behaviour.case_sensitive else rewritten.lower()


@seeded("trailing-dot-trimmed", "a trailing dot of a name is dropped, as .NET's URI class does")
class _TrailingDot(_Renaming):
    def rewrite(self, element: str) -> str:
        return element.rstrip(".") or element


@seeded("trailing-space-trimmed", "a trailing space of a name is dropped")
class _TrailingSpace(_Renaming):
    def rewrite(self, element: str) -> str:
        return element.rstrip(" ") or element


@seeded("names-in-nfc", "names are normalised to Unicode's form NFC")
class _Composed(_Renaming):
    def rewrite(self, element: str) -> str:
        return unicodedata.normalize("NFC", element)


@seeded("name-cut", f"a name of more than {LONGEST_NAME} bytes is cut off")
class _Cut(_Renaming):
    def rewrite(self, element: str) -> str:
        raw = element.encode("utf-8", "surrogatepass")
        return element if len(raw) <= LONGEST_NAME else raw[:LONGEST_NAME].decode("utf-8", "ignore")


@seeded("plus-decoded", "a plus sign in a name is decoded to a space, as in a query string")
class _Plus(_Renaming):
    def rewrite(self, element: str) -> str:
        return element.replace("+", " ")


@seeded("percent-decoded", "%2F in a name is decoded to a slash, so that the path gets deeper")
class _Percent(_Renaming):
    def rewrite(self, element: str) -> str:
        return "/".join(filter(None, element.replace("%2F", "/").split("/"))) or element


@seeded("four-byte-characters-replaced", "a character of four bytes of UTF-8 becomes a question mark")
class _FourBytes(_Renaming):
    def rewrite(self, element: str) -> str:
        return "".join("?" if ch > "\uffff" else ch for ch in element)


@seeded("fragment-dropped", "a name is cut at its first number sign, as a URI's fragment")
class _Fragment(_Renaming):
    def rewrite(self, element: str) -> str:
        return element.partition("#")[0] or element


@seeded(
    "case-ignored",
    "names that differ in case only are the same; the first one is kept",
    clause="introduction.paths.no-case-insensitive-comparison",
)
class _CaseIgnored(FullStore):
    def locate(self, path: str) -> tuple[str, str]:
        name, key = super().locate(path)
        return name, key.lower()
