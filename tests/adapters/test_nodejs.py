"""Node programs: Node is found or named as missing; what is installed is kept; a failed one leaves nothing. Azurite."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from fsconform.adapters.nodejs import NodeError, NodeProgram, find_node, installed, installed_path, lacks
from fsconform.adapters.services.azurite import AZURITE, PORT, AzuriteService
from fsconform.adapters.services.daemon import ServiceError

SMALL = replace(AZURITE, script="node_modules/small/main.js")
"""A program whose lock is there; what is run is a script of the test's."""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first on PATH, and a cache of the test's own."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    _script(folder, "node", "echo v22.1.0")
    return folder


def _script(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("text", "told"),
    [("echo v18.20.1", r"v18\.20\.1, too old for azurite.*Node\.js 20"), ("exit 3", "no known version")],
)
def test_a_node_that_will_not_do_is_named(tools: Path, text: str, told: str) -> None:
    _script(tools, "node", text)
    with pytest.raises(NodeError, match=told):
        find_node(SMALL)
    assert len(lacks(SMALL)) == 1


def test_without_node_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lacks(SMALL) == [
        "There is no node on PATH, which azurite needs. Install Node.js 20 or later (your system's package), or put it "
        "on PATH."
    ]


def test_a_program_is_installed_once_from_its_lock(tools: Path, tmp_path: Path) -> None:
    made = "mkdir -p node_modules/small && echo run > node_modules/small/main.js"
    _script(tools, "npm", f'echo "$@" >> {tmp_path}/asked; test -f package-lock.json && {made}')
    said: list[str] = []
    assert lacks(SMALL) == []
    script = installed(SMALL, said.append)
    assert script.read_text() == "run\n" and installed(SMALL, said.append) == script
    assert len(said) == 1
    (asked,) = (tmp_path / "asked").read_text().splitlines()
    assert asked.startswith("ci --ignore-scripts")


def test_a_failed_installation_leaves_nothing_and_tells_why(tools: Path) -> None:
    _script(tools, "npm", "echo no such host >&2; exit 1")
    with pytest.raises(NodeError, match=r"ended with code 1(.|\n)*no such host"):
        installed(SMALL, print)
    assert not installed_path(SMALL).exists()
    assert [path.name for path in installed_path(SMALL).parent.iterdir() if path.is_dir()] == []


def test_the_lock_pins_every_package() -> None:
    lock = json.loads(
        files("fsconform.adapters").joinpath("services", "npm", "azurite", "package-lock.json").read_text()
    )
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert lock["packages"][""]["dependencies"] == {"azurite": AZURITE.version}
    assert packages["node_modules/azurite"]["version"] == AZURITE.version
    assert [name for name, one in packages.items() if not one["integrity"].startswith("sha512-")] == []
    assert [name for name, one in packages.items() if "resolved" in one] == []


def test_a_taken_port_is_told_of_before_anything_is_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", PORT))
        except OSError:
            pass  # another program has it, which does as well
        else:
            taken.listen()
        service = AzuriteService(tmp_path / "work")
        with pytest.raises(ServiceError, match=f"port {PORT} of 127.0.0.1 is taken"):
            service.start()
    assert not (tmp_path / "work").exists() and service.pids == {}


def _azurite_lacks() -> str:
    missing = lacks(AZURITE)
    if missing or not (installed_path(AZURITE) / AZURITE.script).is_file():
        return "; ".join(missing) or "azurite is not installed yet"
    with socket.socket() as probe:
        return "its port is taken" if probe.connect_ex(("127.0.0.1", PORT)) == 0 else ""


@pytest.mark.timeout(240)
def test_azurite_keeps_strangers_out_and_is_gone_when_stopped(tmp_path: Path) -> None:
    if missing := _azurite_lacks():
        pytest.skip(missing)
    service = AzuriteService(tmp_path / "work")
    service.start()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
        connection.request(
            "GET", "/devstoreaccount1/fsconform?restype=container", headers={"x-ms-version": "2021-08-06"}
        )
        answer = connection.getresponse()
        assert answer.status in (403, 404) and "azurite" in answer.headers["Server"].lower()
        assert service.alive()
        (pid,) = service.pids.values()
    finally:
        service.stop()
    assert not (tmp_path / "work").exists() and not Path(f"/proc/{pid}").exists()


def test_programs_differ_by_name_and_version() -> None:
    other = NodeProgram("azurite", "1", AZURITE.script, 20)
    assert installed_path(other).name != installed_path(AZURITE).name
