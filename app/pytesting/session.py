"""Taking part in a session of pytest: as the controller, as a worker of xdist, or as both in one process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsconform.app.pytesting import CONTROLLER
from fsconform.app.pytesting.controller import Controller
from fsconform.app.pytesting.items import runner_key
from fsconform.app.pytesting.messages import decode_handed
from fsconform.app.pytesting.options import order
from fsconform.app.pytesting.runner import Runner, Worker
from fsconform.app.pytesting.stores import OpenStores
from fsconform.engine import secrecy
from fsconform.engine.secrecy import KNOWN
from fsconform.harness.problems import Problem

HOME, SHOWN, STORES = "fsconform_home", "fsconform_shown", "fsconform_stores"
"""What workers are handed by the controller."""


def secrets_noted(config: pytest.Config) -> None:
    """Note the secrets of the command line and of the environment before anything is told."""
    given = map(str, config.invocation_params.args)
    KNOWN.learn(secrecy.of_environment(os.environ) | secrecy.of_arguments(given))


def begin(config: pytest.Config) -> None:
    """Register what the session needs in this process. Raises UsageError for options that can't be used."""
    try:
        asked = order(config.option)
    except Problem as error:
        raise pytest.UsageError(KNOWN.text(error.message)) from None
    handed = getattr(config, "workerinput", None)
    if handed is not None:
        runner: Runner = Worker(config, asked, int(handed["workercount"]))
        if HOME in handed:
            runner.open_stores = OpenStores(asked, Path(handed[HOME]), handed[SHOWN])
            stores = decode_handed(handed[STORES])
            for target in asked.targets:
                runner.open_stores.connect(target, stores[target.name])
    else:
        runner = Runner(config, asked, 1)
        config.pluginmanager.register(Controller(config, runner), CONTROLLER)
    config.stash[runner_key] = runner
    config.pluginmanager.register(runner, "fsconform-runner")
