"""setWorkingDirectory, and what relative paths mean then.

Source: filesystem.md, "class org.apache.hadoop.fs.FileSystem".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning, raises
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, EXISTS, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_RELATIVE = "filesystem.relative-paths"
_WORKING = "filesystem.working-directory"


@operation
@dataclass(frozen=True, slots=True)
class WorkingDirectory(Operation):
    """``setWorkingDirectory(path)``; then, and before it is set back, the status of the relative path ``below``.

    Returns facts ``relative``: working (what getWorkingDirectory says), path (of the status), directory, length, others
    (true if the working directory of another client is what it was).
    Raises what getFileStatus of the relative path raises.
    """

    NAME: ClassVar[str] = "setWorkingDirectory"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    below: Path
    via: str = ""


def _differs(root: State, op: WorkingDirectory, value: Any) -> Difference | None:
    path = op.path + op.below
    node = locate(root, path)
    if not isinstance(value, Facts) or value.get("path") != show(path):
        return Difference(_RELATIVE, "MUST", "the status of another path", "path", show(path))
    if value.get("working") != show(op.path):
        return Difference(_RELATIVE, "MUST", "another working directory than was set", "working", show(op.path))
    if value.get("others") is False:
        return Difference(_WORKING, "MUST", "a change of another client's working directory")
    if value.get("directory") is not (type(node) is Dir):
        return Difference(_RELATIVE, "MUST", "a status of another type")
    if isinstance(node, File) and value.get("length") != contents.length(node.content):
        return Difference(_RELATIVE, "MUST", "a wrong length", "length", f"{contents.length(node.content)} bytes")
    return None


def _right_relative(root: State, op: WorkingDirectory, value: Any) -> bool:
    return _long_relative(root, op, value) and (value.get("directory") is False or not value.get("length"))


def _long_relative(root: State, op: WorkingDirectory, value: Any) -> bool:
    return _differs(root, op, value) is None


_EXPECTED = "status of the path below the working directory"
_BELOW = (
    gives(_RELATIVE, _EXPECTED, _right_relative, also=(_WORKING,)),
    gives(
        DIRECTORY_STATUS,
        _EXPECTED,
        _long_relative,
        (DIRECTORIES_HAVE_LENGTH, True),
        departs=True,
        also=(_RELATIVE, _WORKING),
    ),
)

_MET = Cases(*COMMON_CASES)
_EXISTING = _MET.case("existing", _RELATIVE, _BELOW)
_MISSING = _MET.add(missing(EXISTS))
# That a file may be refused as a working directory is not said, nor that it may not.
_IN_FILE = _MET.case("a file as working directory", _RELATIVE, (*_BELOW, raises(_RELATIVE, "IOException")))


@meaning(WorkingDirectory, _MET, differs=_differs)
def _classify(root: State, op: WorkingDirectory) -> int:
    path = op.path + op.below
    node = locate(root, path)
    found = bits(path, node)
    if isinstance(node, File | Dir):
        return found | (_IN_FILE if type(node) is File and not op.below else _EXISTING)
    return found | _MISSING


@drawn(WorkingDirectory)
def _draw(_draft: Draft, dice: Random, path: Path) -> WorkingDirectory:
    cut = dice.randint(0, len(path))
    return WorkingDirectory(path[:cut], path[cut:], any_way(WorkingDirectory, dice))
