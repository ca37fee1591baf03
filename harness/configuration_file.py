"""The configuration file, ``fsconform.toml`` or ``[tool.fsconform]`` of ``pyproject.toml``: found, read and checked.

What a table may hold follows from the options of the command that it is for: their names, types, ranges and help make
the shape that a file is checked by, and the JSON Schema. No key is listed by hand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec

from fsconform.engine.secrecy import KNOWN, of_properties
from fsconform.harness.problems import Problem, known
from fsconform.records.given import GivenError, read_text, toml_of

FILE, PROJECT = "fsconform.toml", "pyproject.toml"
MOST_BYTES = 1 << 20
STORES = "stores"
TABLES = ("run", "campaign", "pytest", STORES)
STORE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
OWN_OPTIONS = frozenset(("config", "help"))
"""Options that no file has: they say where the file is, and what there is to write in it."""
PAIR = "NAME=VALUE"
"""The metavar of options that are tables in a file."""
PLACES = frozenset(("GLOB", "PATH|URI"))
"""The metavars of texts that may be paths; those of a file count from its folder."""

_VARIABLE = re.compile(r"\$(\$\{|\{([A-Za-z_][A-Za-z0-9_]*)\})")
_ERROR = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<key>.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_TYPES = {"int": "integer", "str": "string", "bool": "boolean", "object": "table"}


@dataclass(frozen=True, slots=True)
class Document:
    """The tables of a file; ``prefix`` is what stands before their names in it."""

    path: Path
    tables: Mapping[str, Any]
    prefix: str = ""

    def where(self, table: str) -> str:
        """A table as an error names it."""
        return f"{self.path}: [{self.prefix}{table}]"


def find(named: Path | None) -> Document | None:
    """The file that an option names, else that of this folder; None where there is none. Raises Problem."""
    if named is not None:
        found = _read(named, named.name == PROJECT)
        if found is None:
            raise Problem(f"{named}: there is no [tool.fsconform]: add it, or name another file")
        return found
    if Path(FILE).exists():
        return _read(Path(FILE), False)
    return _read(Path(PROJECT), True) if Path(PROJECT).is_file() else None


def _read(path: Path, project: bool) -> Document | None:
    try:
        text = read_text(path, MOST_BYTES)
        if project and "fsconform" not in text:
            return None  # a file that another tool may mend
        tables: Any = toml_of(text, path)
    except GivenError as error:
        raise Problem(f"{error}: mend the file, or name another one by --config") from error
    if project:
        tool = tables.get("tool")
        tables = tool.get("fsconform") if isinstance(tool, dict) else None
        if tables is None:
            return None
    document = Document(path, tables if isinstance(tables, dict) else {}, "tool.fsconform." if project else "")
    if not isinstance(tables, dict):
        raise Problem(f"{path}: tool.fsconform: expected a table: write [tool.fsconform.run]")
    _learn(tables)
    for name in tables:
        try:
            known("table", name, TABLES)
        except Problem as error:
            raise Problem(f"{path}: {error.message}") from error
    return document


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif isinstance(value, str):
        yield name, value


def _learn(value: object) -> None:
    """Note the secrets among texts: values of properties of such names, and passwords in URIs."""
    KNOWN.learn(of_properties(_leaves(value)))


def substituted(value: Any, where: str, environment: Mapping[str, str] | None = None) -> Any:
    """A value with ``${VAR}`` in its texts replaced from the environment; ``$${`` stands for ``${``.

    What has a dot in its name, such as ``${hadoop.tmp.dir}``, is Hadoop's to replace. Raises Problem for a variable
    that is not set.
    """
    variables = os.environ if environment is None else environment

    def found(match: re.Match[str]) -> str:
        if (name := match[2]) is None:
            return "${"
        if name not in variables:
            raise Problem(f"{where}: the environment has no {name}: set it, or write $${{{name}}} for the text itself")
        return variables[name]

    def replaced(inner: Any) -> Any:
        if isinstance(inner, dict):
            return {key: replaced(each) for key, each in inner.items()}
        if isinstance(inner, list):
            return [replaced(each) for each in inner]
        return _VARIABLE.sub(found, inner) if isinstance(inner, str) else inner

    result = replaced(value)
    _learn(result)
    return result


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command that a file may have, by the key that stands for each."""
    found = {}
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name not in OWN_OPTIONS:
            found[key_of(parameter)] = parameter
    return found


def key_of(option: click.Option) -> str:
    """The name of an option as a file has it: the longest, without its dashes."""
    return max(option.opts, key=len).lstrip("-")


def _plain(option: click.Option) -> Any:
    """The type of one value."""
    kind = option.type
    if option.is_flag:
        return bool
    if isinstance(kind, click.IntRange):
        return Annotated[int, msgspec.Meta(ge=kind.min, le=kind.max)]
    if isinstance(kind, click.FloatRange):
        return Annotated[float, msgspec.Meta(ge=kind.min, le=kind.max)]
    if isinstance(kind, click.Choice):
        return Literal[tuple(kind.choices)]
    return getattr(kind, "in_files", str)


def type_of(option: click.Option) -> Any:
    """The type of an option's value in a file, with its help."""
    if option.multiple and option.metavar == PAIR:
        kind: Any = dict[str, str | int | float | bool]
    else:
        kind = _plain(option)
        kind = kind | list[kind] if option.multiple else kind
    return Annotated[kind, msgspec.Meta(description=option.help)]


def shape_of(command: click.Command, required: frozenset[str] = frozenset()) -> type[msgspec.Struct]:
    """What the table of a command may hold."""
    fields: list[Any] = []
    for key, option in options_of(command).items():
        kind = type_of(option)
        fields.append(
            (option.name, kind) if key in required else (option.name, kind | msgspec.UnsetType, msgspec.UNSET)
        )
    rename = {str(option.name): key for key, option in options_of(command).items()}
    name = str(command.name).capitalize()
    return msgspec.defstruct(name, fields, rename=rename, kw_only=True, forbid_unknown_fields=True)


def check(
    document: Document, table: str, value: object, command: click.Command, required: tuple[str, ...] = ()
) -> None:
    """Look whether a table has the shape that a command's options give it. Raises Problem."""
    try:
        msgspec.convert(value, shape_of(command, frozenset(required)))
    except msgspec.ValidationError as error:
        raise _refused(document.where(table), str(error), options_of(command)) from error


def _refused(where: str, told: str, options: Mapping[str, click.Option]) -> Problem:
    found = _ERROR.fullmatch(told)
    assert found is not None
    key, what = found["key"] or "", found["what"]
    if (unknown := _UNKNOWN.fullmatch(what)) is not None:
        try:
            known("key", unknown[1], options)
        except Problem as error:
            return Problem(f"{where}: {error.message}")
    words = re.sub(r"[a-z]+", lambda word: _TYPES.get(word[0], word[0]), what.lower()) if "Expected" in what else what
    option = options.get(key.partition("[")[0].partition(".")[0])
    mend = f": it is for --{key_of(option)}: {option.help}" if option is not None else ""
    return Problem(f"{where}{' ' if key else ''}{key}: {words.replace('`', '')}{mend}")


def check_name(name: str) -> None:
    """Look whether a store can have a name. Raises Problem."""
    if re.match(STORE_NAME, name) is None or name.endswith("\n"):
        raise Problem("the name of a store has letters, digits, dots, dashes and underlines only, 64 at most")


def as_given(document: Document, table: str, value: Mapping[str, Any], command: click.Command) -> dict[str, Any]:
    """The values of a table that was checked, by the names of parameters, as the command line would give them.

    Raises Problem.
    """
    context, folder = click.Context(command), document.path.parent
    found = {}
    for key, option in options_of(command).items():
        if key not in value:
            continue
        where = f"{document.where(table)} {key}"
        texts = _as_texts(option, substituted(value[key], where), folder)
        try:
            found[str(option.name)] = option.type_cast_value(context, texts)
        except click.UsageError as error:
            raise Problem(f"{where}: {error.message}") from error
    return found


def _as_texts(option: click.Option, value: Any, folder: Path) -> Any:
    if isinstance(value, dict):
        return [f"{name}={str(text).lower() if isinstance(text, bool) else text}" for name, text in value.items()]
    if option.multiple:
        return [_placed(option, each, folder) for each in (value if isinstance(value, list) else [value])]
    return _placed(option, value, folder)


def _placed(option: click.Option, value: Any, folder: Path) -> Any:
    """A value with a relative path in it counted from the file's folder."""
    is_path = isinstance(option.type, click.Path) or (option.metavar in PLACES and ":/" not in str(value))
    if not is_path or not value or folder == Path():
        return value
    return str(folder / Path(str(value)).expanduser())


def schema(commands: Mapping[str, click.Command], stores: click.Command) -> dict[str, Any]:
    """The JSON Schema of the file, from the options of the commands and of a store."""
    tables: list[Any] = [
        (name, Annotated[shape_of(command) | msgspec.UnsetType, msgspec.Meta(description=f"Options of {name}.")],
         msgspec.UNSET)
        for name, command in commands.items()
    ]  # fmt: skip
    store: Any = shape_of(stores, frozenset(("uri",)))
    own = dict[Annotated[str, msgspec.Meta(pattern=STORE_NAME)], store]
    told = msgspec.Meta(description="Stores of your own by name, each with its options; --store NAME judges one.")
    tables.append((STORES, Annotated[own | msgspec.UnsetType, told], msgspec.UNSET))
    document = msgspec.defstruct("Configuration", tables, kw_only=True, forbid_unknown_fields=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:fsconform:configuration:1",
        "title": "fsconform.toml, or [tool.fsconform] of pyproject.toml",
        **msgspec.json.schema(document),
    }
