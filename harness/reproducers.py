"""How a divergence is shown again: a replay file, a command line, and a pytest file that stands for itself."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsconform.engine.histories.concurrent import Concurrent, decode, encode
from fsconform.engine.recorder import slug
from fsconform.harness import scrubbing
from fsconform.harness.output import write_whole
from fsconform.harness.presets import Custom
from fsconform.model.core import content as contents
from fsconform.model.core.operation import paths_of
from fsconform.model.core.paths import Path as ModelPath
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.programs import Program, Step, decode_program
from fsconform.records.given import GivenError, read_json, reason
from fsconform.records.results import Divergence
from fsconform.reports.visible import visible

VERSION = 1


class ReplayError(ValueError):
    """A replay file that can't be used. The text names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A program with the signature it showed, the store it showed it on and the contract it was judged under."""

    signature: str
    verdict: str
    store: str
    program: Program
    contract: dict[str, Any]
    quirks: tuple[str, ...] = ()
    """The sets of known bugs that it was judged with, by the names of their stores."""
    traceback: str = ""
    """Of an error in fsconform's own code, which its verdict says: where it was raised."""
    concurrent: Concurrent | None = None
    """The program of a race, of which ``program`` has the calls in the order in which they began."""


def write(path: Path, replay: Replay, program: list[dict[str, Any]]) -> None:
    """Write a replay file; ``program`` is the encoded program. Raises OSError."""
    row = {
        "fsconform-replay": VERSION,
        "signature": replay.signature,
        "verdict": replay.verdict,
        "store": replay.store,
        "contract": replay.contract,
        **({"quirks": list(replay.quirks)} if replay.quirks else {}),
        "program": program,
        **({"traceback": replay.traceback} if replay.traceback else {}),
        **({"concurrent": encode(replay.concurrent)} if replay.concurrent else {}),
    }
    write_whole(path, (json.dumps(row, indent=1, ensure_ascii=True) + "\n").encode())


