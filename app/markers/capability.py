"""``fsconform pathcapability`` and ``fsconform markers bucket-info``: what a client says, asked of a real one.

The client is the FileSystem of the Hadoop release that is chosen, with the properties that are given: its policy is a
matter of its configuration and its release, and not of the bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from fsconform.adapters.jars import DEFAULT, JarError
from fsconform.adapters.java import NoJava
from fsconform.app.markers.commands import markers
from fsconform.app.markers.running import jars_of, known_releases
from fsconform.app.markers.settings import (
    FAILED,
    LACKS,
    NOT_FOUND,
    OK,
    UNACCEPTABLE,
    USAGE,
    Ended,
    OwnUsage,
    configured,
    properties,
)
from fsconform.engine.protocol import StoreLost
from fsconform.harness.console import console, plain
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.versions import completed
from fsconform.model.markers.policy import AWARE, CAPABILITY, Policy
from fsconform.reports.visible import visible

_release = click.option(
    "--hadoop",
    "release",
    default=DEFAULT,
    show_default=True,
    metavar="VERSION",
    shell_complete=completed,
    help="The release of the client.",
)


@contextmanager
def _asking(release: str, uri: str, options: dict[str, str]) -> Iterator[Callable[..., Any]]:
    """A way to ask the client of a URI. Raises Ended."""
    from fsconform.adapters.hadoop.release import Lacking, Raised, ReleaseClient

    if release not in known_releases():
        raise Ended(USAGE, f"--hadoop {release}: there are profiles for {', '.join(known_releases())}")
    if "://" not in uri:
        raise Ended(USAGE, f"{uri!r}: write a URI, such as s3a://BUCKET/PATH")
    scheme, _, rest = uri.partition("://")
    base = f"{scheme}://{rest.partition('/')[0]}/"

    def ask(what: str, **arguments: str) -> Any:
        answer = client.call(what, **arguments)
        if isinstance(answer, Raised):
            raise Ended(_code(answer.name), visible(answer.why))
        return answer

    def say(text: str) -> None:
        console.print(text, markup=False)

    with passing_logs("capability") as logs:
        try:
            with ReleaseClient(jars_of(release, say), logs.folder / "worker.log") as client:
                refused = client.open(base, options)
                if refused is not None:
                    raise Ended(_code(refused.name), visible(refused.why))
                yield ask
        except NoJava as error:
            raise Ended(USAGE, visible(str(error))) from error
        except (JarError, StoreLost, OSError) as error:
            raise Ended(FAILED, visible(str(error))) from error
        except Lacking as error:
            raise Ended(USAGE, str(error)) from error


def _code(name: str) -> int:
    return NOT_FOUND if name in ("UnknownStoreException", "FileNotFoundException") else FAILED


def _inner(uri: str) -> str:
    """The path of a URI, as it stands there."""
    return "/" + uri.partition("://")[2].partition("/")[2]


@click.command("pathcapability", cls=OwnUsage)
@_release
@configured
@click.argument("capability")
@click.argument("uri", metavar="PATH")
def pathcapability(
    release: str, conf: tuple[str, ...], conf_files: tuple[Path, ...], capability: str, uri: str
) -> None:
    """Does PATH, a URI, have a CAPABILITY? Exit code 0 if so, 255 if not; 42 usage; 1 the client could not be asked."""
    options = properties(conf, conf_files)
    with _asking(release, uri, options) as ask:
        has = ask("capability", name=capability, path=_inner(uri))
    plain.print(visible(f"{uri} {'has' if has else 'lacks'} the capability {capability}"), markup=False)
    raise SystemExit(OK if has else LACKS)


@markers.command("bucket-info")
@click.option(
    "-markers",
    "--markers",
    "wanted",
    required=True,
    type=click.Choice(("aware", "delete", "keep", "authoritative")),
    help="What the client must be: aware of kept markers, or of this policy.",
)
@_release
@configured
@click.argument("uri")
def bucket_info(wanted: str, release: str, conf: tuple[str, ...], conf_files: tuple[Path, ...], uri: str) -> None:
    """Is a client of the bucket aware of kept markers, or of a policy? Exit code 0 if so, 46 if not."""
    options = properties(conf, conf_files)
    with _asking(release, uri, options) as ask:
        held = [one for one in Policy if ask("capability", name=f"{CAPABILITY}policy.{one}", path="/")]
        aware = ask("capability", name=AWARE, path="/")
    said = "aware" if aware else "not aware"
    plain.print(visible(f"Hadoop {release} on {uri}: policy {', '.join(held) or 'unknown'}, {said} of kept markers"))
    if not (aware if wanted == "aware" else wanted in held):
        raise Ended(UNACCEPTABLE, f"{wanted!r} is wanted, and the client is {said} and of policy {', '.join(held)}")
    raise SystemExit(OK)
