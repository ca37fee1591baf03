"""What Hadoop's client of Swift asks for keys, before Swift's own proxy: filters of a PasteDeploy pipeline.

That client knows one way to a token, version 2 of Keystone's interface, which OpenStack has dropped. ``tokens`` answers
such a request by asking the pipeline's TempAuth, Swift's own, for one of its tokens. It is a service of keys and keeps
nothing: every other request goes through as it came. ``cache`` is the memory in which TempAuth keeps its tokens, and
the proxy what it knows of containers: memcached elsewhere, a dictionary here, as all is one process.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

TOKENS = "/v2.0/tokens"

Environ = dict[str, Any]
Start = Callable[..., Any]
Application = Callable[[Environ, Start], Iterable[bytes]]
_MOST = 1 << 16
"""Bytes of a request for a token, at most."""


class Memory:
    """As much of Swift's client of memcached as TempAuth and the proxy call. Times are in seconds, 0 for ever."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep nothing yet."""
        self._clock = clock
        self._kept: dict[str, tuple[str, float]] = {}

    def get(self, key: str, **_: Any) -> Any:
        """What is kept under a key, as JSON keeps it; None if nothing is, or its time is over."""
        text, until = self._kept.get(key, ("null", 0.0))
        if until and until <= self._clock():
            self._kept.pop(key, None)
            return None
        return json.loads(text)

    def set(self, key: str, value: Any, time: float = 0, **_: Any) -> None:
        """Keep a value for so many seconds."""
        self._kept[key] = (json.dumps(value), self._clock() + time if time > 0 else 0.0)

    def delete(self, key: str, **_: Any) -> None:
        """Keep it no more."""
        self._kept.pop(key, None)

    def incr(self, key: str, delta: int = 1, time: float = 0, **_: Any) -> int:
        """Add to a number, 0 at first, and give it."""
        number = max(0, int(self.get(key) or 0) + int(delta))
        self.set(key, number, time)
        return number


def cache(_settings: Mapping[str, str], **_local: str) -> Callable[[Application], Application]:
    """The filter that gives each request the memory."""
    memory = Memory()

    def before(application: Application) -> Application:
        return lambda environ, start: application(environ | {"swift.cache": memory}, start)

    return before


def tokens(_settings: Mapping[str, str], **_local: str) -> Callable[[Application], Application]:
    """The filter that answers requests for a token."""

    def before(application: Application) -> Application:
        def answer(environ: Environ, start: Start) -> Iterable[bytes]:
            if environ.get("PATH_INFO") != TOKENS:
                return application(environ, start)
            return _answer(application, environ, start)

        return answer

    return before


def _answer(application: Application, environ: Environ, start: Start) -> Iterable[bytes]:
    try:
        asked = json.loads(environ["wsgi.input"].read(min(_MOST, int(environ.get("CONTENT_LENGTH") or 0))))["auth"]
        given = asked["passwordCredentials"]
        tenant, user, password = str(asked["tenantName"]), str(given["username"]), str(given["password"])
    except (ValueError, LookupError, TypeError):
        return _said(start, "400 Bad Request", {"error": {"code": 400, "title": "Bad Request"}})
    told: dict[str, str] = {}

    def heard(status: str, headers: Iterable[tuple[str, str]], *_: Any) -> None:
        told.update({name.lower(): value for name, value in headers}, status=status)

    way = {"PATH_INFO": "/auth/v1.0", "RAW_PATH_INFO": "/auth/v1.0", "REQUEST_METHOD": "GET", "CONTENT_LENGTH": "0"}
    keys = {"HTTP_X_STORAGE_USER": f"{tenant}:{user}", "HTTP_X_STORAGE_PASS": password}
    for _ in application(environ | way | keys, heard):
        pass
    if not told["status"].startswith("2"):
        return _said(start, "401 Unauthorized", {"error": {"code": 401, "title": "Unauthorized"}})
    until = datetime.now(UTC) + timedelta(seconds=int(told.get("x-auth-token-expires", "0")))
    expires = until.strftime("%Y-%m-%dT%H:%M:%SZ")
    return _said(start, "200 OK", _access(tenant, user, told["x-auth-token"], expires, told["x-storage-url"]))


def _access(tenant: str, user: str, token: str, expires: str, url: str) -> dict[str, Any]:
    """The answer for a user of a tenant, whose objects are at ``url``."""
    account = url.rpartition("/")[2]
    endpoint = {"region": "one", "tenantId": account, "publicURL": url, "internalURL": url}
    return {
        "access": {
            "token": {"id": token, "expires": expires, "tenant": {"id": account, "name": tenant}},
            "serviceCatalog": [{"type": "object-store", "name": "swift", "endpoints": [endpoint]}],
            "user": {"id": user, "name": user, "roles": []},
        }
    }


def _said(start: Start, status: str, body: dict[str, Any]) -> Iterable[bytes]:
    data = json.dumps(body).encode()
    start(status, [("Content-Type", "application/json"), ("Content-Length", str(len(data)))])
    return [data]
