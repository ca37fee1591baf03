"""Faults of the builders, of createNonRecursive and of uploads in parts."""

from __future__ import annotations

from fsconform.proving.changes import READING
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore

Texts = tuple[str, ...]


@seeded(
    "non-recursive-makes-parents", "createNonRecursive makes missing parents", clause="filesystem.createFile.parents"
)
class _MakesParents(FullStore):
    def create_non_recursive(self, path: str, data: bytes, overwrite: bool) -> None:
        self.create(path, data, overwrite)


@seeded(
    "non-recursive-always-overwrites",
    "createNonRecursive replaces a file though it may not",
    clause="filesystem.create.pre.no-overwrite",
)
class _Overwrites(FullStore):
    def create_non_recursive(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create_non_recursive(path, data, True)


@seeded("create-file-makes-parents", "a builder makes missing parents unasked", clause="filesystem.createFile.parents")
class _BuilderParents(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, overwrite, True, must, opt)


@seeded("create-file-needs-parent", "recursive() of a builder is ignored", clause="fsdataoutputstreambuilder.recursive")
class _BuilderNeedsParent(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, overwrite, False, must, opt)


@seeded("create-file-overwrites", "a builder ignores overwrite(false)", clause="fsdataoutputstreambuilder.overwrite")
class _BuilderOverwrites(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, True, recursive, must, opt)


@seeded("create-file-never-overwrites", "a builder overwrites nothing", clause="filesystem.createFile.overwrites")
class _BuilderNever(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, False, recursive, must, opt)


@seeded(
    "create-file-ignores-must",
    "a builder takes any mandatory option",
    clause="fsdataoutputstreambuilder.must.unsatisfied",
)
class _IgnoresMust(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, overwrite, recursive, (), opt)


@seeded(
    "create-file-refuses-opt", "a builder refuses unknown options", clause="fsdataoutputstreambuilder.opt.best-effort"
)
class _RefusesOpt(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, overwrite, recursive, (*must, *opt), ())


@seeded(
    "create-file-must-stays", "a later opt leaves a must mandatory", clause="fsdataoutputstreambuilder.last-setting"
)
class _MustStays(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, data, overwrite, recursive, must, ())


@seeded(
    "create-file-refusal-leaves-file",
    "a refused builder leaves an empty file",
    clause="fsdataoutputstreambuilder.invariant.nothing-before-build",
)
class _LeavesFile(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        early = bool(must) and not self.exists(path)
        if early and not recursive:
            self.require_parent(path)
        if early:
            self.create(path, b"", False)
        super().create_file(path, data, overwrite or early, recursive, must, opt)


@seeded("create-file-loses-bytes", "a builder's file stays empty", clause="fsdataoutputstreambuilder.build.post.stream")
class _LosesBytes(FullStore):
    def create_file(self, path: str, data: bytes, overwrite: bool, recursive: bool, must: Texts, opt: Texts) -> None:
        super().create_file(path, b"", overwrite, recursive, must, opt)


@seeded("open-file-ignores-must", "openFile takes any mandatory option", clause="fsdatainputstreambuilder.must.unknown")
class _OpenIgnoresMust(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        return super().open_file(path, (), opt)


@seeded(
    "open-file-must-unsupported",
    "an unknown option is said to be unsupported",
    clause="fsdatainputstreambuilder.must.unknown",
)
class _OpenUnsupported(FullStore):
    def check_options(self, must: Texts, opt: Texts, known: frozenset[str]) -> None:
        if known and any(text.partition("=")[0] not in known for text in must):
            self.fail("UnsupportedOperationException", "option")
        super().check_options(must, opt, known)


@seeded("open-file-refuses-opt", "openFile refuses unknown options", clause="fsdatainputstreambuilder.opt.unknown")
class _OpenRefusesOpt(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        return super().open_file(path, (*must, *opt), ())


@seeded(
    "open-file-knows-nothing", "openFile knows no standard option", clause="fsdatainputstreambuilder.options.recognised"
)
class _OpenKnowsNothing(FullStore):
    def check_options(self, must: Texts, opt: Texts, known: frozenset[str]) -> None:
        super().check_options(must, opt, known - READING)


@seeded(
    "open-file-one-policy",
    "openFile refuses a list of read policies",
    clause="fsdatainputstreambuilder.read-policy.list",
)
class _OpenOnePolicy(FullStore):
    def check_options(self, must: Texts, opt: Texts, known: frozenset[str]) -> None:
        for text in (*must, *opt):
            if text.startswith("fs.option.openfile.read.policy=") and "," in text:
                self.fail("IllegalArgumentException", text)
        super().check_options(must, opt, known)


@seeded(
    "open-file-known-policies",
    "openFile refuses a read policy that it does not know",
    clause="fsdatainputstreambuilder.read-policy.unknown",
)
class _OpenKnownPolicies(FullStore):
    def check_options(self, must: Texts, opt: Texts, known: frozenset[str]) -> None:
        policies = ("adaptive", "default", "random", "sequential", "vector", "whole-file", "parquet")
        for text in (*must, *opt):
            key, _, value = text.partition("=")
            if key == "fs.option.openfile.read.policy" and value.split(",")[0].strip() not in policies:
                self.fail("IllegalArgumentException", text)
        super().check_options(must, opt, known)


def _number(texts: Texts, name: str) -> str:
    wanted = f"fs.option.openfile.{name}="
    return next((text[len(wanted) :] for text in texts if text.startswith(wanted)), "")


@seeded(
    "open-file-numbers-only",
    "openFile fails on a length that is no number",
    clause="fsdatainputstreambuilder.numbers.unparseable",
)
class _OpenNumbers(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        data = super().open_file(path, must, opt)
        text = _number((*must, *opt), "length").strip()
        if text and not text.lstrip("-").isdigit():
            self.fail("IllegalArgumentException", text)
        return data


@seeded(
    "open-file-negative-length",
    "a negative length makes a file empty",
    clause="fsdatainputstreambuilder.length.negative",
)
class _OpenNegative(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        data = super().open_file(path, must, opt)
        return b"" if _number((*must, *opt), "length").startswith("-") else data


@seeded(
    "open-file-split-bounds", "a split's end bounds the file", clause="fsdatainputstreambuilder.split.read-past-end"
)
class _OpenSplit(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        data = super().open_file(path, must, opt)
        text = _number((*must, *opt), "split.end").strip()
        return data[: int(text)] if text.isdigit() else data


@seeded(
    "open-file-of-missing", "openFile of a missing file is empty", clause="fsdatainputstreambuilder.post.unreadable"
)
class _OpenMissing(FullStore):
    def open_file(self, path: str, must: Texts, opt: Texts) -> bytes:
        self.check_options(must, opt, READING)
        return super().open_file(path, must, opt) if self.exists(path) else b""


@seeded(
    "upload-in-order-put",
    "an upload's parts come in the order they were put",
    clause="multipartuploader.invariant.upload-order",
)
class _InOrderPut(FullStore):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        super().complete_upload(path, dict(enumerate(parts.values(), 1)))


@seeded("upload-lacks-last", "an upload lacks its last part", clause="multipartuploader.complete.post.data")
class _LacksLast(FullStore):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        super().complete_upload(path, {n: data for n, data in parts.items() if n < max(parts) or n == 1})


@seeded("upload-appends", "an upload is added to the file there was", clause="multipartuploader.complete.post.data")
class _Appends(FullStore):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        node = self.nodes.get(self.locate(path)[1])
        super().complete_upload(path, {0: (node.data if node else None) or b"", **parts} if parts else parts)


@seeded(
    "upload-seen-early",
    "an upload that is aborted leaves an empty file",
    clause="multipartuploader.invariant.not-visible",
)
class _SeenEarly(FullStore):
    def start_upload(self, path: str) -> None:
        super().start_upload(path)
        if not self.exists(path) and self.nearest(self.locate(path)[1]).data is None:
            self.create(path, b"", False)


@seeded("upload-abort-completes", "an aborted upload makes the file", clause="multipartuploader.abort.post")
class _AbortCompletes(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        super().upload(path, data, parts, "complete" if ending == "abort" and parts > 0 else ending)


@seeded("upload-abort-deletes", "an aborted upload deletes the file there was", clause="multipartuploader.abort.post")
class _AbortDeletes(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        super().upload(path, data, parts, ending)
        if ending == "abort":
            self.delete(path, False)


@seeded(
    "upload-over-directory",
    "an upload replaces an empty directory",
    clause="multipartuploader.startUpload.pre.not-a-directory",
)
class _OverDirectory(FullStore):
    def start_upload(self, path: str) -> None:
        key = self.locate(path)[1]
        if self.holds(path, False) and not self.found(path).names and key not in ("", self.base):
            self.remove_subtree(key)
        super().start_upload(path)


@seeded(
    "upload-to-root-silent",
    "an upload to the root is silent",
    clause="multipartuploader.startUpload.pre.not-root",
    root=True,
)
class _ToRoot(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        if self.locate(path)[1] != self.base:
            super().upload(path, data, parts, ending)


@seeded(
    "upload-of-no-parts", "an upload without parts makes an empty file", clause="multipartuploader.complete.pre.parts"
)
class _NoParts(FullStore):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        super().complete_upload(path, parts or {1: b""})
