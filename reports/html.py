"""The HTML report: an index over the run and a page for each store.

Each page is one file that opens anywhere: no request, its style and its scripts inside, and a content security policy
that forbids everything else. All is there without the scripts; they add search, keys, copying and a choice of colours.
Whatever a store or a user named is escaped twice over: ``visible`` shows what could deceive the eye, and the templates
escape for HTML.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from fsconform.records import published
from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import races, visible, words
from fsconform.reports.caps import ALL_AT_MOST, CAPS, IN_FULL, INDEX_CAPS, ONE_AT_MOST, PAGE_AT_MOST
from fsconform.reports.divergences import DivergenceView, divergence_view, ids
from fsconform.reports.findings import finding_of, known, place
from fsconform.reports.view import SERIOUS_SHOWN, StoreView, frame_of, run_view, store_view

TEMPLATES = Path(__file__).with_name("templates")
FOLDER = "report"
STYLES = ("palette.css", "page.css", "divergence.css", "tables.css", "plots.css", "media.css")
SCRIPTS = ("theme.js", "page.js")
"""The first runs before the page is drawn, the second at its end."""


def write_report(results: Results, directory: Path) -> Path:
    """Write ``report/index.html`` and ``report/<store>.html`` into the run's folder, and give the index's path.

    Raises OSError if the folder can't be written.
    """
    folder = directory / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(results).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return folder / "index.html"


def pages(results: Results) -> dict[str, str]:
    """The pages of a report by file name, the index first."""
    environment = make_environment()
    frame = frame_of(results)
    page, index = environment.get_template("store.html"), environment.get_template("index.html")
    stores: list[StoreView] = []
    found = {"index.html": ""}
    for number, record in enumerate(results.stores):
        shown = in_full(environment, record, words.by_severity(record.divergences))
        store = store_view(frame, number, [one for one, _ in shown])
        bodies = {one.id: body for one, body in shown}
        findings = known(record, [one.record for one, _ in shown])
        found[store.page] = page.render(frame=frame, store=store, bodies=bodies, known=findings, here=store.page)
        stores.append(store)
    for caps in INDEX_CAPS:
        found["index.html"] = index.render(frame=frame, run=run_view(frame, stores, caps), here="index.html")
        if len(found["index.html"].encode("utf-8")) <= PAGE_AT_MOST:
            break
    return found


def in_full(
    environment: jinja2.Environment, store: StoreRecord, ordered: Sequence[Divergence]
) -> list[tuple[DivergenceView, Markup]]:
    """The first divergences with their HTML: as many as a page holds, the first in any case."""
    render = environment.get_template("divergence.html").make_module().divergence  # type: ignore[attr-defined]
    found: list[tuple[DivergenceView, Markup]] = []
    left, narrow = ALL_AT_MOST, 0
    for record, name in zip(ordered[:IN_FULL], ids(ordered[:IN_FULL]), strict=True):
        finding = finding_of(store, record)
        link = (place(finding), finding.title) if finding is not None else ("", "")
        # Where one had to be cut, the next are likely to be like it.
        for level in range(narrow, len(CAPS)):
            narrow = level
            view = divergence_view(record, name, CAPS[level], link)
            body: Markup = render(view, not found)
            size = len(body.encode("utf-8"))
            if size <= ONE_AT_MOST:
                break
        left -= size
        if found and left < 0:
            break
        found.append((view, body))
    return found


def sources(names: Iterable[str]) -> str:
    """Files that stand beside the templates, one after another."""
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def make_environment() -> jinja2.Environment:
    """The templates' environment: what is not there is an error, what is printed is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = sources(STYLES)
    scripts = [sources([name]) for name in SCRIPTS]
    environment.filters.update(
        shown=visible.shown,
        brief=visible.brief,
        block=visible.block,
        dotted=visible.dotted,
        short=visible.short,
        num=lambda number: f"{number:,}",
        duration=words.duration,
        milliseconds=words.milliseconds,
        moment=words.moment,
        value=words.value_text,
        exit_words=words.exit_words,
        plural=words.plural,
        rank=words.rank,
        slug=visible.slug,
        tags=words.tags,
        below_place=words.below_place,
        below_words=words.below,
        internal=words.internal_error,
        operations=words.operations,
        page_of=published.page_of,
        races=races.line,
        slow_calls=words.slow_calls,
    )
    environment.globals.update(
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        policy=policy(style, scripts),
        signs=words.SIGNS,
        meanings=words.MEANINGS,
        listed=words.LISTED,
        no_proof=words.NO_PROOF,
        serious_shown=SERIOUS_SHOWN,
    )
    return environment


def policy(style: str, scripts: Iterable[str]) -> str:
    """The content security policy that lets in this style and these scripts and nothing else."""
    allowed = " ".join(map(_fingerprint, scripts))
    return (
        f"default-src 'none'; style-src {_fingerprint(style)}; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _fingerprint(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _final(value: Any) -> Any:
    """Every value on its way into a page: text that a template forgot to pass through ``shown`` is made visible."""
    if value is None:
        raise ValueError("a template prints a value that is not there")
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible.visible(value)
    return value
