"""The pytest plugin: ``pytest --store NAME`` or ``--fs-uri URI`` judges stores by the suites, an item a piece of them.

It is loaded in every session of everyone who installed fsconform. So this module imports pytest alone, and without one
of its options it does nothing but skip the tests of the suites. All else is in ``fsconform.app.pytesting``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from fsconform.app.pytesting import CONTROLLER, PIECE, REPLAY

GROUP = "fsconform"
NOTHING_TO_JUDGE = (
    "nothing says which store to judge: give --store NAME (`fsconform stores` lists them), or --fs-uri URI with "
    "--fs-jars GLOB for a store of your own"
)

AREAS: dict[str, str] = {
    "namespace": "all operations of the core together",
    "rename": "rename",
    "delete": "delete",
    "listing": "listings",
    "content": "bytes of files",
    "paths": "hostile names, long names and deep paths",
    "lookups": "listings of other forms, patterns, summaries and block locations; overloads, builders, contexts",
    "metadata": "what a store keeps of a path beside its bytes",
    "attributes": "extended attributes, ACLs, storage policies, snapshots, quotas and links",
    "changes": "concat, truncate, renames with options, copies, builders, handles and uploads",
    "protocols": "iterators and trash",
    "streams": "streams that files are read and written by, what others see meanwhile, leases",
    "capabilities": "what streams say they can",
    "large": "a file of 1 GiB",
    "limits": "long names, deep paths and large directories",
    "full": "a store without space",
    "root": "the real root directory",
    "races": "what several clients at once see",
}
"""The markers of the suites' tests, each with what it stands for."""

ONE = (
    ("--fs-uri", "URI", "Judge a store of your own: any Hadoop FileSystem. Names the sandbox directory."),
    ("--fs-contract", "XML", "The contract to judge by."),
    ("--fs-name", "NAME", "The name under which your store is reported."),
    ("--fs-effort", "quick|normal|deep|N", "How much is tried, or N random programs a store; by default normal."),
    (
        "--fs-budget",
        "SECONDS",
        "Cap on exploring's time; 0 tries witnesses and single calls alone; by default none.",
    ),
    ("--fs-seed", "N", "Seed of the order in which programs are tried; by default 0."),
    ("--fs-out", "DIR", "Where the folder of the run is made; by default results."),
    ("--fs-timeout", "SECONDS", "Time-out of one call; by default 30."),
    ("--fs-rate", "N", "At most N calls a second and session."),
    ("--fs-hadoop", "VERSION", "The Hadoop version to take clients and HDFS from; else that of FSCONFORM_HADOOP."),
    ("--fs-via", "WAY", "How services of built-in stores run: embedded, or container; else FSCONFORM_VIA says."),
    ("--fs-config", "TOML", "A configuration file; else fsconform.toml or pyproject.toml in this folder."),
    ("--fs-fault", "NAME", "A seeded fault for the store 'proving'."),
    ("--fs-baseline", "RUN", "Fail only for what that run lacks."),
)
SEVERAL = (
    ("--fs-store", "NAME", "The same as --store, for where another plugin has an option of that name."),
    ("--fs-jars", "GLOB", "Jars of your store; they come before Hadoop's own. Takes several."),
    ("--fs-conf", "NAME=VALUE", "A configuration property of your store; may be repeated."),
    ("--fs-conf-file", "XML", "A configuration file of your store; may be repeated."),
    ("--fs-waivers", "TOML", "A file of waivers; may be repeated."),
)
FLAGS = (
    ("--fs-root", "Judge the real root of a store that is started."),
    ("--fs-strict-quirks", "Fail for known bugs that a complete session never needed."),
    ("--fs-count-inherited", "Count what your store inherits from Hadoop as its own."),
)
DESTINATIONS = tuple(row[0][2:].replace("-", "_") for row in (*ONE, *SEVERAL, *FLAGS))

refused_key = pytest.StashKey[str]()
"""What is wrong with the command line, where pytest itself would end with exit code 4."""


