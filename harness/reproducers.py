"""How a divergence is shown again: a replay file, a command line, and a pytest file that stands for itself."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsconform.engine.histories.concurrent import Concurrent, decode, encode
from fsconform.engine.histories.confirming import ROUND
from fsconform.engine.recorder import slug
from fsconform.harness import scrubbing
from fsconform.harness.output import write_whole
from fsconform.harness.presets import Custom
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Form, Operation, defaults, paths_of, shape
from fsconform.model.core.paths import Path as ModelPath
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem.programs import Program, Step, decode_program
from fsconform.records.given import GivenError, read_json, reason
from fsconform.records.results import Divergence
from fsconform.reports.histories import confirmation, heading
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
    """The divergence with the name of its pytest file."""
    return replace(divergence, test=f"replays/test_{_identifier(slug(divergence.signature))}_{_identifier(store)}.py")


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def pytest_file(divergence: Divergence, contract: Mapping[str, object], quirks: tuple[str, ...] = ()) -> str:
    """The source of a pytest file that fails as long as a store shows the divergence, and passes when it does not.

    ``contract`` holds the options that the store was judged by, ``quirks`` the names of its sets of known bugs. The
    program of a race is run in two rounds. No text of the divergence can end a literal or the docstring early.
    """
    function = _identifier(slug(divergence.signature))
    options = "".join(f"            {_literal(name)}: {value!r},\n" for name, value in sorted(contract.items()))
    return "\n".join(
        [
            f'"""{_docstring(divergence)}"""',
            "",
            *_program(divergence),
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


def _program(divergence: Divergence) -> Iterator[str]:
    """The imports, and the program as data."""
    if divergence.history is None:
        program = decode_program(divergence.program)
        yield from _imports([step.operation for step in program])
        yield from ("from fsconform.model.filesystem.programs import Step", "", "PROGRAM = (")
        yield from (f"    {step_source(step)}," for step in program)
        yield ")"
        return
    race = decode(divergence.history.program)
    yield "from fsconform.engine.histories.concurrent import Concurrent"
    if race.fault is not None:
        yield f"from fsconform.engine.injection import {type(race.fault).__name__}"
    yield from _imports([call for calls in (race.beginning, *race.lanes, race.ending) for call in calls])
    yield from ("", "PROGRAM = Concurrent(", *_calls("beginning=", race.beginning, 1), "    lanes=(")
    for lane in race.lanes:
        yield from _calls("", lane, 2)
    yield from ("    ),", f"    delays={race.delays!r},", *_calls("ending=", race.ending, 1))
    yield from (("    threads=True,",) if race.threads else ())
    yield from ((f"    kill={race.kill!r},",) if race.kill is not None else ())
    yield from ((f"    fault={race.fault!r},",) if race.fault is not None else ())
    yield ")"


def _calls(name: str, calls: Iterable[Operation], depth: int) -> Iterator[str]:
    """Calls as a tuple, within brackets so deep."""
    indent = "    " * depth
    rows = [f"{indent}    {call_source(call)}," for call in calls]
    yield from (f"{indent}{name}(", *rows, f"{indent}),") if rows else (f"{indent}{name}(),",)


def _docstring(divergence: Divergence) -> str:
    rows = [
        f"{divergence.verdict}: {divergence.signature}",
        "",
        f"clause    {divergence.clause} ({divergence.level}): {divergence.statement}",
        *([f"source    {divergence.source}"] if divergence.source else []),
        *([f"basis     {divergence.basis}"] if divergence.basis else []),
        f"expected  {divergence.expected}",
        f"observed  {divergence.observed}",
    ]
    history = divergence.history
    if history is not None:
        rows.append(f"race      {confirmation(divergence)[0]}, by {heading(history)}")
        rows += ["", "Each call in the order in which they began, in one of these runs:", ""]
    else:
        rows += ["", "Each call of the program, and what it gave back:", ""]
    for number, step in enumerate(divergence.sequence[:STEPS_TOLD], 1):
        who = f"client {step.client + 1}: " if history is not None else ""
        told = f": {step.observed}" if step.observed else ""
        rows.append(f"  {'>' if step.marked else ' '} {number:2}. {who}{step.call}{told}")
    if len(divergence.sequence) > STEPS_TOLD:
        rows.append(f"      and {len(divergence.sequence) - STEPS_TOLD} more")
    command = pytest_command(divergence.test.rpartition("/")[2], divergence.reproducer)
    rows += ["", *(_OF_RACES if history is not None else _OF_PROGRAMS), "", f"    {command}", ""]
    rows += ["Any other store will do: --store NAME, or --fs-uri URI --fs-jars GLOB for one of your own."]
    # A line break inside a name must not look like another line, and no quote may end the docstring.
    text = "".join(f"{visible(row)}\n" for row in rows)
    return text.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"""', r"\"\"\"")


