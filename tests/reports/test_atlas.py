"""The atlas as a site: made of the data that are checked in, every link leads somewhere, hostile data stay text."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import lxml.html
import pytest

from fsconform.records import atlas as data
from fsconform.records import findings, profiles, published
from fsconform.records.atlas import Departure, Entry, Standing
from fsconform.records.findings import Finding
from fsconform.records.results import ClauseRecord, Results
from fsconform.reports.atlas import site as sites
from fsconform.reports.atlas.entries import entry_of
from fsconform.reports.atlas.site import site
from fsconform.reports.atlas.views import atlas_of
from fsconform.reports.visible import visible

FIRST_VIEW = 300_000
"""Bytes of the first page with its style and scripts."""
Site = dict[str, bytes]
OUTSIDE = {
    source.link
    for profile in profiles.every().values()
    for sources in ((need.source for need in profile.need), (way.source for way in profile.ways))
    for source in itertools.chain.from_iterable(sources)
} | {f"{published.HOME}{name}.html" for name in published.PUBLISHED}
TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title link script body a header nav div input kbd p ul li button main footer h1 h2 h3 h4 table "
        "caption thead tbody tr th td code pre span strong em cite details summary br wbr article dl dt dd ol fieldset "
        "legend label select option noscript",
    )
)
HREF = re.compile(r'(?:href|src)="([^"]*)"')
ID = re.compile(r' id="([^"]*)"')


@pytest.fixture(scope="module")
def built() -> Site:
    """The site of the entries and findings that are checked in, with rows for the clauses that entries name."""
    return site(data.read(), [], findings.every(), profiles.every().values())


@pytest.fixture
def hostile_site(hostile: Results, poison: Callable[[Any, str], Any], attacks: tuple[str, ...]) -> Site:
    """The site of stores, clauses and findings in which every text holds every attack."""
    entries = [
        replace(entry, versions=entry.versions | {"filesystem": "".join(attacks)}) for entry in _entries(hostile)
    ]
    return site(entries, hostile.clauses, _findings(poison, "".join(attacks)), profiles.every().values())


def _entries(results: Results) -> list[Entry]:
    """The entries of a run whose impacts are those of a file: another word is refused where an entry is read."""
    entries = [entry_of(results, store, "") for store in results.stores]
    return [
        replace(entry, departures=tuple(replace(departure, impact="") for departure in entry.departures))
        for entry in entries
    ]


def _findings(poison: Callable[[Any, str], Any], attack: str) -> Mapping[str, Finding]:
    finding: Finding = poison(next(iter(findings.every().values())), attack)
    return {finding.id: finding}


def broken_links(files: Site) -> list[str]:
    """The links of all pages that lead nowhere: to no file of the site, or to an anchor that its page does not have."""
    texts = {name: content.decode() for name, content in files.items() if name.endswith(".html")}
    anchors = {name: set(ID.findall(text)) for name, text in texts.items()}
    found = []
    for name, text in texts.items():
        for link in set(HREF.findall(text)):
            target, _, anchor = link.partition("#")
            if target in OUTSIDE:
                continue
            place = _resolved(name, unquote(target)) if target else name
            if place not in files or (anchor and place in anchors and unquote(anchor) not in anchors[place]):
                found.append(f"{name}: {link}")
    return found


def _resolved(page: str, target: str) -> str:
    parts = list(PurePosixPath(page).parent.parts)
    for part in target.split("/"):
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def harmless(text: str) -> None:
    """Nothing in a page but what a template wrote on purpose."""
    page: Any = lxml.html.document_fromstring(text)
    for element in page.iter():
        assert isinstance(element.tag, str) and element.tag in TAGS, element.tag
        assert not [name for name in element.attrib if name.startswith("on") or name in ("style", "srcset")]
    scripts = [script.get("src").rpartition("/")[2] for script in page.iter("script")]
    assert scripts == ["theme.js", "atlas.js"]
    assert not any(script.text for script in page.iter("script"))
    assert {character for character in text if not character.isprintable()} <= {"\n", "\t"}


def words_of(content: bytes) -> str:
    """The text of a page's body with single spaces."""
    page: Any = lxml.html.document_fromstring(content.decode())
    return " ".join(page.find("body").text_content().split())


def test_every_link_leads_somewhere(built: Site) -> None:
    assert broken_links(built) == []


def test_a_link_that_leads_nowhere_is_found(built: Site) -> None:
    without = {name: content for name, content in built.items() if name != "options.html"}
    assert any(link == "index.html: options.html" for link in broken_links(without))
    page = next(name for name in built if name.startswith("stores/"))
    moved = {**built, page: built[page].replace(b' id="d-', b' id="e-')}
    assert any(f"{page}#d-" in link for link in broken_links(moved))


def test_the_first_view_is_small(built: Site) -> None:
    assert sum(len(built[name]) for name in ("index.html", "style.css", "theme.js", "atlas.js")) < FIRST_VIEW


