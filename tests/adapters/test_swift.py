"""OpenStack Swift on loopback: what issues its keys, and the server itself, with strangers kept out."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.services import swift
from fsconform.adapters.services.swift_keys import TOKENS, Memory, tokens

GIVEN = {"tenantName": "t", "passwordCredentials": {"username": "u", "password": "p"}}


def asked(body: bytes, answers: Mapping[str, str], path: str = TOKENS) -> tuple[str, Any, list[dict[str, Any]]]:
    """What the filter says before an application that answers a user and a key by ``answers``."""
    heard: list[dict[str, Any]] = []
    said: list[str] = []

    def application(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        heard.append(environ)
        status = answers.get(f"{environ.get('HTTP_X_STORAGE_USER')} {environ.get('HTTP_X_STORAGE_PASS')}", "401 No")
        start(status, [("X-Auth-Token", "AUTH_tk1"), ("X-Storage-Url", "http://127.0.0.1:1/v1/AUTH_t")])
        return [b""]

    environ = {"PATH_INFO": path, "REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(body))}
    answer = tokens({})(application)(
        environ | {"wsgi.input": io.BytesIO(body)}, lambda status, headers: said.append(status)
    )
    text = b"".join(answer)
    return said[0], json.loads(text) if text else None, heard


def test_a_key_that_is_right_gets_a_token_of_the_server_behind() -> None:
    status, told, heard = asked(json.dumps({"auth": GIVEN}).encode(), {"t:u p": "200 OK"})
    assert status == "200 OK" and told["access"]["token"]["id"] == "AUTH_tk1"
    endpoint = told["access"]["serviceCatalog"][0]["endpoints"][0]
    assert endpoint["publicURL"] == "http://127.0.0.1:1/v1/AUTH_t" and endpoint["tenantId"] == "AUTH_t"
    assert [(one["REQUEST_METHOD"], one["PATH_INFO"]) for one in heard] == [("GET", "/auth/v1.0")]


@pytest.mark.parametrize("password", ["q", ""])
def test_a_key_that_is_wrong_gets_none(password: str) -> None:
    given = GIVEN | {"passwordCredentials": {"username": "u", "password": password}}
    assert asked(json.dumps({"auth": given}).encode(), {"t:u p": "200 OK"})[0] == "401 Unauthorized"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"auth": null}', b'{"auth": {"tenantName": "t"}}'])
def test_a_request_that_is_none_is_said_to_be(body: bytes) -> None:
    status, _, heard = asked(body, {"t:u p": "200 OK"})
    assert (status, heard) == ("400 Bad Request", [])


def test_what_asks_for_no_token_goes_through_as_it_came() -> None:
    _, _, heard = asked(b"data", {}, "/v1/AUTH_t/c/o")
    assert heard[0]["PATH_INFO"] == "/v1/AUTH_t/c/o" and heard[0]["wsgi.input"].read() == b"data"


def test_the_memory_forgets_in_time() -> None:
    now = [10.0]
    memory = Memory(lambda: now[0])
    memory.set("a", ["x"], time=5)
    memory.set("b", 1)
    assert (memory.get("a"), memory.incr("b"), memory.incr("c", 3), memory.get("d")) == (["x"], 2, 3, None)
    now[0] = 15.0
    assert (memory.get("a"), memory.get("b")) == (None, 2)
    memory.delete("b")
    assert memory.get("b") is None


def request(port: int, method: str, path: str, body: str = "", token: str = "") -> tuple[int, bytes]:
    """One request to the server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, {"X-Auth-Token": token} if token else {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.skipif(bool(swift.lacks()), reason="; ".join(swift.lacks()))
def test_swift_keeps_objects_keeps_strangers_out_and_is_gone_when_stopped(tmp_path: Path) -> None:
    service = swift.SwiftService(tmp_path / "work")
    service.start()
    try:
        of = f"fs.swift.service.{swift.SERVICE}"
        told = service.client_configuration()
        port = int(told[f"{of}.auth.url"].partition("127.0.0.1:")[2].partition("/")[0])
        credentials = {"username": told[f"{of}.username"], "password": told[f"{of}.password"]}
        given = {"auth": {"tenantName": told[f"{of}.tenant"], "passwordCredentials": credentials}}
        wrong = {"auth": {"tenantName": told[f"{of}.tenant"], "passwordCredentials": credentials | {"password": "x"}}}
        assert request(port, "POST", TOKENS, json.dumps(wrong))[0] == 401
        status, text = request(port, "POST", TOKENS, json.dumps(given))
        assert status == 200
        access = json.loads(text)["access"]
        place = access["serviceCatalog"][0]["endpoints"][0]["publicURL"].partition(f":{port}")[2]
        token = access["token"]["id"]
        assert request(port, "PUT", f"{place}/c", token=token)[0] == 201
        assert request(port, "PUT", f"{place}/c/o", "data", token)[0] == 201
        assert request(port, "GET", f"{place}/c/o", token=token) == (200, b"data")
        assert request(port, "GET", f"{place}/c/o")[0] == 401
        assert request(port, "GET", f"{place}/c/o", token="AUTH_tk0")[0] == 401
    finally:
        service.stop()
    assert not service.alive() and not (tmp_path / "work").exists()
