"""Calls of several users in a small tree: each user has a client of its own, and the client's own user makes the tree.

Only HDFS without Kerberos is known to take a client's word for who it is; of other stores nobody is made another user.
Which users are in the tree's group is tried: a user may give its own file to those groups alone that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places
from fsconform.adapters.hadoop.handlers.classes import java, permission
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.permissions import (
    ADMIN,
    APPENDED,
    DENIED,
    DONE,
    FAILED,
    LENGTH,
    STAFF,
    STICKY,
    TO_MODES,
    USERS,
    WRITTEN,
)
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers, tree_at_first

_PREFIX = "fsconform-"
_PLACE = "fsconform-users"
_ACCESS_DENIED = "org.apache.hadoop.security.AccessControlException"
_UMASK = "fs.permissions.umask-mode"


def _others(caller: Caller) -> Any:
    """A configuration for clients of other users. Raises Inexpressible where nobody can be made one."""
    fs = caller.filesystem
    scheme = jvm.text(fs.getUri().getScheme())
    if scheme != "hdfs":
        raise Inexpressible(f"{scheme}: is not known to take a client's word for who it is")
    if java("org.apache.hadoop.security.UserGroupInformation").isSecurityEnabled():
        raise Inexpressible("with Kerberos nobody can be made another user")
    configuration = java("org.apache.hadoop.conf.Configuration")(fs.getConf())
    configuration.set(_UMASK, jpype.JString("022"))
    return configuration


@contextmanager
def _clients(caller: Caller) -> Iterator[Mapping[str, Any]]:
    """A client for each user, by names, and the caller's own."""
    fs, configuration = caller.filesystem, _others(caller)
    own = jvm.text(java("org.apache.hadoop.security.UserGroupInformation").getCurrentUser().getShortUserName())
    made: dict[str, Any] = {}
    try:
        for name, user in ((ADMIN, own), *((name, _PREFIX + name) for name in USERS)):
            client = java("FileSystem").newInstance(fs.getUri(), configuration, user)
            made[name] = jpype.JObject(client, java("FileSystem"))
        yield made
    finally:
        for client in made.values():
            client.close()


def _owned(fs: Any, path: Any, user: str, mode: int) -> None:
    fs.setOwner(path, _PREFIX + user if user != ADMIN else None, _PREFIX + STAFF)
    fs.setPermission(path, permission(mode))


def _write(stream: Any, length: int) -> None:
    stream.write(bytes(length))
    stream.close()


def _make_tree(fs: Any, place: Any, op: CallsByUsers) -> None:
    tree = tree_at_first(op)
    for path, node in tree.items():
        at = java("Path")(place, path) if path else place
        if node.length is None:
            fs.mkdirs(at)
        else:
            _write(fs.create(at, False), node.length)
    for path, node in tree.items():
        _owned(fs, java("Path")(place, path) if path else place, node.owner, node.mode)


def _members(clients: Mapping[str, Any], place: Any) -> tuple[str, ...]:
    """Who is in the tree's group."""
    fs, found = clients[ADMIN], []
    for user in USERS:
        probe = java("Path")(place, f"probe-{user}")
        _write(fs.create(probe, False), LENGTH)
        fs.setOwner(probe, _PREFIX + user, _PREFIX + "none")
        if _outcome(partial(clients[user].setOwner, probe, None, _PREFIX + STAFF)) == DONE:
            found.append(user)
        fs.delete(probe, False)
    return tuple(found)


def _outcome(act: Callable[[], Any]) -> str:
    try:
        returned = act()
    except jvm.JavaError as error:
        classes = jvm.ancestry(error)
        return DENIED if _ACCESS_DENIED in (*classes, *jvm.remote(error, classes)) else FAILED
    return FAILED if returned is not None and not bool(returned) else DONE


def _call(fs: Any, call: str, place: Any) -> Any:
    """One call; false where it returned that nothing was done."""

    def at(path: str) -> Any:
        return java("Path")(place, path)

    what, _, path = call.partition(" ")
    if call in TO_MODES:
        target, mode = TO_MODES[call]
        return fs.setPermission(at(target), permission(mode))
    below = {"d": "d", "f": "d/f", "e": "d/e", "g": "d/e/g", "n": "d/n", "m": "d/m", "e/n": "d/e/n", "e/m": "d/e/m"}
    match call:
        case "rename f":
            return fs.rename(at("d/f"), at("d/r"))
        case "rename f into e":
            return fs.rename(at("d/f"), at("d/e/r"))
        case "rename e":
            return fs.rename(at("d/e"), at("d/q"))
    there = at(below[path])
    match what:
        case "status":
            fs.getFileStatus(there)
        case "list":
            fs.listStatus(there)
        case "read":
            stream = fs.open(there)
            stream.read()
            stream.close()
        case "checksum":
            fs.getFileChecksum(there)
        case "replicate":
            return fs.setReplication(there, jpype.JShort(1))
        case "times":
            fs.setTimes(there, jpype.JLong(1), jpype.JLong(-1))
        case "append":
            _write(fs.append(there), APPENDED)
        case "truncate":
            fs.truncate(there, jpype.JLong(0))
        case "create":
            _write(fs.create(there, False), WRITTEN)
        case "overwrite":
            _write(fs.create(there, True), WRITTEN)
        case "summary":
            fs.getContentSummary(there)
        case "mkdir":
            return fs.mkdirs(there)
        case "delete":
            return fs.delete(there, True)
        case "chown":
            fs.setOwner(there, _PREFIX + "eve", None)
        case "chgrp":
            fs.setOwner(there, None, _PREFIX + STAFF)
        case _:
            raise Inexpressible(f"no call for {call}")
    return None


def _left(fs: Any, place: Any) -> tuple[str, ...]:
    """What is below a place, as the facts have it."""
    own = jvm.text(java("org.apache.hadoop.security.UserGroupInformation").getCurrentUser().getShortUserName())
    rows, pending = [], [("", place)]
    while pending:
        base, directory = pending.pop()
        for status in fs.listStatus(directory):
            path = base + jvm.text(status.getPath().getName())
            owner, group = jvm.text(status.getOwner()), jvm.text(status.getGroup())
            owner = ADMIN if owner == own else owner.removeprefix(_PREFIX)
            mode, is_directory = int(status.getPermission().toShort()), bool(status.isDirectory())
            shown = f"{mode if is_directory else mode & ~STICKY:o}"
            length = "-" if is_directory else str(int(status.getLen()))
            rows.append(f"{path} {owner} {group.removeprefix(_PREFIX)} {shown} {length}")
            if is_directory:
                pending.append((path + "/", status.getPath()))
    return tuple(sorted(rows))


def calls_of_users(caller: Caller, op: CallsByUsers, places: Places) -> Outcome:
    """What comes of the calls: the tree is made, they are made in it, it is looked at and taken away.

    Raises Inexpressible where nobody can be made another user, or no tree of other users can be made.
    """
    above, fs = places.java(op.path), caller.base
    if not fs.getFileStatus(above).isDirectory():
        raise Inexpressible("there is no directory")
    place = java("Path")(above, _PLACE)
    with _clients(caller) as clients:
        try:
            try:
                _make_tree(clients[ADMIN], place, op)
                members = _members(clients, place)
            except jvm.JavaError as error:
                raise Inexpressible(f"no tree of other users can be made: {jvm.message(error)}") from error
            outcomes = []
            for word in op.calls:
                user, _, call = word.partition(" ")
                outcomes.append(_outcome(partial(_call, clients[user], call, place)))
            return facts("calls by users", members=members, outcomes=tuple(outcomes), left=_left(fs, place))
        finally:
            fs.delete(place, True)
