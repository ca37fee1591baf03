"""What a write may have done that failed on a medium without space: a beginning of its bytes may be there.

A disk that has no room for all of a write takes what it has room for. Of how much that was the looks afterwards tell.
A write to a stream whose network failed may have come as far too: what it had taken of its bytes by then is the
stream's, and close saves it: no call of OutputStream.write promises to take all or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.execution import ENDING, error_classes
from fsconform.engine.injection import Medium, Wire
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.output.write import Write


def shortened(history: History) -> Iterator[History]:
    """The history with one write that failed made as short as a file is afterwards, for each such length."""
    fault = history.program.fault
    if isinstance(fault, Wire):
        kinds: tuple[type[Write | Create | Append], ...] = (Write,)
    elif isinstance(fault, Medium) and not fault.is_flip:
        kinds = (Write, Create, Append)
    else:
        return
    seen = {
        call.outcome.value.length
        for call, place in history.rows
        if place == ENDING and isinstance(call.outcome, Returned) and isinstance(call.outcome.value, Data)
    }
    before = 0
    for number, (call, place) in enumerate(history.rows):
        operation = call.operation
        if place == ENDING or not isinstance(operation, Write | Create | Append):
            continue
        content = operation.content
        failed = call.returned is None or bool(error_classes(call.outcome))
        if place >= 0 and failed and isinstance(operation, kinds):
            for length in sorted({one - before for one in seen} | seen):
                if 0 < length < contents.length(content):
                    part = contents.slice_of(content, 0, length)
                    other = replace(call, operation=replace(operation, content=part))
                    yield replace(history, calls=(*history.calls[:number], other, *history.calls[number + 1 :]))
        elif place >= 0:
            before += contents.length(content)
