"""``fsconform init``: a project that judges a connector: its contract, a waivers file and a workflow for CI."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from fsconform.adapters.stores.contracts import shipped_text
from fsconform.app.options import effort_option
from fsconform.engine.effort import DEFAULT_EFFORT, Effort
from fsconform.engine.secrecy import in_uri, of_properties
from fsconform.harness.console import plain
from fsconform.harness.inputs import INPUT, Named, plain_files, store_uri
from fsconform.harness.packages import Package, package_of
from fsconform.harness.problems import ManyValues, Problem
from fsconform.harness.scrubbing import SECRET
from fsconform.harness.targets import is_shipped, pairs
from fsconform.records.given import GivenError, read_bytes
from fsconform.specs.contract_writer import Draft, written
from fsconform.specs.contract_xml import MOST_BYTES, ContractError, parse

FOLDER = "fsconform"
"""The folder of the project in which contract and waivers stand."""

NEW_CONTRACT = Draft({}, remarks=["nothing is declared yet: `fsconform contract infer` says what to declare"])

WAIVERS = """\
# Divergences of {name} that are accepted by hand, each until a day. A report of `fsconform run` has the block to copy.
#
# [[waiver]]
# store = "{name}"
# signature = "delete (non-empty directory, not recursive) returned true"
# reason = "old clients rely on it until release 4"
# link = "https://example.org/issues/17"
# expires = 2027-06-30
"""

WORKFLOW = """\
# Judges {name} by the Hadoop FileSystem specification: fails where it diverges and neither the contract nor a waiver
# says so. Made by `fsconform init`.
name: fsconform

on:
  push:
  pull_request:

permissions:
  contents: read
  security-events: write # for the upload to code scanning

jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    env:
      # What pip installs; a variable of the repository called FSCONFORM comes first.
      FSCONFORM: {package}
{index}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: "17"
{build}      - name: Install fsconform
        run: |
          pip install "$FSCONFORM"
          fsconform jars --no-programs
      - name: Judge
{environment}        # What is printed holds names that the store chose: the runner must not take them for commands.
        run: |
          token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
          code=0
          echo "::stop-commands::$token"
          {command} || code=$?
          echo "::$token::"
          exit $code
      - name: Annotate the commit and write the summary
        if: always() && hashFiles('results/*/results.json') != ''
        run: |
          fsconform export github results/latest --file {contract}
          fsconform export sarif results/latest --file {contract} --out fsconform.sarif
      - name: Upload to code scanning
        if: always() && hashFiles('fsconform.sarif') != ''
        continue-on-error: true # a private repository may have no code scanning, and a fork may not write to it
        uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: fsconform.sarif
          category: fsconform
      - name: Keep the report
        if: always()
        uses: actions/upload-artifact@v4
        with:
          name: fsconform
          path: results
"""

BUILD = """\
      - name: Build the connector
        run: {how}
"""

BUILDS = {
    "pom.xml": "mvn --batch-mode --quiet -DskipTests package",
    "gradlew": "./gradlew assemble",
    "build.sbt": "sbt package",
}


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector as the user names it; jars are patterns of what a build makes."""

    name: str
    uri: str
    jars: tuple[str, ...]
    configuration: dict[str, str]
    configuration_files: tuple[str, ...]
    effort: str = DEFAULT_EFFORT


