"""The documentation: the site builds without a broken link, and its reference has what the code has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fsconform.app.main import main
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.records.results import StoreRecord
from fsconform.suites.registry import SUITES

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a broken link or anchor and a page that is in no menu end it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_reference_has_all_that_the_code_has(site: Path) -> None:
    pages = {one.stem: one.read_text("utf-8") for one in (site / "reference").iterdir()}
    assert all(
        f">fsconform {name}" in pages["commands"] for name in ("run", "replay", "contract infer", "markers audit")
    )
    assert set(main.list_commands(None)) <= set(re.findall(r'id="fsconform-([a-z]+)', pages["commands"]))  # type: ignore[arg-type]
    assert [name for name in OPTIONS if f"fs.contract.{name}<" not in pages["options"]] == []
    assert [name for name in SUITES if f"<code>{name}</code>" not in pages["suites"]] == []
    assert [name for name in StoreRecord.__dataclass_fields__ if f"<code>{name}</code>" not in pages["results"]] == []
    assert "urn:fsconform:results:1" in pages["results"]


def test_it_opens_without_a_network(site: Path) -> None:
    """Nothing that a page loads lies elsewhere."""
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="(https?:[^"]+)"', page.read_text("utf-8")
        )
        assert loaded == [], page
