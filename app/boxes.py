"""Stores whose services run in containers: the option that asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from fsconform.adapters.stores.site import CONTAINER
from fsconform.app.problems import Problem

if TYPE_CHECKING:
    from fsconform.adapters.stores.preset import Preset

EMBEDDED = "embedded"
WAYS = (EMBEDDED, CONTAINER)
VARIABLE = "FSCONFORM_VIA"
"""The environment variable that says how services run where no option does."""


def via_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that says how services are brought up, passed on as ``via``."""
    text = f"How services of built-in stores run: as processes of this machine, or in containers; else {VARIABLE} says."
    kind = click.Choice(WAYS)
    return click.option("--via", type=kind, default=EMBEDDED, show_default=True, envvar=VARIABLE, help=text)


def chosen(option: str | None) -> str:
    """The way that an option names, else the environment, else as processes of this machine."""
    return option or os.environ.get(VARIABLE, "") or EMBEDDED


def asked(via: str, stores: tuple[str, ...], uri: str | None, presets: Mapping[str, Preset]) -> tuple[str, ...]:
    """The stores to judge: in containers, where none is named, all whose service can run in one. Raises Problem."""
    if via not in WAYS:
        raise Problem(f"{VARIABLE} is {via!r}: write {' or '.join(WAYS)}")
    if via != CONTAINER:
        return stores
    if uri is not None:
        raise Problem("--via container is for built-in stores: you bring a store of your own up yourself")
    able = tuple(name for name, preset in presets.items() if preset.contained)
    for store in stores:
        if store in presets and store not in able:
            raise Problem(f"{store!r} has no service that could run in a container: {', '.join(able)} have one")
    return stores or able
