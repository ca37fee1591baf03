"""What is known of stores, as data: one TOML file a finding, in a folder a store, beside the evidence of the runs.

``STORE/SLUG.toml`` is a :class:`Finding`, whose id is ``STORE/SLUG``; ``STORE/evidence.json`` is the :class:`Evidence`
of that store, with the smallest program of each divergence; ``STORE/about.md`` says how the store was judged, where
there is something to say. Texts are Markdown; ``finding:ID`` and ``docs/PAGE.md`` are the targets of their links.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

FOLDER = Path(__file__).resolve().parent
SCHEMA = 1


class FindingError(ValueError):
    """A file that is no finding; the text names it and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause in one store, and the divergences by which it shows.

    ``verdict`` is empty where no run of the evidence showed it, ``impact`` where it was not derived. ``signatures``
    has those of its own store, and of stores that stand on it and show the same. ``options`` are those that its texts
    speak of, ``quirks`` the known bugs that lead here, ``upstream`` issues of the store's own tracker. New signatures
    that match ``takes``, each ``VERDICT: PATTERN``, belong to it. ``fixed`` is the release in which it is gone.
    """

    title: str
    observed: str
    case_for: str
    acceptance: str
    """How it is declared or accepted, or that it need not be."""
    second_way: str
    """What confirms it beside the runs."""
    case_against: str = ""
    verdict: str = ""
    impact: str = ""
    clauses: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()
    upstream: tuple[str, ...] = ()
    fixed: str = ""
    takes: tuple[str, ...] = ()
    signatures: dict[str, tuple[str, ...]] = field(default_factory=dict)
    id: str = ""

    @property
    def store(self) -> str:
        """The store that has it."""
        return self.id.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Seen:
    """One divergence of one store over all runs.

    ``program`` has the calls of the smallest program, probes included, and ``observed`` what each gave. ``options`` are
    the smallest sets of contract options that allow it, as ``name=value``; ``seeds`` those of the runs that saw it;
    ``confirmed`` is the worst of them.
    """

    signature: str
    verdict: str
    clause: str
    level: str
    program: tuple[str, ...]
    observed: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    seeds: tuple[int, ...]
    confirmed: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the runs of one store saw; ``seeds`` and ``versions`` are those of all of them."""

    schema: int
    seeds: tuple[int, ...]
    versions: dict[str, tuple[str, ...]]
    seen: tuple[Seen, ...]


def read(path: Path) -> Finding:
    """One finding. Raises FindingError for a file that is none."""
    name = f"{path.parent.name}/{path.stem}"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        unknown = sorted(set(table) - {one.name for one in fields(Finding)} | {"id"} & set(table))
        if unknown:
            raise FindingError(f"{name}: unknown fields: {', '.join(unknown)}")
        return replace(msgspec.convert(table, Finding), id=name)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FindingError(f"{name}: {error}") from error


@cache
def every() -> Mapping[str, Finding]:
    """All findings by id."""
    found = map(read, sorted(FOLDER.glob("*/*.toml")))
    return MappingProxyType({one.id: one for one in found})


@cache
def homes() -> Mapping[tuple[str, str], Finding]:
    """The finding of each store and signature."""
    return MappingProxyType(
        {(store, name): one for one in every().values() for store, names in one.signatures.items() for name in names}
    )


@cache
def stores() -> tuple[str, ...]:
    """The stores that runs were made of."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/evidence.json")))


@cache
def evidence(store: str) -> Evidence:
    """What the runs of a store saw."""
    return msgspec.json.decode((FOLDER / store / "evidence.json").read_bytes(), type=Evidence)


@cache
def about(store: str) -> str:
    """How a store was judged; empty where there is nothing to say."""
    path = FOLDER / store / "about.md"
    return path.read_text("utf-8") if path.is_file() else ""


def shown(finding: Finding) -> tuple[Seen, ...]:
    """The evidence of a finding on its own store, in the order of its signatures; none of those that no run showed."""
    by_signature = {one.signature: one for one in evidence(finding.store).seen}
    return tuple(by_signature[name] for name in finding.signatures.get(finding.store, ()) if name in by_signature)
