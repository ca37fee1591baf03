"""What runs the items, in a worker of xdist or in the only process there is."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from filelock import FileLock

from fsconform.app.options import machines_of, pace_of
from fsconform.app.pytesting import PIECE, RACES
from fsconform.app.pytesting.failures import headline, tell, tell_again
from fsconform.app.pytesting.messages import PieceResult, encode
from fsconform.app.pytesting.options import Order
from fsconform.app.pytesting.pieces import AnyPiece, Piece, RacePiece, pieces, race_pieces
from fsconform.app.pytesting.stores import OpenStores, Unreachable, Verdict
from fsconform.engine.effort import Effort
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.engine.secrecy import KNOWN
from fsconform.harness.lanes import LEAST_SECONDS
from fsconform.harness.scrubbing import hidden
from fsconform.harness.targets import Target
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.records.results import Divergence
from fsconform.reports.visible import visible

parcel_key = pytest.StashKey[str]()

PIECE_RESULT = "fsconform_parcel"
HEADLINE = "fsconform_headline"
"""Attributes of reports: what an item gave, and the line that stands for its failure."""


NO_TIME = "the budget leaves no time for it"


class Diverged(Exception):
    """An item fails: the text is all that a person is to read, the headline the one line that stands for it."""

    def __init__(self, text: str, headline: str) -> None:
        super().__init__(text)
        self.text, self.headline = text, headline


class Runner:
    """Runs items of one process. ``workers`` is the number of processes that do so at the same time."""

    def __init__(self, config: pytest.Config, order: Order, workers: int) -> None:
        self.config, self.order, self.workers = config, order, workers
        self.open_stores: OpenStores | None = None
        self._oracles: dict[str, Oracle] = {}
        self._pieces: dict[tuple[str, str], tuple[AnyPiece, ...]] = {}
        self._told: dict[tuple[tuple[str, str], ...], str] = {}
        self._saved = 0.0
        self._left: dict[tuple[str, str], float] = {}

    def pieces(self, target: Target, area: str) -> tuple[AnyPiece, ...]:
        """The pieces of an area on a store."""
        if target.name not in self._oracles:
            self._oracles[target.name] = Oracle(target.contract)
        key = (target.name, area)
        if key not in self._pieces:
            amounts = (self.order.effort or Effort()).amounts(pace_of(target))
            seed, budget = self.order.seed, self.order.budget
            if area == RACES:
                share = None if budget is None else budget / len(self.order.targets)
                self._pieces[key] = race_pieces(target.name, target.contract, seed, amounts, share, machines_of(target))
            else:
                self._pieces[key] = pieces(target.name, area, self._oracles[target.name], seed, amounts)
        return self._pieces[key]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """See what shares the budget: for each piece the weight of it and of all that come after."""
        if not self.order.budget:
            return
        chosen = (item.callspec.params.get(PIECE) for item in session.items if hasattr(item, "callspec"))
        weighed = [one for one in chosen if isinstance(one, Piece) and one.root is self.order.root]
        sums = itertools.accumulate(one.weight for one in reversed(weighed))
        self._left = {(one.store, one.key): left for one, left in zip(reversed(weighed), sums, strict=True)}

    def _seconds(self, piece: Piece) -> tuple[float, float | None]:
        """The share of a piece, and the seconds that it is given: what others left, or took too much, counts in.

        It is given None where there is no budget, and 0 where nothing but what is run whole is wanted.
        """
        if not self.order.budget:
            return 0.0, self.order.budget
        share = self.order.budget * self.workers * piece.weight / max(self._left.values())
        # Of what comes after, the other workers will run their part.
        left = max(piece.weight, self._left[piece.store, piece.key] / self.workers)
        return share, max(LEAST_SECONDS, share + self._saved * piece.weight / left)

    def judge(self, item: pytest.Item, piece: AnyPiece) -> None:
        """Run a piece as an item. Raises Diverged, or skips where nothing can be said."""
        item.user_properties.append(("store", piece.store))
        share, seconds = self._seconds(piece) if isinstance(piece, Piece) else (0.0, None)
        result = PieceResult(piece.store, piece.key, piece.title)
        try:
            with self._alone():
                desk = self._desk(piece.store)
                if isinstance(piece, RacePiece):
                    verdict = desk.judge_races(piece, self._interrupted)
                else:
                    verdict = desk.judge(piece, seconds, self._interrupted)
        except (Unreachable, SandboxRefused) as error:
            self._unjudged(item, result, error)
        covered = verdict.result.covered
        if covered is not None:
            self._saved += share - covered.seconds
        self._conclude(item, verdict)
        if covered is not None and not covered.programs and not covered.ended:
            pytest.skip(NO_TIME)
        if isinstance(piece, RacePiece) and piece.plan is None:
            pytest.skip(NO_TIME)

    def replay(
        self, item: pytest.Item, target: Target, program: Program | Concurrent, wanted: str, contract: Contract
    ) -> None:
        """Replay a program as an item. Raises Diverged, or skips where nothing can be said."""
        item.user_properties.append(("store", target.name))
        judged_by = target.contract if self.config.option.fs_contract else contract
        try:
            with self._alone():
                verdict = self._desk(target.name).replay(program, wanted, judged_by)
        except (Unreachable, SandboxRefused, StoreLost) as error:
            self._unjudged(item, PieceResult(target.name), error)
        self._conclude(item, verdict, wanted)

    def _alone(self) -> AbstractContextManager[Any]:
        """Programs on a real root can't run at the same time."""
        assert self.open_stores is not None
        return FileLock(self.open_stores.home / "root.lock") if self.order.root else nullcontext()

    def _desk(self, store: str) -> Any:
        assert self.open_stores is not None
        return self.open_stores.opened(store)

    def _interrupted(self, result: PieceResult) -> None:
        """Keep what an item gave that has no report."""
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output.setdefault(PIECE_RESULT, []).append(encode(result))
        else:
            self.config.stash.setdefault(interrupted_key, []).append(encode(result))

    def _unjudged(self, item: pytest.Item, result: PieceResult, error: Exception) -> None:
        result.refused = str(error) if isinstance(error, SandboxRefused) else ""
        result.problems.append(str(error))
        item.stash[parcel_key] = encode(result)
        pytest.skip(f"not judged: {visible(KNOWN.text(str(error)))}")

    def _conclude(self, item: pytest.Item, verdict: Verdict, wanted: str = "") -> None:
        item.stash[parcel_key] = encode(verdict.result)
        found = hidden(verdict.divergences)
        for one in found:
            item.user_properties += [("verdict", one.verdict), ("signature", one.signature), ("clause", one.clause)]
            item.user_properties += [("replay", f"{self._shown()}/{one.replay}")] if one.test else []
        if found:
            text = self._text(item, found, verdict.result.store)
            if wanted and all(one.signature != wanted for one in found):
                text = f"It does not show {wanted!r}, but departs otherwise:\n\n{text}"
            raise Diverged(text, headline(found))
        if verdict.inconclusive:
            pytest.skip(f"inconclusive: {visible(KNOWN.text(verdict.inconclusive))}")

    def _text(self, item: pytest.Item, found: list[Divergence], store: str) -> str:
        names = tuple((store, one.signature) for one in found)
        teller = self._told.setdefault(names, item.nodeid)
        return tell(found, store, self._shown()) if teller == item.nodeid else tell_again(found, teller)

    def _shown(self) -> str:
        assert self.open_stores is not None
        return self.open_stores.shown

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the text of a divergence in the place of the traceback, and what the item gave beside it."""
        report = yield
        if call.when == "call" and parcel_key in item.stash:
            setattr(report, PIECE_RESULT, item.stash[parcel_key])
            if call.excinfo is not None and isinstance(call.excinfo.value, Diverged):
                report.longrepr = call.excinfo.value.text
                setattr(report, HEADLINE, call.excinfo.value.headline)
        told = str(report.longrepr) if report.longrepr is not None else ""
        if told and KNOWN.text(told) != told:
            kind = report.longrepr
            report.longrepr = KNOWN.records(kind) if isinstance(kind, tuple) else KNOWN.text(told)
        report.sections = [(name, KNOWN.text(text)) for name, text in report.sections]
        return report


interrupted_key = pytest.StashKey[list[str]]()
"""Results of pieces of items that were interrupted, in the process of the controller."""


class Worker(Runner):
    """Runs items in a worker of xdist, on the stores that the controller brought up."""

    def pytest_sessionfinish(self) -> None:
        """Close the sessions before the controller hears that this worker has ended."""
        if self.open_stores is not None:
            self.open_stores.close()
