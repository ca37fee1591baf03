"""The atlas as a static site: each page by its name, made of entries, the catalogue and the findings. Pure.

Pages share a style and two scripts by relative links, so that the site works from a folder (``file://``) as from a
server; a content security policy lets in those files and nothing else. All is there without the scripts, but for the
search and the comparison of two stores. What a store or a user named is escaped as in the reports (``html.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import jinja2
from markupsafe import Markup

from fsconform.records.atlas import Entry
from fsconform.records.findings import Finding
from fsconform.records.profiles import Profile
from fsconform.records.profiles.fitting import ANSWERS, run_for
from fsconform.records.results import SEVERITY, ClauseRecord
from fsconform.reports import findings as finding_views
from fsconform.reports import html
from fsconform.reports.atlas import export
from fsconform.reports.atlas.pictures import picture
from fsconform.reports.atlas.views import Atlas, atlas_of
from fsconform.reports.fit_text import OPEN_WAYS

STYLES = ("palette.css", "page.css", "tables.css", "atlas/atlas.css", "media.css")
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"


def site(
    entries: Iterable[Entry],
    clauses: Iterable[ClauseRecord],
    findings: Mapping[str, Finding],
    profiles: Iterable[Profile] = (),
    suites: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, bytes]:
    """All files of the site by their place in it, ``index.html`` the first; the arguments are those of ``atlas_of``."""
    atlas = atlas_of(entries, clauses, findings, profiles, suites)
    return {
        **{name: text.encode("utf-8") for name, text in pages(atlas).items()},
        **export.files(atlas),
        **{f"pictures/{column.entry.id}.svg": picture(column) for column in atlas.columns},
        "style.css": html.sources(STYLES).encode("utf-8"),
        "theme.js": html.sources(["theme.js"]).encode("utf-8"),
        "atlas.js": html.sources(["atlas/atlas.js"]).encode("utf-8"),
    }


def pages(atlas: Atlas) -> dict[str, str]:
    """The HTML pages by their place in the site."""
    environment = make_environment(atlas)

    def render(template: str, place: str, **more: Any) -> str:
        root = "../" * place.count("/")
        return environment.get_template(f"atlas/{template}.html").render(root=root, place=place, **more)

    found = {name: render(name.partition(".")[0], name) for name in SINGLE}
    for number, column in enumerate(atlas.columns):
        found[column.page] = render("store", column.page, column=column, number=number)
    for row in atlas.rows:
        changes = [change for change in atlas.changes if change.row is row]
        about = [shown for shown in atlas.findings if row.record.id in shown.finding.clauses]
        found[row.page] = render("clause", row.page, row=row, changes=changes, about=about)
    for kind, groups in (("document", atlas.documents), ("operation", atlas.operations)):
        for group in groups:
            found[group.page] = render(kind, group.page, group=group)
    for option in atlas.options:
        found[option.page] = render("option", option.page, row=option)
    for application in atlas.applications:
        text = finding_views.prose(application.profile.about)
        found[application.page] = render("application", application.page, row=application, about=text)
    for finding in atlas.findings:
        texts = [(title, getattr(finding.finding, name)) for name, title in finding_views.SECTIONS]
        told = [(title, finding_views.prose(text)) for title, text in texts if text]
        found[finding.page] = render("finding", finding.page, row=finding, texts=told)
    return found


SINGLE = (
    "index.html",
    "applications.html",
    "clauses.html",
    "operations.html",
    "options.html",
    "findings.html",
    "changes.html",
    "compare.html",
)
"""The pages of which there is one each; the template has the same name."""


def make_environment(atlas: Atlas) -> jinja2.Environment:
    """The templates' environment, with the atlas for all of them."""
    environment = html.make_environment()
    environment.globals.update(
        atlas=atlas,
        policy=POLICY,
        severity=SEVERITY,
        row_pages=atlas.row_pages,
        finding_pages=atlas.finding_pages,
        finding_titles={row.finding.id: row.finding.title for row in atlas.findings},
        option_pages={row.name: row.page for row in atlas.options},
        operation_pages={group.name: group.page for group in atlas.operations},
        answers=ANSWERS,
        ways=OPEN_WAYS,
        run_for=run_for,
        style=Markup(""),
        scripts=[],
    )
    return environment
