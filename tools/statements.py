"""Compare the specification's documents with the catalogue: ``python tools/statements.py FOLDER [DOCUMENT ...]``.

FOLDER holds the Markdown documents of Hadoop's filesystem specification, or the documents of prose beside them: the
paper on HDFS, the history of appends, the page on directory markers. Every normative statement, and of prose every
sentence, must have a row in specs/statements/, and every row must still be found in its document. With
``--list`` all statements of the named documents are printed as rows to fill in, each after its line number and text.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fsconform.specs.statements import Statement, extract, mappings, unmapped


def read(folder: Path, documents: list[str]) -> list[Statement]:
    """All statements of the documents, of every one in the folder that has rows if none is named."""
    known = {one.document for one in mappings()}
    paths = [folder / name for name in documents] or sorted(
        path for path in folder.iterdir() if path.suffix == ".md" or path.name in known
    )
    return [statement for path in paths for statement in extract(path.name, path.read_text("utf-8"))]


def main() -> int:
    """Say what is missing on either side; 0 if nothing is, else 1."""
    parser = argparse.ArgumentParser(description="compare the specification's documents with the catalogue")
    parser.add_argument("folder", type=Path)
    parser.add_argument("document", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the statements as rows to fill in")
    options = parser.parse_args()
    statements = read(options.folder, options.document)
    if options.list:
        for one in statements:
            print(f"# {one.document}:{one.line}: {one.text}\n[[statement]]\nsection = {one.section!r}")
            print(f'keyword = "{one.keyword}"\ndigest = "{one.digest}"\n')
        return 0
    missing = unmapped(statements)
    for one in missing:
        print(f"no row: {one.document}:{one.line}: {one.digest} ({one.keyword}) {one.text[:120]}")
    read_documents = {one.document for one in statements}
    present = {(one.document, one.digest) for one in statements}
    gone = [one for one in mappings() if one.document in read_documents and (one.document, one.digest) not in present]
    for row in gone:
        print(f"not in the document: {row.document}: {row.digest} {row.section}")
    print(f"{len(statements)} statements, {len(missing)} without a row; {len(gone)} rows without a statement")
    return 1 if missing or gone else 0


if __name__ == "__main__":
    sys.exit(main())
