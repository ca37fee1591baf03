"""Links before servers of our own: Toxiproxy, mitmproxy and the relay that counts, each fault on real sockets."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from fsconform.adapters.network.links import Endpoint, Links
from fsconform.adapters.network.requests import Commands
from fsconform.engine.injection import Wire

pytestmark = pytest.mark.timeout(1800)  # the first test of a new machine builds Toxiproxy and installs mitmproxy

SHORT = 1.0


class Lines(threading.Thread):
    """A server that answers each line by itself, and remembers it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.heard: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.start()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rwb") as stream:
                for line in stream:
                    self.heard.append(line)
                    stream.write(line)
                    stream.flush()
        except OSError:
            pass


class Pages(BaseHTTPRequestHandler):
    """Answers with ten bytes, and remembers what was asked for."""

    protocol_version = "HTTP/1.1"
    heard: ClassVar[list[tuple[str, str]]] = []

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.heard.append((self.command, body.decode()))
        self.send_response(200)
        self.send_header("Content-Length", "10")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"0123456789")

    do_GET = do_PUT = do_DELETE = do_POST = do_HEAD = _answer

    def log_message(self, format: str, *arguments: Any) -> None: ...


@pytest.fixture(scope="module")
def lines() -> Iterator[Lines]:
    server = Lines()
    yield server
    server.listener.close()


@pytest.fixture(scope="module")
def links(lines: Lines, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Links]:
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, args=(0.05,), daemon=True).start()
    work: Path = tmp_path_factory.mktemp("links")
    found = Links(
        work,
        [
            Endpoint("lines", "127.0.0.1", lines.listener.getsockname()[1], Commands),
            Endpoint("pages", "127.0.0.1", pages.server_address[1]),
        ],
        print,
    )
    yield found
    found.close()
    pages.shutdown()
    pages.server_close()
    assert not any(work.rglob("*.pid"))


def said(links: Links, *sent: bytes) -> list[bytes]:
    """What came back of each line by one connection, up to its end."""
    found = []
    with socket.create_connection(links.address("lines"), SHORT) as one, one.makefile("rwb") as stream:
        for line in sent:
            stream.write(line)
            stream.flush()
            answer = stream.readline()
            if not answer:
                raise EOFError
            found.append(answer)
    return found


def test_a_link_passes_all_on(links: Links) -> None:
    assert said(links, b"a\n", b"b\n") == [b"a\n", b"b\n"]


@pytest.mark.parametrize(("fault", "arrives"), [("reset", False), ("lose-reply", True)])
def test_a_request_that_is_counted_is_reset(links: Links, lines: Lines, fault: str, arrives: bool) -> None:
    lines.heard.clear()
    links.arm(Wire("lines", 0, fault, "PUT", 2))
    with pytest.raises(ConnectionResetError):
        said(links, b"put 1\n", b"get 1\n", b"put 2\n")
    assert said(links, b"put 3\n") == [b"put 3\n"]
    assert links.disarm()
    assert lines.heard == [b"put 1\n", b"get 1\n", *([b"put 2\n"] if arrives else []), b"put 3\n"]


def test_so_many_requests_are_reset(links: Links, lines: Lines) -> None:
    lines.heard.clear()
    links.arm(Wire("lines", 0, "reset", times=3))
    for _ in range(3):
        with pytest.raises(ConnectionResetError):
            said(links, b"a\n")
    assert said(links, b"a\n") == [b"a\n"] and links.disarm()
    assert lines.heard == [b"a\n"]


def test_what_is_not_asked_for_is_not_met(links: Links) -> None:
    links.arm(Wire("lines", 0, "reset", "PUT", 2))
    assert said(links, b"put 1\n", b"get\n") == [b"put 1\n", b"get\n"]
    assert not links.disarm() and not links.disarm()
    assert said(links, b"put 2\n") == [b"put 2\n"]


def test_a_link_is_silent_until_it_is_well_again(links: Links, lines: Lines) -> None:
    lines.heard.clear()
    links.arm(Wire("lines", 0, "half-open", "", 2))
    with pytest.raises(TimeoutError):
        said(links, b"a\n", b"b\n")
    with pytest.raises(TimeoutError):
        said(links, b"c\n")
    assert links.disarm() and lines.heard == [b"a\n"]
    assert said(links, b"d\n") == [b"d\n"]