@click.command("init", cls=ManyValues)
@click.argument("folder", type=Named(read=False, folder=True), default=Path(), metavar="[DIR]")
@click.option("--uri", required=True, metavar="URI", help="The sandbox directory of your store.")
@click.option("--name", default="", metavar="NAME", help="The name under which it is reported; else the URI's scheme.")
@click.option("--jars", multiple=True, metavar="GLOB", help="Its jars, as the project's build leaves them.")
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A property; one that is secret is taken from CI.")
@click.option(
    "--conf-file", "conf_files", multiple=True, metavar="XML", help="A Hadoop configuration file of the project."
)
@click.option("--contract", type=INPUT, metavar="XML|NAME", help="Its Hadoop contract, or a shipped one to begin with.")
@click.option(
    *("--install", "source"),
    default="",
    metavar="WHAT",
    help="What CI installs: a wheel, a requirement for an index, or git+https://...; else what this one is.",
)
@click.option("--index-url", default="", metavar="URL", help="The index that CI installs from; else pip's own.")
@effort_option()
@click.option("--force", is_flag=True, help="Write over files that are there.")
def init(
    folder: Path,
    uri: str,
    name: str,
    jars: tuple[str, ...],
    conf: tuple[str, ...],
    conf_files: tuple[str, ...],
    contract: Path | None,
    source: str,
    index_url: str,
    effort: Effort | None,
    force: bool,
) -> None:
    """Make a project in DIR that judges your connector: contract, waivers and a workflow for CI.

    The contract is a copy of the one that Hadoop's own tests of the connector read, if there is one, or of the shipped
    one of the store below yours: rawlocal, hdfs, s3a and so on (`fsconform stores`).
    """
    if in_uri(uri):
        raise Problem(
            "--uri has a password or a signature in it, and a workflow is for all to read: leave it out, and give the "
            "store what it needs by --conf NAME=VALUE: a property with the name of a secret is taken from CI's secrets"
        )
    scheme = store_uri(uri).partition(":")[0]
    plain_files("--contract", (contract,) if contract is not None and not is_shipped(contract) else ())
    connector = Connector(name or scheme, uri, jars, pairs(conf), conf_files, str(effort or DEFAULT_EFFORT))
    package = package_of(source, index_url, FOLDER)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", connector.name):
        raise Problem(f"--name {connector.name!r}: letters, digits, dots, dashes and underlines only")
    arguments = [uri, *jars, *connector.configuration.values(), *connector.configuration, *conf_files]
    if any(not text.isprintable() for text in arguments):
        raise Problem("--uri, --jars, --conf and --conf-file: a line break can't stand in a workflow: take it out")
    for property_name, value in connector.configuration.items():
        if not SECRET.search(property_name) and (in_uri(value) or of_properties([("", value)])):
            raise Problem(
                f"--conf {property_name}: its value has a password in a URI or in an option, and a workflow is for all "
                "to read: leave it out, and set the property in a file that CI makes of its secrets, with --conf-file"
            )
    if any(map(in_uri, (*jars, *conf_files))):
        raise Problem("--jars and --conf-file name files of the project: one is a URI with a password: leave it out")
    files = project(folder, connector, _contract(contract), package)
    there = [str(path) for path in files if path.exists()]
    if there and not force:
        raise Problem(f"{', '.join(there)}: already there: give another DIR, or --force to write over")
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise Problem(f"{path}: {error.strerror}: give another DIR") from error
        plain.print(f"wrote {path}", markup=False)
    if jars and not _how_to_build(folder):
        plain.print("the workflow builds nothing: add a step before the installation if the jars are not committed")
    if package.note:
        plain.print(package.note, markup=False)
    if contract is None:
        command = command_of(connector, "contract infer", "--out", f"{FOLDER}/contract.xml")
        plain.print(f"next, in {folder.absolute()}: {command}", markup=False)


def _contract(path: Path | None) -> bytes:
    if path is None:
        return written(NEW_CONTRACT)
    if is_shipped(path):
        return shipped_text(str(path))
    try:
        data = read_bytes(path, MOST_BYTES)
        parse(data, str(path))
    except ContractError as error:
        raise Problem(str(error)) from error
    except GivenError as error:
        raise Problem(f"{error}: name the XML that your connector's contract tests read") from error
    return data


def _how_to_build(folder: Path) -> str:
    return next((how for file, how in BUILDS.items() if (folder / file).exists()), "")


def project(folder: Path, connector: Connector, contract: bytes, package: Package) -> dict[Path, bytes]:
    """The files of a project by their paths."""
    secret = {name: _variable(name) for name in connector.configuration if SECRET.search(name)}
    judge = command_of(
        connector,
        "run",
        *("--name", connector.name, "--contract", f"{FOLDER}/contract.xml", "--waivers", f"{FOLDER}/waivers.toml"),
        *("--seed", "0", "--effort", connector.effort),
    )
    environment = "".join(f"          {one}: ${{{{ secrets.{one} }}}}\n" for one in secret.values())
    workflow = WORKFLOW.format(
        name=connector.name,
        build=BUILD.format(how=how) if (how := _how_to_build(folder)) else "",
        package=package.expression,
        index=f"      PIP_INDEX_URL: {package.index}\n" if package.index else "",
        contract=f"{FOLDER}/contract.xml",
        environment=f"        env:\n{environment}" if environment else "",
        command=judge,
    )
    return {
        folder / FOLDER / "contract.xml": contract,
        folder / FOLDER / "waivers.toml": WAIVERS.format(name=connector.name).encode(),
        folder / ".github" / "workflows" / "fsconform.yml": workflow.encode(),
        **{folder / name: content for name, content in package.files.items()},
    }


def command_of(connector: Connector, subcommand: str, *more: str) -> str:
    """The command line that does something with a connector; secrets come from variables of CI."""
    words = ["fsconform", *subcommand.split(), "--uri", shlex.quote(connector.uri)]
    if connector.jars:
        words += ["--jars", *map(shlex.quote, connector.jars)]
    for name, value in connector.configuration.items():
        text = f'"{name}=${_variable(name)}"' if SECRET.search(name) else shlex.quote(f"{name}={value}")
        words += ["--conf", text]
    for file in connector.configuration_files:
        words += ["--conf-file", shlex.quote(file)]
    return " ".join([*words, *map(shlex.quote, more)])


def _variable(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()
