"""Programs of requests carried out through a client with boto3's methods, each in a place of its own."""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections import Counter
from collections.abc import Callable
from typing import Any

from fsconform.adapters.s3.calls import CALLS, Away
from fsconform.adapters.s3.handles import Handles, NotKnown
from fsconform.engine.protocol import StoreLost
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Refused

THROTTLED = (429, 503)
"""HTTP statuses by which a store asks to try again later."""

ATTEMPTS = 3
"""A program that a store asked to try again is begun anew so often."""

NOT_IMPLEMENTED = 501
"""The HTTP status of a request that a store does not know."""

MARK = "fsconform-"
"""How the names of buckets begin that are made and removed here."""


class S3Session:
    """A session on an object store. ``client`` has the methods of boto3's; ``refusals`` is the class of its errors.

    Without a ``prefix`` each program has a bucket of its own, which is removed when the program has ended; one that was
    emptied, and never had versions, may serve again up to ``reuse`` times, where making a bucket takes long. With a
    prefix, programs play in ``bucket`` below it, each in a place of its own, and those that need a bucket are left out.
    """

    def __init__(
        self, client: Any, refusals: type[Exception], bucket: str = "", prefix: str = "", reuse: int = 0
    ) -> None:
        self._client, self._refusals = client, refusals
        self._bucket, self._prefix = bucket, prefix
        mark = secrets.token_hex(3)
        self._names = (f"{MARK}{mark}-{number}" for number in itertools.count())
        self._reuse = reuse
        self._made: str = ""
        self._spare: tuple[str, int] = ("", 0)
        self.left: Counter[str] = Counter()
        """Places that the store would not remove, by its reason."""

    def execute(self, program: ops.Program) -> tuple[Answer, ...]:
        """Carry a program out, one answer a request. Raises StoreLost."""
        answers: tuple[Answer, ...] = ()
        for _ in range(ATTEMPTS):
            answers = self._execute(program)
            if not (answers and isinstance(answers[-1], Unknown) and answers[-1].reason.startswith("throttled")):
                break
        return answers

    def fresh(self) -> None:
        """Let the next program have a bucket in which no other one played. Raises StoreLost."""
        bucket, self._spare = self._spare[0], ("", 0)
        if bucket:
            self._give_up(bucket, "")

    def close(self) -> None:
        """Remove what is left. May be called twice."""
        for bucket in filter(None, (self._made, self._spare[0])):
            with contextlib.suppress(Exception):
                self._remove(bucket, "")
        self._made, self._spare = "", ("", 0)

    def _execute(self, program: ops.Program) -> tuple[Answer, ...]:
        answers: list[Answer] = []

        def play(away: Away) -> bool:
            for request in program:
                answers.append(self.ask(away, request))
                if isinstance(answers[-1], Unknown):
                    return False
            return True

        versioned = ops.needs_bucket(program)
        if versioned and not self.has_buckets:
            return (NotExpressible("versioning is a bucket's own, and programs play below a prefix"),)
        self.place(versioned, play)
        return tuple(answers)

    @property
    def has_buckets(self) -> bool:
        """Whether a program has a bucket of its own."""
        return not self._prefix

    def place(self, versioned: bool, play: Callable[[Away], bool]) -> None:
        """Let something play in a fresh place, which is given up afterwards. Raises StoreLost.

        ``play`` says whether it is known of every request what the store did.
        """
        used = 0
        if self._prefix:
            bucket, base = self._bucket, f"{self._prefix}{next(self._names)}/"
        else:
            (bucket, used), base = self._bucket_for(versioned), ""
        away, known = Away(self._client, bucket, base, Handles()), False
        try:
            known = play(away)
        finally:
            keep = known and not self._prefix and not versioned and used < self._reuse
            self._housekeeping(lambda: self._abort(away))
            emptied = self._give_up(bucket, base, keep)
            self._made = ""
            if keep and emptied and not self._spare[0]:
                self._spare = (bucket, used + 1)

    def _bucket_for(self, versioned: bool) -> tuple[str, int]:
        """A bucket that is empty, with how many programs played in it."""
        if self._spare[0] and not versioned:
            found, self._spare = self._spare, ("", 0)
        else:
            found = (next(self._names), 0)
        self._made = found[0]
        if not found[1]:
            try:
                self._housekeeping(lambda: self._client.create_bucket(Bucket=found[0]))
            except self._refusals as error:
                raise StoreLost(f"no bucket could be made: {error}") from error
        return found

    def _give_up(self, bucket: str, base: str, keep: bool = False) -> bool:
        """Empty a place, and remove a bucket that is ours unless it is kept. Whether nothing is left of the place."""
        try:
            self._housekeeping(lambda: self._remove(bucket, base, keep))
        except self._refusals as error:
            self.left[str(error)] += 1
            return False
        return True

    def ask(self, away: Away, request: ops.Request) -> Answer:
        """What a request is answered with in a place."""
        return answered(self._refusals, lambda: CALLS[type(request)](away, request))

    def _housekeeping(self, call: Callable[[], object]) -> None:
        try:
            call()
        except self._refusals:
            raise
        except Exception as error:
            raise StoreLost(f"the object store could not be reached: {type(error).__name__}: {error}") from error

    def _remove(self, bucket: str, base: str, keep: bool = False) -> None:
        """Remove all that is in a place, however its listings hide some of it, and the bucket if it is ours."""
        for _ in range(8):
            if not self._remove_listed(bucket, base):
                break
        if not base and not keep:
            self._client.delete_bucket(Bucket=bucket)

    def _remove_listed(self, bucket: str, base: str) -> bool:
        found = False
        for row in self._rows(bucket, base):
            if not row["Key"].startswith(base):
                continue  # a store may list what was not asked for, and that is not ours
            found = True
            version = {} if row.get("VersionId") in (None, "") else {"VersionId": row["VersionId"]}
            self._client.delete_object(Bucket=bucket, Key=row["Key"], **version)
        for row in self._client.list_multipart_uploads(Bucket=bucket).get("Uploads", ()):
            if row["Key"].startswith(base):
                found = True
                self._client.abort_multipart_upload(Bucket=bucket, Key=row["Key"], UploadId=row["UploadId"])
        return found

    def _abort(self, away: Away) -> None:
        """Abort the uploads that a program began: a store may list them by a whole key alone, or not at all."""
        for key, upload in away.handles.uploads:
            with contextlib.suppress(self._refusals):
                self._client.abort_multipart_upload(**away.key(key), UploadId=upload)

    def _rows(self, bucket: str, base: str) -> list[dict[str, Any]]:
        """What a place holds: versions and delete markers, or objects where the store has no listing of versions."""
        try:
            told = self._client.list_object_versions(Bucket=bucket, Prefix=base)
        except self._refusals as error:
            if _refused_with(error) != NOT_IMPLEMENTED:
                raise
            return list(self._client.list_objects_v2(Bucket=bucket, Prefix=base).get("Contents", ()))
        return [*told.get("Versions", ()), *told.get("DeleteMarkers", ())]


def answered(refusals: type[Exception], call: Callable[[], Answer]) -> Answer:
    """What a request is answered with, whatever the client raises; ``refusals`` is the class of a store's refusals."""
    try:
        return call()
    except NotKnown as error:
        return NotExpressible(str(error))
    except refusals as error:
        return _refused(error)
    except Exception as error:  # whatever the client raises, nobody knows what the store did
        return Unknown(f"{type(error).__name__}: {error}")


def _refused_with(error: Exception) -> int:
    response: dict[str, Any] = getattr(error, "response", {})
    return int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _refused(error: Exception) -> Answer:
    response: dict[str, Any] = getattr(error, "response", {})
    told = response.get("ResponseMetadata", {})
    status, code = _refused_with(error), str(response.get("Error", {}).get("Code", ""))
    message = str(response.get("Error", {}).get("Message", ""))
    if status in THROTTLED:
        return Unknown(f"throttled: {status} {code} {message}")
    if status >= 500:
        return Refused(status, code, message)
    headers = told.get("HTTPHeaders", {})
    marker = str(headers.get("x-amz-delete-marker", "")).lower() == "true"
    return Refused(status, "" if code == str(status) else code, message, marker)
