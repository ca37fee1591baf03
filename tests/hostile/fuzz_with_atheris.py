"""Files made by Atheris for one reader: ``python fuzz_with_atheris.py KIND RUNS``, in an empty working directory.

It changes bytes of valid files, and keeps what reaches more of the readers' code. What a reader must not raise ends it
with the traceback and exit status 77, and the file is left in the working directory.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.append(str(Path(__file__).resolve().parents[2]))

ROOMS = ("records", "specs", "engine.audit", "engine.formal", "model.operations", "model.datasets", "model.objects")
FILES = ("engine.waivers", "engine.patterns", "model.programs", "app.replays", "app.folder", "app.hadoop_conf")
MORE = ("app.campaign_plan", "adapters.markers.options", "pipeline.layout", "pipeline.schema")
READING = [f"fsconform.{name}" for name in (*ROOMS, *FILES, *MORE)]
"""What reads: its branches guide the changes. To note those of all modules takes longer than it is worth."""
LONGEST = 1 << 14
"""Bytes of a file: longer ones are cut."""

with atheris.instrument_imports(include=READING):
    from tests.hostile.test_fuzz_readers import READERS, refused


def main(kind: str, runs: int) -> None:
    """Try a reader with so many files. Ends the process."""
    reader = READERS[kind]
    here = Path.cwd()
    corpus, words, given = here / "corpus", here / "words.dict", here / "given" / reader.name
    corpus.mkdir()
    given.parent.mkdir()
    for number, content in enumerate(reader.files.valid):
        (corpus / str(number)).write_bytes(content)
    quoted = ('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in reader.files.words if word)
    words.write_text("".join(quoted), "ascii")

    def take(data: bytes) -> None:
        given.write_bytes(data)
        refused(reader, given)

    options = ["-seed=1", f"-runs={runs}", f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=4096"]
    if words.stat().st_size:  # an empty one is refused
        options.append(f"-dict={words}")
    atheris.Setup([sys.argv[0], *options, str(corpus)], take)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
