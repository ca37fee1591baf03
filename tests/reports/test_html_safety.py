"""The pages are harmless whatever a store puts into them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jinja2
import lxml.html
import pytest

from fsconform.records.results import Results
from fsconform.reports import html, view
from fsconform.reports.visible import visible

TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title style body a header p h1 h2 h3 h4 dl div dt dd main section nav ul li table caption "
        "thead tbody tr th td code pre span strong em cite details summary br wbr progress footer",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"[a-z-]+",
        "lang charset http-equiv content name class href id role aria-label aria-labelledby aria-hidden tabindex scope "
        "colspan max value",
    )
)
Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
STYLE = (html.TEMPLATES / "style.css").read_text(encoding="utf-8")


def parsed(results: Results) -> dict[str, Element]:
    """All pages as trees."""
    return {name: lxml.html.document_fromstring(text) for name, text in html.pages(results).items()}


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def harmless(page: Element, names: set[str]) -> None:
    """Only elements, attributes and links that a template wrote on purpose."""
    for element in page.iter():
        assert isinstance(element.tag, str), "a comment or a processing instruction"
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES, element.tag
        href = element.get("href")
        if href is not None:
            target = href.partition("#")[0]
            inside = target.startswith("../replays/") and ".." not in unquote(target[3:]).split("/")
            assert target in names or target == "" or inside, href
    assert len(page.findall(".//style")) == 1
    assert page.find(".//style").text == STYLE


def test_pages_hold_what_the_templates_wrote_and_nothing_else(example: Results) -> None:
    """The bounds that the hostile pages must keep are not too wide: each tag and attribute is used."""
    pages = parsed(example)
    used_tags = {element.tag for page in pages.values() for element in page.iter()}
    used = {name for page in pages.values() for element in page.iter() for name in element.attrib}
    assert used_tags >= {"a", "code", "details", "progress", "section", "table", "pre"}
    assert used - ATTRIBUTES == set()
    for page in pages.values():
        harmless(page, set(pages))


def test_hostile_data_stays_text(hostile: Results, attacks: tuple[str, ...]) -> None:
    pages = parsed(hostile)
    assert len(pages) == 4
    for name, page in pages.items():
        harmless(page, set(pages))
        text = page.find("body").text_content()
        assert "1337" not in text, "a template was evaluated twice"
        for attack in attacks:
            assert visible(attack).rstrip() in text, (name, attack)


def test_each_attack_stays_text(example: Results, attacks: tuple[str, ...], poison: Callable[[Any, str], Any]) -> None:
    """One by one too: all at once, one attack could disarm the next."""
    for attack in attacks:
        pages = parsed(poison(example, attack))
        for page in pages.values():
            harmless(page, set(pages))


def test_nothing_hidden_reaches_the_page(hostile: Results) -> None:
    """No control character, no text direction mark, no lone surrogate: all stand as escapes."""
    for text in html.pages(hostile).values():
        assert {one for one in text if not one.isprintable()} == {"\n", "\t"}
        assert "\\u202e" in text and "\\u001b" in text and "\\ud800" in text
        text.encode("utf-8")


def test_escapes_can_be_told_from_text(example: Results) -> None:
    """A name with six characters that look like an escape is not shown as one."""
    store = replace(example.stores[0], uri="real \u202e, said \\u202e")
    page = parsed(replace(example, stores=[store]))["rawlocal.html"]
    (uri,) = [one for one in page.iter("code") if words_of(one) == "real \\u202e, said \\u202e"]
    assert [words_of(one) for one in uri.iter("span")] == ["\\u202e"]


def test_page_is_one_file_and_asks_for_nothing(example: Results) -> None:
    fingerprint = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    for text in html.pages(example).values():
        page: Element = lxml.html.document_fromstring(text)
        (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        assert policy == f"default-src 'none'; style-src 'sha256-{fingerprint}'; base-uri 'none'; form-action 'none'"
        assert f"<style>{STYLE}</style>" in text, "the fingerprint is of other bytes"
        assert not page.xpath("//@src | //script | //link | //iframe | //object | //form")
        assert not [href for href in page.xpath("//@href") if "//" in href]
    assert "url(" not in STYLE and "@import" not in STYLE


def test_hostile_store_names_stay_in_the_folder(example: Results, tmp_path: Path) -> None:
    names = [
        "../x",
        "/etc/x",
        "index",
        "INDEX",
        "a",
        "A",
        "a b",
        "",
        ".",
        "..",
        "a/b",
        "a\\b",
        "x" * 500,
        "\0",
        "é",
        "a b",
    ]
    stores = [replace(example.stores[0], name=name) for name in names]
    index = html.write_report(replace(example, stores=stores), tmp_path)
    found = sorted(path.name.lower() for path in index.parent.iterdir())
    assert len(set(found)) == len(names) + 1
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,90}\.html", name) for name in found)


def test_pages_stay_small(example: Results) -> None:
    """A store that breaks everything, with names of a megabyte, makes no page that a browser can't open."""
    assert all(len(text) < 150_000 for text in html.pages(example).values())
    store = example.stores[1]
    big = replace(store.divergences[0], stack="\0" * 1_000_000, observed="x" * 1_000_000, logs=["y" * 1000] * 1000)
    step = replace(big.sequence[0], call="c" * 20_000, observed="o" * 20_000, changed=("d" * 20_000,))
    big = replace(big, sequence=[step] * 100)
    many = [replace(big, signature=f"{number} {'z' * 1_000_000}") for number in range(120)]
    pages = html.pages(replace(example, stores=[replace(store, divergences=many)]))
    assert len(pages["file.html"]) < 30_000_000
    page: Element = lxml.html.document_fromstring(pages["file.html"])
    assert f"{120 - view.IN_FULL} more, not shown in full" in words_of(page)
    assert set(page.xpath("//@aria-labelledby")) <= set(page.xpath("//@id"))
    assert "[… 998,000 more characters, not shown]" in words_of(page)


def test_missing_values_are_errors(example: Results) -> None:
    environment = html.make_environment()
    run = view.run_view(example)
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string("{{ run.results.run.nothing }}").render(run=run)
    with pytest.raises(jinja2.UndefinedError):
        environment.get_template("store.html").render(run=run)
    with pytest.raises(ValueError, match="not there"):
        environment.from_string("{{ store.page }}{{ nothing }}").render(store=run.stores[0], nothing=None)


def test_text_that_a_template_forgot_is_escaped_too() -> None:
    """Without a filter, in an attribute as in the body."""
    template = html.make_environment().from_string('<a title="{{ x }}">{{ x }}</a>')
    assert template.render(x='"<\u202e') == '<a title="&#34;&lt;\\u202e">&#34;&lt;\\u202e</a>'
