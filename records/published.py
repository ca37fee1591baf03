"""Where the specification's documents are published: the page of a document, at the section that a clause stands in.

The pages are those of the current stable release. A section is found by its heading (a text fragment of the URL):
anchors are made by the site's generator and change with it; a browser that knows no text fragments shows the page.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

HOME: Final = "https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-common/filesystem/"
"""The folder of the pages; its index.html lists them."""
HDFS_HOME: Final = "https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-hdfs/"
"""The folder of the pages on HDFS."""

PUBLISHED: Final = frozenset({
    "abortable",
    "bulkdelete",
    "filesystem",
    "fsdatainputstream",
    "fsdatainputstreambuilder",
    "fsdataoutputstreambuilder",
    "introduction",
    "iostatistics",
    "leaserecoverable",
    "model",
    "multipartuploader",
    "notation",
    "openfile",
    "outputstream",
    "pathcapabilities",
    "safemode",
    "testing",
})  # fmt: skip
"""Documents that a release publishes; rename.md and trashpolicy.md are proposals, and in none."""
OF_HDFS: Final = frozenset(("HdfsQuotaAdminGuide", "HdfsSnapshots"))
"""Pages on HDFS that a release publishes."""

LONGEST: Final = 300
"""Letters of a heading that a URL has, at most: records may come from others."""


def page_of(source: str) -> str:
    """The URL of a clause's ``source``: its document, or that and the section; empty where none is published."""
    document, _, section = source.partition(", ")
    name, _, ending = document.rpartition(".")
    if ending != "md" or name not in PUBLISHED | OF_HDFS:
        return ""
    home = HDFS_HOME if name in OF_HDFS else HOME
    # A hyphen parts the words of a fragment.
    heading = quote(section[:LONGEST], safe="", errors="replace").replace("-", "%2D")
    return f"{home}{name}.html" + (f"#:~:text={heading}" if heading else "")
