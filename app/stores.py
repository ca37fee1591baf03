"""``fsconform stores``: the built-in stores, what each lacks on this machine, and whether it works."""

from __future__ import annotations

import click

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.preset import lacks as lacks_of
from fsconform.adapters.stores.site import Setup
from fsconform.engine import describe
from fsconform.engine.protocol import Job, SandboxRefused, StoreLost
from fsconform.harness import completion
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import java
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.harness.problems import INCONCLUSIVE, OK, known
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.options.core import READ_ONLY
from fsconform.model.filesystem.programs import Step


@click.command("stores")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completion.STORES)
@click.option("--check", is_flag=True, help="Start each store, write a file and read it.")
def stores(names: tuple[str, ...], check: bool) -> None:
    """List the built-in stores and say what is missing."""
    bad = False
    if check and any(PRESETS[known("store", name, PRESETS)].java for name in names or PRESETS):
        java()
    for name in names or tuple(PRESETS):
        preset = PRESETS[known("store", name, PRESETS)]
        lacks = lacks_of(preset)
        state = f"missing: {'; '.join(lacks)}" if lacks else "ready"
        if check and not lacks:
            problem = _check(preset)
            state = f"does not work: {problem}" if problem else "works: a file was written and read"
            bad = bad or bool(problem)
        bad = bad or (check and bool(lacks))
        plain.print(f"{name:10} {preset.statement}\n{'':10} {state}", markup=False)
    raise SystemExit(INCONCLUSIVE if bad else OK)


def _check(preset: Preset) -> str:
    content = contents.of(7, 5000)
    wrote: tuple[Step, ...] = (Step(Create(("a",), content, False)), Step(Open(("a",))), Step(Delete(("a",), False)))
    wanted = (Returned(None), Returned(Data(5000, contents.digest(content) or "")), Returned(True))
    if load_shipped(preset.contract).value(READ_ONLY):
        wrote = wrote[:2]
    with passing_logs("check") as logs:
        try:
            store = build_preset(preset, Setup(logs.folder, lambda text: console.print(text, markup=False)))
            try:
                session = store.session()
                try:
                    (execution,) = session.execute([Job(wrote)])
                finally:
                    session.close()
            finally:
                store.close()
        except (JarError, NoJava, ServiceError, StoreLost, SandboxRefused, OSError) as error:
            logs.reported(str(error))
            return str(error)
        logs.reported(execution.lost)
    for step, event, outcome in zip(wrote, execution.trace.events, wanted, strict=False):
        if event.outcome != outcome:
            return f"{describe.call(step.operation)}: {describe.observed(event.outcome)}"
    return execution.lost
