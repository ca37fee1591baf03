"""JUnit XML, for the pages that build servers make of it.

A suite for each store, a case for each clause that was judged. What fails the gate is a failure. What could not be
judged, or is broken and accepted by a waiver, as a known bug of the store or by a baseline, is skipped. What is only
listed passes with its text as output.
"""

from __future__ import annotations

from xml.etree import ElementTree as Tree

from fsconform.records.results import Divergence, InternalErrorRecord, Results, StepRecord, StoreRecord
from fsconform.reports import histories, history_text, words
from fsconform.reports.visible import LONGEST_BLOCK, visible


def junit_xml(results: Results) -> bytes:
    """The run as JUnit XML in UTF-8. Characters that XML can't carry, or that deceive the eye, stand as escapes."""
    suites = [_suite(store, results.run.started) for store in results.stores]
    root = Tree.Element("testsuites", {"name": _line(f"fsconform {results.run.id}"), **_totals(suites)})
    root.set("time", f"{results.run.seconds:.3f}")
    root.extend(suites)
    Tree.indent(root)
    data: bytes = Tree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _totals(suites: list[Tree.Element]) -> dict[str, str]:
    return {
        name: str(sum(int(suite.get(name, "0")) for suite in suites))
        for name in ("tests", "failures", "errors", "skipped")
    }


def _suite(store: StoreRecord, started: str) -> Tree.Element:
    by_clause: dict[str, list[Divergence]] = {clause: [] for clause, times in store.clauses.items() if times}
    for divergence in words.by_severity(store.divergences):
        by_clause.setdefault(divergence.clause, []).append(divergence)
    name = _line(f"fsconform.{store.name}")
    cases = [_case(name, clause, found) for clause, found in sorted(by_clause.items())]
    cases += _whole_store(name, store)
    suite = Tree.Element("testsuite", {"name": name})
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", str(sum(case.find("error") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.set("time", f"{store.seconds:.3f}")
    suite.set("timestamp", _line(started))
    suite.extend(cases)
    return suite


def _case(suite: str, clause: str, divergences: list[Divergence]) -> Tree.Element:
    case = Tree.Element("testcase", {"classname": suite, "name": _line(clause), "time": "0"})
    failing = [one for one in divergences if words.fails(one)]
    accepted = [one for one in divergences if one.verdict == "waived" or words.known(one)]
    unjudged = [one for one in divergences if one.verdict == "inconclusive"]
    listed = [one for one in divergences if one not in failing]
    if failing:
        # The readers of this format show one failure of a case.
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        first = failing[0]
        seen = f", {histories.confirmation(first)[0]}" if first.history is not None else ""
        _child(case, "failure", failing, f"{first.verdict}: {first.signature}{seen}{more}").set("type", first.verdict)
    elif accepted:
        # A clause that the store is known to break does not pass, whatever else was seen of it.
        reasons = "; ".join(dict.fromkeys(_accepted(one) for one in accepted))
        Tree.SubElement(case, "skipped", {"message": _line(reasons)})
    elif unjudged and len(unjudged) == len(divergences):
        Tree.SubElement(case, "skipped", {"message": _line(f"inconclusive: {unjudged[0].signature}")})
    if listed:
        _child(case, "system-out", listed)
    return case


def _accepted(one: Divergence) -> str:
    """Why a divergence does not fail: by which known bug of the store, with the reason that it is accepted for."""
    if words.known(one):
        return f"{words.known(one)}: {one.verdict}: {one.signature}"
    by = f"{one.verdict}, known bug {one.quirk}" if one.quirk else one.verdict
    return f"{by}: {one.waiver or one.signature}"


def _whole_store(suite: str, store: StoreRecord) -> list[Tree.Element]:
    """Cases for what no clause speaks of: a store that could not be judged must not look like one that passes."""
    cases = []
    if store.problems or not store.clauses:
        case = Tree.Element("testcase", {"classname": suite, "name": "everything was judged", "time": "0"})
        problems = "; ".join(store.problems) or "nothing was judged"
        Tree.SubElement(case, "skipped", {"message": _line(problems)})
        cases.append(case)
    if store.internal_errors:
        case = Tree.Element("testcase", {"classname": suite, "name": "no internal error of fsconform", "time": "0"})
        texts = [words.internal_error(one) for one in store.internal_errors]
        error = Tree.SubElement(case, "error", {"type": "internal error", "message": _line(texts[0])})
        error.text = _block("\n".join(_internal(one) for one in store.internal_errors))
        cases.append(case)
    if store.waiver_problems:
        case = Tree.Element("testcase", {"classname": suite, "name": "waivers are used and valid", "time": "0"})
        failure = Tree.SubElement(case, "failure", {"type": "waiver", "message": _line(store.waiver_problems[0])})
        failure.text = _block("\n".join(store.waiver_problems))
        cases.append(case)
    return cases


def _internal(error: InternalErrorRecord) -> str:
    reproduce = f"reproduce: {error.reproducer}\n" if error.reproducer else ""
    return f"{words.internal_error(error)}\n{reproduce}{error.traceback}"


def _child(case: Tree.Element, tag: str, divergences: list[Divergence], message: str = "") -> Tree.Element:
    child = Tree.SubElement(case, tag, {"message": _line(message)} if message else {})
    child.text = "\n" + "\n".join(_block(as_text(one)) for one in divergences)
    return child


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
