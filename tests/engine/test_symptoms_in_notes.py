"""One bug is told once: what else shows it is counted with it, and named in its note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fsconform.engine.benches import Benches
from fsconform.engine.claims import Claim
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import SYMPTOMS_SHOWN, Proven, one_a_claim, prove_all
from fsconform.engine.findings import Finding
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]

LOSS = "data lost"


def finding(name: str, impact: str, *roles: str) -> Finding:
    own = Finding(
        "", "violation", "c", "MUST", 0, "exists", "e", "o", noticed=0, roles=frozenset(), observed_kind="k", after=""
    )
    return replace(own, signature=name, impact=impact, roles=frozenset(roles))


def test_what_is_met_in_special_places_counts_with_the_plainest_that_shows_the_harm(program: Make) -> None:
    """Of three signatures the first is the second one in a special place, and the second the third without the harm."""
    collected = Collected()
    plain, worse = finding("a plain one", "", "file"), finding("worse", LOSS, "file")
    for number, one in enumerate((finding("special", "", "file", "at the root"), plain, worse)):
        collected.samples[one.signature] = Sample(one, program("exists /a"), count=10**number)
    benches = Benches(ProvingStore(), Contract({}), 1)
    (told,) = prove_all(benches, collected)
    assert (told.finding.signature, told.count) == ("worse", 111)
    assert told.note.startswith("flaky: it was met while exploring")


def test_of_many_symptoms_some_are_named_and_the_rest_is_counted(program: Make) -> None:
    claim = Claim("supports-acls", ("setAcl",))
    many = [
        Proven(finding(f"s{number}", ""), program("exists /a;" * number + "exists /a"), 1, 3, 3, None, claim=claim)
        for number in range(SYMPTOMS_SHOWN + 3)
    ]
    (told,) = one_a_claim(reversed(many))
    assert (told.finding.signature, told.count) == ("s0", len(many))
    named = "; ".join(f"s{number}" for number in range(1, SYMPTOMS_SHOWN + 1))
    assert told.note == f"supports-acls is claimed and not lived up to by setAcl; also shows as: {named}; and 2 more"