def is_active(options: argparse.Namespace) -> bool:
    """Whether one of the plugin's options was given."""
    return any(getattr(options, name, None) is not None for name in DESTINATIONS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all but ``--store``."""
    group = parser.getgroup(GROUP, "fsconform: judging Hadoop-compatible stores")
    for name, metavar, text in SEVERAL:
        group.addoption(name, action="append", metavar=metavar, help=text)
    for name, metavar, text in ONE:
        group.addoption(name, metavar=metavar, help=text)
    for name, text in FLAGS:
        group.addoption(name, action="store_true", default=None, help=text)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, Any, Any]:
    """Add ``--store`` when all others have added theirs: who has an option of that name keeps it."""
    result = yield
    if parser.parse_known_and_unknown_args(["--store=x"])[1]:
        text = "Judge a built-in store with the suites; may be repeated."
        parser.getgroup(GROUP).addoption("--store", action="append", dest="fs_store", metavar="NAME", help=text)
    args[:] = spread(args)
    options, rest = parser.parse_known_and_unknown_args(args)
    unknown = [argument for argument in rest if argument.startswith("-")]
    if unknown and is_active(options):
        early_config.stash[refused_key] = f"unrecognized arguments: {' '.join(unknown)}"
        args[:] = [argument for argument in args if argument not in unknown]
    return result


def spread(args: list[str]) -> list[str]:
    """The arguments with ``--fs-jars`` repeated before each further jar after it, as a shell expands a pattern."""
    found: list[str] = []
    jars = 0
    for argument in args:
        if argument == "--fs-jars":
            jars = 1
        elif jars == 1:
            jars = 2
        elif jars and (argument.lower().endswith((".jar", ".zip")) or "*" in argument) and argument[:1] != "-":
            found.append("--fs-jars")
        else:
            jars = 0
        found.append(argument)
    return found


def _say(text: str) -> None:
    from fsconform.engine.secrecy import KNOWN

    sys.stderr.write(KNOWN.text(text))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, Any, Any]:
    """Where the plugin is active, end with 2 what pytest ends with 4, and with 70 after a fault in fsconform itself."""
    if hasattr(config, "workerinput") or not is_active(config.option):
        return (yield)
    from fsconform.harness.problems import INCONCLUSIVE, USAGE
    from fsconform.reports.escaping import lines

    try:
        code = yield
    except pytest.UsageError as error:
        for line in error.args:
            _say(f"ERROR: {lines(str(line))}\n\n")
        return USAGE
    except Exception as error:
        from fsconform.harness import faults

        if not faults.is_ours(error):
            raise
        _say(faults.tell(error, config.invocation_params.args, "pytest"))
        return faults.FAULT
    controller = config.pluginmanager.getplugin(CONTROLLER)
    if controller is not None and controller.fault is not None:
        from fsconform.harness import faults

        _say(faults.tell(controller.fault, config.invocation_params.args, "pytest"))
        return faults.FAULT
    if controller is None or controller.ended:
        return code
    codes = {pytest.ExitCode.USAGE_ERROR: USAGE}
    codes |= dict.fromkeys((pytest.ExitCode.INTERRUPTED, pytest.ExitCode.NO_TESTS_COLLECTED), INCONCLUSIVE)
    return codes.get(code, code)


def pytest_configure(config: pytest.Config) -> None:
    """Where the plugin is active, check its options and take part in the session. Raises UsageError."""
    if is_active(config.option):
        from fsconform.app.pytesting.session import begin, secrets_noted
        from fsconform.engine.secrecy import KNOWN

        secrets_noted(config)
        if refused_key in config.stash:
            raise pytest.UsageError(KNOWN.text(config.stash[refused_key]))
        register_markers(config)
        begin(config)


def register_markers(config: pytest.Config) -> None:
    """Make the markers of the areas known, once."""
    known = {str(line).partition(":")[0] for line in config.getini("markers")}
    for area, text in AREAS.items():
        if area not in known:
            config.addinivalue_line("markers", f"{area}: fsconform judges {text}")


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the suites as what they are, wherever they are installed."""
    if path.name != "suites":
        return None
    from fsconform.app.pytesting.items import directory

    return directory(path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Import the suites' test modules by their own names."""
    if module_path.parent.name != "suites":
        return None
    from fsconform.app.pytesting.items import module

    return module(module_path, parent)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make an item of each piece of the test's area and each store; a skipped one where there is no store."""
    for fixture in (PIECE, REPLAY):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, _parameters(metafunc, fixture), indirect=True)


def _parameters(metafunc: pytest.Metafunc, fixture: str) -> list[Any]:
    area = metafunc.function.__name__.removeprefix("test_")
    if is_active(metafunc.config.option):
        from fsconform.app.pytesting.items import parameters

        found = parameters(metafunc.config, fixture, area)
        if found:
            return found
    register_markers(metafunc.config)
    marks = [pytest.mark.skip(reason=NOTHING_TO_JUDGE), *([getattr(pytest.mark, area)] if area in AREAS else [])]
    return [pytest.param(None, id="no-store", marks=marks)]


@pytest.fixture
def fsconform_piece(request: pytest.FixtureRequest) -> Callable[[], None]:
    """Judges the piece of a suite that this item stands for."""
    from fsconform.app.pytesting.items import judge_piece

    return lambda: judge_piece(request)


@pytest.fixture
def fsconform_replay(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Replays a program: ``fsconform_replay(PROGRAM, signature=..., contract={...})`` fails if it departs.

    A concurrent program is run in two rounds of 100, and fails if one run departs.
    """
    from fsconform.app.pytesting.items import replay_program

    def replay(
        program: Any, *, signature: str, contract: dict[str, Any] | None = None, quirks: tuple[str, ...] = ()
    ) -> None:
        replay_program(request, program, signature, contract or {}, quirks)

    return replay
