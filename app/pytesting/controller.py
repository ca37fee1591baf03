"""The process that a person started: brings stores up and down, puts together what items gave, says how it ended.

Its own session of each store is opened first and closed last, so the sandbox and its marker stay while workers come and
go, and a store that can't be reached is known before anything is collected.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import shutil
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from fsconform.app.options import configuration_of
from fsconform.app.pytesting import merging
from fsconform.app.pytesting.failures import is_text, told
from fsconform.app.pytesting.merging import Merged
from fsconform.app.pytesting.messages import decode, encode_handed
from fsconform.app.pytesting.options import as_pytest_has_them
from fsconform.app.pytesting.pieces import AnyPiece
from fsconform.app.pytesting.runner import HEADLINE, PIECE_RESULT, Runner, interrupted_key
from fsconform.app.pytesting.stores import OpenStores, Unreachable
from fsconform.engine.effort import PROVING_SHARE, Effort, budget_text
from fsconform.engine.internal import PASSED
from fsconform.engine.protocol import SandboxRefused
from fsconform.engine.recorder import clause_records
from fsconform.engine.secrecy import KNOWN
from fsconform.harness import faults, folder, scrubbing
from fsconform.harness.console import console_on
from fsconform.harness.problems import USAGE, Problem
from fsconform.harness.targets import Target
from fsconform.harness.versions import versions
from fsconform.records import gate
from fsconform.records.results import SCHEMA, Results, StoreRecord
from fsconform.reports.text import summary
from fsconform.specs.catalogue import catalogue
from fsconform.suites.registry import SUITES

_FAULT = "what was found could not be put together: a fault of fsconform, which is told at the end"


class Controller:
    """Takes part in the session of pytest in the process that runs it, with or without workers."""

    def __init__(self, config: pytest.Config, runner: Runner) -> None:
        self.config, self.runner, self.order = config, runner, runner.order
        self.merged: dict[str, Merged] = {target.name: Merged() for target in self.order.targets}
        self.ending = Ending()
        self.open_stores: OpenStores | None = None
        self.home = Path()
        self._started = datetime.datetime.now(datetime.UTC)
        self._clock = time.monotonic()
        self._results: Results | None = None
        self._report = ""
        self._made_out = self._looking = self._interrupted = False
        self.ended = False
        """Whether the exit code of the session is that of the gate already."""
        self._signals = contextlib.ExitStack()
        self.fault: Exception | None = None
        """An error of ours that kept a part of the session from its end."""

    def say(self, text: str) -> None:
        """Show a line, where pytest shows anything."""
        reporter: Any = self.config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None and self.config.option.verbose >= 0:
            reporter.write_line(KNOWN.text(f"fsconform: {text}") if text else "")

    def pytest_sessionstart(self) -> None:
        """Make the folder of the run and bring the stores up. Raises UsageError for what can't be used."""
        options = self.config.option
        self._looking = bool(options.collectonly or options.showfixtures or options.show_fixtures_per_test)
        if self._looking or not self.order.targets:
            return
        self._signals.enter_context(heard())
        self._made_out = not self.order.out.exists()
        self.home = self.order.out / folder.new_id(self._started)
        try:
            folder.make(self.order.out, self.home.name)
            self.open_stores = self.runner.open_stores = OpenStores(self.order, self.home.absolute(), str(self.home))
            for target in self.order.targets:
                self.say(f"{target.name}: starting")
                self.open_stores.bring_up(target, partial(self._say_of, target.name))
                if problem := self.open_stores.handed[target.name].problem:
                    self.say(f"{target.name}: can't be judged: {problem}")
        except (Problem, SandboxRefused) as error:
            self.close()
            folder.discard(self.home, with_parent=self._made_out)
            raise pytest.UsageError(KNOWN.text(as_pytest_has_them(str(error)))) from None

    def _say_of(self, store: str, text: str) -> None:
        self.say(f"{store}: {text}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist how the stores are reached."""
        if self.open_stores is not None:
            node.workerinput["fsconform_home"] = str(self.open_stores.home)
            node.workerinput["fsconform_shown"] = self.open_stores.shown
            node.workerinput["fsconform_stores"] = encode_handed(self.open_stores.handed)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Keep what a worker found that was interrupted."""
        for text in getattr(node, "workeroutput", {}).get(PIECE_RESULT, ()):
            self._receive(text)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what an item gave, and give the text of its failure a headline."""
        self.ending.failed += report.failed
        text = report.__dict__.pop(PIECE_RESULT, None)
        if text is not None:
            merged = self._receive(text)
            merged.times.append((report.start, report.stop))
            merged.processes.add(str(getattr(report, "worker_id", "")))
        headline = report.__dict__.pop(HEADLINE, None)
        if headline is not None and is_text(report.longrepr):
            report.longrepr = told(report.longrepr, headline)

    def _receive(self, text: str) -> Merged:
        result = decode(text)
        self.ending.unusable += bool(result.refused)
        self.merged[result.store].add(result)
        return self.merged[result.store]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the modules that can't be collected."""
        self.ending.unusable += report.failed

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Keep an error of ours by which pytest ends the session."""
        if isinstance(excinfo.value, Exception) and faults.is_ours(excinfo.value):
            self.fault = self.fault or excinfo.value

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Something is left that was not judged."""
        if signal.getsignal(signal.SIGTERM) is _interrupt:
            signal.signal(signal.SIGTERM, _again)
        self.ending.open = True
        # Other plugins end a session early by exceptions that are based on this one.
        if excinfo.type is KeyboardInterrupt:
            self._note_interrupt()

    def _note_interrupt(self) -> None:
        self._interrupted = True
        for merged in self.merged.values():
            merged.problems["interrupted: what was found until then is reported"] = None

    # Of the older kind: an error of another plugin does not pass through it, or it would be taken for one of ours.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Iterator[None]:
        """When all workers have ended, put the run together and take the stores down: also where a plugin failed."""
        yield
        if not self._looking:
            self._finish(session, exitstatus)

    def _finish(self, session: pytest.Session, exitstatus: int) -> None:
        for text in self.config.stash.get(interrupted_key, []):
            self._receive(text)
        if self.open_stores is not None:
            self.say("")
        records = []
        try:
            try:
                records = self._records_after_all() if self.open_stores is not None else []
            except Exception as error:
                self.fault = self.fault or error
                records = [merging.unreached(one, self.merged[one.name], _FAULT) for one in self.order.targets]
            if not any(merged.pieces or merged.replayed for merged in self.merged.values()):
                self.ending.open = True  # nothing was judged
            with unbroken():
                recording = self._recording() if records else None
                records = recording.marked(records) if recording else records
                code = exit_code(int(exitstatus), self.ending, records)
                if recording:
                    code = self._save(recording, records, code)
        finally:
            self.close()
        if records:
            self._hide()  # what workers wrote at their end
        elif self.open_stores is not None:
            folder.discard(self.home, with_parent=self._made_out)
        session.exitstatus = code
        self.ended = True

    def _hide(self) -> None:
        with contextlib.suppress(OSError):
            scrubbing.hide_in_files(self.home / "logs")

    def _records_after_all(self) -> list[StoreRecord]:
        """The records, also where an interrupt comes while nothing is minimised."""
        try:
            return self._records()
        except KeyboardInterrupt:
            self._note_interrupt()
            with unbroken():
                return self._records()

    def _records(self) -> list[StoreRecord]:
        """The records of the stores that were to be judged by pieces."""
        assert self.open_stores is not None
        found = []
        for target in self.order.targets:
            merged = self.merged[target.name]
            try:
                opened = self.open_stores.opened(target.name)
            except Unreachable as error:
                found.append(merging.unreached(target, merged, str(error)))
                continue
            if not merged.pieces:
                self.ending.open = self.ending.open or bool(merged.problems or merged.inconclusive)
                self.ending.open = self.ending.open or not merged.replayed
                continue
            note = "not minimised: the session was interrupted"
            proven = merging.unproven(merged, note)
            if not self._interrupted:
                try:
                    share = PROVING_SHARE * self.order.budget / len(self.order.targets) if self.order.budget else None
                    proven = merging.prove(opened.benches, merged, partial(self._say_of, target.name), share)
                except KeyboardInterrupt:
                    self._interrupted = True
                    merged.problems["interrupted while minimising: what was found is reported as it was met"] = None
                except PASSED:
                    raise
                except Exception as error:
                    merged.internal.add("minimising", error)
            complete, named = self._complete(target, merged), self.order.effort is not None
            found.append(merging.record(opened, merged, proven, complete, named))
        return found

    def _complete(self, target: Target, merged: Merged) -> bool:
        """Whether every piece there is was run, and all short ones to their end."""
        areas = dict.fromkeys(suite.area for suite in SUITES.values())
        every = [piece for area in areas for piece in self.runner.pieces(target, area)]
        mine: list[AnyPiece] = [piece for piece in every if piece.root is self.order.root]
        ended = {title for title, covered in merged.covered.items() if covered.ended}
        return all(piece.key in merged.pieces and (not piece.short or piece.title in ended) for piece in mine)

    def _recording(self) -> folder.Recording:
        """What goes into the folder of the run beside the records."""
        return folder.Recording(
            self.home,
            self.order.seed,
            ["pytest", *map(str, self.config.invocation_params.args)],
            {target.name: target.contract for target in self.order.targets},
            configuration_of(self.order.targets)
            | {"effort": str(self.order.effort or Effort()), "budget": budget_text(self.order.budget)},
            clause_records(catalogue()),
            versions() | {"pytest": pytest.__version__},
            baseline=self.order.baseline,
            started=self._started,
            clock=self._clock,
        )

    def _save(self, recording: folder.Recording, records: list[StoreRecord], code: int) -> int:
        """Write the folder of the run; the exit code."""
        self._results = recording.results(records, code)
        try:
            saved = recording.save(self._results)
            self._report, self._results = str(saved.report), saved.results
        except OSError as error:
            self._report = recording.unwritten(error)
            return USAGE
        return self._results.run.exit

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show how the stores stand, and where the report is."""
        if self._results is None:
            return
        # What diverged was told with the items: here are the numbers, and what kept a store from being judged.
        brief = [replace(record, divergences=[]) for record in self._results.stores]
        page = io.StringIO()
        colour = bool(terminalreporter.hasmarkup)
        width = shutil.get_terminal_size().columns
        console = console_on(page, width, colour)
        summary(Results(SCHEMA, self._results.run, brief), console)
        terminalreporter.section("fsconform")
        terminalreporter.write(page.getvalue())
        terminalreporter.write_line(KNOWN.text(self._report))

    def pytest_unconfigure(self) -> None:
        """Leave nothing running, however the session ended."""
        self.close()
        self._signals.close()

    def close(self) -> None:
        """Close the sessions and take the stores down. May be called twice."""
        if self.open_stores is not None:
            self.open_stores.close()


@dataclass(slots=True)
class Ending:
    """What the controller saw of a session beside records.

    ``unusable`` counts modules that could not be collected and sandboxes that were refused; ``open`` is set where
    something that was asked for could not be judged.
    """

    failed: int = 0
    unusable: int = 0
    open: bool = False


def exit_code(status: int, ending: Ending, records: Iterable[StoreRecord]) -> int:
    """The code of a session that pytest ends with ``status``. Of 2, 1, 3 and 0 the first that applies."""
    if status not in set(pytest.ExitCode):
        return status  # someone called pytest.exit with a code of their own
    stores = gate.of_stores(list(records))
    return gate.exit_code(
        failing=stores == gate.DIVERGENCES or bool(ending.failed) or status == pytest.ExitCode.TESTS_FAILED,
        unjudged=stores == gate.INCONCLUSIVE or ending.open or status != pytest.ExitCode.OK,
        unusable=bool(ending.unusable) or status == pytest.ExitCode.USAGE_ERROR,
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _again(number: int, frame: FrameType | None) -> None:
    """A later SIGTERM, as CI servers send it after SIGINT: the session is ending already."""


@contextmanager
def heard() -> Iterator[None]:
    """SIGTERM, as CI servers send it, ends the session in good order, unless somebody handles it already."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) in (_interrupt, _again):
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """Signals to end are not heard meanwhile: what is written is short, and lost if it is torn."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
