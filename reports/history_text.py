"""A history in a terminal: a row for each client, in plain ASCII, and what the numbers of the calls stand for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fsconform.records.results import HistoryRecord
from fsconform.reports import histories, words
from fsconform.reports.histories import AFTERWARDS, BEFORE, NO_ORDER, CallView
from fsconform.reports.plots.scales import spread
from fsconform.reports.visible import visible

WIDTH = 100
LISTED = 24
"""Calls that are listed, at most; in each lane as many are drawn as have room."""
_INDENT = "  "
MARKED = f"{_INDENT}> "
"""How the line of the call that is blamed begins."""
_NAMES = 12


def drawing(history: HistoryRecord, width: int = WIDTH) -> list[str]:
    """The lanes as lines: ``[==2==]`` is call 2, and nobody heard the end of ``[==3==>``; at ``!`` no order exists."""
    calls = histories.views(history)
    digits = len(str(len(calls)))
    room = width - len(_INDENT) - _NAMES
    within = histories.kept([one for one in calls if not one.part], room // (2 * (digits + 1)) - 1)
    if not within:
        return []
    moments = [moment for one in within for moment in (one.invoked, one.returned) if moment is not None]
    pending = any(one.returned is None for one in within)
    last = float(room - 2 - (digits + 1) * pending)
    # Columns are whole: what is rounded down stays at least a column more than the digits apart.
    least = max(digits + 1, min(digits + 3, int(last / (2 * len(moments)))))
    across = {time: math.floor(at + 1e-6) for time, at in spread(moments, 0, last, least).items()}
    lines = []
    for lane in histories.lanes_of(within).values():
        row = [" "] * room
        for one in lane:
            end = room - 2 if one.returned is None else across[one.returned]
            start = across[one.invoked]
            inside = str(one.number).center(end - start - 1, "=")
            row[start : end + 1] = f"[{inside}{'>' if one.returned is None else ']'}"
        lines.append(_line(lane[0].who[: _NAMES - 1].ljust(_NAMES) + "".join(row)))
    first = histories.without_order(calls)
    if first is not None:
        lines.append(_line(" " * _NAMES + _no_order(first, across, room)))
    left_out = sum(not one.part for one in calls) - len(within)
    if left_out:
        lines.append(_line(" " * _NAMES + f"{words.plural(left_out, 'call')} not drawn"))
    return lines


def _no_order(first: CallView, across: dict[float, int], room: int) -> str:
    """The mark where no order exists, with its words on the side that has room."""
    at = room - 1 if first.part == AFTERWARDS else 0
    if not first.part and first.returned is not None:
        at = across.get(first.returned, room - 1)
    if at + 2 + len(NO_ORDER) <= room:
        return f"{' ' * at}! {NO_ORDER}"
    return f"{NO_ORDER} !".rjust(at + 1)


def legend(history: HistoryRecord, width: int | None = WIDTH) -> list[str]:
    """Each call with who made it and its outcome, and the longest order; ``width`` is None for lines of any length."""
    calls = histories.views(history)
    listed = histories.kept(calls, LISTED)
    digits = len(str(len(calls)))
    lines = []
    for one in listed:
        mark = ">" if one.record.marked else " "
        who = f"{one.who}{f' {one.part}' if one.part in (BEFORE, AFTERWARDS) else ''}"
        pending = " (no end heard)" if one.record.returned is None else ""
        lines.append(
            _line(
                f"{mark} {one.number:>{digits}}  {who}: {one.record.call} -> {one.record.observed}{pending}",
                width,
            )
        )
    if len(listed) < len(calls):
        lines.append(_line(f"  and {words.plural(len(calls) - len(listed), 'call')} more"))
    return [*lines, _line(f"  {order(calls)}", width)]


def order(calls: Sequence[CallView]) -> str:
    """The longest order by the numbers of the calls, and those that have no place in it."""
    placed = [one for one in calls if one.record.place is not None]
    placed.sort(key=lambda one: (one.record.place or 0, one.number))
    said = f"longest order: {', '.join(str(one.number) for one in placed) or 'none'}"
    stuck = ", ".join(str(one.number) for one in calls if one.stuck)
    return f"{said}; no place for {stuck}" if stuck else said


def _line(text: str, width: int | None = WIDTH) -> str:
    """A line of ours with what is not ASCII as escapes, no wider than asked."""
    line = (_INDENT + visible(text)).encode("ascii", "backslashreplace").decode("ascii").rstrip()
    return line if width is None or len(line) <= width else line[: width - 3] + "..."
