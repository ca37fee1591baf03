"""HDFS with a directory of its own kind: what is asked of it, what is made of refusals; by night the services."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.hdfs_policies import DATANODES, DIRECTORY, POLICY, Kind, PolicyHdfs
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import quirks_of
from fsconform.harness.presets import PRESETS
from fsconform.harness.targets import targets


class NameNode(BaseHTTPRequestHandler):
    """Answers as WebHDFS does, and refuses what it does not know."""

    asked: ClassVar[list[tuple[str, dict[str, list[str]]]]] = []

    def do_PUT(self) -> None:
        address = urlsplit(self.path)
        parameters = parse_qs(address.query)
        self.asked.append((address.path, parameters))
        status = 200 if parameters["op"] in (["MKDIRS"], ["SETECPOLICY"]) else 403
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b'{"boolean":true}' if status == 200 else b"no such thing")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def answering() -> Iterator[str]:
    """The address of such a NameNode."""
    NameNode.asked.clear()
    with HTTPServer(("127.0.0.1", 0), NameNode) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"webhdfs://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_calls_go_to_the_directory_and_a_refusal_is_told(
    answering: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = PolicyHdfs("erasure-coded", tmp_path / "hdfs", [])
    monkeypatch.setattr(PolicyHdfs, "web_uri", answering)
    service._ask("SETECPOLICY", DIRECTORY, ecpolicy=POLICY)
    (path, parameters), *_ = NameNode.asked
    assert path == f"/webhdfs/v1{DIRECTORY}" and parameters["ecpolicy"] == [POLICY] and parameters["user.name"]
    with pytest.raises(ServiceError, match="ALLOW of /kept was refused with status 403: no such thing"):
        service._ask("ALLOW", DIRECTORY)
    monkeypatch.setattr(PolicyHdfs, "web_uri", "webhdfs://127.0.0.1:1")
    with pytest.raises(ServiceError, match="MKDIRS of /kept was not answered"):
        service._ask("MKDIRS", DIRECTORY)


@pytest.mark.parametrize(
    ("store", "option"), [("hdfs-ec", "fsconform.erasure-coded"), ("hdfs-encrypted", "fsconform.in-encryption-zone")]
)
def test_the_known_bugs_of_hdfs_are_lent(store: str, option: str) -> None:
    assert not PRESETS[store].default and load_shipped(store).declared[option] is True
    (target,) = targets((store,), None, "", None, None)
    assert target.contract.quirks is not None
    known = {quirk.id for quirk in target.contract.quirks.all}
    assert known >= {quirk.id for quirk in quirks_of(("hdfs",)).all} != set()
    assert {waiver.store for waiver in target.waivers} == {store}


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("kind", ["erasure-coded", "encrypted"])
def test_the_service_comes_up_and_goes(kind: Kind, tmp_path: Path) -> None:
    service = PolicyHdfs(kind, tmp_path / "hdfs", resolve(load_profile(), ("minicluster",)))
    service.start()
    try:
        assert service.uri.startswith("hdfs://127.0.0.1:") and service.uri.endswith(DIRECTORY)
        assert len([log for log in service.logs() if "datanode" in log.name]) == (
            DATANODES if kind == "erasure-coded" else 1
        )
    finally:
        service.stop()
    assert not (tmp_path / "hdfs").exists()
