"""What is judged of a request: helpers that hold an answer against what must be, and what a key is in a bucket."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.layers import Judged
from fsconform.model.objects.answers import EMPTY_BUCKET, Answered, Bucket, Done

LONGEST_ELEMENT = 255
EMPTY_ELEMENT = "has an empty element"
LONG_ELEMENT = f"has an element over {LONGEST_ELEMENT} bytes"
NO_PATH = (EMPTY_ELEMENT, LONG_ELEMENT)
"""The roles of a key that could be no path of a file."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


@dataclass(slots=True)
class Verdicts(Judged):
    """What was judged of a request, and the bucket afterwards; None where the model can't say what comes next."""

    after: Bucket | None = field(default=EMPTY_BUCKET)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal that a clause asks for: its HTTP status and the codes it may have."""

    clause: str
    status: int
    codes: tuple[str, ...]

    @property
    def words(self) -> str:
        """Such as 404 NoSuchKey."""
        return f"{self.status} {self.codes[0]}"


def told(answer: Answered) -> str:
    """An answer in words."""
    if isinstance(answer, Done):
        return f"succeeded with {answer.status}"
    return f"refused with {answer.status} {answer.code}".rstrip()


def must_refuse(found: Verdicts, answer: Answered, refusals: Sequence[Refusal], options: tuple[str, ...] = ()) -> bool:
    """Hold an answer against refusals of which any one is allowed; True if it is one of them."""
    first = refusals[0]
    found.judged(*(one.clause for one in refusals))
    expected = "be refused with " + " or ".join(dict.fromkeys(one.words for one in refusals))
    if isinstance(answer, Done):
        found.breach(first.clause, "succeeds", expected, told(answer), options)
        return False
    if any(answer.status == one.status and (not answer.code or answer.code in one.codes) for one in refusals):
        return True
    found.breach(first.clause, f"is {told(answer)}", expected, told(answer))
    return False


def must_succeed(found: Verdicts, clause: str, answer: Answered, options: tuple[str, ...] = ()) -> Done | None:
    """The answer if the request succeeded, as the clause asks for."""
    found.judged(clause)
    if isinstance(answer, Done):
        return answer
    found.breach(clause, f"is {told(answer)}", "succeed", told(answer), options)
    return None


@lru_cache(maxsize=4096)
def md5(content: Content) -> str:
    """The MD5 of content, in hexadecimal: the ETag of an object that was written in one request."""
    found = hashlib.md5(usedforsecurity=False)
    for piece in contents.chunks(content):
        found.update(piece)
    return found.hexdigest()


def roles_of(bucket: Bucket, key: str) -> list[str]:
    """What a key is in a bucket, in words without names."""
    versions = bucket.objects.get(key, ())
    roles = ["object" if bucket.current(key) else "delete marker" if versions else "nothing"]
    return roles + place_of(bucket, key)


def place_of(bucket: Bucket, key: str) -> list[str]:
    """Where a key stands among the others, and what is odd about it."""
    found = []
    ancestors = {key[:index] for index, char in enumerate(key) if char == "/" and index}
    if any(bucket.current(one) for one in ancestors):
        found.append("below an object")
    if any(bucket.objects.get(one) and not bucket.current(one) for one in ancestors):
        found.append("below a delete marker")
    if any(bucket.current(one + "/") for one in ancestors if one + "/" != key):
        found.append("below a directory object")
    if any(one != key and one.startswith(key.rstrip("/") + "/") and bucket.current(one) for one in bucket.objects):
        found.append("with objects below it")
    if key.endswith("/"):
        found.append("ends in a slash")
    elements = key.rstrip("/").split("/")
    if "" in elements or key.endswith("//"):
        found.append(EMPTY_ELEMENT)
    if any(len(element.encode()) > LONGEST_ELEMENT for element in elements):
        found.append(LONG_ELEMENT)
    if not set(key) <= _PLAIN:
        found.append("has odd characters")
    if any(version.of_nothing for version in bucket.objects.get(key, ())):
        found.append("with a delete marker of nothing")
    if bucket.versioning:
        found.append(f"versioning {bucket.versioning.lower()}")
    return found


def joined(roles: Iterable[str]) -> str:
    """Roles as a signature has them."""
    return "; ".join(sorted(set(roles)))
