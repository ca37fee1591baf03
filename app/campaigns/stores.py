"""The stores of a campaign at the driver: what is shared is up before executors begin, and clean after they ended."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.stores.site import Connection, Setup
from fsconform.app.campaigns.units import EMBEDDED, StoreOrder
from fsconform.engine.protocol import Session, Store, StoreLost
from fsconform.harness.presets import PRESETS, custom_connection
from fsconform.harness.sites import Backed, connect
from fsconform.harness.targets import Target, build, with_inherited


class Shared:
    """A store that all executors use, with a session of the driver that holds its sandbox until the end.

    Executors play in a directory of their own within the sandbox, which ``fsconform clean`` knows as that of a run:
    all of it goes at the end, whatever a killed executor left there, and nothing of other runs does.
    """

    def __init__(self, target: Target, setup: Setup) -> None:
        """Bring it up. Raises what its preset raises, StoreLost, SandboxRefused, JarError, NoJava or OSError."""
        self.target, self.setup = target, setup
        self._stack = ExitStack()
        try:
            if target.custom is None:
                preset = PRESETS[target.name]
                site = preset.bring_up(preset, setup)
            else:
                site = custom_connection(target.name, target.custom)
            self._stack.callback(site.close)
            self.logs: Callable[[], list[str]] = site.logs
            self._hold(site.connection)
            inner = f"{site.connection.uri.rstrip('/')}/run-campaign-{secrets.token_hex(6)}"
            self.connection: Connection = replace(site.connection, uri=inner)
            self._keeper = self._hold(self.connection)
        except BaseException:
            self._stack.close()
            raise

    def known(self, target: Target) -> Target:
        """The target, judged with the known bugs of what a store of a user's own inherits from Hadoop."""
        if target.custom is None:
            return target
        return replace(target, contract=with_inherited(target.contract, self._store))

    def _hold(self, connection: Connection) -> Session:
        self._store = store = connect(connection, self.setup)
        self._stack.callback(store.close)
        session = store.session()
        self._stack.callback(session.close)
        return session

    def sweep(self) -> list[str]:
        """Remove what executors left; the problems met. Only when none is at work any more."""
        if not isinstance(self._keeper, HadoopSession):
            return []
        try:
            return list(self._keeper.sweep()[1])
        except StoreLost as error:
            return [str(error)]

    def close(self) -> None:
        """Let the sandbox go and take the store down. May be called twice."""
        with suppress(StoreLost):
            self._stack.close()


class DriverStore(Backed):
    """A store as the driver uses it itself, to minimise and confirm; its logs are those of the shared service too."""

    def __init__(self, store: Store, logs: Callable[[], list[str]]) -> None:
        super().__init__(store)
        self._logs = logs

    def logs(self) -> list[str]:
        """Paths of the logs of the workers and of the service."""
        return [*self._store.logs(), *self._logs()]


def is_embedded(target: Target) -> bool:
    """True if each executor builds the store for itself."""
    return target.custom is None and target.name in EMBEDDED


def order_of(target: Target, shared: Shared | None) -> StoreOrder:
    """The store as executors are told of it."""
    return StoreOrder(target.name, target.contract, shared.connection if shared is not None else None)


def driver_store(target: Target, shared: Shared | None, setup: Setup) -> Store:
    """The store for the driver's own trials. Raises what its preset or client raises."""
    if shared is None:
        return build(target, setup)
    return DriverStore(connect(shared.connection, replace(setup, logs=Path(setup.logs))), shared.logs)
