"""A relay before an S3 server, on loopback: it passes requests on as they are and remembers them.

Signatures stay good: they hold for the host that the client named, which is passed on. For one client at a time that
waits for its answers: what the client asked for is known once its call has returned.
"""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree.ElementTree import ParseError

from fsconform.adapters.patience import patient

TIMEOUT = 60.0
_HOP = {"connection", "transfer-encoding", "keep-alive"}


@dataclass(frozen=True, slots=True)
class Request:
    """A request: method, bucket, key (empty for one of the bucket), names in its query, keys a bulk delete lists."""

    method: str
    bucket: str
    key: str
    query: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def deletes(self) -> tuple[str, ...]:
        """The keys that the request deletes."""
        if self.method == "DELETE" and self.key and "uploadId" not in self.query:
            return (self.key,)
        return self.keys

    @property
    def writes(self) -> bool:
        """Whether it changes what the bucket holds."""
        return self.method not in ("GET", "HEAD") and "uploadId" not in self.query and "uploads" not in self.query


def read(method: str, target: str, body: bytes) -> Request:
    """The request that a line and a body say, in path style."""
    url = urlsplit(target)
    bucket, _, key = url.path.lstrip("/").partition("/")
    query = tuple(sorted(parse_qs(url.query, keep_blank_values=True)))
    keys = _bulk(body) if method == "POST" and "delete" in query else ()
    return Request(method, unquote(bucket), unquote(key), query, keys)


def _bulk(body: bytes) -> tuple[str, ...]:
    from defusedxml.ElementTree import fromstring

    try:
        root = fromstring(body)
    except ParseError:
        return ()
    return tuple(one.text or "" for one in root.iter() if one.tag.rpartition("}")[2] == "Key")


class Relay:
    """A relay to an endpoint such as ``http://127.0.0.1:9000``; it runs while it is open."""

    def __init__(self, endpoint: str) -> None:
        url = urlsplit(endpoint)
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(url.hostname or "", url.port or 80, self._note))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def endpoint(self) -> str:
        """The URL of the relay."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self) -> tuple[Request, ...]:
        """What was asked for since this was called last, in the order in which it came."""
        with self._lock:
            found, self._requests = tuple(self._requests), []
        return found

    def _note(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _handler(host: str, port: int, note: object) -> type[BaseHTTPRequestHandler]:
    """The class of what serves one connection of a client; it has one of its own to the server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Headers and body go out in two writes: without this each answer waits for a delayed one.
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self._upstream = http.client.HTTPConnection(host, port, timeout=patient(TIMEOUT))

        def finish(self) -> None:
            self._upstream.close()
            super().finish()

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            assert callable(note)
            note(read(self.command, self.path, body))
            try:
                answer, said = self._asked(body)
            except (OSError, http.client.HTTPException):
                self.close_connection = True
                self.send_error(502)
                return
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.headers.items():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            if "Content-Length" not in answer.headers and answer.status not in (204, 304):
                self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def _asked(self, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
            self._upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP | {"expect"}:
                    self._upstream.putheader(name, value)
            self._upstream.endheaders(body)
            answer = self._upstream.getresponse()
            return answer, answer.read()

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is written."""

    return Handler
