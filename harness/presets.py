"""The built-in stores, as their folders declare them, and stores that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.stores.preset import Preset, presets
from fsconform.adapters.stores.site import Setup, Site, custom_site
from fsconform.engine.protocol import Store
from fsconform.harness.endpoints import Named, reachable
from fsconform.harness.sites import hadoop_store, owned


@dataclass(frozen=True, slots=True)
class Custom:
    """A store that the user names: any Hadoop FileSystem. Links can be put before its ``endpoint``."""

    uri: str
    jars: tuple[Path, ...] = ()
    configuration: dict[str, str] = field(default_factory=dict)
    configuration_files: tuple[Path, ...] = ()
    endpoint: Named | None = None
    timeout: float | None = None
    """For one call, in seconds, where it has its own; so have ``rate``, in calls a second, and ``xmx``."""
    rate: float | None = None
    xmx: str = ""


def build_preset(preset: Preset, setup: Setup) -> Store:
    """Bring a built-in store up. Raises JarError, NoJava, ServiceError, StoreLost or OSError."""
    on_volumes = replace(setup, on_volumes=True)
    again = partial(build_preset, preset, on_volumes) if preset.machines and not setup.on_volumes else None
    return owned(preset.bring_up(preset, setup), setup, again)


def custom_connection(name: str, custom: Custom) -> Site:
    """The site of a store that a user names."""
    return custom_site(
        name,
        custom.uri,
        custom.jars,
        custom.configuration,
        custom.configuration_files,
        custom.timeout,
        custom.rate,
        custom.xmx,
    )


def build_custom(name: str, custom: Custom, setup: Setup) -> HadoopStore:
    """The store that a user names. Raises JarError or NoJava."""
    connection = custom_connection(name, custom).connection
    if custom.endpoint is not None:
        return reachable(connection, setup, custom.endpoint)
    return hadoop_store(connection, setup)


PRESETS: dict[str, Preset] = presets()

DEFAULT: tuple[str, ...] = tuple(name for name, preset in PRESETS.items() if preset.default)

MINUTES = 20
"""What the default job takes on two cores with everything fetched, by docs/performance.md: said as a rough figure."""


def default_job(clusters: Sequence[str], now: datetime | None) -> str:
    """What a run judges and starts where no store is named, how long that takes, and how to ask for less.

    ``clusters`` are those that are judged beside the stores by a few programs. ``now`` is the time of this place, None
    where less or more is tried than by default.
    """
    started = [f"{part} for {name}" for name in DEFAULT for part in PRESETS[name].parts]
    started += [f"proxies before {name}" for name in DEFAULT if PRESETS[name].links]
    few = "".join(f"A few programs are played on the machines of {name}. " for name in clusters)
    until = f", which is until {now + timedelta(minutes=MINUTES):%H:%M}" if now is not None else ""
    return (
        f"no store is named: {', '.join(DEFAULT)} are judged, for which are started: {', '.join(started)}. {few}"
        f"It takes some {MINUTES} minutes on two cores with effort normal{until}; --store NAME judges one of them, "
        "--uri your own, and --effort quick tries less"
    )
