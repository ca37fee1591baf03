"""Faults of builders left alone or built in stages, of handles that travel, and of uploads that are misused."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore


@seeded("builder-creates-unbuilt", "createFile makes the file at once", clause="filesystem.createFile.lazy")
class _CreatesUnbuilt(FullStore):
    def leave_builder(self, path: str, kind: str) -> None:
        super().leave_builder(path, kind)
        if kind == "create" and not self.exists(path) and self.nearest(self.locate(path)[1]).data is None:
            self.create(path, b"", False)


@seeded("builder-appends-unbuilt", "appendFile looks for the file at once", clause="filesystem.appendFile.lazy")
class _AppendsUnbuilt(FullStore):
    def leave_builder(self, path: str, kind: str) -> None:
        super().leave_builder(path, kind)
        if kind == "append":
            self.bytes_of(path)


@seeded(
    "builder-refuses-unbuilt",
    "openFile looks for the file at once",
    clause="fsdatainputstreambuilder.invariant.no-early-checks",
)
class _RefusesUnbuilt(FullStore):
    def leave_builder(self, path: str, kind: str) -> None:
        super().leave_builder(path, kind)
        if kind == "open":
            self.bytes_of(path)


@seeded(
    "build-looks-for-file", "build raises for a missing file", clause="fsdatainputstreambuilder.build.returns-future"
)
class _BuildLooks(FullStore):
    def stage_of_no_file(self) -> str:
        return "build"


@seeded(
    "must-refused-late", "an unknown option is refused by get", clause="fsdatainputstreambuilder.must.checked-in-build"
)
class _RefusedLate(FullStore):
    def stage_of_options(self) -> str:
        return "get"


@seeded("create-file-over-directory", "createFile replaces an empty directory", clause="filesystem.createFile.build")
class _OverDirectory(FullStore):
    def create_file(
        self, path: str, data: bytes, overwrite: bool, recursive: bool, must: tuple[str, ...], opt: tuple[str, ...]
    ) -> None:
        key = self.locate(path)[1]
        if self.holds(path, False) and not self.found(path).names and key not in ("", self.base):
            self.remove_subtree(key)
        super().create_file(path, data, overwrite, recursive, must, opt)


@seeded("split-negative", "a negative split end empties a file", clause="fsdatainputstreambuilder.split.negative")
class _SplitNegative(FullStore):
    def open_file(self, path: str, must: tuple[str, ...], opt: tuple[str, ...]) -> bytes:
        data = super().open_file(path, must, opt)
        return b"" if any(".split." in text and "=-" in text for text in (*must, *opt)) else data


@seeded("policy-harms", "random access loses a byte", clause="fsdatainputstreambuilder.read-policy.harmless")
class _PolicyHarms(FullStore):
    def open_file(self, path: str, must: tuple[str, ...], opt: tuple[str, ...]) -> bytes:
        data = super().open_file(path, must, opt)
        return data[1:] if any(text.endswith("read.policy=random") for text in (*must, *opt)) else data


@seeded("handle-bytes-lose-options", "a handle made of bytes is exact", clause="filesystem.getPathHandle.serializable")
class _LoseOptions(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        return super().open_by_handle(path, "exact" if self.via == "bytes" else handle, meanwhile, other)


@seeded("handle-builder-tolerates", "openFile of a handle checks nothing", clause="openfile.handle.chain")
class _BuilderTolerates(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        return super().open_by_handle(path, "reference" if self.via == "builder" else handle, meanwhile, other)


class _Tolerant(FullStore):
    tolerated = ""

    def tolerates(self, manner: str) -> bool:
        return manner == self.tolerated


_UPLOAD = "multipartuploader"


@seeded("upload-part-zero", "a part has number 0", clause=f"{_UPLOAD}.putPart.pre.part-number")
class _PartZero(_Tolerant):
    tolerated = "part 0"


@seeded("upload-negative-length", "a part has a negative length", clause=f"{_UPLOAD}.putPart.pre.length")
class _NegativeLength(_Tolerant):
    tolerated = "negative length"


@seeded("upload-put-after-abort", "an aborted upload takes parts", clause=f"{_UPLOAD}.putPart.pre.active-upload")
class _PutAfterAbort(_Tolerant):
    tolerated = "put after abort"


@seeded("upload-complete-twice", "an upload is completed twice", clause=f"{_UPLOAD}.complete.post.upload-gone")
class _CompleteTwice(_Tolerant):
    tolerated = "complete twice"


@seeded("upload-complete-aborted", "an aborted upload is completed", clause=f"{_UPLOAD}.complete.pre.active-upload")
class _CompleteAborted(_Tolerant):
    tolerated = "complete after abort"


@seeded("upload-abort-twice", "an upload is aborted twice", clause=f"{_UPLOAD}.abort.pre.active-upload")
class _AbortTwice(_Tolerant):
    tolerated = "abort twice"


@seeded("upload-abort-completed", "a completed upload is aborted", clause=f"{_UPLOAD}.abort.pre.active-upload")
class _AbortCompleted(_Tolerant):
    tolerated = "abort after complete"


@seeded("upload-other-path", "an upload is completed elsewhere", clause=f"{_UPLOAD}.complete.pre.same-path")
class _OtherPath(_Tolerant):
    tolerated = "other path"


@seeded("upload-number-zero", "a map has a part 0", clause=f"{_UPLOAD}.complete.pre.part-numbers")
class _NumberZero(_Tolerant):
    tolerated = "number 0"


@seeded("upload-duplicate-part", "a part is in a map twice", clause=f"{_UPLOAD}.complete.pre.duplicate-parts")
class _DuplicatePart(_Tolerant):
    tolerated = "duplicate"


@seeded(
    "upload-omitted-part",
    "a part that is not in the map is in the file",
    clause=f"{_UPLOAD}.complete.post.omitted-parts",
)
class _OmittedPart(FullStore):
    def parts_in_map(self, data: bytes, manner: str) -> dict[int, bytes]:
        return {1: data, 2: data or b"x"} if manner == "omitted" else {1: data}


@seeded("upload-once", "a destination is uploaded to once", clause=f"{_UPLOAD}.invariant.repeated-uploads")
class _Once(FullStore):
    def parts_in_map(self, data: bytes, manner: str) -> dict[int, bytes]:
        if manner == "repeated":
            self.fail("PathExistsException", "it was uploaded to")
        return {1: data}


@seeded("upload-one-uploader", "another uploader knows no upload", clause=f"{_UPLOAD}.invariant.any-instance")
class _OneUploader(FullStore):
    def parts_in_map(self, data: bytes, manner: str) -> dict[int, bytes]:
        if manner == "other uploader":
            self.fail("FileNotFoundException", "no such upload")
        return {1: data}
