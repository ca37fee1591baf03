"""Contracts from Hadoop-format XML: a file that Hadoop's own contract tests read as well.

A document type declaration is refused, so neither entity bombs nor external entities ever come into play.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from lxml import etree

from fsconform.model.core.option import Option, OptionValue
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX, Contract
from fsconform.records.given import GivenError, brief, read_bytes, reason

BINDING_PREFIX = PROPERTY_PREFIX + "test.fs."
"""Properties that bind Hadoop's tests to a filesystem: no options."""


MOST_BYTES = 16 << 20
_LONGEST_NAME = 200
"""Characters that are compared with known names: comparing takes their square."""
_NUMBER = re.compile("-?[0-9]{1,19}")


LIKE = "like"
"""The attribute of a document that holds the differences from another contract alone."""


class ContractError(ValueError):
    """A contract that can't be used. The text names the file, the line and the mend."""


def load(path: FilePath) -> Contract:
    """The contract in a file. Raises ContractError."""
    try:
        data = read_bytes(path, MOST_BYTES)
    except GivenError as error:
        raise ContractError(str(error)) from error
    return parse(data, str(path))


def parse(data: bytes, source: str) -> Contract:
    """The contract in an XML document; ``source`` is the name that errors give it. Raises ContractError."""
    return Contract(properties(data, source, OPTIONS), source)


def properties(
    data: bytes, source: str, options: Mapping[str, Option], may_be_like: bool = False
) -> dict[str, OptionValue]:
    """The values of the ``options`` that an XML document declares. Raises ContractError, also for other options.

    A document of differences is refused unless it ``may_be_like`` another: what it does not declare is not known.
    """
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=False, recover=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ContractError(f"{source}:{error.lineno or 1}: not well-formed XML: {error.msg}") from error
    except (ValueError, LookupError) as error:
        raise ContractError(f"{source}:1: not well-formed XML: {reason(error)}") from error
    if root.getroottree().docinfo.internalDTD is not None:
        line = next((number for number, text in enumerate(data.splitlines(), 1) if b"<!DOCTYPE" in text), 1)
        raise ContractError(f"{source}:{line}: a document type declaration is not allowed in a contract: remove it")
    if root.tag != "configuration":
        raise ContractError(f"{source}:{root.sourceline}: the root element is <{root.tag}>, not <configuration>")
    if root.get(LIKE) is not None and not may_be_like:
        raise ContractError(
            f"{source}:{root.sourceline}: only a shipped contract is {LIKE} another: write down all that is declared"
        )
    declared: dict[str, OptionValue] = {}
    lines: dict[str, object] = {}
    for element in root:
        if not isinstance(element.tag, str):
            continue
        if element.tag != "property":
            raise ContractError(f"{source}:{element.sourceline}: <{element.tag}> where <property> is expected")
        found = _property(element, source, options)
        if found is not None:
            name, value = found
            if declared.get(name, value) != value:
                raise ContractError(
                    f"{source}:{element.sourceline}: {PROPERTY_PREFIX}{name} is {_said(value)} here, and "
                    f"{_said(declared[name])} in line {lines[name]}: leave one of them out"
                )
            declared[name], lines[name] = value, element.sourceline
    return declared


def _property(element: etree._Element, source: str, options: Mapping[str, Option]) -> tuple[str, OptionValue] | None:
    where = f"{source}:{element.sourceline}"
    for tag in ("name", "value"):
        found = element.findall(tag)
        if len(found) > 1:
            line = found[1].sourceline
            raise ContractError(f"{source}:{line}: a property has a second <{tag}>: leave one of them out")
        if tag in element.attrib:
            raise ContractError(f"{where}: a property has {tag} as an attribute: write it as an element <{tag}>")
        if found and len(found[0]):
            raise ContractError(f"{where}: there is more than text in <{tag}>: write nothing else there")
    name = (element.findtext("name") or "").strip()
    text = element.findtext("value")
    if not name or text is None:
        raise ContractError(f"{where}: a property needs a <name> and a <value>")
    if not name.startswith(PROPERTY_PREFIX) or name.startswith(BINDING_PREFIX):
        return None
    option = options.get(name.removeprefix(PROPERTY_PREFIX))
    if option is None:
        known = [PROPERTY_PREFIX + one for one in options]
        raise ContractError(f"{where}: no such contract option {brief(name)}{closest(name, known)}")
    return option.name, _value(text.strip(), type(option.default), f"{where}: {name}")


def _value(text: str, kind: type, where: str) -> OptionValue:
    if kind is bool:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise ContractError(f"{where} is {brief(text)}, not true or false")
    if not _NUMBER.fullmatch(text) or abs(int(text)) >> 63:
        raise ContractError(f"{where} is {brief(text)}, not a whole number of 63 bits")
    return int(text)


def _said(value: OptionValue) -> str:
    return str(value).lower()


def closest(name: str, known: Sequence[str]) -> str:
    """A hint at the closest known name, or at all names where none is close; begins with a colon."""
    near = difflib.get_close_matches(name[:_LONGEST_NAME], known, 1, 0.5)
    if near:
        return f": did you mean {near[0]!r}?"
    return f": known are {', '.join(known)}" if len(known) <= 12 else ""
