"""What ``fsconform jars --class-path`` prints: jars that compile a connector, or a test over Hadoop's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app.main import main


@pytest.mark.parametrize(("which", "has"), [("client", "hadoop-client-api"), ("tests", "junit-platform-console")])
def test_a_class_path_is_all_that_is_printed(which: str, has: str) -> None:
    done = CliRunner().invoke(main, ["jars", "--class-path", which])
    assert done.exit_code == 0, done.output
    paths = [Path(path) for path in done.stdout.strip().split(os.pathsep)]
    assert all(path.is_file() for path in paths) and "\n" not in done.stdout.strip()
    assert any(path.name.startswith(has) for path in paths), paths
