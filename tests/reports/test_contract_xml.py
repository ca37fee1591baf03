"""Contract fragments are XML, whatever the option is called."""

from __future__ import annotations

import pytest
from lxml import etree

from fsconform.records.results import Change
from fsconform.reports.contract_xml import contract_fragment, set_xml


def read(fragment: str) -> list[tuple[str | None, str | None]]:
    """The names and values of a fragment, as Hadoop's reader would see them."""
    root = etree.fromstring(f"<configuration>{fragment}</configuration>")
    assert all([child.tag for child in one] == ["name", "value"] and one.tag == "property" for one in root)
    return [(one.findtext("name"), one.findtext("value")) for one in root]


def test_properties_in_hadoops_format() -> None:
    changes = [Change("rename-overwrites-dest", True, False, ""), Change("fs.contract.max-path", 255, None, "")]
    assert contract_fragment(changes) == (
        "<property>\n  <name>fs.contract.rename-overwrites-dest</name>\n  <value>true</value>\n</property>\n"
        "<property>\n  <name>fs.contract.max-path</name>\n  <value>255</value>\n</property>\n"
    )


def test_hostile_names_and_values(attacks: tuple[str, ...]) -> None:
    for attack in (*attacks, "</name><evil/>", "<![CDATA[", "&lt;"):
        ((name, value),) = read(contract_fragment([Change(attack, attack, None, "")]))
        assert name and value and name.startswith("fs.contract.")
    assert read(contract_fragment([Change("a<b", "&\x00", None, "")])) == [("fs.contract.a<b", "&\\u0000")]


def test_one_option_has_one_value() -> None:
    twice = [Change("a", True, None, ""), Change("fs.contract.a", True, None, "")]
    assert read(contract_fragment(twice)) == [("fs.contract.a", "true")]
    with pytest.raises(ValueError, match=r"two values for the option fs\.contract\.a: true and false"):
        contract_fragment([*twice, Change("a", False, None, "")])


def test_recorded_xml_goes_before_xml_made_here() -> None:
    recorded = Change("a", True, None, "<property>own</property>")
    assert set_xml([recorded, recorded]) == "<property>own</property>\n<property>own</property>\n"
    assert "fs.contract.a" in set_xml([recorded, Change("b", True, None, "")])
    assert contract_fragment([]) == set_xml([]) == ""
