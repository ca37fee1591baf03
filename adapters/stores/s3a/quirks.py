"""The quirks of S3A."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from immutables import Map

from fsconform.adapters.stores.quirks import beside
from fsconform.adapters.stores.quirks.aborts import CLEANS_UP_AGAIN
from fsconform.adapters.stores.quirks.answers import SCRIPTED, VECTORED, as_listed, listed_by_several, mended
from fsconform.adapters.stores.quirks.cut_replies import cut_replies_of_s3
from fsconform.adapters.stores.quirks.object_store_races import LOSES_WITH_THE_POWER, object_store_races
from fsconform.adapters.stores.quirks.shared import UNTIL, null_range, renamed_below_itself, renamed_to_itself
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import Branch, gives, returns
from fsconform.model.filesystem.input import clauses as stream_clauses
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream, answers_of, start_of
from fsconform.model.filesystem.input.script_walk import Start, Walk
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Dir, File, Node, State, locate, made_over, put, remove, walk
from fsconform.model.filesystem.status import entries
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.summaries import GetContentSummary
from fsconform.model.filesystem.stream_answers import LENIENT, Departs, expected, number_of
from fsconform.model.filesystem.stream_scripts import OR, POSITIONED, ROUNDS, TOGETHER, Action, parse
from fsconform.model.filesystem.transfer.local_copies import LOCAL_FILE, CopyFromLocal, CopyToLocal, MoveFromLocal
from fsconform.model.filesystem.transfer.uploads import Upload

_RENAME = "filesystem.rename"


def _file(*path: str) -> Step:
    return Step(Create(path, contents.of(1, 3), False))


# --- rename


def _into_its_directory(root: State, op: Rename) -> Iterator[Branch]:
    if type(locate(root, op.src)) is not File or op.dst != op.src[:-1]:
        return
    after, parent = remove(root, op.src), op.dst
    yield _moved(f"{_RENAME}.post.file-to-itself", after)
    # A directory without a marker is there while something is in it.
    while parent and not cast(Dir, locate(after, parent)).children:
        after, parent = remove(after, parent), parent[:-1]
        yield _moved(f"{_RENAME}.post.file-to-itself", after)


def _moved(clause: str, after: State) -> Branch:
    return returns(clause, True, effect=lambda _root, _op: after)


_INTO_ITS_DIRECTORY = Quirk(
    "s3a/rename-into-its-own-directory-deletes",
    "a file that is renamed into the directory it is in is lost",
    f"{_RENAME}.post.file-to-itself",
    "data lost",
    "RenameOperation computes the final destination, copies the object onto itself and deletes the source",
    "s3a/loses-a-file-that-is-renamed-into-its-own-directory",
    UNTIL,
    (_file("a"), Step(Rename(("a",), ()))),
    (Rename,),
    _into_its_directory,
)


def _final(root: State, op: Rename) -> Path | None:
    """The final destination of a file that is renamed into another directory than its own; None for all others."""
    if type(locate(root, op.src)) is not File or type(locate(root, op.dst)) is not Dir or op.dst == op.src[:-1]:
        return None
    return (*op.dst, op.src[-1])


def _onto_a_file(root: State, op: Rename) -> Iterator[Branch]:
    final = _final(root, op)
    if final is not None and type(locate(root, final)) is File:
        node = cast(File, locate(root, op.src))
        yield _moved(f"{_RENAME}.pre.no-file-at-destination", put(remove(root, op.src), final, node))


_ONTO_A_FILE = Quirk(
    "s3a/rename-into-a-directory-replaces-a-file",
    "a file that is renamed into a directory replaces the file of its name there",
    f"{_RENAME}.pre.no-file-at-destination",
    "data lost",
    "only the path that was named is looked at, and not the final destination",
    "s3a/replaces-a-file-where-a-file-is-renamed-into-a-directory",
    UNTIL,
    (_file("a"), Step(Create(("b", "a"), contents.of(2, 5), False)), Step(Rename(("a",), ("b",)))),
    (Rename,),
    _onto_a_file,
)


def _beside_a_directory(root: State, op: Rename) -> Iterator[Branch]:
    final = _final(root, op)
    if final is not None and type(locate(root, final)) is Dir:
        left = remove(root, op.src)
        node = File(cast(File, locate(root, op.src)).content)
        after = beside.beside(left, final, node, cast(Dir, locate(left, final)))
        yield _moved(f"{_RENAME}.onto-directory", after)
    yield from beside.unknown(root, op)


_BESIDE_A_DIRECTORY = Quirk(
    "s3a/rename-into-a-directory-puts-a-file-beside-a-directory",
    "a file that is renamed into a directory comes to stand beside a directory of its name",
    f"{_RENAME}.onto-directory",
    "wrong answer",
    "only the path that was named is looked at, and keys that differ by a slash are two objects",
    "s3a/puts-a-file-beside-a-directory-of-its-name",
    UNTIL,
    (_file("a"), Step(Mkdirs(("b", "a", "c"))), Step(Rename(("a",), ("b",)))),
    (Rename,),
    _beside_a_directory,
)


def _not_empty(root: State, op: Rename) -> Iterator[Branch]:
    source, target = locate(root, op.src), locate(root, op.dst)
    apart = op.src != op.dst and not is_ancestor(op.src, op.dst)
    if apart and type(source) is Dir and type(target) is Dir and target.children:
        yield returns(f"{_RENAME}.post.into-directory", False)


_NOT_EMPTY = Quirk(
    "s3a/rename-of-a-directory-into-one-that-is-not-empty-returns-false",
    "a directory can't be renamed into a directory that is not empty: false, and no error",
    f"{_RENAME}.post.into-directory",
    "wrong answer",
    "S3A refuses a directory that is not empty as a destination, and returns false for its own error",
    "s3a/refuses-a-directory-as-a-destination-that-is-not-empty",
    UNTIL,
    (Step(Mkdirs(("a",))), Step(Mkdirs(("b", "c"))), Step(Rename(("a",), ("b",)))),
    (Rename,),
    _not_empty,
)


def _below_itself(root: State, op: Rename) -> Iterator[Branch]:
    node = locate(root, op.src)
    if type(node) is File and is_ancestor(op.src, op.dst) and len(op.dst) > len(op.src) + 1:
        yield _moved(f"{_RENAME}.pre.not-below-itself", put(remove(root, op.src), op.dst, node))


_BELOW_ITSELF = Quirk(
    "s3a/rename-moves-a-file-below-itself",
    "a file that is renamed two levels below itself, or more, is moved there",
    f"{_RENAME}.pre.not-below-itself",
    "wrong answer",
    "only the parent of the destination is looked at",
    "s3a/moves-a-file-below-itself",
    UNTIL,
    (_file("a"), Step(Rename(("a",), ("a", "b", "c")))),
    (Rename,),
    _below_itself,
)

# --- what stands beside a directory


def _displaced(path: Path, root: State) -> Dir | None:
    """The directory at a path, None if there is none."""
    node = locate(root, path) if path else None
    return node if type(node) is Dir else None


def _copied_to(root: State, op: CopyFromLocal | MoveFromLocal) -> Path:
    return (*op.path, LOCAL_FILE) if type(locate(root, op.path)) is Dir else op.path


def _without(root: State, path: Path, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    if _displaced(path, root) is not None:
        yield remove(root, path), outcome


def _copy_beside(root: State, op: CopyFromLocal | MoveFromLocal, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    if isinstance(op, MoveFromLocal) or op.overwrite:
        final = _copied_to(root, op)
        if final != op.path:
            yield from _without(root, final, outcome)


def _upload_beside(root: State, op: Upload, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    return _without(root, op.path, outcome)


def _put_beside(root: State, viewed: State, after: State) -> State | None:
    """The file that came to be in a state without a directory, beside that directory."""
    for path, node in walk(after):
        directory = _displaced(path, root)
        if type(node) is File and directory is not None:
            return beside.beside(root, path, File(node.content), directory)
    return root


_COPIED_BESIDE = Quirk(
    "s3a/copy-into-a-directory-puts-a-file-beside-a-directory",
    "a file that is copied into a directory comes to stand beside a directory of its name",
    "filesystem.copyFromLocalFile.post.file-into-directory",
    "wrong answer",
    "CopyFromLocalOperation computes the final destination and uploads to it without a look",
    "s3a/copies-a-file-beside-a-directory-of-its-name",
    UNTIL,
    (Step(Mkdirs(("a", LOCAL_FILE, "g"))), Step(CopyFromLocal(("a",), contents.of(1, 4), False, True))),
    (CopyFromLocal, MoveFromLocal),
    as_if=_copy_beside,
    back=_put_beside,
)

_UPLOADED_BESIDE = Quirk(
    "s3a/upload-puts-a-file-beside-a-directory",
    "an upload to a directory succeeds, and the file stands beside it",
    "multipartuploader.startUpload.pre.not-a-directory",
    "wrong answer",
    "startUpload asks S3 for an upload to the key, and does not look what is at the path",
    "s3a/uploads-a-file-onto-a-directory",
    UNTIL,
    (Step(Mkdirs(("a",))), Step(Upload(("a",), contents.of(1, 5), 1, "complete"))),
    (Upload,),
    as_if=_upload_beside,
    back=_put_beside,
)

_PAIRS = Quirk(
    "s3a/file-and-directory-of-one-name",
    "a listing has the name of a file that stands beside a directory twice, and what is in the directory can be read",
    "model.filesystem.exclusivity",
    "wrong answer",
    "keys that differ by a slash are two objects; which calls put them there is reported by itself",
    "s3a/puts-a-file-beside-a-directory-of-its-name",
    UNTIL,
    (_file("a"), Step(Mkdirs(("b", "a", "c"))), Step(Rename(("a",), ("b",))), Step(ListStatus(("b",)))),
    beside.AFFECTED,
    beside.unknown,
    beside.listed_twice,
    beside.looked,
    remembers=(Delete, RenameWith),
    remember=beside.seen_again,
)

# --- listings

_LISTINGS: tuple[type[Operation], ...] = (
    ListStatus,
    ListFiltered,
    ListMany,
    ListFiles,
    GlobStatus,
    GetContentSummary,
    CompareListed,
    Iterate,
    Observe,
)
_MARKER = "_$folder$"


def _without_old_markers(root: State) -> State:
    def change(path: Path, node: Dir, children: Map[str, Node]) -> Dir:
        for name, child in node.children.items():
            if type(child) is not Dir and name.endswith(_MARKER):
                children = children.delete(name)
        return node if children is node.children else Dir(children, node.meta)

    return root.over(made_over(root.tree, change))


def _is_old_marker(path: Path) -> bool:
    return bool(path) and path[-1].endswith(_MARKER)


def _hides(root: State, op: Any, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    if isinstance(op, Observe):
        due = as_listed(outcome) if _is_old_marker(op.path) else None
        if due is not None:
            yield root, due
        return
    shown = _without_old_markers(root)
    if shown is not root:
        yield shown, outcome


def _left_out(root: State, op: Any) -> Iterator[Branch]:
    """The listing of such a file by itself is empty; listLocatedStatus and listFiles have it."""
    shown = _without_old_markers(root)
    if shown is root:
        return
    if isinstance(op, ListMany):
        if all(entries.existing(root, path) is not None for path in op.paths):
            yield listed_by_several(op, lambda path: entries.listing(shown, path), any_length=False)
        return
    if not isinstance(op, ListStatus | ListFiltered | Iterate) or op.via in ("located", "files"):
        return
    if _is_old_marker(op.path) and type(locate(root, op.path)) is File:
        yield gives("filesystem.listStatus.post", "list nothing", lambda _root, _op, value: value == ())


_HIDDEN = Quirk(
    "s3a/listings-leave-out-names-that-end-in-folder",
    "files whose names end in _$folder$ are left out of listings",
    "filesystem.listStatus.post.directory",
    "wrong answer",
    "listings drop objects whose keys end so, as they were the directory markers of an older connector",
    "s3a/hides-names-that-end-in-folder",
    UNTIL,
    (_file(f"a{_MARKER}"), Step(ListStatus(()))),
    _LISTINGS,
    _left_out,
    _hides,
)

# --- the cache of files that are opened with their length

_CACHED = "read"
_READS: tuple[type[Operation], ...] = (Open, OpenFile, OpenInStages, ReadStream, OpenReader, CopyToLocal)
_LENGTH = "fs.option.openfile.length"
_Seen = tuple[tuple[Path, Content], ...]


def _remember_read(_before: State, op: Any, _outcome: Outcome, after: State) -> State:
    node = locate(after, op.path)
    if type(node) is not File:
        return after
    seen: _Seen = after.marks.get(_CACHED, ())
    entry = (op.path, node.content)
    return after if entry in seen else after.noting(_CACHED, (*seen, entry))


def _gives_length(op: Any) -> bool:
    if isinstance(op, CopyToLocal):
        return True
    if isinstance(op, OpenFile):
        return any(option.partition("=")[0] == _LENGTH for option in (*op.must, *op.opt))
    return "length" in getattr(op, "via", "")


def _from_the_cache(root: State, op: Any, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    """The state with what was read of the path; openFile with a length does not ask whether there is a file at all.

    Whoever takes the length from a status asks whether there is anything: a directory has the length 0.
    """
    node = locate(root, op.path)
    if not _gives_length(op) or (type(node) not in (File, Dir) and not _asks_nothing(op)):
        return
    for path, content in root.marks.get(_CACHED, ()):
        if path != op.path:
            continue
        if type(node) is not File:
            yield _put_anyway(root, path, File(content)), outcome
        elif content != node.content:
            yield put(root, path, File(content, node.meta)), outcome


def _asks_nothing(op: Any) -> bool:
    return isinstance(op, OpenFile) and not op.via


def _put_anyway(root: State, path: Path, node: File) -> State:
    for depth in range(1, len(path)):
        if type(locate(root, path[:depth])) is File:
            return put(remove(root, path[:depth]), path, node)
    return put(root, path, node)


_CACHE = Quirk(
    "s3a/open-with-length-reads-what-was-there-before",
    "a file that is opened with its length given is read from a cache of what was there before",
    "filesystem.create.post.overwrite",
    "data wrong",
    "the analytics accelerator keeps what was read of a path, and with a length it does not ask for the object's ETag",
    "s3a/reads-what-was-there-before",
    UNTIL,
    (
        _file("a"),
        Step(Open(("a",))),
        Step(Create(("a",), contents.of(2, 5), True)),
        Step(ReadStream(("a",), ("drain",), "length")),
    ),
    _READS,
    as_if=_from_the_cache,
    back=beside.looked,
    remembers=_READS,
    remember=_remember_read,
)

# --- readVectored, and reads by several threads


def _below_zero(action: Action, answer: str) -> str | None:
    if action.kind != VECTORED or answer != "raised IllegalArgumentException":
        return None
    given = [one for one in action.ranges if one is not None]
    return "raised EOFException" if len(given) == len(action.ranges) and any(one[0] < 0 for one in given) else None


def _end_of_file_due(root: State, op: ReadStream | ReadOn, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    return ((root, due) for due in mended(op, outcome, _below_zero))


_BELOW_ZERO = Quirk(
    "s3a/range-below-zero-raises-illegal-argument",
    "a range below 0 raises IllegalArgumentException",
    stream_clauses.VECTORED_OFFSET,
    "wrong error",
    "ranges are made of the accelerator's own type, which checks its arguments by itself",
    "s3a/raises-illegalargumentexception-for-a-range-below-0",
    UNTIL,
    (_file("a"), Step(ReadStream(("a",), ("vectored -1+4",)))),
    SCRIPTED,
    as_if=_end_of_file_due,
)


def _empty_range_due(root: State, op: ReadStream | ReadOn, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    start = start_of(root, op)
    if start is None:
        return
    length = contents.length(start.content)

    def due(action: Action, answer: str) -> str | None:
        given = [one for one in action.ranges if one is not None]
        if action.kind != VECTORED or answer != "raised IllegalArgumentException" or len(given) < len(action.ranges):
            return None
        if not any(size == 0 for _, size in given) or any(offset < 0 or size < 0 for offset, size in given):
            return None
        if any(offset + size > length for offset, size in given if size):
            return "raised EOFException"
        found = [expected(start.content, offset, size) if size else "0" for offset, size in given]
        return ", ".join(filter(None, found)) if all(found) else None

    yield from ((root, one) for one in mended(op, outcome, due))


_EMPTY_RANGE = Quirk(
    "s3a/empty-range-raises-illegal-argument",
    "a range of length 0 is refused with IllegalArgumentException, and the whole list with it",
    stream_clauses.VECTORED_BYTES,
    "wrong error",
    "ranges are made of the accelerator's own type, which takes no empty one",
    "s3a/refuses-a-range-of-length-0",
    UNTIL,
    (Step(Create(("a",), contents.of(1, 11), False)), Step(ReadStream(("a",), ("vectored 5+0 9+2",)))),
    SCRIPTED,
    as_if=_empty_range_due,
)


def _span(action: Action) -> tuple[int, int]:
    """Where an action of two numbers reads, and how much."""
    return action.numbers[0], action.numbers[1]


def _begun_at(op: ReadStream | ReadOn, outcome: Outcome, start: Start) -> frozenset[int]:
    """Where the stream stood before the actions of a script, as far as that follows from their answers."""
    walk, found = Walk(start, LENIENT), {start.pos}
    answers = answers_of(op, getattr(outcome, "value", None)) or ()
    with suppress(Departs):
        for text, answer in zip(op.script, answers, strict=False):
            found.add(walk.pos)
            walk.one(parse(text), answer)
    return frozenset(place for place in found if place is not None)


def _swapped_due(root: State, op: ReadStream | ReadOn, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    """A seek and read beside positioned reads takes no lock: each may get bytes from where another one reads.

    The owner of the lock puts the position back to where it was, be it the stream's first. What one has read is added
    to the position also where another one has moved it meanwhile. Each part is done several times: where the seeks of
    several turns are lost, one reads on from the other, up to the end.
    """
    start = start_of(root, op)
    if start is None or not any(TOGETHER in text for text in op.script):
        return
    content, length = start.content, contents.length(start.content)
    first = _begun_at(op, outcome, start)

    def due(action: Action, answer: str) -> str | None:
        kinds = {part.kind for part in action.parts}
        answers = answer.split(TOGETHER)
        if action.kind != "together" or "from" not in kinds or not kinds & POSITIONED:
            return None
        if len(answers) != len(action.parts) or kinds - {"from", "pread", "readFully", "fill"}:
            return None
        found = [
            OR.join(_own(part, one, action.parts) or one for one in given.split(OR))
            for part, given in zip(action.parts, answers, strict=True)
        ]
        right = TOGETHER.join(found)
        return right if right != answer else None

    def _own(part: Action, answer: str, parts: tuple[Action, ...]) -> str | None:
        """The answer with the bytes of the part's own place, where it has those of another place in use."""
        place, size = _span(part)
        count = number_of(answer)
        if count is None or count == 0 or count > size:
            return None
        spans = [_span(one) for one in parts]
        moved = {
            at + more for at in (*first, *(begin for begin, _ in spans)) for more in (0, *(many for _, many in spans))
        }
        for begin, many in (_span(one) for one in parts if one.kind == "from"):
            moved.update(begin + turn * many for turn in range(ROUNDS))
        if count < 0:  # the end, which reads whose seek was lost come to one after another
            if place >= length or not any(at >= length for at in moved) or part.kind not in ("from", "pread"):
                return None
            return expected(content, place, min(size, length - place))
        elsewhere = moved.union(*(range(*_bounds(other)) for other in parts if other is not part)) - {place}
        if any(0 <= at <= length - count and expected(content, at, count) == answer for at in elsewhere):
            return expected(content, place, min(count, max(length - place, 0)))
        return None

    def _bounds(part: Action) -> tuple[int, int]:
        begin, many = _span(part)
        return max(begin, 0), min(begin + many, length)

    yield from ((root, one) for one in mended(op, outcome, due))


