"""Waivers: divergences accepted by hand, each with its reason and an end. Unused and expired ones fail the gate."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Protocol

from fsconform.engine.describe import NO_RETURN
from fsconform.engine.patterns import PatternError, compiled, is_met, matches
from fsconform.model.core.operation import paths_of
from fsconform.model.core.outcomes import Raised
from fsconform.model.filesystem.input.open_file import OpenFile
from fsconform.model.filesystem.programs import Event, Program
from fsconform.records.given import GivenError, brief, read_text, toml_of
from fsconform.specs.contract_xml import closest

MOST_BYTES = 16 << 20
MOST_SIGNATURE = 10_000
"""Characters of a signature in a waiver."""


class WaiverError(ValueError):
    """A waiver file that can't be used; the text names the file and what to mend."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One accepted divergence. ``store`` is a store's name; ``expires`` the last day on which it holds.

    It may be a call that does not return, which is inconclusive: only a signature that ends in those words accepts it.
    A ``*`` in the signature stands for any text, so that one waiver can accept all symptoms of one cause; ``names``, a
    regular expression of RE2, asks for one of :func:`traits_of` the smallest program.
    ``others`` are further signatures of the same cause, which it accepts as well; where there are ``clauses`` it
    accepts only what breaks one of them.
    An ``optional`` waiver may go unused, as one does that a file calls ``rare``: of a cause that hangs on the moment.
    One with a ``suite`` holds only where that suite was asked for.
    """

    store: str
    signature: str
    reason: str
    link: str
    expires: datetime.date
    optional: bool = False
    suite: str = ""
    names: str = ""
    others: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()

    def accepts(self, signature: str, traits: Collection[str]) -> bool:
        """Whether it accepts a divergence of a signature whose smallest program has these traits."""
        if not any(_is_met(one, signature) for one in (self.signature, *self.others)):
            return False
        if self.clauses and not any(f"clause {one}" in traits for one in self.clauses):
            return False
        return not self.names or any(matches(self.names, trait) for trait in traits if _asks_of(self.names, trait))


def _is_met(pattern: str, signature: str) -> bool:
    if signature.endswith(NO_RETURN) and not pattern.endswith(NO_RETURN):
        return False
    return is_met(pattern, signature)


KINDS = ("clause", "option", "path", "raised", "read", "refused", "repeated", "via")
"""What a trait that is more than a name of a path begins with, before a space."""


def _asks_of(names: str, trait: str) -> bool:
    """Whether a pattern asks of a trait's kind: one for long or odd names is not met by a clause or a whole path."""
    kind = trait.partition(" ")[0]
    return kind not in KINDS or names.startswith(f"{kind} ")


@dataclass(frozen=True, slots=True)
class Failing:
    """What waivers are held against: the traits of a divergence's smallest program, and the signature of its cause."""

    traits: Collection[str] = ()
    cause: str = ""


NOTHING_KNOWN = Failing()
"""Of a divergence whose smallest program was not looked for."""


@dataclass(frozen=True, slots=True)
class Waived:
    """The waivers of one store that hold today, by signature, and what is wrong with others."""

    by_signature: dict[str, Waiver]
    problems: tuple[str, ...]


class Accepting(Protocol):
    """A waiver, or a quirk."""

    @property
    def reason(self) -> str:
        """Why something is accepted."""
        ...

    @property
    def link(self) -> str:
        """Where that is followed."""
        ...

    @property
    def expires(self) -> datetime.date:
        """The last day on which it holds."""
        ...


def reason_of(accepting: Accepting) -> str:
    """Why something is accepted, where that is followed, and until when."""
    return f"{accepting.reason} ({accepting.link}, until {accepting.expires})"


@dataclass(frozen=True, slots=True)
class Known:
    """The names of stores and of suites that there are: a waiver for another one would never accept anything."""

    stores: Collection[str]
    suites: Collection[str]


def load(path: FilePath, known: Known | None = None) -> tuple[Waiver, ...]:
    """The waivers of a TOML file with a table ``[[waiver]]`` for each, for what is ``known``. Raises WaiverError."""
    try:
        return parse(read_text(path, MOST_BYTES), path, known)
    except GivenError as error:
        raise WaiverError(str(error)) from error


def parse(text: str, path: FilePath, known: Known | None = None) -> tuple[Waiver, ...]:
    """The waivers of a TOML document; ``path`` is the name that errors give it. Raises WaiverError."""
    try:
        document = toml_of(text, path)
    except GivenError as error:
        raise WaiverError(str(error)) from error
    for name in document:
        if name != "waiver":
            line = next((number for number, one in enumerate(text.splitlines(), 1) if name in one), 1)
            raise WaiverError(f"{path}: line {line}: {brief(name)} is no table of waivers: write [[waiver]] above each")
    tables = document.get("waiver", [])
    if not isinstance(tables, list):
        raise WaiverError(f"{path}: waivers are written as [[waiver]] tables")
    return tuple(_waiver(path, number, table, known) for number, table in enumerate(tables, 1))


NEEDED = ("store", "signature", "reason", "link", "expires")
MORE = ("others", "clauses", "suite", "names", "rare")