def test_all_that_the_data_have_has_a_page(built: Site) -> None:
    entries = data.read()
    index = built["index.html"].decode()
    assert all(f'href="stores/{entry.id}.html"' in index and f"data/{entry.id}.json" in index for entry in entries)
    atlas = atlas_of(entries, [], findings.every())
    assert len(atlas.rows) == len({clause for entry in entries for clause in entry.clauses})
    assert {row.name for row in atlas.options} == {name for entry in entries for name in entry.options}
    assert len(atlas.findings) == len(findings.every())
    assert {"rename", "append"} <= {group.name for group in atlas.operations}
    assert all(f'href="applications/{name}.html"' in built["applications.html"].decode() for name in profiles.every())
    shown = (atlas.columns, atlas.rows, atlas.options, atlas.findings, atlas.operations, atlas.documents)
    assert [row.page for rows in shown for row in rows if row.page not in built] == []


def test_a_divergence_is_shown_with_its_program(built: Site) -> None:
    entry = next(entry for entry in data.read() if entry.store == "rawlocal")
    page = words_of(built[f"stores/{entry.id}.html"])
    for departure in entry.departures[:20]:
        assert " ".join(departure.signature.split())[:60] in page
        assert departure.program[-1].call[:60] in page


def test_all_data_are_there_as_json_and_csv(built: Site) -> None:
    entries = data.read()
    for entry in entries:
        assert data.loads(built[f"data/{entry.id}.json"]) == entry
    rows = list(csv.DictReader(io.StringIO(built["data/verdicts.csv"].decode())))
    told = {(row["store"], row["clause"]): (int(row["judged"]), row["verdict"]) for row in rows}
    for entry in entries:
        for clause, standing in entry.clauses.items():
            assert told[entry.store, clause] == (standing.judged, standing.verdict)
    divergences = list(csv.DictReader(io.StringIO(built["data/divergences.csv"].decode())))
    assert len(divergences) == sum(len(entry.departures) for entry in entries)
    assert json.loads(built["data/clauses.json"])


def test_pages_ask_for_nothing_but_the_files_of_the_site(built: Site) -> None:
    for name, content in built.items():
        if name.endswith(".html"):
            assert f'content="{sites.POLICY}"'.replace("'", "&#39;").encode() in content, name
    for name in ("atlas.js", "theme.js"):
        assert not re.search(
            rb"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function|fetch|XMLHttp", built[name]
        )
    assert b"url(" not in built["style.css"] and b"@import" not in built["style.css"]


def test_hostile_data_stay_text(hostile_site: Site, attacks: tuple[str, ...]) -> None:
    pages = {name: content.decode() for name, content in hostile_site.items() if name.endswith(".html")}
    assert broken_links(hostile_site) == []
    told = ""
    for name, text in pages.items():
        harmless(text)
        body = words_of(text.encode())
        assert "1337" not in body, f"{name}: a template was evaluated twice"
        told += body
    for attack in attacks:
        assert " ".join(visible(attack).split()) in told, attack


def test_each_attack_stays_text(example: Results, attacks: tuple[str, ...], poison: Callable[[Any, str], Any]) -> None:
    """One by one too: all at once, one attack could disarm the next."""
    small = replace(example, stores=example.stores[:1])
    for attack in attacks:
        results = poison(small, attack)
        files = site(_entries(results), results.clauses[:2], _findings(poison, attack))
        for name, content in files.items():
            if name.endswith(".html"):
                harmless(content.decode())
        assert broken_links(files) == []


