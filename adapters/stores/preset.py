"""A built-in store, as its folder declares it (``STORE`` in ``__init__.py``); all that declare one are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from fsconform.adapters.jars import JarError, load_profile
from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.stores.folders import folders
from fsconform.adapters.stores.site import Setup, Site
from fsconform.engine import extras
from fsconform.engine.effort import Pace


def needs_hadoop() -> list[str]:
    lacks = []
    try:
        find_java()
    except NoJava as error:
        lacks.append(str(error))
    try:
        load_profile()
    except JarError as error:
        lacks.append(str(error))
    return lacks


@dataclass(frozen=True, slots=True)
class Preset:
    """A built-in store. ``shards`` is how many sessions drive it at once by default.

    ``pace`` says what it can be asked for: see :mod:`fsconform.engine.effort`.

    ``roots`` is true if the suite on the real root may be asked of it; ``missing`` says what this machine lacks to run
    it, empty if nothing.
    """

    name: str
    statement: str
    contract: str
    bring_up: Callable[[Preset, Setup], Site]
    missing: Callable[[], list[str]] = needs_hadoop
    shards: int = 2
    pace: Pace = "fast"
    default: bool = True
    roots: bool = False
    java: bool = True
    """Whether Java is needed: for the client, or for the service."""
    contained: bool = False
    """Whether its service can run in a container."""
    like: str = ""
    """A store whose waivers and quirks hold for this one too, as far as it shows what they accept."""
    draft: bool = False
    """Whether no run has ended with 0 yet: its contract and its waivers are not finished."""
    modules: tuple[str, ...] = ()
    """The libraries of Python that it needs and an extra brings: see :mod:`fsconform.engine.extras`."""
    listed: int = 100
    """Where it is listed: small numbers first, equal ones by name."""
    parts: tuple[str, ...] = ()
    """The daemons of its service that can be crashed and started again, where they are processes of this machine."""
    kills: bool = False
    """Whether the default job kills clients of it, and its daemons: that takes seconds each."""
    machines: tuple[str, ...] = ()
    """The machines behind it that can lose their power, by the names of their daemons; ``machine`` is the clients'."""
    links: tuple[str, ...] = ()
    """The links of its network, by what is at their other end."""
    below: str = ""
    """The service that it runs on, whose quirks show through it and are reported as that service's."""


def lacks(preset: Preset) -> list[str]:
    """What this machine lacks to run a store, in sentences."""
    missing = extras.lacking(preset.modules)
    return [*preset.missing(), *([missing] if missing else [])]


def presets() -> dict[str, Preset]:
    """All built-in stores, in the order in which they are listed."""
    found: list[Preset] = []
    for folder in folders():
        preset: Preset | None = getattr(
            importlib.import_module(f"fsconform.adapters.stores.{folder.name}"), "STORE", None
        )
        if preset is not None and preset.draft:
            preset = replace(preset, statement=f"{preset.statement} (a draft: see docs/more-stores.md)")
        found += [preset] if preset is not None else []
    return {preset.name: preset for preset in sorted(found, key=lambda one: (one.listed, one.name))}
