"""A look at a bucket through boto3 while somebody else works in it: nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fsconform.adapters.s3.calls import CALLS, Away
from fsconform.adapters.s3.handles import Handles
from fsconform.adapters.s3.session import answered
from fsconform.engine.objects.below_connector import Look, candidates, directories, listings
from fsconform.model.core.outcomes import Unknown
from fsconform.model.core.paths import Path
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Done, Listing


class Window:
    """A place in a bucket, below the keys that begin with ``base``, looked at again and again."""

    def __init__(self, client: Any, refusals: type[Exception], bucket: str) -> None:
        self._client, self._refusals, self._bucket = client, refusals, bucket

    def look(self, base: str, paths: Sequence[Path], known: Iterable[str]) -> Look:
        """Ask for all keys that may be there, and list. ``known`` are keys that were there before."""
        away = Away(self._client, self._bucket, base, Handles())
        asked: list[ops.Request] = []
        seen: list[Answer] = []

        def ask(request: ops.Request) -> Answer:
            answer = answered(self._refusals, lambda: CALLS[type(request)](away, request))
            asked.append(request)
            seen.append(answer)
            return answer

        known = dict.fromkeys(known)
        everything = ask(ops.ListObjectsV2())
        known |= dict.fromkeys(_listed(everything))
        for key in candidates(paths, known):
            if isinstance(ask(ops.HeadObject(key)), Unknown):
                return Look(tuple(asked), tuple(seen))
        held = Look(tuple(asked), tuple(seen)).held()
        for request in listings(directories(paths, held))[1:]:
            if isinstance(ask(request), Unknown):
                break
        return Look(tuple(asked), tuple(seen))


def _listed(answer: Answer) -> list[str]:
    value = answer.value if isinstance(answer, Done) else None
    return [entry.key for entry in value.entries()] if isinstance(value, Listing) else []