def test_a_page_that_does_not_escape_is_found(example: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of the hostile pages bite: a filter that lets markup through is seen by them."""
    from markupsafe import Markup

    make = sites.make_environment

    def careless(atlas: Any) -> Any:
        environment = make(atlas)
        environment.filters["shown"] = lambda text, *_: Markup(text)
        return environment

    monkeypatch.setattr(sites, "make_environment", careless)
    store = replace(example.stores[0], statement="<img src=x onerror=alert(1)>")
    files = site([entry_of(example, store, "")], example.clauses, {})
    with pytest.raises(AssertionError):
        harmless(files["index.html"].decode())


def test_hostile_data_stay_data(hostile_site: Site) -> None:
    """Scripts hold no sign of HTML, no cell of CSV is a formula, pictures and names of files are plain."""
    for name, content in hostile_site.items():
        assert re.fullmatch(r"(?:[a-z]+/)?[A-Za-z0-9._-]+", name) and ".." not in name
        if name.endswith("-data.js"):
            script = content.decode("ascii")
            assert not re.search("[<>&]", script)
            json.loads(script.partition(" = ")[2].rstrip(";\n"))
        if name.endswith(".csv"):
            rows = csv.reader(io.StringIO(content.decode("ascii")))
            assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
        if name.endswith(".svg"):
            picture = lxml.etree.fromstring(content)
            assert {lxml.etree.QName(part).localname for part in picture.iter()} <= {
                "svg",
                "title",
                "rect",
                "g",
                "text",
            }


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1+1", "@SUM(A1)"])
def test_a_formula_in_a_name_is_no_formula_in_csv(example: Results, formula: str) -> None:
    store = replace(example.stores[0], name=formula)
    files = site([entry_of(example, store, "")], example.clauses, {})
    assert f"\n'{formula}," in files["data/verdicts.csv"].decode()


def clause(name: str) -> ClauseRecord:
    """A row of a catalogue."""
    return ClauseRecord(name, "filesystem.md", "rename", "MUST", "It is so.")


def departure(signature: str, verdict: str, of_clause: str) -> Departure:
    """A divergence with an empty program."""
    return Departure(signature, verdict, of_clause, "MUST", "rename", "this", "that", (), "3/3")


def test_changes_between_releases_are_shown() -> None:
    """A verdict that changed, and other divergences of the same verdict; not what only one release was judged by."""
    entry = data.read()[0]
    names = (
        "filesystem.rename.post.a",
        "filesystem.rename.post.b",
        "filesystem.rename.post.c",
        "filesystem.rename.post.d",
    )
    a, b, c, d = names
    old = replace(
        entry,
        store="s",
        release="hadoop 3.3.6",
        clauses={a: Standing(1, "waived"), b: Standing(1, "declared"), c: Standing(1, "conforms")},
        departures=(departure("x", "waived", a), departure("y", "declared", b)),
    )
    new = replace(
        old,
        release="hadoop 3.5.0",
        clauses={a: Standing(2, "conforms"), b: Standing(1, "declared"), d: Standing(1, "conforms")},
        departures=(departure("z", "declared", b),),
    )
    atlas = atlas_of([new, old], map(clause, names), {})
    told = [(change.row.record.id, change.was, change.now) for change in atlas.changes]
    assert told == [(a, "waived", "conforms"), (b, "declared", "declared")]
    assert [change.before.entry.release for change in atlas.changes] == ["hadoop 3.3.6"] * 2
    files = site([new, old], map(clause, names), {})
    page = words_of(files["changes.html"])
    assert a in page and c not in page
    assert "Changes between releases" in files["clauses/filesystem.rename.post.a.html"].decode()


def test_a_newcomer_is_answered(built: Site) -> None:
    """The three questions that the first page leads to, each in two clicks."""
    index = words_of(built["index.html"])
    assert "HBase: the write-ahead log" in index
    log = words_of(built["applications/hbase-wal.html"])
    assert re.search(r"does not on s3a, hadoop 3\.5\.0: sync-shows, hsync-durable, log-directory-renamed-at-once", log)
    assert "s3a returns from hsync with nothing done" in log and "ProtobufLogWriter.java" in log
    kept = re.search(r"keep the modification time of a file that is renamed\? Yes: ([^.]*hdfs[^?]*)No: ([^?]*)", index)
    assert kept and "s3a" in kept[2] and "s3a" not in kept[1]
    assert "Changes between releases" in words_of(built["operations/rename.html"])


def test_an_answer_that_changed_is_shown_so() -> None:
    """A store that loses what an application needs gets another answer, with the divergence that says so."""
    hdfs = next(entry for entry in data.read() if entry.store == "hdfs")
    torn = replace(
        hdfs,
        clauses=hdfs.clauses | {"filesystem.rename.atomic": Standing(3, "violation")},
        departures=(departure("rename tears", "violation", "filesystem.rename.atomic"),),
    )
    for entry, told in ((hdfs, "fits on hdfs"), (torn, "does not on hdfs")):
        page = site([entry], [], findings.every(), [profiles.every()["hbase-wal"]])["applications/hbase-wal.html"]
        assert told in words_of(page)


def test_changes_of_an_operation_stand_on_its_page() -> None:
    entry = next(entry for entry in data.read() if entry.store == "hdfs")
    name = "filesystem.rename.post.file"
    old = replace(entry, release="hadoop 3.3.6", clauses={name: Standing(1, "violation")}, departures=())
    new = replace(entry, clauses={name: Standing(1, "conforms")}, departures=())
    page = words_of(site([old, new], [], {})["operations/rename.html"])
    assert re.search(
        r"hdfs: filesystem\.rename\.post\.file .{1,3}violation with hadoop 3\.3\.6, .{1,3}conforms with", page
    )
    page = words_of(site([old, replace(old, release="hadoop 3.5.0")], [], {})["operations/rename.html"])
    assert "None at a clause that both releases were judged by: hdfs hadoop 3.3.6 and hadoop 3.5.0" in page


def test_an_empty_atlas_says_so() -> None:
    files = site([], [], {})
    assert b"No store is in the atlas yet." in files["index.html"]
    assert broken_links(files) == []


def test_entry_leaves_out_what_is_of_the_machine(example: Results) -> None:
    store = example.stores[0]
    shown = replace(
        store.divergences[0],
        observed="raised FileNotFoundException: File file:/tmp/x/a does not exist; later raised IOException: no",
        expected="nothing at file:///tmp/x/a",
    )
    entry = entry_of(example, replace(store, divergences=[shown]), "abc")
    assert entry.departures[0].observed == "raised FileNotFoundException; later raised IOException"
    assert entry.departures[0].expected == "nothing at (path)"
    assert entry.origin.commit == "abc"
