"""``fsconform init``: a project for a connector that can be used as it is."""

from __future__ import annotations

import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.main import main
from fsconform.app.run import run
from fsconform.engine.waivers import load as load_waivers
from fsconform.harness.targets import given_contract
from fsconform.specs.contract_xml import load

URI = ("--uri", "my://bucket/sandbox")
HADOOP = """<?xml version="1.0"?>
<!-- as the connector's own tests read it -->
<configuration>
  <property><name>fs.contract.test.fs.my</name><value>my://bucket</value></property>
  <property><name>fs.contract.supports-append</name><value>true</value></property>
</configuration>
"""


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["init", *map(str, arguments)])


def workflow(folder: Path) -> dict[str, Any]:
    read = yaml.safe_load((folder / ".github" / "workflows" / "fsconform.yml").read_text("utf-8"))
    assert isinstance(read, dict)
    return read


def steps(folder: Path) -> dict[str, dict[str, Any]]:
    (job,) = workflow(folder)["jobs"].values()
    return {one["name"]: one for one in job["steps"] if "name" in one}


def test_a_project_has_contract_waivers_and_workflow(tmp_path: Path) -> None:
    hadoop = tmp_path / "hadoop.xml"
    hadoop.write_text(HADOOP, "utf-8")
    (tmp_path / "pom.xml").touch()
    done = call(
        tmp_path, *URI, "--jars", "target/*.jar", "lib/*.jar", "--conf", "fs.my.impl=org.My", "--contract", hadoop
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "fsconform" / "contract.xml").read_text("utf-8") == HADOOP
    assert load(tmp_path / "fsconform" / "contract.xml").declared == {"supports-append": True}
    assert load_waivers(tmp_path / "fsconform" / "waivers.toml") == ()
    assert "mvn" in steps(tmp_path)["Build the connector"]["run"]
    judge = steps(tmp_path)["Judge"]["run"].splitlines()
    (line,) = [line.removesuffix(" || code=$?") for line in judge if line.startswith("fsconform")]
    command = shlex.split(line)
    assert command[:2] == ["fsconform", "run"]
    with run.make_context("run", command[2:]) as context:
        assert context.params["uri"] == "my://bucket/sandbox"
        assert context.params["jars"] == ("target/*.jar", "lib/*.jar")
        assert context.params["conf"] == ("fs.my.impl=org.My",)
        for name in ("contract", "waiver_files"):
            held = context.params[name]
            assert all((tmp_path / one).is_file() for one in (held if isinstance(held, tuple) else (held,)))


def test_the_example_of_a_waiver_can_be_uncommented(tmp_path: Path) -> None:
    call(tmp_path, *URI)
    text = (tmp_path / "fsconform" / "waivers.toml").read_text("utf-8")
    _, _, example = text.partition("#\n")
    path = tmp_path / "w.toml"
    path.write_text("\n".join(line.removeprefix("# ") for line in example.splitlines()), "utf-8")
    (waiver,) = load_waivers(path)
    assert waiver.store == "my"


def test_a_secret_is_not_written_down(tmp_path: Path) -> None:
    done = call(tmp_path, *URI, "--conf", "fs.my.secret.key=hunter2", "--conf", "fs.my.user=me")
    assert done.exit_code == 0, done.output
    judge = steps(tmp_path)["Judge"]
    assert judge["env"] == {"FS_MY_SECRET_KEY": "${{ secrets.FS_MY_SECRET_KEY }}"}
    assert '"fs.my.secret.key=$FS_MY_SECRET_KEY"' in judge["run"]
    assert "hunter2" not in done.output + (tmp_path / ".github" / "workflows" / "fsconform.yml").read_text("utf-8")


def test_a_shipped_contract_brings_its_quirks_along(tmp_path: Path) -> None:
    """A copy that says the same is known again by the run."""
    done = call(tmp_path, *URI, "--contract", "rawlocal")
    assert done.exit_code == 0, done.output
    copy = given_contract(tmp_path / "fsconform" / "contract.xml")
    assert copy.quirks is not None and copy.declared == load_shipped("rawlocal").declared


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    assert call(tmp_path, *URI).exit_code == 0
    contract = tmp_path / "fsconform" / "contract.xml"
    assert load(contract).declared == {}
    contract.write_text(HADOOP, "utf-8")
    done = call(tmp_path, *URI)
    assert done.exit_code == 2
    assert "fsconform/contract.xml" in done.output and "--force" in done.output
    assert contract.read_text("utf-8") == HADOOP
    assert call(tmp_path, *URI, "--force").exit_code == 0
    assert load(contract).declared == {}


