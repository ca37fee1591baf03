"""``fsconform markers audit|clean``: find the surplus directory markers of a bucket, and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from fsconform.adapters.markers.bucket import Bucket, BucketError, Deleted, NoBucket, Refused, Unreachable
from fsconform.adapters.markers.options import Place
from fsconform.app.markers.settings import (
    FAILED,
    INTERRUPTED,
    NOT_FOUND,
    OK,
    REFUSED,
    UNACCEPTABLE,
    UNREACHABLE,
    USAGE,
    Ended,
    OwnUsageGroup,
    configured,
    connected,
    placed,
    policy,
    properties,
)
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import OUTPUT_FILE
from fsconform.harness.output import write_text
from fsconform.model.markers.policy import Retention
from fsconform.model.markers.scan import Scan, scan
from fsconform.reports.visible import visible

SHOWN = 1000
"""How many keys of one kind are printed without ``-verbose``; all are counted, and ``-out`` has all."""


@click.group("markers", cls=OwnUsageGroup, no_args_is_help=False)
def markers() -> None:
    """Audit and clean the directory markers of a bucket of S3.

    Exit codes, as Hadoop's: 0 success; 3 the limit was reached; 42 usage; 43 not allowed; 44 not found; 46 markers out
    of range, or another policy; 53 no answer; 1 something could not be deleted.
    """


@markers.command("audit")
@click.option(
    "-min",
    "--min",
    "fewest",
    type=click.IntRange(min=0),
    default=0,
    metavar="COUNT",
    show_default=True,
    help="The fewest surplus markers with which the audit passes.",
)
@click.option(
    "-max",
    "--max",
    "most",
    type=click.IntRange(min=0),
    default=0,
    metavar="COUNT",
    show_default=True,
    help="The most surplus markers with which the audit passes.",
)
@click.option("-limit", "--limit", type=click.IntRange(min=0), default=0, metavar="COUNT", help="Objects to look at.")
@click.option("-out", "--out", type=OUTPUT_FILE, metavar="FILE", help="Write the surplus markers there.")
@click.option("-nonauth", "--nonauth", is_flag=True, help="Do not count markers in authoritative paths.")
@click.option("-verbose", "--verbose", is_flag=True, help="Print all keys, and not only the first ones.")
@configured
@click.argument("uri")
def audit(
    fewest: int,
    most: int,
    limit: int,
    out: Path | None,
    nonauth: bool,
    verbose: bool,
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    uri: str,
) -> None:
    """Look for surplus markers below URI (s3a://BUCKET/PATH), and fail unless their number lies in a range."""
    options, where = properties(conf, conf_files), placed(uri)
    held = policy(options, where.bucket)
    bucket = Bucket(connected(options, where.bucket)[0], where.bucket)
    found = _scanned(bucket, where, limit)
    _told(found, where, held, verbose)
    counted: Sequence[str] = found.surplus
    if nonauth:
        counted = [key for key in found.surplus if not held.authoritative(key)]
        _say(f"{len(found.surplus) - len(counted)} of them in authoritative paths: not counted")
    _write(out, where, counted)
    fewest, most = sorted((fewest, most))
    if not fewest <= len(counted) <= most:
        raise Ended(UNACCEPTABLE, f"{len(counted)} surplus markers, and not {fewest} to {most}")
    _finish(found, limit)


@markers.command("clean")
@click.option("-min", "--min", type=int, default=0, expose_value=False, hidden=True)
@click.option("-max", "--max", type=int, default=0, expose_value=False, hidden=True)
@click.option("-limit", "--limit", type=click.IntRange(min=0), default=0, metavar="COUNT", help="Objects to look at.")
@click.option("-out", "--out", type=OUTPUT_FILE, metavar="FILE", help="Write the surplus markers there.")
@click.option("-nonauth", "--nonauth", is_flag=True, expose_value=False, hidden=True)
@click.option("-verbose", "--verbose", is_flag=True, help="Print all keys, and not only the first ones.")
@configured
@click.argument("uri")
def clean(
    limit: int,
    out: Path | None,
    verbose: bool,
    conf: tuple[str, ...],
    conf_files: tuple[Path, ...],
    uri: str,
) -> None:
    """Delete all surplus markers below URI (s3a://BUCKET/PATH), and nothing else.

    With a limit, what was found up to it is deleted all the same, and the exit code is 3.
    """
    options, where = properties(conf, conf_files), placed(uri)
    held = policy(options, where.bucket)
    client, page = connected(options, where.bucket)
    bucket = Bucket(client, where.bucket)
    found = _scanned(bucket, where, limit)
    _told(found, where, held, verbose)
    _write(out, where, found.surplus)
    gone = _deleted(bucket, where, found, page)
    _say(f"{gone.keys} markers deleted in {gone.requests} requests of at most {page} keys")
    if gone.failures:
        for key, why in gone.failures[:SHOWN]:
            console.print(f"{visible(where.of(key))}: {visible(why)}", markup=False, soft_wrap=True)
        raise Ended(FAILED, f"{len(gone.failures)} markers could not be deleted")
    _finish(found, limit)


def _deleted(bucket: Bucket, where: Place, found: Scan, page: int) -> Deleted:
    """Delete what is surplus. Raises Ended."""
    assert all(key.startswith(where.prefix) and key.endswith("/") for key in found.surplus)
    try:
        return bucket.delete(found.surplus, page)
    except BucketError as error:
        raise told(error) from error


def _scanned(bucket: Bucket, where: Place, limit: int) -> Scan:
    """The objects below a directory, which must be there. Raises Ended."""
    try:
        found = scan(bucket.entries(where.prefix), limit)
        nothing = not (found.objects or found.s3n)
        if nothing and where.prefix and not (bucket.holds(where.prefix) or bucket.holds(where.prefix[:-1])):
            raise Ended(NOT_FOUND, f"{visible(where.uri)}: there is no such file or directory")
        return found
    except BucketError as error:
        raise told(error) from error


def told(error: BucketError) -> Ended:
    """How a command ends after an error of S3."""
    codes = {NoBucket: NOT_FOUND, Refused: REFUSED, Unreachable: UNREACHABLE}
    return Ended(codes.get(type(error), FAILED), visible(str(error)))


def _told(found: Scan, where: Place, held: Retention, verbose: bool) -> None:
    """Print what was found."""
    paths = ", ".join(f"/{path}" for path in held.paths)
    _say(f"policy of {where.bucket}: {held.policy}{f' ({paths})' if paths else ''}")
    _say(f"{found.objects} objects below {where.uri}, {found.files} of them files")
    _list("surplus markers", found.surplus, where, verbose)
    _list("leaf markers: they stand for empty directories, and stay", found.leaf, where, verbose)
    _list("keys that end in a slash and hold bytes: data, and stay", found.full, where, verbose)
    _list("keys that no path of Hadoop has: they are left alone", found.odd, where, verbose)
    _list("markers of s3n: neither counted nor touched", found.s3n, where, verbose)


def _list(what: str, keys: Sequence[str], where: Place, verbose: bool) -> None:
    if not keys and what != "surplus markers":
        return
    _say(f"{len(keys)} {what}")
    shown = keys if verbose else keys[:SHOWN]
    for key in shown:
        _say(f"    {where.of(key)}")
    if len(shown) < len(keys):
        _say(f"    … and {len(keys) - len(shown)} more: -verbose or -out has all")


def _write(out: Path | None, where: Place, keys: Sequence[str]) -> None:
    """Write the keys to a file, as URIs, one a line. Raises Ended."""
    if out is None:
        return
    try:
        write_text(out, "".join(f"{visible(where.of(key), len(key) + 300)}\n" for key in keys))
    except OSError as error:
        raise Ended(USAGE, f"{out}: {error.strerror or error}: choose another file with -out") from error


def _finish(found: Scan, limit: int) -> None:
    if not found.complete:
        raise Ended(INTERRUPTED, f"the limit of {limit} objects was reached: there may be more")
    raise SystemExit(OK)


def _say(text: str) -> None:
    plain.print(visible(text), markup=False)