_SWAPPED = Quirk(
    "s3a/seek-and-read-beside-positioned-reads-swaps-bytes",
    "where one thread seeks and reads while another reads by position, each may get the other's bytes",
    stream_clauses.ISOLATED,
    "data wrong",
    "inherited positioned reads seek, read and seek back under a lock that the stream's own read and seek do not take",
    "s3a/mixes-up-reads-of-several-threads",
    UNTIL,
    (
        Step(Create(("a",), contents.of(1, 40), False)),
        Step(ReadStream(("a",), ("readFully 0 10 & pread 5 10 & from 30 4",))),
    ),
    SCRIPTED,
    as_if=_swapped_due,
    occasional=True,
)

QUIRKS = (
    _INTO_ITS_DIRECTORY,
    _ONTO_A_FILE,
    _BESIDE_A_DIRECTORY,
    _NOT_EMPTY,
    _BELOW_ITSELF,
    _COPIED_BESIDE,
    _UPLOADED_BESIDE,
    _PAIRS,
    _HIDDEN,
    _CACHE,
    _BELOW_ZERO,
    _EMPTY_RANGE,
    _SWAPPED,
    renamed_to_itself("s3a", "s3a/deletes-what-is-renamed-to-itself-with-overwrite"),
    renamed_below_itself("s3a", "s3a/deletes-a-destination-below-the-source-before-it-refuses"),
    null_range("s3a", "s3a/raises-nullpointerexception-for-a-range-that-is-null"),
)

RACES = (*object_store_races("s3a"), *cut_replies_of_s3("s3a"), LOSES_WITH_THE_POWER, CLEANS_UP_AGAIN)
