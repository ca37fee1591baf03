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

from fsconform.records import published
from fsconform.records.results import Results
from fsconform.reports import html, view
from fsconform.reports.visible import visible

TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title style body a header p h1 h2 h3 h4 dl div dt dd main section nav ul li table caption "
        "thead tbody tr th td code pre span strong em cite details summary br wbr progress footer "
        "article q h5 ol figure figcaption fieldset legend label input button dialog kbd script "
        "svg desc g line rect circle path text",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"[a-z0-9-]+",
        "lang charset http-equiv content name class href rel id role aria-label aria-labelledby aria-hidden tabindex "
        "scope colspan max value aria-describedby aria-current aria-haspopup type name checked autocomplete spellcheck "
        "placeholder hidden open title data-say data-hit data-step data-first data-kinds data-filters data-copy "
        "width height viewbox x y x1 x2 y1 y2 cx cy r rx d",
    )
)
Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
STYLE = html.sources(html.STYLES)
SCRIPTS = [html.sources([name]) for name in html.SCRIPTS]
FILES = ("../replays/",)
SPECIFICATION = {f"{published.HOME}{name}.html" for name in published.PUBLISHED}
"""What a page links to beside what the run wrote."""


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
            inside = target.startswith(FILES) and ".." not in unquote(target[3:]).split("/")
            assert target in names or target == "" or inside or target in SPECIFICATION, href
    assert len(page.findall(".//style")) == 1
    assert page.find(".//style").text == STYLE
    assert [script.text for script in page.iter("script")] == SCRIPTS
    for element in page.iter("svg"):
        shapes = {"title", "desc", "g", "line", "rect", "circle", "path", "text"}
        assert {inside.tag for inside in element.iter()} <= {"svg", *shapes}
        assert all(inside.text is None for inside in element.iter("line", "rect", "circle", "path"))


def test_pages_hold_what_the_templates_wrote_and_nothing_else(example: Results) -> None:
    """The bounds that the hostile pages must keep are not too wide: each tag and attribute is used."""
    pages = parsed(example)
    used_tags = {element.tag for page in pages.values() for element in page.iter()}
    used = {name for page in pages.values() for element in page.iter() for name in element.attrib}
    assert used_tags >= {"a", "code", "details", "progress", "section", "table", "pre", "svg", "dialog", "input"}
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


def fingerprint(text: str) -> str:
    """As a content security policy names a text that it lets in."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_page_is_one_file_and_asks_for_nothing(example: Results) -> None:
    for text in html.pages(example).values():
        page: Element = lxml.html.document_fromstring(text)
        (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        scripts = " ".join(map(fingerprint, SCRIPTS))
        assert policy == (
            f"default-src 'none'; style-src {fingerprint(STYLE)}; script-src {scripts}; "
            "base-uri 'none'; form-action 'none'"
        )
        assert f"<style>{STYLE}</style>" in text, "the fingerprint is of other bytes"
        assert all(f"<script>{script}</script>" in text for script in SCRIPTS)
        assert not page.xpath("//@src | //link | //iframe | //object | //form | //@style")
        assert not [name for name in page.xpath("//@*") if getattr(name, "attrname", "").startswith("on")]
        assert {href.partition("#")[0] for href in page.xpath("//@href") if "//" in href} <= SPECIFICATION
    assert "url(" not in STYLE and "@import" not in STYLE


def test_scripts_make_no_html_out_of_text() -> None:
    """No results stand in a script, and none is read as HTML or as a program."""
    for script in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function|fetch|import|XMLHttp", script
        )
        assert "{{" not in script and "</" not in script
        assert script.isascii()


def test_attacks_in_plots_stay_text(hostile: Results, attacks: tuple[str, ...]) -> None:
    """In labels, titles and descriptions, and in the tables that say the same."""
    for page in parsed(hostile).values():
        plots = page.xpath("//svg")
        assert plots
        told = " ".join(plot.text_content() for plot in plots)
        for attack in attacks[:3]:
            assert visible(attack)[:8] in told
        assert told.replace("\n", " ").isprintable()
        for plot in plots:
            assert plot.get("role") == "img"
            assert {"title", "desc"} <= {part.tag for part in plot}


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


def test_missing_values_are_errors(example: Results) -> None:
    environment = html.make_environment()
    frame = view.frame_of(example)
    stores = [view.store_view(frame, number, []) for number in range(len(example.stores))]
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string("{{ frame.results.run.nothing }}").render(frame=frame)
    with pytest.raises(jinja2.UndefinedError):
        environment.get_template("store.html").render(frame=frame, here="")
    with pytest.raises(ValueError, match="not there"):
        environment.from_string("{{ store.page }}{{ nothing }}").render(store=stores[0], nothing=None)


def test_text_that_a_template_forgot_is_escaped_too() -> None:
    """Without a filter, in an attribute as in the body."""
    template = html.make_environment().from_string('<a title="{{ x }}">{{ x }}</a>')
    assert template.render(x='"<\u202e') == '<a title="&#34;&lt;\\u202e">&#34;&lt;\\u202e</a>'
