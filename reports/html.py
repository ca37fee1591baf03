"""The HTML report: an index over the run and a page for each store.

Each page is one file that opens anywhere: no script, no request, its style inside, and a content security policy that
forbids everything else. Whatever a store or a user named is escaped twice over: ``visible`` shows what could deceive
the eye, and the templates escape for HTML.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from fsconform.records.results import Results
from fsconform.reports import visible, words
from fsconform.reports.view import RunView, run_view

TEMPLATES = Path(__file__).with_name("templates")
FOLDER = "report"


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
    run: RunView = run_view(results)
    found = {"index.html": environment.get_template("index.html").render(run=run)}
    template = environment.get_template("store.html")
    for store in run.stores:
        found[store.page] = template.render(run=run, store=store)
    return found


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
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    environment.filters.update(
        shown=visible.shown,
        block=visible.block,
        dotted=visible.dotted,
        num=lambda number: f"{number:,}",
        duration=words.duration,
        milliseconds=words.milliseconds,
        value=words.value_text,
        exit_words=words.exit_words,
        plural=words.plural,
        slug=visible.slug,
        tags=words.tags,
    )
    environment.globals.update(
        style=Markup(style),
        policy=_policy(style),
        signs=words.SIGNS,
        meanings=words.MEANINGS,
        listed=words.LISTED,
        no_proof=words.NO_PROOF,
    )
    return environment


def _policy(style: str) -> str:
    """The content security policy that lets in this style and nothing else."""
    fingerprint = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{fingerprint}'; base-uri 'none'; form-action 'none'"


def _final(value: Any) -> Any:
    """Every value on its way into a page: text that a template forgot to pass through ``shown`` is made visible."""
    if value is None:
        raise ValueError("a template prints a value that is not there")
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible.visible(value)
    return value
