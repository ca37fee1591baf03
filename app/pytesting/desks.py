"""The stores of a session in one process: brought up by the controller, connected to by workers."""

from __future__ import annotations

import time
from pathlib import Path

from fsconform.adapters.stores.site import Say, Setup
from fsconform.app.presets import PRESETS, custom_connection
from fsconform.app.pytesting.desk import Desk
from fsconform.app.pytesting.orders import Order
from fsconform.app.pytesting.parcels import Handed
from fsconform.app.reproducers import replay_command
from fsconform.app.run import RECOVERABLE
from fsconform.app.sites import connect, owned
from fsconform.app.targets import Target
from fsconform.engine.protocol import Store


class Unreachable(Exception):
    """A store that can't be judged in this session; the text says why."""


class Desks:
    """The stores of an order by name. ``shown`` is the folder of the run as a person would write it."""

    def __init__(self, order: Order, home: Path, shown: str) -> None:
        self.order, self.home, self.shown = order, home, shown
        self.handed: dict[str, Handed] = {}
        self._desks: dict[str, Desk] = {}

    def bring_up(self, target: Target, say: Say) -> None:
        """Start what a store needs and open a session, or note why that can't be done. Raises SandboxRefused."""
        setup = self.order.setup(self.home, say)
        started = time.monotonic()
        try:
            if target.custom is not None:
                site = custom_connection(target.name, target.custom)
            else:
                preset = PRESETS[target.name]
                site = preset.bring_up(preset, setup)
            self.handed[target.name] = Handed(site.connection)
            desk = self._seat(target, owned(site, setup))
            desk.open()
            desk.starting_seconds = time.monotonic() - started
        except RECOVERABLE as error:
            self.handed[target.name] = Handed(None, str(error))

    def connect(self, target: Target, handed: Handed) -> None:
        """Connect to a store that the controller brought up, or note why that can't be done."""
        self.handed[target.name] = handed
        if handed.connection is None:
            return
        setup: Setup = self.order.setup(self.home, lambda text: None)
        try:
            self._seat(target, connect(handed.connection, setup))
        except RECOVERABLE as error:
            self.handed[target.name] = Handed(None, str(error))

    def _seat(self, target: Target, store: Store) -> Desk:
        command = replay_command(
            Path(self.shown), target.name, target.custom, self.order.fault, self.order.root, self.order.profile
        )
        desk = self._desks[target.name] = Desk(target, store, self.home, self.shown, command)
        return desk

    def desk(self, name: str) -> Desk:
        """The desk of a store. Raises Unreachable."""
        handed = self.handed.get(name)
        if handed is None or handed.problem or name not in self._desks:
            raise Unreachable(handed.problem if handed is not None else "the store was not started")
        return self._desks[name]

    def close(self) -> None:
        """Close all sessions and take everything down. May be called twice."""
        while self._desks:
            self._desks.popitem()[1].close()
