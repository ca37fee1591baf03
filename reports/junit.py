"""JUnit XML, for the pages that build servers make of it.

A suite for each store, a case for each clause that was judged. What fails the gate is a failure. What could not be
judged, or is broken and accepted by a waiver, as a known bug of the store or by a baseline, is skipped. What is only
listed passes with its text as output.
"""

from __future__ import annotations

import io

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from fsconform.records.results import Divergence, InternalErrorRecord, Results, StepRecord, StoreRecord
from fsconform.reports import histories, history_text, words
from fsconform.reports.visible import LONGEST_BLOCK, visible


def junit_xml(results: Results) -> bytes:
    """The run as JUnit XML in UTF-8. Characters that XML can't carry, or that deceive the eye, stand as escapes."""
    root = JUnitXml(_line(f"fsconform {results.run.id}"))
    for store in results.stores:
        root.append(_suite(store, results.run.started))
    for name in ("tests", "failures", "errors", "skipped"):
        setattr(root, name, sum(getattr(suite, name) for suite in root))
    root.time = round(results.run.seconds, 3)
    file = io.BytesIO()
    root.write(file)
    return file.getvalue() + b"\n"


def _suite(store: StoreRecord, started: str) -> TestSuite:
    by_clause: dict[str, list[Divergence]] = {clause: [] for clause, times in store.clauses.items() if times}
    for divergence in words.by_severity(store.divergences):
        by_clause.setdefault(divergence.clause, []).append(divergence)
    suite = TestSuite(_line(f"fsconform.{store.name}"))
    name = suite.name
    suite.extend([_case(name, clause, found) for clause, found in sorted(by_clause.items())])
    suite.extend(_whole_store(name, store))
    suite.update_statistics()
    suite.time = round(store.seconds, 3)
    suite.timestamp = _line(started)
    return suite


def _case(suite: str, clause: str, divergences: list[Divergence]) -> TestCase:
    case = TestCase(_line(clause), suite, 0)
    failing = [one for one in divergences if words.fails(one)]
    accepted = [one for one in divergences if one.verdict == "waived" or words.known(one)]
    unjudged = [one for one in divergences if one.verdict == "inconclusive"]
    listed = [one for one in divergences if one not in failing]
    if failing:
        # The readers of this format show one failure of a case.
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        first = failing[0]
        seen = f", {histories.confirmation(first)[0]}" if first.history is not None else ""
        message = f"{first.verdict}: {first.signature}{seen}{more}"
        case.append(_failure(message, _line(first.verdict), _texts(failing)))
    elif accepted:
        # A clause that the store is known to break does not pass, whatever else was seen of it.
        reasons = "; ".join(dict.fromkeys(_accepted(one) for one in accepted))
        case.append(Skipped(_line(reasons)))
    elif unjudged and len(unjudged) == len(divergences):
        case.append(Skipped(_line(f"inconclusive: {unjudged[0].signature}")))
    if listed:
        case.system_out = _texts(listed)
    return case


def _accepted(one: Divergence) -> str:
    """Why a divergence does not fail: by which known bug of the store, with the reason that it is accepted for."""
    if words.known(one):
        return f"{words.known(one)}: {one.verdict}: {one.signature}"
    by = f"{one.verdict}, known bug {one.quirk}" if one.quirk else one.verdict
    return f"{by}: {one.waiver or one.signature}"


def _whole_store(suite: str, store: StoreRecord) -> list[TestCase]:
    """Cases for what no clause speaks of: a store that could not be judged must not look like one that passes."""
    cases = []
    if store.problems or not store.clauses:
        case = TestCase("everything was judged", suite, 0)
        case.append(Skipped(_line("; ".join(store.problems) or "nothing was judged")))
        cases.append(case)
    if store.internal_errors:
        case = TestCase("no internal error of fsconform", suite, 0)
        error = Error(_line(words.internal_error(store.internal_errors[0])), "internal error")
        error.text = _block("\n".join(_internal(one) for one in store.internal_errors))
        case.append(error)
        cases.append(case)
    if store.waiver_problems:
        case = TestCase("waivers are used and valid", suite, 0)
        case.append(_failure(store.waiver_problems[0], "waiver", _block("\n".join(store.waiver_problems))))
        cases.append(case)
    return cases


def _internal(error: InternalErrorRecord) -> str:
    reproduce = f"reproduce: {error.reproducer}\n" if error.reproducer else ""
    return f"{words.internal_error(error)}\n{reproduce}{error.traceback}"


def _failure(message: str, kind: str, text: str) -> Failure:
    failure = Failure(_line(message), kind)
    failure.text = text
    return failure


def _texts(divergences: list[Divergence]) -> str:
    return "\n" + "\n".join(_block(as_text(one)) for one in divergences)


def as_text(divergence: Divergence) -> str:
    """A divergence as plain text: verdict, clause, expected against observed, program, options and reproducers."""
    rows = [
        f"{divergence.verdict}: {divergence.signature}",
        f"clause: {divergence.clause} ({divergence.level}): {divergence.statement}",
        *([f"basis: {words.NOT_BINDING[divergence.basis]}"] if divergence.basis in words.NOT_BINDING else []),
        *([f"refused by: {divergence.precondition}"] if divergence.precondition else []),
        *([f"area: {divergence.area}"] if divergence.area else []),
        *([f"baseline: {divergence.baseline}"] if divergence.baseline else []),
        f"expected: {divergence.expected}",
        f"observed: {divergence.observed}",
        histories.confirmation(divergence)[0],
        *_program(divergence),
    ]
    if divergence.below is not None:
        rows += [f"both layers: {row}" for row in words.below_lines(divergence.below)]
    rows += [f"option: {changes}" for changes in words.option_changes(divergence)]
    rows += [f"waiver: {divergence.waiver}"] if divergence.waiver else []
    rows += [f"note: {divergence.note}"] if divergence.note else []
    rows += [f"reproduce: {divergence.reproducer}"] if divergence.reproducer else []
    rows += [f"test: {divergence.test}"] if divergence.test else []
    # A line break inside a name must not look like another line of ours.
    return "".join(f"{visible(row)}\n" for row in rows)


def _program(divergence: Divergence) -> list[str]:
    """The calls: a history as a drawing of its lanes with a line for each call, else the steps one after another."""
    if divergence.history is not None and divergence.history.calls:
        return ["history:", *history_text.drawing(divergence.history), *history_text.legend(divergence.history, None)]
    clients = words.several_clients(divergence.sequence)
    return ["program:", *(f"  {number}. {_step(step, clients)}" for number, step in enumerate(divergence.sequence, 1))]


def _step(step: StepRecord, clients: bool) -> str:
    observed = f" -> {step.observed}" if step.observed else ""
    tags = "".join(f" ({tag})" for tag in words.tags(step))
    return words.call_text(step, clients) + observed + tags + ("   <- diverges" if step.marked else "")


def _line(text: str) -> str:
    return visible(text)


def _block(text: str) -> str:
    return visible(text, LONGEST_BLOCK, keep="\n")
