"""What S3A's streams do whose abort finds that the upload can't be taken back: its SDK asks for it again.

S3A itself does not: S3ABlockOutputStream.abort calls WriteOperationHelper.abortMultipartUpload without retries, by
Invoker.once. But each request goes through the AWS SDK, which makes a request again that failed, up to
``fs.s3a.attempts.maximum`` times; S3A has no other client for cleanups.

Source: S3ABlockOutputStream.MultiPartUpload.abort, WriteOperationHelper.abortMultipartUpload,
AWSClientConfig.createRetryPolicyBuilder (3.5.0).
"""

from __future__ import annotations

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.breaches import NO_RETRY
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.small_steps import Reached, SmallSteps
from fsconform.engine.injection import ABORT, S3, Wire
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import State

_A, _HELD = ("a",), "held"
_LANE = (OpenWriter(_A, _HELD, "create"), Write(_HELD, content.of(7, 11 << 20)), AbortWriter(_HELD))


def _nothing(_steps: SmallSteps, _state: State, _op: Operation, _outcome: Outcome, _left: object) -> Reached:
    return ()


CLEANS_UP_AGAIN = KnownRace(
    "s3a/sends-the-cleanup-of-an-abort-again",
    "the request by which an aborted stream takes its upload back is sent again where it fails",
    NO_RETRY,
    "SHOULD",
    "wrongly refused",
    "S3A asks once, and the AWS SDK below it asks again, up to fs.s3a.attempts.maximum times",
    "s3a/sends-the-cleanup-of-an-abort-again",
    UNTIL,
    Concurrent((), ((), _LANE), (0, 0), fault=Wire(S3, 0, "server-error", ABORT)),
    {AbortWriter: _nothing},
    disturbed=Wire,
    by_itself=True,
)
