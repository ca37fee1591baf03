"""What the ``contract`` commands tell, as rows: of one contract, of two, and of a contract and what a store showed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as Choice

from fsconform.app.inferring import Inferred
from fsconform.engine import describe
from fsconform.engine.infer import Conflict, Decision, Evidence
from fsconform.engine.probes import without_probes
from fsconform.model.core.option import Literal, OptionValue
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX, Contract
from fsconform.model.filesystem.programs import Program, encode_program

Judged = Choice["ok", "declared-false", "undeclared", "unused", "conflict", "stricter", "unobserved"]
"""What is to say of an option. ``unused``: a permission that is declared, and that the store was seen not to use;
``stricter``: it keeps to more than is declared."""

WRONG: frozenset[Judged] = frozenset(("declared-false", "undeclared", "unused", "conflict"))
"""What fails ``contract check``."""

LONGEST = 240


def said(value: OptionValue | None) -> str:
    """A value as the XML has it; a dash for none."""
    return "-" if value is None else str(value).lower()


def told(program: Program) -> str:
    """A program's own steps on one line."""
    text = "; ".join(describe.call(step.operation) for step in without_probes(program) or program)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def evidence_text(evidence: Evidence) -> str:
    """A program and its clause, as a reader is told of them."""
    program = f"witness {evidence.named!r}" if evidence.named else told(evidence.program)
    more = f", {evidence.times} programs" if evidence.times > 1 else ""
    seen = f", {evidence.seen}" if evidence.seen else ""
    return f"{program} ({evidence.clause}{more}{seen})"


def decision_text(decision: Decision) -> str:
    """What decided an option."""
    return " and ".join(map(evidence_text, decision.evidence))


def literals_text(literals: Iterable[Literal]) -> str:
    """Option values as a reader is told of them."""
    return ", ".join(f"{name}={said(value)}" for name, value in literals) or "any contract"


def conflict_lines(conflict: Conflict) -> list[str]:
    """A conflict: its options, and each program with what it needs."""
    lines = [f"no value of {', '.join(conflict.options)} explains all of:"]
    for evidence, ways in conflict.programs:
        lines.append(f"  {evidence_text(evidence)} needs {' or '.join(map(literals_text, ways))}")
    return lines


@dataclass(frozen=True, slots=True)
class Row:
    """One option: what is declared, what was inferred and how, and what that comes to."""

    option: str
    kind: str
    declared: OptionValue | None
    inferred: bool | None
    status: str
    judged: Judged
    evidence: str


def rows(inferred: Inferred) -> list[Row]:
    """Every option that judging depends on."""
    found = []
    for name, decision in inferred.inference.decisions.items():
        declared = inferred.declared.declared.get(name)
        value = None if decision.status == "unobserved" else decision.value
        judged = compared(inferred.declared, decision)
        found.append(Row(name, OPTIONS[name].kind, declared, value, decision.status, judged, decision_text(decision)))
    return found


def compared(contract: Contract, decision: Decision) -> Judged:
    """What a contract's word on an option is worth, after what was seen of the store."""
    name, effective = decision.option, contract.value(decision.option)
    declared, permits = name in contract.declared, OPTIONS[name].kind == "permits"
    if decision.status in ("unobserved", "conflict"):
        return "unobserved" if decision.status == "unobserved" else "conflict"
    if decision.value is effective:
        return "ok"
    if decision.status == "not used":
        return "unused" if permits and declared else "stricter"
    return "declared-false" if declared and not permits else "undeclared"


def as_json(inferred: Inferred) -> dict[str, object]:
    """What was inferred, for machines."""
    return {
        "store": inferred.store,
        "contract": inferred.declared.source,
        "programs": inferred.programs,
        "operations": inferred.operations,
        "problems": list(inferred.problems),
        "options": [
            {
                "option": PROPERTY_PREFIX + row.option,
                "kind": row.kind,
                "declared": row.declared,
                "inferred": row.inferred,
                "status": row.status,
                "judged": row.judged,
                "evidence": [_evidence(one) for one in inferred.inference.decisions[row.option].evidence],
            }
            for row in rows(inferred)
        ],
        "conflicts": [
            {
                "options": [PROPERTY_PREFIX + name for name in one.options],
                "programs": [
                    {**_evidence(evidence), "needs": [[[PROPERTY_PREFIX + n, v] for n, v in way] for way in ways]}
                    for evidence, ways in one.programs
                ],
            }
            for one in inferred.inference.conflicts
        ],
        "inexpressible": [
            {
                "signature": one.finding.signature,
                "verdict": one.finding.verdict,
                "clause": one.finding.clause,
                "times": one.times,
                "waived": one.waived,
                "note": one.note,
                "program": encode_program(one.program),
            }
            for one in inferred.inexpressible
        ],
    }


def _evidence(evidence: Evidence) -> dict[str, object]:
    return {
        "witness": evidence.named,
        "clause": evidence.clause,
        "times": evidence.times,
        "program": encode_program(evidence.program),
        **({"seen": evidence.seen} if evidence.seen else {}),
    }