def _waiver(path: FilePath, number: int, table: object, known: Known | None) -> Waiver:
    where = f"{path}: waiver {number}"
    if not isinstance(table, dict):
        raise WaiverError(f"{where} is no table: write [[waiver]] above it")
    for key in table:
        if key not in (*NEEDED, *MORE):
            raise WaiverError(f"{where}: there is no key {brief(key)}{closest(key, (*NEEDED, *MORE))}")
    if missing := [name for name in NEEDED if name not in table]:
        raise WaiverError(
            f"{where} has no {', '.join(missing)}: it needs exactly {', '.join(NEEDED)}, and may have {', '.join(MORE)}"
        )
    others, clauses = (_texts(path, number, name, table.get(name, [])) for name in ("others", "clauses"))
    suite, pattern, rare = table.get("suite", ""), table.get("names", ""), table.get("rare", False)
    if not isinstance(rare, bool):
        raise WaiverError(f"{where}: rare is true or false")
    if not isinstance(suite, str):
        raise WaiverError(f"{where}: suite is the name of a suite")
    expires = table["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise WaiverError(f"{where}: expires is a date such as 2027-01-31, without quotes")
    store, signature, reason, link = (table[name] for name in NEEDED[:-1])
    if not all(isinstance(text, str) and text.strip() for text in (store, signature, reason, link)):
        raise WaiverError(f"{where}: store, signature, reason and link are non-empty texts")
    if not isinstance(pattern, str):
        raise WaiverError(f"{where}: names is a regular expression, as a text")
    try:
        compiled(pattern)
    except PatternError as error:
        raise WaiverError(f"{where}: names is a regular expression of RE2 (no back-references): {error}") from error
    for one in (signature, *others):
        if len(one) > MOST_SIGNATURE:
            raise WaiverError(f"{where}: a signature has more than {MOST_SIGNATURE:,} characters: use * in it")
        if one.lstrip().startswith("*"):
            raise WaiverError(f"{where}: {brief(one)} begins with *, and would accept any operation: name one")
    if known is not None:
        for kind, name, names in (("store", store, known.stores), ("suite", suite, known.suites)):
            if name and name not in names:
                raise WaiverError(f"{where}: there is no {kind} {brief(name)}{closest(name, sorted(names))}")
    return Waiver(store, signature, reason, link, expires, rare, suite, pattern, others, clauses)


def _texts(path: FilePath, number: int, name: str, found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise WaiverError(f"{path}: waiver {number}: {name} is a list of non-empty texts")
    return tuple(found)


def traits_of(program: Program, events: Sequence[Event] = (), clause: str = "") -> frozenset[str]:
    """What ``names`` of a waiver is held against: of a smallest program, the ``events`` of its replay, a ``clause``.

    All names in its paths; ``path PATH`` for each path; ``via WAY`` for the ways it takes; ``option KEY`` for the
    options it gives to openFile; ``refused NAME`` for the names in the paths of calls that raised an error; ``read
    NAME`` for those of calls, probes or not, that change nothing and stand before another: as the program is the
    smallest, somebody remembers what they read. ``raised OPERATION`` for those that raised before the last step: they
    left something all the same. ``repeated NAME`` for a name of a path whose parent has the same name. And ``clause
    ID`` for the clause that is broken.
    """
    paths = {path for step in program for path in paths_of(step.operation)}
    traits = {name for path in paths for name in path} | {f"path /{'/'.join(path)}" for path in paths}
    traits |= {f"repeated {path[-1]}" for path in paths if len(path) > 1 and path[-1] == path[-2]}
    if clause:
        traits.add(f"clause {clause}")
    traits |= {f"via {step.operation.via}" for step in program if step.operation.via}
    for step in program:
        if type(step.operation) is OpenFile:
            options = (*step.operation.must, *step.operation.opt)
            traits |= {f"option {option.partition('=')[0]}" for option in options}
    for step in program[:-1]:
        if not step.operation.MUTATES:
            traits |= {f"read {name}" for path in paths_of(step.operation) for name in path}
    for step, event in zip(program, events, strict=False):
        if isinstance(event.outcome, Raised):
            traits |= {f"refused {name}" for path in paths_of(step.operation) for name in path}
    for step, event in zip(program[:-1], events, strict=False):
        if step.operation.MUTATES and isinstance(event.outcome, Raised):
            traits.add(f"raised {step.operation.NAME}")
    return frozenset(traits)


def apply(
    waivers: Iterable[Waiver], store: str, failing: Mapping[str, Failing], today: datetime.date, complete: bool
) -> Waived:
    """The waivers that hold for a store, by its ``failing`` signatures: what accepts a cause accepts its symptoms.

    Unused waivers are a problem only of a ``complete`` run.
    """
    held: dict[str, Waiver] = {}
    problems = []
    for waiver in waivers:
        if waiver.store != store:
            continue
        accepted = [
            signature
            for signature, one in failing.items()
            if waiver.accepts(signature, one.traits) or (one.cause and waiver.accepts(one.cause, one.traits))
        ]
        if waiver.expires < today:
            problems.append(f"expired on {waiver.expires}: {waiver.signature}")
        elif accepted:
            held |= dict.fromkeys(accepted, waiver)
        elif complete and not waiver.optional:
            problems.append(f"unused, the store does not show it any more: {waiver.signature}")
    return Waived(held, tuple(problems))