def test_a_reply_is_cut_after_bytes(links: Links) -> None:
    links.arm(Wire("lines", 0, "cut-reply", amount=3))
    with socket.create_connection(links.address("lines"), SHORT) as one:
        one.sendall(b"abcdef\n")
        found = b""
        while piece := one.recv(100):
            found += piece
    assert found == b"abc" and links.disarm()


def test_a_request_is_cut_after_bytes(links: Links, lines: Lines) -> None:
    lines.heard.clear()
    links.arm(Wire("lines", 0, "cut-request", amount=3))
    with pytest.raises((EOFError, ConnectionResetError)):
        said(links, b"abcdef\n")
    assert links.disarm() and lines.heard in ([], [b"abc"])


@pytest.mark.parametrize(("fault", "amount"), [("latency", 300), ("jitter", 400), ("slow", 1)])
def test_a_link_is_slow(links: Links, fault: str, amount: int) -> None:
    line = b"a" * 600 + b"\n" if fault == "slow" else b"a\n"
    began = time.monotonic()
    links.arm(Wire("lines", 0, fault, amount=amount))
    assert said(links, line) == [line]
    assert fault == "jitter" or time.monotonic() - began > 0.25
    assert links.disarm()


def asked(links: Links, method: str = "GET", path: str = "/x", body: bytes | None = None) -> tuple[int, bytes]:
    host, port = links.address("pages")
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_an_http_server_is_reached(links: Links) -> None:
    assert asked(links) == (200, b"0123456789")


@pytest.mark.parametrize(("fault", "arrives"), [("reset", 0), ("lose-reply", 1)])
def test_an_http_request_is_lost(links: Links, fault: str, arrives: int) -> None:
    Pages.heard.clear()
    links.arm(Wire("pages", 0, fault, "PUT"))
    assert asked(links)[0] == 200
    with pytest.raises((http.client.HTTPException, OSError)):
        asked(links, "PUT", "/x", b"body")
    assert asked(links, "PUT", "/x", b"body")[0] == 200 and links.disarm()
    assert Pages.heard.count(("PUT", "body")) == 1 + arrives


@pytest.mark.parametrize(("fault", "status"), [("slow-down", 503), ("too-many", 429), ("server-error", 500)])
def test_an_http_server_seems_to_fail(links: Links, fault: str, status: int) -> None:
    Pages.heard.clear()
    links.arm(Wire("pages", 0, fault, "DELETE", times=2))
    assert [asked(links, "DELETE")[0] for _ in range(3)] == [status, status, 200]
    assert links.disarm() and len(Pages.heard) == 1


def test_a_body_is_cut_short(links: Links) -> None:
    links.arm(Wire("pages", 0, "truncated"))
    with pytest.raises(http.client.IncompleteRead) as raised:
        asked(links)
    assert raised.value.partial == b"01234" and links.disarm()


def test_a_length_is_wrong(links: Links) -> None:
    links.arm(Wire("pages", 0, "wrong-length"))
    assert asked(links) == (200, b"012345678") and links.disarm()


def test_a_request_is_delivered_twice(links: Links) -> None:
    Pages.heard.clear()
    links.arm(Wire("pages", 0, "twice", "PART"))
    assert asked(links, "PUT", "/x?partNumber=1&uploadId=2", b"one") == (200, b"0123456789")
    assert links.disarm() and Pages.heard == [("PUT", "one")] * 2


@pytest.mark.parametrize("fault", ["wrong-length", "twice"])
def test_the_length_that_head_tells_is_of_the_object(links: Links, fault: str) -> None:
    links.arm(Wire("pages", 0, fault))
    connection = http.client.HTTPConnection(*links.address("pages"), timeout=10)
    connection.request("HEAD", "/x")
    assert connection.getresponse().headers["Content-Length"] == "10"
    connection.close()
    assert links.disarm()


def test_what_has_no_body_to_be_cut_short_is_lost(links: Links) -> None:
    links.arm(Wire("pages", 0, "truncated"))
    with pytest.raises((http.client.HTTPException, OSError)):
        asked(links, "HEAD")
    assert links.disarm()


def test_which_faults_there_are(links: Links) -> None:
    assert links.injects(Wire("lines", 0, "half-open")) and links.injects(Wire("pages", 0, "half-open"))
    assert not links.injects(Wire("pages", 0, "half-open", "PUT")) and not links.injects(Wire("lines", 0, "slow-down"))
    assert not links.injects(Wire("nowhere", 0, "reset"))
