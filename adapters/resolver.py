"""Fetches Maven artifacts, exactly those named and nothing they depend on.

From the repository that FSCONFORM_MAVEN_REPOSITORY names by http or https they come directly; else, and where that
has not all of them, through Ivy (pyspark brings it) or ``mvn``: from Maven Central, the repository of that name, or the
mirror of ``central`` in the user's Maven settings. ``mvn`` reads those settings itself. Java ignores the usual proxy
variables, so they are passed on.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from fsconform.adapters.java import NoJava, find_java
from fsconform.engine.extras import install
from fsconform.engine.secrecy import KNOWN, in_uri

TIMEOUT = 900.0
"""Seconds a resolver may take for all it is asked for."""

STALLED = 60.0
"""Seconds without a byte after which a repository counts as gone."""

REPOSITORY = "FSCONFORM_MAVEN_REPOSITORY"
"""The environment variable that names the repository."""

DIRECTLY = REPOSITORY
"""How fetching from it is called in errors."""

_LINES_SHOWN = 12
_CLASSIFIER = "http://ant.apache.org/ivy/maven"


class ResolverError(Exception):
    """Artifacts could not be fetched. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """A Maven artifact of type jar."""

    organisation: str
    name: str
    revision: str
    classifier: str = ""

    @property
    def place(self) -> str:
        """Its path in a Maven repository."""
        return "/".join((*self.organisation.split("."), self.name, self.revision, self.file))

    @property
    def file(self) -> str:
        """The file name a Maven repository gives it."""
        return "-".join(part for part in (self.name, self.revision, self.classifier) if part) + ".jar"


def pyspark_jars() -> Path | None:
    """The folder of jars inside the installed pyspark, found without importing it; None without one."""
    specification = importlib.util.find_spec("pyspark")
    places = (specification.submodule_search_locations or ()) if specification else ()
    return next((folder for place in places if (folder := Path(place) / "jars").is_dir()), None)


def ivy_jar() -> Path | None:
    """Ivy's jar inside pyspark, or None."""
    folder = pyspark_jars()
    return next(iter(sorted(folder.glob("ivy-*.jar"))), None) if folder else None


def retrieve(wanted: Iterable[Coordinates], folder: Path) -> dict[Coordinates, Path]:
    """Fetch the artifacts into ``folder``, which is made, and give each one's path. Raises ResolverError."""
    artifacts = list(wanted)
    folder.mkdir(parents=True, exist_ok=True)
    ways = ((DIRECTLY, _directly), ("Ivy", _ivy), ("mvn", _maven))
    attempts = [(name, command) for name, command in ways if _present(name)]
    if not attempts:
        raise ResolverError(
            "There is nothing to fetch jars with: FSCONFORM_MAVEN_REPOSITORY names no repository by https, pyspark, "
            "which brings Ivy along, is not installed, and there is no mvn on PATH. Set it, install one of them "
            f"({install('spark')} brings pyspark), or put the jars into the cache (see FSCONFORM_CACHE) by hand."
        )
    problems = []
    for name, command in attempts:
        try:
            said = command(artifacts, folder)
        except NoJava as error:
            raise ResolverError(f"Jars cannot be fetched without Java. {error}") from error
        absent = [artifact.file for artifact in artifacts if not (folder / artifact.file).is_file()]
        if not absent:
            return {artifact: folder / artifact.file for artifact in artifacts}
        problems.append(f"{name} did not bring {', '.join(absent)}; its last lines:\n{_tail(said)}")
    raise ResolverError(
        "Jars could not be fetched. Check the network and proxy settings, or set FSCONFORM_MAVEN_REPOSITORY to a "
        "mirror that can be reached.\n" + "\n".join(problems)
    )


def _present(name: str) -> bool:
    if name == DIRECTLY:
        return urlsplit(os.environ.get(REPOSITORY, "")).scheme in ("http", "https")
    return ivy_jar() is not None if name == "Ivy" else shutil.which("mvn") is not None


def _directly(artifacts: list[Coordinates], folder: Path) -> str:
    """Fetch each file from the repository that is named, in this process; what went wrong."""
    address = os.environ[REPOSITORY].rstrip("/")
    KNOWN.learn(in_uri(address))
    parts = urlsplit(address)
    known = ""
    if parts.username is not None:
        told = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        known = f"Basic {b64encode(told.encode()).decode()}"
    root = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    said = []
    for artifact in artifacts:
        draft = folder / f".{artifact.file}"
        try:
            asked = Request(f"{root}/{quote(artifact.place)}", headers={"User-Agent": "fsconform"})
            if known:
                asked.add_unredirected_header("Authorization", known)  # another host is not to have it
            with urlopen(asked, timeout=STALLED) as answer, draft.open("wb") as kept:
                shutil.copyfileobj(answer, kept)
            draft.replace(folder / artifact.file)
        except (OSError, HTTPException) as error:
            said.append(f"{root}/{artifact.place}: {error}")
            draft.unlink(missing_ok=True)
    return "\n".join(said)