def read(path: Path) -> Replay:
    """Read a replay file. Raises ReplayError."""
    try:
        row = read_json(path)
    except GivenError as error:
        raise ReplayError(str(error)) from error
    version = row.get("fsconform-replay") if isinstance(row, dict) else None
    if type(version) is not int or version != VERSION:
        raise ReplayError(f'{path}: not a replay file of version {VERSION}: "fsconform-replay" is missing or differs')
    try:
        texts = [row[name] for name in ("signature", "verdict", "store")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(row["contract"], dict):
            raise ValueError("signature, verdict and store are texts, contract is an object")
        quirks = row.get("quirks", [])
        if not isinstance(quirks, list) or not all(isinstance(name, str) for name in quirks):
            raise ValueError("quirks is a list of names of stores")
        traceback = row.get("traceback", "")
        if not isinstance(traceback, str):
            raise ValueError("traceback is a text")
        program = decode_program(row["program"])
        race = decode(row["concurrent"]) if "concurrent" in row else None
        return Replay(texts[0], texts[1], texts[2], program, row["contract"], tuple(quirks), traceback, race)
    except KeyError as error:
        raise ReplayError(
            f"{path}: it has no {reason(error)}: take a replay file that `fsconform run` wrote"
        ) from error
    except ValueError as error:
        raise ReplayError(f"{path}: {reason(error)}: take a replay file that `fsconform run` wrote") from error


STEPS_TOLD = 60
"""Steps of a program whose outcomes the docstring of a pytest file tells."""

_PLUGIN_NAMES = {"--fault": "--fs-fault", "--store": "--store", "--root": "--fs-root"}


def replay_command(
    home: Path, store: str, custom: Custom | None, fault: str, root: bool = False, hadoop: str = ""
) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    words: list[str] = []
    if custom is None:
        words += ["--store", store]
        if fault:
            words += ["--fault", fault]
    else:
        words += ["--uri", scrubbing.uri(custom.uri), "--name", store]
        for jar in custom.jars:
            words += ["--jars", str(jar)]
        for name, value in scrubbing.redacted(custom.configuration).items():
            words += ["--conf", f"{name}={value}"]
        for path in custom.configuration_files:
            words += ["--conf-file", str(path)]
    if root:
        words.append("--root")
    if hadoop:
        words += ["--hadoop", hadoop]
    return replay_line(home, words)


def replay_line(home: Path, words: Iterable[str]) -> str:
    """The command line with these words, with ``{replay}`` where a replay file within ``home`` is to be put."""
    return f"fsconform replay {_braced(str(home))}/{{replay}} {' '.join(map(_braced, words))}"


def _braced(word: str) -> str:
    return shlex.quote(word).replace("{", "{{").replace("}", "}}")


def pytest_command(file: str, reproducer: str) -> str:
    """The command line that runs a pytest file on the store that a ``fsconform replay`` line names."""
    words = shlex.split(reproducer)[3:]
    given = [_PLUGIN_NAMES.get(word, f"--fs-{word[2:]}") if word.startswith("--") else word for word in words]
    return shlex.join(["pytest", file, *given])


def named(divergence: Divergence, store: str) -> Divergence:
    """The divergence with the name of its pytest file; a race has none."""
    if divergence.history is not None:
        return divergence
    return replace(divergence, test=f"replays/test_{_identifier(slug(divergence.signature))}_{_identifier(store)}.py")


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def pytest_file(divergence: Divergence, contract: Mapping[str, object], quirks: tuple[str, ...] = ()) -> str:
    """The source of a pytest file that fails as long as a store shows the divergence, and passes when it does not.

    ``contract`` holds the options that the store was judged by, ``quirks`` the names of its sets of known bugs.
    No text of the divergence can end a literal or the
    docstring early.
    """
    program = decode_program(divergence.program)
    function = _identifier(slug(divergence.signature))
    options = "".join(f"            {_literal(name)}: {value!r},\n" for name, value in sorted(contract.items()))
    return "\n".join(
        [
            f'"""{_docstring(divergence)}"""',
            "",
            *_imports(program),
            "",
            "PROGRAM = (",
            *(f"    {step_source(step)}," for step in program),
            ")",
            "",
            "",
            f"def test_{function}(fsconform_replay):",
            "    fsconform_replay(",
            "        PROGRAM,",
            f"        signature={_literal(divergence.signature)},",
            f"        contract={{\n{options}        }}," if options else "        contract={},",
            *([f"        quirks={quirks!r},"] if quirks else []),
            "    )",
            "",
        ]
    )


def _docstring(divergence: Divergence) -> str:
    rows = [
        f"{divergence.verdict}: {divergence.signature}",
        "",
        f"clause    {divergence.clause} ({divergence.level}): {divergence.statement}",
        *([f"source    {divergence.source}"] if divergence.source else []),
        *([f"basis     {divergence.basis}"] if divergence.basis else []),
        f"expected  {divergence.expected}",
        f"observed  {divergence.observed}",
        "",
        "Each call of the program, and what it gave back:",
        "",
    ]
    for number, step in enumerate(divergence.sequence[:STEPS_TOLD], 1):
        told = f": {step.observed}" if step.observed else ""
        rows.append(f"  {'>' if step.marked else ' '} {number:2}. {step.call}{told}")
    if len(divergence.sequence) > STEPS_TOLD:
        rows.append(f"      and {len(divergence.sequence) - STEPS_TOLD} more")
    command = pytest_command(divergence.test.rpartition("/")[2], divergence.reproducer)
    rows += ["", "The test fails as long as a store shows this, and passes when it is gone. With fsconform installed:"]
    rows += ["", f"    {command}", ""]
    rows += ["Any other store will do: --store NAME, or --fs-uri URI --fs-jars GLOB for one of your own."]
    # A line break inside a name must not look like another line, and no quote may end the docstring.
    text = "".join(f"{visible(row)}\n" for row in rows)
    return text.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"""', r"\"\"\"")


def _imports(program: Program) -> list[str]:
    kinds = sorted({(type(step.operation).__module__, type(step.operation).__name__) for step in program})
    written = [step.operation.content for step in program if isinstance(step.operation, Create | Append)]
    forms = sorted({_content_form(content) for content in written})
    lines = [f"from fsconform.model.core.content import {', '.join(forms)}"] if forms else []
    lines += [f"from {home} import {name}" for home, name in kinds]
    if any(_plain(path) for step in program for path in paths_of(step.operation)):
        lines.append("from fsconform.model.core.paths import parse as path")
    return [*lines, "from fsconform.model.filesystem.programs import Step"]


def step_source(step: Step) -> str:
    """A step as Python, with the names that a pytest file imports."""
    operation = step.operation
    arguments = [_path(path) for path in paths_of(operation)]
    if isinstance(operation, Create | Append):
        arguments.append(_content(operation.content))
    if isinstance(operation, Create):
        arguments.append(f"overwrite={operation.overwrite}")
    if isinstance(operation, Delete):
        arguments.append(f"recursive={operation.recursive}")
    words = [f"{type(operation).__name__}({', '.join(arguments)})"]
    words += [f"client={step.client}"] if step.client else []
    words += ["probe=True"] if step.probe else []
    words += ["setup=True"] if step.setup else []
    return f"Step({', '.join(words)})"


def _plain(path: ModelPath) -> bool:
    """Whether a string denotes exactly this path."""
    return parse(show(path)) == path


def _path(path: ModelPath) -> str:
    if _plain(path):
        return f"path({_literal(show(path))})"
    return f"({', '.join(map(_literal, path))}{',' if len(path) == 1 else ''})"


def _content_form(content: contents.Content) -> str:
    if not content:
        return "EMPTY"
    (first, *rest) = content
    return "of as content" if not rest and isinstance(first, contents.Segment) and not first.offset else "Segment"


def _content(content: contents.Content) -> str:
    if not content:
        return "EMPTY"
    parts = [part for part in content if isinstance(part, contents.Segment)]
    if _content_form(content) != "Segment":
        return f"content(seed={parts[0].seed}, length={parts[0].length})"
    told = [f"Segment(seed={part.seed}, length={part.length}, offset={part.offset})" for part in parts]
    return f"({', '.join(told)}{',' if len(told) == 1 else ''})"


def _literal(text: str) -> str:
    """A string literal in ASCII, in double quotes where the text has none."""
    plain = ascii(text)
    return plain if "'" in text or '"' in text else f'"{plain[1:-1]}"'
