"""Trying programs of requests, shrinking what departs, and folding what is one bug seen in several places."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fsconform.engine.layers import confirm, record
from fsconform.engine.layers.findings import Finding
from fsconform.engine.objects.judge import judge
from fsconform.engine.objects.protocol import Session
from fsconform.engine.objects.shrink import smaller
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Program, Request

ATTEMPTS = 150
"""A program is shrunk in at most so many executions."""

Tried = confirm.Tried[Request, Answer]
Proven = confirm.Proven[Request, Answer]
Sample = record.Sample[Request, Answer]
Collected = record.Collected[Request, Answer]

_SIGNATURE = re.compile(r"(?P<name>\S+)(?: \((?P<roles>[^)]*)\))? (?P<rest>.*)", re.DOTALL)


def attempt(session: Session, program: Program, contract: ObjectContract) -> Tried:
    """Execute and judge a program. Raises StoreLost."""
    seen = session.execute(program)
    return Tried(program, seen, judge(program, seen, contract))


def prove(session: Session, finding: Finding, tried: Tried, count: int, contract: ObjectContract) -> Proven:
    """Shrink the program that showed a finding, and replay it. Raises StoreLost."""
    met = Proven(finding, tried, count)
    return confirm.prove(lambda program: attempt(session, program, contract), smaller, met, ATTEMPTS, session.fresh)


def parts_of(signature: str) -> tuple[str, frozenset[str], str]:
    """A signature's request, its roles, and the rest of it."""
    match = _SIGNATURE.fullmatch(signature)
    if match is None:
        return signature, frozenset(), ""
    roles = frozenset(filter(None, (match["roles"] or "").split("; ")))
    return match["name"], roles, match["rest"]


def folded(samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """Samples without those that another one, with fewer roles and else the same, tells of already; counts added."""
    parts = {name: parts_of(name) for name in samples}
    into: dict[str, str] = {}
    for name, (request, roles, rest) in parts.items():
        wider = [
            other
            for other, (its_request, its_roles, its_rest) in parts.items()
            if its_request == request
            and its_rest == rest
            and its_roles < roles
            and samples[other].finding.verdict == samples[name].finding.verdict
        ]
        if wider:
            into[name] = min(wider, key=lambda one: (len(parts[one][1]), one))
    counts = {name: one.count for name, one in samples.items()}
    for name, other in into.items():
        while other in into:
            other = into[other]
        counts[other] += samples[name].count
    return {name: Sample(one.finding, one.tried, counts[name]) for name, one in samples.items() if name not in into}
