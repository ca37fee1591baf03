"""Requests and answers in words."""

from __future__ import annotations

from fsconform.model.core import content as contents
from fsconform.model.core.operation import defaults, shape
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.objects.answers import Answer, Bucket, Bulk, Found, Listing, Refused
from fsconform.model.objects.operations import Request
from fsconform.model.objects.verdicts import told

SHOWN = 8


def call(request: Request) -> str:
    """The request as a reader would write it."""
    unsaid = defaults(type(request))
    words = []
    for name, form in shape(type(request)):
        value = getattr(request, name)
        if name in unsaid and value == unsaid[name]:
            continue
        if form == "content":
            words.append(f"{contents.length(value)} bytes")
        elif form == "texts":
            words.append(f"{name}={list(value)!r}")
        else:
            words.append(repr(value) if name == "key" else f"{name}={value!r}")
    return f"{request.NAME}({', '.join(words)})"


def observed(answer: Answer) -> str:
    """What was answered."""
    if isinstance(answer, Unknown | NotExpressible):
        return f"not carried out: {answer.reason}" if isinstance(answer, NotExpressible) else answer.reason
    if isinstance(answer, Refused):
        return told(answer)
    match answer.value:
        case Found():
            return f"{answer.status} {_found(answer.value)}".rstrip()
        case Listing():
            return f"{answer.status} {_listing(answer.value)}"
        case Bulk(deleted, errors):
            return f"{answer.status} deleted {list(deleted)}" + (f", errors {list(errors)}" if errors else "")
        case _:
            return f"{answer.status}"


def _found(value: Found) -> str:
    words = []
    if value.data is not None:
        words.append(f"{value.data.length} bytes, SHA-256 {value.data.digest[:8]}")
    elif value.length is not None:
        words.append(f"{value.length} bytes")
    if value.content_range:
        words.append(value.content_range)
    if value.etag:
        words.append(f"ETag {value.etag[:12]}")
    if value.meta:
        words.append(f"metadata {value.meta!r}")
    if value.version:
        words.append(f"version {value.version[:8]}")
    if value.delete_marker:
        words.append("delete marker")
    return ", ".join(words)


def _listing(value: Listing) -> str:
    names = [repr(one.key) if not one.number else f"part {one.number}" for one in value.entries()]
    names += [f"{one!r} (common prefix)" for one in value.prefixes()]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    pages = f" in {len(value.pages)} pages" if len(value.pages) > 1 else ""
    return f"{', '.join(names[:SHOWN]) or 'nothing'}{more}{pages}"


def changed(before: Bucket, after: Bucket) -> tuple[str, ...]:
    """The keys that came, went, or changed."""
    rows = [f"+ {key}" for key in after.keys() if before.current(key) is None]  # noqa: SIM118
    rows += [f"- {key}" for key in before.keys() if after.current(key) is None]  # noqa: SIM118
    rows += [
        f"~ {key}"
        for key in after.keys()  # noqa: SIM118
        if before.current(key) is not None and before.current(key) != after.current(key)
    ]
    return tuple(rows)
