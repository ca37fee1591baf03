"""The script that mitmproxy runs before an HTTP server: it counts requests, and lets one of them fail, on demand.

It runs in mitmproxy's own environment, so it imports nothing of fsconform. It hears what is to fail by a socket on
loopback, of which the port and a secret come by the environment: a JSON object a line, answered by one. Requests are
named as S3 has them (``PUT``, ``COPY``, ``GET``, ``HEAD``, ``LIST``, ``DELETE``, ``DELETE-MANY``, ``CREATE-UPLOAD``,
``PART``, ``COPY-PART``, ``COMPLETE``, ``ABORT``), or by the parameter ``op`` where that is there, as WebHDFS has it.
"""

from __future__ import annotations

import asyncio
import hmac
import http.client
import json
import os
from typing import Any

from mitmproxy import http as mitm

TIMEOUT = 30.0
CODES = {
    "slow-down": (503, "SlowDown", "Please reduce your request rate."),
    "too-many": (429, "TooManyRequests", "Please reduce your request rate."),
    "server-error": (500, "InternalError", "We encountered an internal error. Please try again."),
}
_BODY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>{}</Code><Message>{}</Message></Error>'


def name_of(method: str, query: dict[str, str], headers: Any) -> str:
    """What a request is called."""
    if "op" in query:
        return query["op"].upper()
    copies = "x-amz-copy-source" in headers
    if method == "PUT":
        if "partNumber" in query:
            return "COPY-PART" if copies else "PART"
        return "COPY" if copies else "PUT"
    if method == "POST":
        of = {"uploads": "CREATE-UPLOAD", "uploadId": "COMPLETE", "delete": "DELETE-MANY"}
        return next((name for key, name in of.items() if key in query), "POST")
    if method == "DELETE":
        return "ABORT" if "uploadId" in query else "DELETE"
    if method == "GET" and ("list-type" in query or "prefix" in query):
        return "LIST"
    return method


class Failing:
    """Lets a request fail: the one that is counted, since the last time that somebody asked for one."""

    def __init__(self, host: str, port: int) -> None:
        self._upstream = host, port
        self._fault, self._request, self._left, self._times = "", "", 0, 0
        self._met = False

    def heard(self, row: dict[str, Any]) -> dict[str, Any]:
        """What is to fail from now on, or that nothing is; whether what was asked for before was met."""
        met, self._met = self._met, False
        self._fault, self._request = str(row.get("fault", "")), str(row.get("request", ""))
        self._left, self._times = int(row.get("count", 0)), int(row.get("times", 0))
        return {"met": met}

    def _due(self, name: str) -> str:
        if not self._times or self._request not in ("", name):
            return ""
        self._left -= 1
        if self._left > 0:
            return ""
        self._met = True
        self._times -= 1
        return self._fault

    def request(self, flow: mitm.HTTPFlow) -> None:
        """A whole request has come."""
        name = name_of(flow.request.method, dict(flow.request.query), flow.request.headers)
        fault = flow.metadata["fault"] = self._due(name)
        if fault == "reset":
            flow.kill()
        elif fault in CODES:
            code, word, message = CODES[fault]
            headers = {"Content-Type": "application/xml", "Connection": "close"}
            flow.response = mitm.Response.make(code, _BODY.format(word, message), headers)

    async def response(self, flow: mitm.HTTPFlow) -> None:
        """A whole reply has come."""
        fault = flow.metadata.get("fault", "")
        if fault == "lose-reply":
            flow.kill()
        elif fault == "twice":
            flow.response = await asyncio.to_thread(self._again, flow.request)
        elif fault == "truncated":
            self._shorten(flow)
        elif fault == "wrong-length":
            self._mislead(flow)

    def _shorten(self, flow: mitm.HTTPFlow) -> None:
        """The half of the body, and then the end of the connection; only that where there is no body."""
        response = flow.response
        assert response is not None
        body = response.raw_content or b""
        if not body:
            flow.kill()
            return
        response.headers["Content-Length"] = str(len(body))
        response.headers["Connection"] = "close"
        response.data.content = body[: len(body) // 2]

    def _mislead(self, flow: mitm.HTTPFlow) -> None:
        """The body but for its last byte, and a length that says that this is all; no body is left as it is.

        What the reply to HEAD says of lengths is of the object, and no client could know better.
        """
        response = flow.response
        assert response is not None
        if not response.raw_content:
            return
        body = response.raw_content[:-1]
        response.data.content = body
        response.headers["Content-Length"] = str(len(body))
        response.headers["Connection"] = "close"

    def _again(self, request: mitm.Request) -> mitm.Response:
        """The answer to the same request once more."""
        connection = http.client.HTTPConnection(*self._upstream, timeout=TIMEOUT)
        try:
            connection.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
            for name, value in request.headers.items(multi=True):
                connection.putheader(name, value)
            connection.endheaders(request.raw_content or b"")
            answer = connection.getresponse()
            headers = [(name.encode(), value.encode()) for name, value in answer.getheaders()]
            found = mitm.Response.make(answer.status, answer.read(), headers)
            if request.method == "HEAD":  # its length is of what is not sent
                found.headers["Content-Length"] = answer.headers.get("Content-Length", "0")
            return found
        finally:
            connection.close()


class Control:
    """The addon: what fails, and the socket by which it hears of that."""

    def __init__(self) -> None:
        self._failing = Failing(os.environ["FSCONFORM_HOST"], int(os.environ["FSCONFORM_PORT"]))
        self.request, self.response = self._failing.request, self._failing.response

    async def running(self) -> None:
        """Mitmproxy is up."""
        port = int(os.environ["FSCONFORM_CONTROL"])
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        print("listens to what is to fail", flush=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            row = json.loads(line)
            if not hmac.compare_digest(str(row.get("secret", "")), os.environ["FSCONFORM_SECRET"]):
                break
            writer.write(json.dumps(self._failing.heard(row)).encode() + b"\n")
            await writer.drain()
        writer.close()


addons = [Control()]
