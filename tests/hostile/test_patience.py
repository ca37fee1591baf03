"""Waits for our own services and workers grow with the machine's load; a user's time-outs do not."""

from __future__ import annotations

import ast
import os
import re
import sys
import time
from pathlib import Path

import pytest

from fsconform.adapters.patience import MOST, Patience, busyness, patient
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.server import Server

ADAPTERS = Path(__file__).parents[2] / "adapters"
SLOW = "import sys, time; time.sleep(1.2); print('port 17', flush=True); time.sleep(60)"


def loaded(monkeypatch: pytest.MonkeyPatch, threads: float, cores: int) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (threads, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: cores)


@pytest.mark.parametrize(
    ("threads", "cores", "factor"), [(0.1, 2, 1.0), (2.0, 2, 1.0), (6.0, 2, 3.0), (500.0, 2, MOST), (6.0, 64, 1.0)]
)
def test_a_time_is_scaled_by_the_load_of_a_core(
    monkeypatch: pytest.MonkeyPatch, threads: float, cores: int, factor: float
) -> None:
    loaded(monkeypatch, threads, cores)
    assert busyness() == factor and patient(60) == 60 * factor


def test_where_no_load_is_told_the_base_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def untold() -> None:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", untold)
    assert patient(60) == 60


def test_a_wait_grows_while_it_lasts_and_does_not_shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    loaded(monkeypatch, 1.0, 2)
    wait = Patience(10)
    clock[0] = 109.0
    assert wait.left == 1.0
    loaded(monkeypatch, 8.0, 2)
    clock[0] = 139.0
    assert not wait.over and wait.seconds == 40
    loaded(monkeypatch, 0.0, 2)
    assert wait.left == 1.0
    clock[0] = 140.5
    assert wait.over


@pytest.mark.parametrize("threads", [0.0, 16.0])
def test_a_service_has_longer_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, threads: float
) -> None:
    loaded(monkeypatch, threads, 2)
    command = (sys.executable, "-c", SLOW)
    server = Server("slow", tmp_path / "work", lambda _: command, re.compile(r"port (\d+)"), start_timeout=0.6)
    begun = time.monotonic()
    try:
        if threads:
            server.start()
            assert server.port == 17 and time.monotonic() - begun > 0.6
        else:
            with pytest.raises(ServiceError, match="was not ready after 1 s"):
                server.start()
    finally:
        server.stop()


def _waits(tree: ast.AST) -> list[ast.Call]:
    """Calls that wait for something of ours for a time that is written down: ``timeout=30``, ``monotonic() + 60``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "timeout" and isinstance(keyword.value, ast.Constant | ast.Name):
                    found.append(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.Call):
            name = node.left.func
            if isinstance(name, ast.Attribute) and name.attr == "monotonic":
                found.append(node.left)
    return found


def test_no_wait_for_a_service_is_of_a_fixed_time() -> None:
    fixed = {
        f"{file.name}:{call.lineno}"
        for file in sorted((ADAPTERS / "services").glob("*.py"))
        for call in _waits(ast.parse(file.read_text("utf-8")))
    }
    assert not fixed, f"use adapters/patience.py: {sorted(fixed)}"
