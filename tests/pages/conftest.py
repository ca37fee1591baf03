"""What the tests of the pages share: the code blocks of a page, and the commands in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = (
    *("fsconform", ".venv/bin/fsconform", "pytest", "make", "pip", "pipx", "docker", "mount", "python3", "javac"),
    *("java", "jar", "curl", "tools/docker_engine.sh", "tools/java_image.sh"),
)
"""The words that begin a command. What else stands in a block is its output, a program of calls, or a file."""
DATA = ("text", "toml", "xml", "java", "json", "python", "dockerfile")
"""Languages of blocks that hold no commands."""
_BEFORE = re.compile(r"^(?:\$ |- |sudo |[A-Z_]+=\S+ )+")


@pytest.fixture(scope="session")
def blocks() -> Callable[[str], list[Token]]:
    """The code blocks of a page, in order: ``info`` is the language, ``content`` the text, ``map`` has the lines."""

    def read(page: str) -> list[Token]:
        tokens = MarkdownIt().parse((REPOSITORY / page).read_text("utf-8"))
        return [token for token in tokens if token.type in ("fence", "code_block")]

    return read


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a block with their numbers in it; one that ends in a backslash goes on in the next."""
    held, begun = "", 0
    for number, line in enumerate(text.splitlines()):
        held, begun = (held, begun) if held else ("", number)
        held += line.strip()
        if held.endswith("\\"):
            held = held[:-1]
            continue
        yield begun, held
        held = ""


@pytest.fixture(scope="session")
def commands(blocks: Callable[[str], list[Token]]) -> Callable[[str], list[tuple[int, str]]]:
    """The commands of a page, each with its line number, without a prompt, ``sudo`` or variables before them."""

    def read(page: str) -> list[tuple[int, str]]:
        found = []
        for block in blocks(page):
            assert block.map is not None
            if block.info.partition(" ")[0] in DATA:
                continue
            first = block.map[0] + (2 if block.type == "fence" else 1)
            for number, line in _joined(block.content):
                command = _BEFORE.sub("", line)
                if command.partition(" ")[0] in PROGRAMS:
                    found.append((first + number, command))
        return found

    return read
