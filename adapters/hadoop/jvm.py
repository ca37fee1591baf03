"""The worker's JVM: how it is started, and the handful of Java names that the calls use."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import wire
from fsconform.adapters.jars import DEFAULT

MESSAGE_LIMIT = 16_384
STACK_LIMIT = 65_536
"""How much of an error's message and stack is kept, in characters: some stores put whole pages into them."""

_LACKING = re.compile(
    r"'(?:org\.apache\.hadoop|java)\.[\w.$]+' object has no attribute '(\w+)'"
    r"|Class (org\.apache\.hadoop\.\S+) is not found"
)
"""How JPype says that a class has no such method, and that there is no such class."""

JavaError: type[BaseException] = jpype.JException

_ancestries: dict[type, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Opened:
    """A configuration and the address of a store: what makes FileSystem instances."""

    configuration: Any
    uri: Any
    path: str
    """The path that the user's URI names; empty if none."""

    def instance(self) -> Any:
        """A FileSystem of its own, from no cache. Raises what Java raises."""
        return jpype.JClass("org.apache.hadoop.fs.FileSystem").newInstance(self.uri, self.configuration)


def start(hello: wire.Hello) -> None:
    """Start the JVM of this process, in the calling thread. Raises what JPype raises if it cannot be started."""
    jpype.startJVM(hello.libjvm, *hello.jvm_arguments, classpath=list(hello.class_path), convertStrings=False)
    system = jpype.JClass("java.lang.System")
    specified = str(system.getProperty("java.specification.version"))
    # Raw local file systems fork chmod for each file and directory made, and a vfork costs less. Later releases warn
    # of it or have dropped it.
    if specified.isdecimal() and int(specified) < 24 and system.getProperty("jdk.lang.Process.launchMechanism") is None:
        system.setProperty("jdk.lang.Process.launchMechanism", "VFORK")
    if hello.own:
        _lighten_commands()


def _lighten_commands() -> None:
    """Let the commands that the JVM forks, chmod and ls, load no locale, and be found in the first place looked at.

    Java reads the environment of its commands once, when it first needs it; how it writes names it has decided by now.
    """
    os.environ["LC_ALL"] = "C"
    found = shutil.which("chmod")
    if found is not None:
        os.environ["PATH"] = os.pathsep.join((str(Path(found).parent), os.environ.get("PATH", "")))


def open_store(hello: wire.Hello) -> Opened:
    """The configuration and address that a session asked for. Raises what Java raises."""
    configuration = configured(hello.configuration_files, hello.configuration)
    configuration.size()  # reads the files now, so that a bad one is reported as such
    return opened(configuration, hello.uri)


def configured(configuration_files: Iterable[str], properties: Mapping[str, str]) -> Any:
    """A configuration: Hadoop's XML files, and properties that win over them. Raises what Java raises."""
    configuration = jpype.JClass("org.apache.hadoop.conf.Configuration")()
    for file in configuration_files:
        configuration.addResource(jpype.JClass("java.io.File")(file).toURI().toURL())
    for name, value in properties.items():
        configuration.set(name, value)
    return configuration


def opened(configuration: Any, address: str) -> Opened:
    """A configuration with a URI. Raises what Java raises."""
    uri = jpype.JClass("org.apache.hadoop.fs.Path")(address).toUri()
    return Opened(configuration, uri, text(uri.getPath()))


def release() -> str:
    """The version of Hadoop."""
    return text(jpype.JClass("org.apache.hadoop.util.VersionInfo").getVersion())


def runtimes() -> dict[str, str]:
    """Versions of Hadoop and Java."""
    return {"hadoop": release(), "java": text(jpype.JClass("java.lang.System").getProperty("java.version"))}


def versions(filesystem: Any) -> dict[str, str]:
    """Versions of Hadoop and Java, and the class that was loaded for the URI."""
    return runtimes() | {"filesystem": text(filesystem.getClass().getName())}


def lacking(error: AttributeError | TypeError) -> str:
    """What a client of another release than the default lacks; empty if that is not the matter."""
    found = _LACKING.search(str(error))
    if found is None:
        return ""
    version = release()
    return "" if version == DEFAULT else f"Hadoop {version} has no {found[1] or found[2]}"


def text(string: Any) -> str:
    """A Java string as Python's; empty for null. What has no UTF-8 form is replaced, so that it can be sent."""
    if string is None:
        return ""
    try:
        converted = str(string)
        converted.encode()
    except UnicodeError:
        units = string.getBytes("UTF-16BE")
        return bytes(units).decode("utf-16-be", "replace")
    return converted


def ancestry(error: BaseException) -> tuple[str, ...]:
    """The fully qualified names of an error's class and its ancestors up to java.lang.Throwable."""
    kind = type(error)
    names = _ancestries.get(kind)
    if names is None:
        found, java_class = [], error.getClass()  # type: ignore[attr-defined]
        while java_class is not None:
            found.append(text(java_class.getName()))
            java_class = java_class.getSuperclass()
        names = _ancestries[kind] = tuple(found[:-1])  # without java.lang.Object
    return names


def remote(error: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """The class of the error on the server's side that one with this ancestry stands for, if it is Hadoop RPC's."""
    if "org.apache.hadoop.ipc.RemoteException" not in names:
        return ()
    try:
        return (text(error.getClassName()),)
    except JavaError:
        return ()


def message(error: Any) -> str:
    """An error's own message; empty if it has none, or if asking for it fails."""
    try:
        return text(error.getMessage())[:MESSAGE_LIMIT]
    except JavaError:
        return ""


def stack(error: Any) -> str:
    """An error's stack trace as Java prints it, causes included."""
    try:
        return str(error.stacktrace())[:STACK_LIMIT]
    except (JavaError, UnicodeError):
        return ""


def misconfigured(error: Any, opened: bool) -> str:
    """What is wrong with how the user described a store, with the mend; empty where that is not known to be it.

    ``opened`` is true once configuration files and URI were read, and false for an error that came of them.
    """
    if not opened:
        return f"the configuration or the URI can't be used: {explain(error)}: mend --conf-file, --conf or --uri"
    names, cause, seen = set[str](), error, 0
    while cause is not None and seen < 8:
        names |= set(ancestry(cause))
        cause, seen = cause.getCause(), seen + 1
    if "org.apache.hadoop.fs.UnsupportedFileSystemException" in names:
        return (
            f"{message(error)}: name the jar that has one with --jars, and its class with --conf fs.SCHEME.impl=CLASS "
            "if the jar does not register it; or mend the scheme of --uri"
        )
    if names & {"java.lang.ClassNotFoundException", "java.lang.NoClassDefFoundError"}:
        return explain(error)
    return ""


def explain(error: Any) -> str:
    """Why a store could not be opened: the chain of causes, and the missing class if that is the matter."""
    lines, missing, seen = [], "", 0
    cause = error
    while cause is not None and seen < 8:
        names = ancestry(cause)
        lines.append(f"{names[0].rpartition('.')[2]}: {message(cause)}")
        if "java.lang.ClassNotFoundException" in names or "java.lang.NoClassDefFoundError" in names:
            missing = message(cause).strip()
        cause, seen = cause.getCause(), seen + 1
    told = "; caused by ".join(lines)
    if missing:
        name = missing.replace("/", ".").removeprefix("Class ").removesuffix(" not found")
        return f"No jar on the class path has the class {name}: add the jar that holds it. ({told})"
    return told
