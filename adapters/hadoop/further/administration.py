"""Java calls that need an administrator's rights, or are made under another identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.operations.administration import UseSafeMode
from fsconform.model.outcomes import facts

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_Set = Callable[[Any], Any]


def _round(fs: Any, actions: tuple[str, ...], act: _Set) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """From no safe mode on: what get says first, what each action returns, and what get says after it."""
    known = java("SafeModeAction")
    fs.setSafeMode(known.LEAVE, False)
    before, results, states = _word(fs.setSafeMode(known.GET, False)), [], []
    for action in actions:
        results.append(_word(act(known.valueOf(action.upper().replace(" ", "_")))))
        states.append(_word(fs.setSafeMode(known.GET, False)))
    return before, tuple(results), tuple(states)


def _word(on: Any) -> str:
    return "on" if on else "off"


def _left(fs: Any) -> None:
    """Leave safe mode, by force where it does not end otherwise: nothing but this may go on in it."""
    known = java("SafeModeAction")
    try:
        fs.setSafeMode(known.LEAVE, False)
    finally:
        if fs.setSafeMode(known.GET, False):
            fs.setSafeMode(known.FORCE_EXIT, False)


def _safe_mode(caller: Caller, op: UseSafeMode, places: Places) -> Any:
    try:
        interface = java("SafeMode")
    except TypeError:
        return wire.NotExpressible("this version of Hadoop has no interface SafeMode")
    if not isinstance(caller.filesystem, interface):
        return wire.NotExpressible(f"{jvm.text(caller.filesystem.getScheme())}: is no SafeMode")
    # Cast: a store may have overloads of its own for enums of its own.
    fs = jpype.JObject(caller.filesystem, interface)
    try:
        if op.checked:
            before, results, states = _round(fs, op.actions, lambda action: fs.setSafeMode(action, True))
            return facts("safe mode", before=before, results=results, states=states)
        first = _round(fs, op.actions, lambda action: fs.setSafeMode(action))
        alike = first == _round(fs, op.actions, lambda action: fs.setSafeMode(action, False))
        return facts("safe mode", before=first[0], results=first[1], states=first[2], alike=alike)
    finally:
        _left(fs)


HANDLERS: dict[tuple[type, str], Any] = {(UseSafeMode, ""): _safe_mode}
