"""Waivers: divergences accepted by hand, each with its reason and an end. Unused and expired ones fail the gate."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath


class WaiverError(ValueError):
    """A waiver file that can't be used; the text names the file and what to mend."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One accepted divergence. ``store`` is a store's name; ``expires`` the last day on which it holds.

    An ``optional`` waiver may go unused. One with a ``suite`` holds only where that suite was asked for.
    """

    store: str
    signature: str
    reason: str
    link: str
    expires: datetime.date
    optional: bool = False
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Waived:
    """The waivers of one store that hold today, by signature, and what is wrong with others."""

    by_signature: dict[str, Waiver]
    problems: tuple[str, ...]


def load(path: FilePath) -> tuple[Waiver, ...]:
    """The waivers of a TOML file with a table ``[[waiver]]`` for each. Raises WaiverError."""
    try:
        return parse(path.read_text("utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise WaiverError(f"{path}: {error}") from error


def parse(text: str, path: FilePath) -> tuple[Waiver, ...]:
    """The waivers of a TOML document; ``path`` is the name that errors give it. Raises WaiverError."""
    try:
        tables = tomllib.loads(text).get("waiver", [])
    except tomllib.TOMLDecodeError as error:
        raise WaiverError(f"{path}: {error}") from error
    if not isinstance(tables, list):
        raise WaiverError(f"{path}: waivers are written as [[waiver]] tables")
    return tuple(_waiver(path, number, table) for number, table in enumerate(tables, 1))


def _waiver(path: FilePath, number: int, table: object) -> Waiver:
    names = ("store", "signature", "reason", "link", "expires")
    if not isinstance(table, dict) or set(table) - {"suite"} != set(names):
        raise WaiverError(f"{path}: waiver {number} needs exactly {', '.join(names)}, and may have suite")
    suite = table.get("suite", "")
    if not isinstance(suite, str):
        raise WaiverError(f"{path}: waiver {number}: suite is the name of a suite")
    expires = table["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise WaiverError(f"{path}: waiver {number}: expires is a date such as 2027-01-31, without quotes")
    store, signature, reason, link = (table[name] for name in names[:-1])
    if not all(isinstance(text, str) and text.strip() for text in (store, signature, reason, link)):
        raise WaiverError(f"{path}: waiver {number}: store, signature, reason and link are non-empty texts")
    return Waiver(store, signature, reason, link, expires, suite=suite)


def apply(
    waivers: Iterable[Waiver], store: str, failing: Iterable[str], today: datetime.date, complete: bool
) -> Waived:
    """The waivers that hold for a store; unused ones are a problem only of a ``complete`` run."""
    failing = set(failing)
    held: dict[str, Waiver] = {}
    problems = []
    for waiver in waivers:
        if waiver.store != store:
            continue
        if waiver.expires < today:
            problems.append(f"expired on {waiver.expires}: {waiver.signature}")
        elif waiver.signature in failing:
            held[waiver.signature] = waiver
        elif complete and not waiver.optional:
            problems.append(f"unused, the store does not show it any more: {waiver.signature}")
    return Waived(held, tuple(problems))
