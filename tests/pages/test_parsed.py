"""Every command of every page: there is such a command, it has the options, and there is what is named by values.

Nothing is run here, so that commands for stores that nobody has, or that take hours, are looked at too.
"""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt

from fsconform.app.main import main
from fsconform.harness.problems import ManyValues

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted(
    str(path.relative_to(REPOSITORY))
    for pattern in ("*.md", "docs/*.md", "tests/*.md", "adapters/stores/*/*.md", "records/findings/**/*.md")
    for path in REPOSITORY.glob(pattern)
    if path.name != "CHANGELOG.md"
)
OWN = {"mine", "mirror", "org.example.MyCommitterFactory"}
"""Stores of a configuration file that a page shows, and a class of a reader's own."""
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*|S")
_SUBSTITUTED = re.compile(r"\$\([^)]*\)")
"""What a shell puts the output of a command for."""
_USAGE = re.compile(r" \[|\w\|\w")
"""What only a line has that says how a command is used."""
Commands = Callable[[str], list[tuple[int, str]]]


def named(words: Sequence[str]) -> tuple[click.Command, click.Context, list[str]]:
    """The command that words name, its context, and the words behind it. Raises UsageError."""
    command: click.Command = main
    context, rest = click.Context(main, info_name="fsconform"), list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
        context = click.Context(command, info_name=name, parent=context)
    return command, context, rest


def wrong_values(context: click.Context, parameter: click.Parameter, values: object) -> Iterator[str]:
    """What is no name of what it should be, or of another type. Files need not be there."""
    several = values if isinstance(values, list | tuple) else [values]
    for value in several:
        if not isinstance(value, str) or _PLACEHOLDER.fullmatch(value):
            continue
        names = {item.value for item in parameter.shell_complete(context, "") if item.type == "plain"}
        if names and value not in names | OWN:
            yield f"{value!r} is none of {parameter.opts[-1]}"
        if not isinstance(parameter.type, click.Path | click.File):
            try:
                parameter.type.convert(value, parameter, context)
            except click.UsageError as error:
                yield error.message


def faults_of(words: Sequence[str]) -> list[str]:
    """What a whole command line of fsconform has wrong, as far as can be said without doing it."""
    try:
        command, context, rest = named(words)
        if isinstance(command, ManyValues):
            rest = command.spread(rest)
        if isinstance(command, click.Group):
            return [] if not rest or rest[0].startswith("-") else [f"there is no command {words}"]
        values, left, _ = command.make_parser(context).parse_args(args=rest)
    except click.UsageError as error:
        return [error.format_message()]
    wrong = [f"{word!r} is too much" for word in left]
    for parameter in command.get_params(context):
        value = values.get(parameter.name or "")
        if parameter.required and not (isinstance(value, str | tuple) and value):
            wrong.append(f"{parameter.opts[-1]} is missing")
        wrong += wrong_values(context, parameter, value)
    return wrong


@pytest.fixture(scope="module")
def pytest_options() -> set[str]:
    """The options that pytest has with the plugin."""
    told = subprocess.run([sys.executable, "-m", "pytest", "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told.stdout)) | {"--junitxml"}  # of which help has --junit-xml


@pytest.mark.parametrize("page", PAGES)
def test_each_command_of_a_page_is_one(page: str, commands: Commands, pytest_options: set[str]) -> None:
    wrong = []
    targets = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line, text in commands(page):
        program, *words = shlex.split(_SUBSTITUTED.sub("x", text), comments=True)
        match Path(program).name:
            case "fsconform":
                usage = _USAGE.search(text)
                told = faults_of_span(plain(text)[1:]) if usage else faults_of(words)
                wrong += [f"{page}:{line}: {fault}" for fault in told]
            case "pytest":
                options = {word.partition("=")[0] for word in words if word.startswith("-")}
                wrong += [f"{page}:{line}: pytest has no {option}" for option in options - pytest_options]
            case "make":
                named_targets = {word for word in words if "=" not in word}
                wrong += [f"{page}:{line}: make has no {target}" for target in named_targets - targets]
            case name if name.endswith(".sh"):
                assert (REPOSITORY / program).is_file(), f"{page}:{line}: {program}"
    assert wrong == []


def spans(page: str) -> Iterator[str]:
    """The spans of code in the text of a page."""
    for token in MarkdownIt().enable("table").parse((REPOSITORY / page).read_text("utf-8")):
        yield from (inner.content for inner in token.children or () if inner.type == "code_inline")


def plain(span: str) -> list[str]:
    """The words of a span without the signs of a usage: of ``a|b`` the first, of ``[--x Y]`` what stands inside."""
    return re.sub(r"\\?\|\S*|[\[\]]|\.\.\.|…", " ", span).split()


def faults_of_span(words: Sequence[str]) -> list[str]:
    """What a span has wrong that names a command, with some of its options and values."""
    try:
        command, context, rest = named(words)
    except click.UsageError as error:
        return [error.format_message()]
    options = {name: parameter for parameter in command.get_params(context) for name in parameter.opts}
    wrong = [f"{command.name} has no {word}" for word in rest if word.startswith("--") and word not in options]
    for word, value in itertools.pairwise(rest):
        parameter = options.get(word)
        if parameter is not None and not getattr(parameter, "is_flag", False):
            wrong += wrong_values(context, parameter, value)
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_each_command_that_the_text_names_is_one(page: str) -> None:
    wrong = []
    for span in spans(page):
        if span.startswith("fsconform "):
            wrong += [f"{page}: `{span}`: {told}" for told in faults_of_span(plain(span)[1:])]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run --stroe local", "--stroe"),
        ("run --store locall", "locall"),
        ("run --suite renames", "renames"),
        ("run --effort lots", "lots"),
        ("run --fault no-such-fault", "no-such-fault"),
        ("explore --store local", "explore"),
        ("contract deduce", "deduce"),
        ("export tarball results/latest", "tarball"),
        ("export", "missing"),
        ("compare a b c", "too much"),
        ("contract", ""),
    ],
)
def test_a_wrong_command_is_seen(line: str, said: str) -> None:
    told = faults_of(shlex.split(line))
    assert any(said in fault for fault in told) if said else told == []
    if said not in ("missing", "too much", ""):
        assert any(said in fault for fault in faults_of_span(shlex.split(line))) or said in ("tarball",)
