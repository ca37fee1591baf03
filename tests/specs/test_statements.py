"""No sentence of the documents is left out: each has a row, and each row has a clause or a reason.

Where FSCONFORM_DOCUMENTS names the folder that has the documents they are read and compared. Without them the rows are
held against the digest of all that was found when they were compared last, so that none can go unnoticed.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from fsconform.specs.catalogue import BASES, SUITES, catalogue
from fsconform.specs.layers import marker_clauses
from fsconform.specs.prose import prose_digest, sentences
from fsconform.specs.statements import PROSE, extract, mappings, prose_headings, unmapped

FOLDER = os.environ.get("FSCONFORM_DOCUMENTS", "")
KNOWN = {*catalogue(), *marker_clauses()}

WHOLE = {
    "abortable.md": (30, "91d1349d9577c51d"),
    "bulkdelete.md": (7, "8d200877eae7e21c"),
    "extending.md": (9, "f94955bb33b0f2b0"),
    "filesystem.md": (265, "b873d38a6061fd6a"),
    "fsdatainputstream.md": (127, "3bf092dc42eb2a70"),
    "fsdatainputstreambuilder.md": (105, "2fc3171f14df0ecd"),
    "fsdataoutputstreambuilder.md": (12, "7542a1567df94a4f"),
    "hdfs-append-history.txt": (58, "6cf96e4a50d1fd16"),
    "hdfs-paper-2010.txt": (485, "160b040c6aa5596c"),
    "introduction.md": (63, "120c2b811b84d3b4"),
    "iostatistics.md": (41, "7bb768bb0e11a09b"),
    "leaserecoverable.md": (2, "6d08008d76d33c87"),
    "model.md": (28, "3f0fcb6f6f7b25c2"),
    "multipartuploader.md": (66, "51ddbe45daacf409"),
    "notation.md": (12, "8e0ac42343f4c72e"),
    "openfile.md": (15, "05fd8c75bc83d968"),
    "outputstream.md": (129, "202fc71297dc06f3"),
    "pathcapabilities.md": (22, "4e954b53919395e8"),
    "rename.md": (55, "76c2fc12f95d278e"),
    "s3a-directory-markers.txt": (287, "92b758d67255d06b"),
    "safemode.md": (1, "3f9b4ff11abd9c7b"),
    "testing.md": (19, "f682e19785eddafe"),
    "trashpolicy.md": (18, "d8fa0df1a804ee76"),
}
"""How many statements each document has, and the digest of theirs, as they were when the document was read last."""


def whole(document: str) -> tuple[int, str]:
    digests = sorted(one.digest for one in mappings() if one.document == document)
    return len(digests), hashlib.sha256(" ".join(digests).encode()).hexdigest()[:16]


def test_every_document_is_compared() -> None:
    assert set(WHOLE) == {one.document for one in mappings()}


@pytest.mark.parametrize("document", WHOLE)
def test_no_sentence_is_left_out(document: str) -> None:
    assert whole(document) == WHOLE[document]
    path = Path(FOLDER, document)
    if FOLDER and path.exists():
        found = extract(document, path.read_text("utf-8"))
        assert unmapped(found) == []
        assert len(found) == WHOLE[document][0]


def test_no_statement_has_two_rows() -> None:
    rows = [(one.document, one.digest) for one in mappings()]
    assert len(set(rows)) == len(rows)


def test_rows_name_clauses_that_there_are() -> None:
    assert {clause for one in mappings() for clause in one.clauses} <= KNOWN


@pytest.mark.parametrize("document", sorted(prose_headings()))
def test_each_clause_of_prose_comes_of_a_sentence(document: str) -> None:
    named = {clause for one in mappings() if one.document == document for clause in one.clauses}
    own = {one.id for one in (*catalogue().values(), *marker_clauses().values()) if one.document == document}
    assert own - {"markers.files", "markers.rename"} <= named
    assert {one.keyword for one in mappings() if one.document == document} == {PROSE}
    assert {one.section for one in mappings() if one.document == document} <= {"", *prose_headings()[document]}


@pytest.mark.parametrize("document", ["hdfs-paper-2010.txt", "hdfs-append-history.txt"])
def test_what_is_open_of_hdfs_has_a_suite_that_is_to_judge_it(document: str) -> None:
    for one in catalogue().values():
        if one.document == document:
            assert (one.status == "open") is (one.suite in SUITES), one.id
            assert one.basis in (BASES[0], BASES[-1]), one.id


def test_prose_is_sentences_under_headings() -> None:
    text = "A paper A. Nodes Data are repli- cated (Fig. 1). None has two, e.g. of A. B. Other It ends.\nNotes\n• One."
    assert list(sentences(text, ("A. Nodes", "B. Other", "Notes"))) == [
        ("", 1, "A paper"),
        ("A. Nodes", 1, "Data are repli- cated (Fig. 1)."),
        ("A. Nodes", 1, "None has two, e.g. of A."),
        ("B. Other", 1, "It ends."),
        ("Notes", 3, "One."),
    ]


def test_a_printed_example_is_one_statement() -> None:
    text = "Run it.\n> command -a\n Result: 2. It is done.\n\nAfterwards."
    assert [sentence for _, _, sentence in sentences(text, ())] == [
        "Run it.",
        "> command -a  Result: 2. It is done.",
        "Afterwards.",
    ]


def test_lines_and_hyphens_play_no_part_in_a_sentence() -> None:
    assert prose_digest("Data are repli- cated; twice.") == prose_digest("Data are\nreplicated twice")
    assert prose_digest("Data are replicated twice") != prose_digest("Data are replicated once")
