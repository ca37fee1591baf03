"""What the plugin's fixtures stand for: the parameters of the items, and what an item does when it is run."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fsconform.app.pytesting import RACES, REPLAY
from fsconform.app.pytesting.pieces import AnyPiece
from fsconform.app.pytesting.runner import Runner
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.harness.targets import Target, with_recorded
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.programs import Program
from fsconform.records.given import brief
from fsconform.suites.registry import SUITES

NOT_ON_THE_ROOT = "programs on the real root of a store need a session of their own: give --fs-root"
ON_THE_ROOT = "with --fs-root nothing is judged but the real root"

TRIALS = frozenset(suite.area for suite in SUITES.values() if suite.trial)
"""The areas that are tried only where their marker is asked for."""

runner_key = pytest.StashKey[Runner]()


def parameters(config: pytest.Config, fixture: str, area: str) -> list[Any]:
    """The parameters of a test that uses a fixture: the stores, or the pieces of an area on each."""
    runner = config.stash[runner_key]
    targets = runner.order.targets
    if fixture == REPLAY:
        return [pytest.param(target, id=target.name) for target in targets]
    return [
        pytest.param(piece, id=piece.id, marks=_marks(config, piece, runner.order.root))
        for target in targets
        for piece in runner.pieces(target, area)
    ]


def _marks(config: pytest.Config, piece: AnyPiece, root: bool) -> list[pytest.MarkDecorator]:
    marks: list[pytest.MarkDecorator] = [getattr(pytest.mark, piece.area)]
    if piece.root is not root:
        marks.append(pytest.mark.skip(reason=NOT_ON_THE_ROOT if piece.root else ON_THE_ROOT))
    if piece.area in (*TRIALS, RACES) and piece.area not in (config.getoption("markexpr") or ""):
        why = "on trial" if piece.area in TRIALS else "tried only where it is named"
        marks.append(pytest.mark.skip(reason=f"{why}: ask for it with -m {piece.area}"))
    if config.pluginmanager.hasplugin("timeout"):
        # An item takes what it is given of the budget, and each call has a time-out of its own.
        marks.append(pytest.mark.timeout(0))
    return marks


def judge_piece(request: pytest.FixtureRequest) -> None:
    """Run the piece that is the parameter of the fixture."""
    piece: AnyPiece = request.param
    request.config.stash[runner_key].judge(request.node, piece)


def replay_program(
    request: pytest.FixtureRequest,
    program: Program | Concurrent,
    wanted: str,
    contract: Mapping[str, Any],
    quirks: tuple[str, ...] = (),
) -> None:
    """Replay a program on the store that is the parameter of the fixture."""
    for option, value in contract.items():
        if option not in OPTIONS or type(value) is not type(OPTIONS[option].default):
            pytest.fail(f"no such contract option, or no such value: {brief(option)} = {brief(value)}", pytrace=False)
    target: Target = request.param
    try:
        judged_by = with_recorded(Contract(dict(contract), str(request.node.path)), quirks)
    except ValueError as error:
        pytest.fail(str(error), pytrace=False)
    request.config.stash[runner_key].replay(request.node, target, program, wanted, judged_by)


PACKAGE = "fsconform.suites"


@cache
def folders() -> tuple[Path, ...]:
    """Where the suites are installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return tuple(Path(place).resolve() for place in (spec.submodule_search_locations or ())) if spec else ()


class SuiteModule(pytest.Module):
    """A test module of the suites."""

    def _getobj(self) -> ModuleType:
        return importlib.import_module(f"{PACKAGE}.{self.path.stem}")


def module(path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """The collector of a module of the suites, None for any other."""
    if path.parent.resolve() not in folders():
        return None
    found: pytest.Module = SuiteModule.from_parent(parent, path=path)
    return found


def directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """The collector of the folder of the suites, which is not imported as a package; None for any other."""
    return pytest.Dir.from_parent(parent, path=path) if path.resolve() in folders() else None
