"""A program of requests to an object store as a script in Python that needs boto3 alone.

What it expects is what the store in memory answers, that was written from S3's documents.
"""

from __future__ import annotations

from importlib.resources import files
from pprint import pformat
from typing import Any

from fsconform.harness.languages.content import NotSaid, parts_of
from fsconform.harness.languages.s3_player import Player
from fsconform.model.objects.operations import Program, Request, encode, needs_bucket
from fsconform.proving.objects.lists import ListingObjects
from fsconform.reports.visible import visible

LARGEST = 64 << 20
"""Bytes that a program may write, as they are kept in memory to know the answers."""

_MAIN = """

PROGRAM: list[Row] = {program}

EXPECTED = {expected}


def main() -> int:
    import sys
    import uuid

    import boto3
    import botocore.exceptions

    if len(sys.argv) != 2:
        print("usage: python FILE BUCKET; the settings of AWS stand in the environment", file=sys.stderr)
        return 2
    exceptions = botocore.exceptions
    try:
        client = boto3.client("s3")
        client.head_bucket(Bucket=sys.argv[1])
    except (exceptions.BotoCoreError, exceptions.ClientError, ValueError) as error:
        print(f"the bucket can't be used: {{error}}", file=sys.stderr)
        return 2
    try:
        player = Player(client, sys.argv[1], f"fsconform-{{uuid.uuid4()}}/")
        try:
            answers = player.play(PROGRAM)
        finally:
            for failure in player.clean():
                print(f"left behind: {{failure}}", file=sys.stderr)
    except (exceptions.ConnectionError, exceptions.HTTPClientError) as error:
        print(f"the store was lost: {{error}}", file=sys.stderr)
        return 2
    for line in compared(answers, EXPECTED):
        print(line)
    return int(not all(map(agrees, answers, EXPECTED)))


if __name__ == "__main__":
    raise SystemExit(main())
"""


def script(program: Program, signature: str, verdict: str) -> str:
    """The script, which ends with 1 as long as a store shows a divergence, with 0 when it does not, and else with 2.

    Raises NotSaid for a program that it has no words for.
    """
    if not program:
        raise NotSaid("the program has no requests")
    if needs_bucket(program):
        raise NotSaid("the program changes the versioning of its bucket, which a script must not do to one of yours")
    if "ETag" in signature:
        raise NotSaid("ETags are not compared by the script: a store may make them as it likes")
    rows = list(map(_row, program))
    expected = expected_of(rows)
    player = files("fsconform.harness.languages").joinpath("s3_player.py").read_text(encoding="utf-8")
    heading = f'"""{_docstring(f"{verdict}: {signature}")}'
    assert player.startswith('"""')
    body = _MAIN.format(program=_data(rows), expected=_data(expected))
    return f"{heading}\n\n{player.removeprefix(chr(34) * 3)}{body}"


def expected_of(rows: list[dict[str, Any]]) -> list[str]:
    """What each request is to be answered with. Raises NotSaid where the store in memory has no answer."""
    memory = ListingObjects()
    memory.create_bucket(Bucket="bucket")
    try:
        return Player(memory, "bucket", "fsconform/").play(rows)
    except (KeyError, IndexError, ValueError) as error:
        raise NotSaid(f"the program names what no request before made: {error!r}") from error


def _row(request: Request) -> dict[str, Any]:
    row = encode(request)
    content = getattr(request, "content", None)
    if content:
        parts = parts_of(content)
        if sum(part.length for part in parts) > LARGEST:
            raise NotSaid(f"the program writes more than {LARGEST:,} bytes")
        row["content"] = [[part.base64, part.offset, part.length] for part in parts]
    return row


def _data(value: object) -> str:
    """Data as Python, in ASCII: no name in it ends its literal."""
    return "".join(char if char.isascii() else _escaped(char) for char in pformat(value, width=110, sort_dicts=False))


def _escaped(char: str) -> str:
    return f"\\U{ord(char):08x}"


def _docstring(text: str) -> str:
    shown = visible(text).encode("ascii", "backslashreplace").decode()
    return shown.replace("\\", "\\\\").replace('"', '\\"')
