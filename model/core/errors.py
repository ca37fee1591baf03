"""The errors that the specification names, with Java's class hierarchy.

Documents give short names; outcomes carry fully qualified ones, so that the FileAlreadyExistsException of java.nio is
never taken for Hadoop's.
"""

from __future__ import annotations

_PARENTS = {
    "java.lang.Throwable": None,
    "java.lang.Exception": "java.lang.Throwable",
    "java.lang.Error": "java.lang.Throwable",
    "java.lang.RuntimeException": "java.lang.Exception",
    "java.lang.IllegalArgumentException": "java.lang.RuntimeException",
    "java.lang.IllegalStateException": "java.lang.RuntimeException",
    "java.lang.NullPointerException": "java.lang.RuntimeException",
    "java.lang.IndexOutOfBoundsException": "java.lang.RuntimeException",
    "java.lang.UnsupportedOperationException": "java.lang.RuntimeException",
    "java.util.NoSuchElementException": "java.lang.RuntimeException",
    "java.io.IOException": "java.lang.Exception",
    "java.io.FileNotFoundException": "java.io.IOException",
    "java.io.EOFException": "java.io.IOException",
    "org.apache.hadoop.HadoopIllegalArgumentException": "java.lang.IllegalArgumentException",
    "org.apache.hadoop.fs.InvalidPathException": "org.apache.hadoop.HadoopIllegalArgumentException",
    "org.apache.hadoop.fs.FileAlreadyExistsException": "java.io.IOException",
    "org.apache.hadoop.fs.InvalidPathHandleException": "java.io.IOException",
    "org.apache.hadoop.fs.ParentNotDirectoryException": "java.io.IOException",
    "org.apache.hadoop.fs.PathIOException": "java.io.IOException",
    "org.apache.hadoop.fs.PathExistsException": "org.apache.hadoop.fs.PathIOException",
    "org.apache.hadoop.fs.PathNotFoundException": "org.apache.hadoop.fs.PathIOException",
    "org.apache.hadoop.fs.PathIsDirectoryException": "org.apache.hadoop.fs.PathExistsException",
    "org.apache.hadoop.fs.PathIsNotDirectoryException": "org.apache.hadoop.fs.PathExistsException",
    "org.apache.hadoop.fs.PathIsNotEmptyDirectoryException": "org.apache.hadoop.fs.PathExistsException",
    "org.apache.hadoop.security.AccessControlException": "java.io.IOException",
}

FULL_NAMES: dict[str, str] = {name.rpartition(".")[2]: name for name in _PARENTS}


def ancestry(short_name: str) -> tuple[str, ...]:
    """The fully qualified class names of an error, itself first. Raises KeyError for a name the specification lacks."""
    chain = []
    name: str | None = FULL_NAMES[short_name]
    while name is not None:
        chain.append(name)
        name = _PARENTS[name]
    return tuple(chain)


def short(full_name: str) -> str:
    """The short form of a fully qualified class name, as documents and reports give it."""
    return full_name.rpartition(".")[2].rpartition("$")[2]