def _ivy(artifacts: list[Coordinates], folder: Path) -> str:
    """Let Ivy fetch, with settings and a cache of our own below ``folder``; what it said."""
    settings, module = folder / "ivysettings.xml", folder / "ivy.xml"
    settings.touch(0o600)  # a mirror's address may have a password
    settings.write_text(_ivy_settings(folder / "ivy"), encoding="utf-8")
    module.write_text(_ivy_module(artifacts), encoding="utf-8")
    pattern = folder / "[artifact]-[revision](-[classifier]).[ext]"
    command = [str(find_java().executable), *_proxy_options(os.environ), "-jar", str(ivy_jar())]
    command += ["-settings", str(settings)]
    said = _run([*command, "-ivy", str(module), "-confs", "default", "-notransitive", "-retrieve", str(pattern)])
    shutil.rmtree(folder / "ivy", ignore_errors=True)
    return said


def _ivy_settings(cache: Path) -> str:
    mirror = os.environ.get(REPOSITORY) or _mirror(Path.home() / ".m2" / "settings.xml")
    KNOWN.learn(in_uri(mirror or ""))
    root = f" root={quoteattr(mirror.rstrip('/') + '/')}" if mirror else ""
    return (
        f'<ivysettings><settings defaultResolver="central"/><caches defaultCacheDir={quoteattr(str(cache))}/>'
        f'<resolvers><ibiblio name="central" m2compatible="true"{root}/></resolvers></ivysettings>'
    )


def _ivy_module(artifacts: list[Coordinates]) -> str:
    """An Ivy module that depends on exactly these; ``master`` is the artifact alone, without what its POM names."""
    lines = [f'<ivy-module version="2.0" xmlns:m="{_CLASSIFIER}"><info organisation="fsconform" module="jars"/>']
    lines.append('<configurations><conf name="default"/></configurations><dependencies>')
    for one in artifacts:
        classifier = f" m:classifier={quoteattr(one.classifier)}" if one.classifier else ""
        lines.append(
            f"<dependency org={quoteattr(one.organisation)} name={quoteattr(one.name)} rev={quoteattr(one.revision)} "
            f'transitive="false" conf="default->master"><artifact name={quoteattr(one.name)} type="jar" ext="jar"'
            f"{classifier}/></dependency>"
        )
    return "\n".join([*lines, "</dependencies></ivy-module>"])


def _maven(artifacts: list[Coordinates], folder: Path) -> str:
    """Let mvn copy one artifact after another; what it said."""
    said = []
    for one in artifacts:
        if not (folder / one.file).is_file():
            parts = (one.organisation, one.name, one.revision, "jar", *([one.classifier] if one.classifier else []))
            goal = ["dependency:copy", f"-Dartifact={':'.join(parts)}", f"-DoutputDirectory={folder}"]
            said.append(_run(["mvn", "-q", "-B", *goal]))
    return "\n".join(said)


def _run(command: list[str]) -> str:
    """What the command printed, whether it succeeded or not: the caller looks at the files."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{Path(command[0]).name} was stopped after {TIMEOUT:.0f} s"
    except OSError as error:
        return f"{command[0]}: {error}"
    return done.stdout


def _tail(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines() if line.strip(" .\t")]
    return "\n".join(f"    {line}" for line in lines[-_LINES_SHOWN:])


def _mirror(settings: Path) -> str | None:
    """The address of the mirror of ``central`` in Maven's settings, if they name one."""
    try:
        root = ElementTree.parse(settings).getroot()
    except (OSError, ElementTree.ParseError, ValueError, LookupError):
        return None
    for mirror in root.iterfind(".//{*}mirror"):
        of = {part.strip() for part in (mirror.findtext("{*}mirrorOf") or "").split(",")}
        if of & {"central", "*", "external:*"} and "!central" not in of:
            return (mirror.findtext("{*}url") or "").strip() or None
    return None


def _proxy_options(environment: Mapping[str, str]) -> list[str]:
    """Java's own words for the proxy that the environment names."""
    options = []
    for scheme in ("http", "https"):
        address = urlsplit(environment.get(f"{scheme}_proxy") or environment.get(f"{scheme.upper()}_PROXY") or "")
        if address.hostname:
            options += [f"-D{scheme}.proxyHost={address.hostname}", f"-D{scheme}.proxyPort={address.port or 80}"]
    return options