_OF_PROGRAMS = ("The test fails as long as a store shows this, and passes when it is gone. With fsconform installed:",)
_OF_RACES = (
    f"The test runs the program {2 * ROUND} times, and fails if one run shows this. A race hangs on the moment: the",
    "fewer of the runs above showed it, the less it says that the test passes. With fsconform installed:",
)


def _imports(calls: Sequence[Operation]) -> list[str]:
    kinds = sorted({(type(call).__module__, type(call).__name__) for call in calls})
    written = [getattr(call, name) for call in calls for name, form in shape(type(call)) if form == "content"]
    forms = sorted({_content_form(content) for content in written})
    lines = [f"from fsconform.model.core.content import {', '.join(forms)}"] if forms else []
    lines += [f"from {home} import {name}" for home, name in kinds]
    if any(_plain(path) for call in calls for path in paths_of(call)):
        lines.append("from fsconform.model.core.paths import parse as path")
    return lines


def step_source(step: Step) -> str:
    """A step as Python, with the names that a pytest file imports."""
    words = [call_source(step.operation)]
    words += [f"client={step.client}"] if step.client else []
    words += ["probe=True"] if step.probe else []
    words += ["setup=True"] if step.setup else []
    return f"Step({', '.join(words)})"


def call_source(operation: Operation) -> str:
    """A call as Python: paths and content by their places, all else by name, without what goes without saying."""
    kind, arguments, named = type(operation), [], False
    usual = defaults(kind)
    for name, form in shape(kind):
        value = getattr(operation, name)
        if name in usual and usual[name] == value:
            named = True
            continue
        named = named or form not in ("path", "paths", "content")
        arguments.append(f"{name}={_value(value, form)}" if named else _value(value, form))
    return f"{kind.__name__}({', '.join(arguments)})"


def _value(value: Any, form: Form) -> str:
    match form:
        case "path":
            return _path(value)
        case "paths":
            return _tuple(map(_path, value))
        case "content":
            return _content(value)
        case "text":
            return _literal(value)
        case "texts":
            return _tuple(map(_literal, value))
    return repr(value)


def _tuple(items: Iterable[str]) -> str:
    rows = list(items)
    return f"({', '.join(rows)}{',' if len(rows) == 1 else ''})"


def _plain(path: ModelPath) -> bool:
    """Whether a string denotes exactly this path."""
    return parse(show(path)) == path


def _path(path: ModelPath) -> str:
    if _plain(path):
        return f"path({_literal(show(path))})"
    return _tuple(map(_literal, path))


def _content_form(content: contents.Content) -> str:
    if not content:
        return "EMPTY"
    (first, *rest) = content
    plain = isinstance(first, contents.Segment) and first.length and not first.offset
    return "of as content" if plain and not rest else "Segment"


def _content(content: contents.Content) -> str:
    if not content:
        return "EMPTY"
    parts = [part for part in content if isinstance(part, contents.Segment)]
    if _content_form(content) != "Segment":
        return f"content(seed={parts[0].seed}, length={parts[0].length})"
    return _tuple(f"Segment(seed={part.seed}, length={part.length}, offset={part.offset})" for part in parts)


def _literal(text: str) -> str:
    """A string literal in ASCII, in double quotes where the text has none."""
    plain = ascii(text)
    return plain if "'" in text or '"' in text else f'"{plain[1:-1]}"'
