"""Option changes as a fragment of Hadoop's contract XML, ready to be pasted between its configuration tags."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

from fsconform.records.results import Change
from fsconform.reports.visible import visible
from fsconform.reports.words import value_text

PREFIX = "fs.contract."


def contract_fragment(changes: Iterable[Change]) -> str:
    """One ``<property>`` for each option that changes, in the order given, each option once.

    Raises ValueError for two changes that give one option different values: they belong to different sets.
    """
    values: dict[str, str] = {}
    for change in changes:
        name = change.option if change.option.startswith(PREFIX) else PREFIX + change.option
        value = value_text(change.value)
        if values.setdefault(name, value) != value:
            raise ValueError(f"two values for the option {name}: {values[name]} and {value}")
    return "".join(
        f"<property>\n  <name>{_text(name)}</name>\n  <value>{_text(value)}</value>\n</property>\n"
        for name, value in values.items()
    )


def set_xml(changes: Iterable[Change]) -> str:
    """The XML of one smallest set of changes: as recorded, or made here where the record has none."""
    changes = list(changes)
    if all(change.xml for change in changes):
        return "".join(change.xml.strip("\n") + "\n" for change in changes)
    return contract_fragment(changes)


def one_line(changes: Iterable[Change]) -> str:
    """The XML of one set of changes on one line, to be pasted between the configuration tags."""
    return "".join(part.strip() for part in set_xml(changes).splitlines())


def _text(text: str) -> str:
    # XML 1.0 has no way to write most control characters, and names of options have none.
    return escape(visible(text))
