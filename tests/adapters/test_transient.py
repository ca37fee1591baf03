"""What says "try again" and what is an answer; how long is waited, and at what pace a session goes on."""

from __future__ import annotations

import pytest

from fsconform.adapters.hadoop import pace, transient

THROWABLE = ("java.io.IOException", "java.lang.Exception", "java.lang.Throwable")
S3A = "org.apache.hadoop.fs.s3a."
SERVICE = (f"{S3A}AWSServiceIOException", f"{S3A}AWSClientIOException", *THROWABLE)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ((f"{S3A}AWSServiceThrottledException", *SERVICE), ""),
        ((f"{S3A}AWSStatus500Exception", *SERVICE), ""),
        (SERVICE, "PUT a: S3Exception: busy (Service: S3, Status Code: 503, Request ID: 1)"),
        (SERVICE, "PUT a: S3Exception: busy (Service: S3, Status Code: 429, Request ID: 1)"),
        ((f"{S3A}AWSS3IOException", *SERVICE), "SlowDown: Please reduce your request rate."),
        (("java.net.ConnectException", "java.net.SocketException", *THROWABLE), "Connection refused"),
        (("java.net.NoRouteToHostException", "java.net.SocketException", *THROWABLE), ""),
        (("org.apache.hadoop.net.ConnectTimeoutException", "java.net.SocketTimeoutException", *THROWABLE), ""),
        (("java.io.InterruptedIOException", *THROWABLE), "time-out"),
        (("org.apache.hadoop.ipc.RetriableException", *THROWABLE), ""),
        (("org.apache.hadoop.ipc.StandbyException", *THROWABLE), ""),
        (("org.apache.hadoop.hdfs.server.namenode.SafeModeException", *THROWABLE), ""),
        (("com.example.ThrottledException", *THROWABLE), ""),
        (("com.example.Store$RequestThrottlingException", *THROWABLE), ""),
        (("com.example.SlowDownException", *THROWABLE), ""),
        (("com.example.TooManyRequestsException", *THROWABLE), ""),
    ],
)
def test_what_says_try_again(classes: tuple[str, ...], message: str) -> None:
    told = transient.reason(classes, message)
    assert told and classes[0].rpartition(".")[2].rpartition("$")[2] in told


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (THROWABLE, "Status Code: 503, SlowDown"),
        (SERVICE, "PUT a: S3Exception: no (Service: S3, Status Code: 400, Request ID: 503)"),
        (SERVICE, "PUT a: S3Exception: no (Service: S3, Status Code: 5030, Request ID: 1)"),
        ((f"{S3A}AWSBadRequestException", *SERVICE), "Status Code: 400"),
        (("java.io.FileNotFoundException", *THROWABLE), "/ThrottledException"),
        (("java.net.SocketException", *THROWABLE), "Connection reset"),
        (("java.net.UnknownHostException", *THROWABLE), "nowhere"),
        (("com.example.ThrottledExceptionHandler", *THROWABLE), ""),
        (("org.apache.hadoop.security.AccessControlException", *THROWABLE), ""),
        (("java.lang.InterruptedException", "java.lang.Exception", "java.lang.Throwable"), ""),
        ((), ""),
    ],
)
def test_what_is_an_answer(classes: tuple[str, ...], message: str) -> None:
    assert transient.reason(classes, message) == ""


def test_every_sign_is_looked_up() -> None:
    for sign in transient.SIGNS:
        message = "Status Code: 503" if sign.message else ""
        assert sign.why in transient.reason((sign.name, *THROWABLE), message)


def test_waits_double_up_to_the_longest_and_are_spread() -> None:
    waits = [pace.back_off(attempt, lambda: 0.5) for attempt in range(9)]
    assert waits[:3] == [0.25, 0.5, 1.0] and waits[-1] == pace.LONGEST_BACK_OFF
    assert (pace.back_off(1, lambda: 0.0), pace.back_off(1, lambda: 1.0)) == (0.25, 0.75)


class Clock:
    """A clock that goes on only when someone sleeps, or is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def calls(kept: pace.Pace, clock: Clock, number: int) -> float:
    started = clock.now
    for _ in range(number):
        kept.wait()
    return round(clock.now - started, 6)


def test_a_rate_keeps_calls_apart() -> None:
    clock = Clock()
    kept = pace.Pace(4, clock, clock.sleep)
    assert kept.bounded and calls(kept, clock, 9) == 2.0
    clock.now += 60
    assert calls(kept, clock, 1) == 0.0, "idle time is no credit, and no debt"
    assert calls(kept, clock, 1) == 0.25
    free = pace.Pace(0, clock, clock.sleep)
    assert not free.bounded and calls(free, clock, 1000) == 0.0


def test_a_busy_store_is_called_less_for_a_while() -> None:
    clock = Clock()
    kept = pace.Pace(0, clock, clock.sleep)
    kept.slow_down()
    assert kept.bounded and calls(kept, clock, 11) == 0.1
    kept.slow_down()
    kept.wait()
    assert calls(kept, clock, 10) == 0.2
    for _ in range(20):
        kept.slow_down()
    kept.wait()
    assert calls(kept, clock, 5) == 5 * pace.SLOWEST
    paces = []
    while kept.bounded:
        clock.now += pace.CALM_SECONDS
        kept.wait()
        paces.append(calls(kept, clock, 1))
    assert paces == [pace.SLOWEST / 2**times for times in range(1, 5)] + [0.0]
    assert calls(kept, clock, 100) == 0.0


def test_a_rate_that_was_asked_for_comes_back() -> None:
    clock = Clock()
    kept = pace.Pace(10, clock, clock.sleep)
    kept.wait()
    kept.slow_down()
    kept.wait()
    assert calls(kept, clock, 4) == 0.8
    clock.now += pace.CALM_SECONDS
    kept.wait()
    assert calls(kept, clock, 10) == 1.0 and kept.bounded


def test_slowing_down_that_does_not_help_is_taken_back() -> None:
    clock = Clock()
    kept = pace.Pace(0, clock, clock.sleep)
    attempts = []
    for _ in range(5):
        attempts.append(kept.attempts)
        kept.slow_down()
        kept.gave_up()
    assert attempts == [4, 3, 2, 2, 2]
    assert not kept.bounded