def test_without_a_contract_it_says_how_to_infer_one(tmp_path: Path) -> None:
    done = call(tmp_path, *URI, "--jars", "a b.jar")
    assert "fsconform contract infer --uri my://bucket/sandbox --jars 'a b.jar' --out fsconform/contract.xml" in (
        done.output.replace("\n", " ")
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--uri"),
        (("--uri", "bucket"), "has no scheme: write it as"),
        ((*URI, "--name", "a/b"), "letters, digits"),
        ((*URI, "--conf", "x"), "NAME=VALUE"),
        ((*URI, "--conf", "x=a\nb"), "line break"),
        ((*URI, "--contract", "gone.xml"), "gone.xml"),
    ],
)
def test_usage_that_is_wrong_writes_nothing(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = call(tmp_path, *arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_contract_that_can_not_be_read_names_the_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.xml"
    broken.write_text(HADOOP.replace("supports-append", "supports-apend"), "utf-8")
    done = call(tmp_path / "project", *URI, "--contract", broken)
    assert done.exit_code == 2
    assert "broken.xml:5" in done.output and "did you mean 'fs.contract.supports-append'" in done.output


@pytest.fixture
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small archive that looks like a wheel of ours."""
    path = tmp_path_factory.mktemp("wheel") / "fsconform-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fsconform/app/main.py", "")
    return path


@pytest.mark.parametrize(
    ("source", "installed"),
    [
        ("fsconform==1.2.3", "fsconform==1.2.3"),
        ("fsconform[s3]>=1.2,<2", "fsconform[s3]>=1.2,<2"),
        ("git+https://example.org/x/fsconform@v1", "fsconform @ git+https://example.org/x/fsconform@v1"),
        (
            "https://example.org/fsconform-1-py3-none-any.whl",
            "fsconform @ https://example.org/fsconform-1-py3-none-any.whl",
        ),
    ],
)
def test_the_workflow_installs_what_is_named(tmp_path: Path, source: str, installed: str) -> None:
    done = call(tmp_path, *URI, "--install", source, "--index-url", "https://example.org/simple")
    assert done.exit_code == 0, done.output
    environment = workflow(tmp_path)["jobs"]["conformance"]["env"]
    assert environment["FSCONFORM"] == f"${{{{ vars.FSCONFORM || '{installed}' }}}}"
    assert environment["PIP_INDEX_URL"] == "https://example.org/simple"
    assert 'pip install "$FSCONFORM"' in steps(tmp_path)["Install fsconform"]["run"]


def test_a_wheel_goes_into_the_project(tmp_path: Path, wheel: Path) -> None:
    assert call(tmp_path, *URI, "--install", wheel).exit_code == 0
    assert (tmp_path / "fsconform" / wheel.name).read_bytes() == wheel.read_bytes()
    assert f"'./fsconform/{wheel.name}'" in workflow(tmp_path)["jobs"]["conformance"]["env"]["FSCONFORM"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--install", "requests"), "name a wheel, a requirement"),
        (("--install", "fsconform; rm -rf /"), "name a wheel, a requirement"),
        (("--install", "fsconform==1' || secrets.X"), "name a wheel, a requirement"),
        (("--install", "git+https://me:hunter2@example.org/x"), "without a password"),
        (("--install", "fsconform-1-py3-none-any.whl"), "is no wheel of fsconform"),
        (("--index-url", "https://me:hunter2@example.org/simple"), "without a password"),
        (("--index-url", "ftp://example.org"), "--index-url"),
        (("--effort", "lots"), "--effort"),
    ],
)
def test_what_can_not_be_installed_writes_nothing(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = call(tmp_path, *URI, *arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert list(tmp_path.iterdir()) == []


def test_where_the_installation_comes_from_is_told(tmp_path: Path) -> None:
    """This one was installed from a folder, which no CI can reach."""
    done = call(tmp_path, *URI)
    assert "give --install WHEEL" in " ".join(done.output.split())


def test_the_workflow_is_valid(tmp_path: Path, wheel: Path) -> None:
    """By the schema of GitHub's workflows, with everything in it that can be."""
    (tmp_path / "pom.xml").touch()
    call(
        tmp_path, *URI, "--install", wheel, "--conf", "fs.my.secret.key=x", "--index-url", "https://example.org/simple"
    )
    schema = ("--builtin-schema", "vendor.github-workflows")
    file = tmp_path / ".github" / "workflows" / "fsconform.yml"
    done = subprocess.run(
        [Path(sys.executable).with_name("check-jsonschema"), *schema, file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert workflow(tmp_path)["permissions"] == {"contents": "read", "security-events": "write"}


def test_the_exports_of_the_workflow_are_commands(tmp_path: Path) -> None:
    call(tmp_path, *URI)
    lines = steps(tmp_path)["Annotate the commit and write the summary"]["run"].splitlines()
    for words in map(shlex.split, lines):
        assert words[:2] == ["fsconform", "export"]
        command = main.get_command(None, "export")  # type: ignore[arg-type]
        assert command is not None
        with command.make_context("export", words[2:]) as context:
            assert context.params["run"] == Path("results/latest")
