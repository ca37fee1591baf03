"""Contracts written as Hadoop-format XML: a new document, or an old one in which everything else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX
from fsconform.specs.contract_xml import LIKE, properties

MARK = "fsconform:"
"""How comments of ours begin: an earlier one is replaced, and any other is left alone."""

EMPTY = b'<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n</configuration>\n'


@dataclass(frozen=True, slots=True)
class Draft:
    """What a contract is to say: ``values`` by option, options to take out, comments by option and at the end."""

    values: Mapping[str, OptionValue]
    dropped: Collection[str] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()


def written(draft: Draft, base: bytes = EMPTY) -> bytes:
    """The document with the draft's options in it; properties and comments that are not ours are kept as they are.

    ``base`` is a document that :func:`fsconform.specs.contract_xml.parse` takes.
    """
    root = etree.fromstring(base, _parser())
    for node in list(root):
        if isinstance(node, etree._Comment) and (node.text or "").strip().startswith(MARK):
            _remove(root, node)
    there: dict[str, etree._Element] = {}
    for node in list(root):
        name = (node.findtext("name") or "").strip() if isinstance(node.tag, str) else ""
        option = name.removeprefix(PROPERTY_PREFIX) if name.startswith(PROPERTY_PREFIX) else ""
        if option in draft.dropped:
            _remove(root, node)
        elif option in draft.values:
            if option in there:
                _remove(root, there[option])  # the last one counts, as in Hadoop
            there[option] = node
    for option, value in draft.values.items():
        held = there.get(option)
        if held is None:
            held = _append(root, _property(option, value))
        else:
            _set(held, value)
        if option in draft.comments:
            comment = etree.Comment(f" {MARK} {_sayable(draft.comments[option])} ")
            comment.tail = "\n  "
            held.addprevious(comment)
    for remark in draft.remarks:
        _append(root, etree.Comment(f" {MARK} {_sayable(remark)} "))
    around = [etree.tostring(one, encoding="unicode", with_tail=False) for one in _outside(root)]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *around, ""]).encode()


WITHOUT = "without"
"""The attribute of a document of differences that names options of the other contract which it lacks."""


def is_like(document: bytes) -> str:
    """The name of the contract that a document holds the differences from; empty for a whole one."""
    return etree.fromstring(document, _parser()).get(LIKE, "")


def laid_over(differences: bytes, base: bytes) -> bytes:
    """The whole document that one of differences stands for, with the comments before its root, from its base."""
    root = etree.fromstring(differences, _parser())
    declared = properties(differences, "contract", OPTIONS, may_be_like=True)
    whole = etree.fromstring(written(Draft(declared, root.get(WITHOUT, "").split()), base), _parser())
    lines = [etree.tostring(one, encoding="unicode", with_tail=False) for one in (*_outside(root)[:-1], whole)]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, ""]).encode()


def _outside(root: etree._Element) -> list[etree._Element]:
    """The root with the comments before and after it."""
    return [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, strip_cdata=False)


def _text(value: OptionValue) -> str:
    return str(value).lower()


def _set(node: etree._Element, value: OptionValue) -> None:
    held = node.find("value")
    assert held is not None
    said = (held.text or "").strip()
    if said.lower() != _text(value):
        held.text = _text(value)


def _property(option: str, value: OptionValue) -> etree._Element:
    node = etree.Element("property")
    node.text = "\n    "
    for tag, text, tail in (("name", PROPERTY_PREFIX + option, "\n    "), ("value", _text(value), "\n  ")):
        child = etree.SubElement(node, tag)
        child.text, child.tail = text, tail
    return node


def _append(root: etree._Element, node: etree._Element) -> etree._Element:
    if len(root):
        root[-1].tail = "\n  "
    else:
        root.text = "\n  "
    node.tail = "\n"
    root.append(node)
    return node


def _remove(root: etree._Element, node: etree._Element) -> None:
    """Take a node out, with the space that stood before it and not with what follows it."""
    index, tail = root.index(node), node.tail
    root.remove(node)
    if tail and tail.strip():
        before = root[index - 1] if index else None
        if before is None:
            root.text = (root.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    elif index == len(root) and len(root):
        root[-1].tail = "\n"


def _sayable(text: str) -> str:
    """The text as a comment may hold it: no double dash, no character that XML does not know."""
    plain = "".join(ch if ch.isprintable() else f"\\u{ord(ch):04x}" for ch in text)
    return re.sub(r"-(?=-|$)", "- ", plain)
