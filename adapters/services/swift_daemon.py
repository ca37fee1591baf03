"""A whole OpenStack Swift in one process: ``python -m fsconform.adapters.services.swift_daemon FOLDER``, on loopback.

Swift's own four servers, for accounts, containers, objects and the proxy before them, with one replica on one device,
which is a directory of FOLDER. That directory's file system must have extended attributes. The account, the user and
the password come by the environment, as FSCONFORM_ACCOUNT, FSCONFORM_USER and FSCONFORM_PASSWORD. What answers for
their keys is in :mod:`fsconform.adapters.services.swift_keys`.
"""

from __future__ import annotations

import getpass
import logging
import os
import secrets
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

BACKENDS = ("account", "container", "object")

_COMMON = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
"""
_BACKEND = """
[pipeline:main]
pipeline = {name}-server

[app:{name}-server]
use = egg:swift#{name}
"""
_PROXY = """
[pipeline:main]
pipeline = catch_errors tokens cache tempauth copy dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:tokens]
paste.filter_factory = fsconform.adapters.services.swift_keys:tokens

[filter:cache]
paste.filter_factory = fsconform.adapters.services.swift_keys:cache

[filter:tempauth]
use = egg:swift#tempauth
token_life = 2592000
user_{account}_{name} = {password} .admin

[filter:copy]
use = egg:swift#copy

[filter:dlo]
use = egg:swift#dlo
"""
_CLUSTER = """[swift-hash]
swift_hash_path_prefix = {prefix}
swift_hash_path_suffix = {suffix}

[storage-policy:0]
name = one
default = yes
"""


def lay_out(folder: Path, ports: dict[str, int], account: str, user: str, password: str) -> dict[str, Path]:
    """Write the cluster's configuration and its rings; the file of each server by its name."""
    from swift.common.ring import RingBuilder

    (folder / "devices" / "d1").mkdir(parents=True, exist_ok=True)
    cluster = _CLUSTER.format(prefix=secrets.token_hex(8), suffix=secrets.token_hex(8))
    (folder / "swift.conf").write_text(cluster, "utf-8")
    found = {}
    for name, port in ports.items():
        text = _COMMON.format(port=port, user=getpass.getuser(), folder=folder)
        if name == "proxy":
            text += _PROXY.format(account=account, name=user, password=password)
        else:
            text += _BACKEND.format(name=name)
            builder = RingBuilder(4, 1, 1)
            place = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "d1", "weight": 1}
            builder.add_dev(place | {"replication_ip": "127.0.0.1", "replication_port": port})
            builder.rebalance()
            builder.get_ring().save(str(folder / f"{name}.ring.gz"))
        found[name] = folder / f"{name}.conf"
        found[name].write_text(text, "utf-8")
        found[name].chmod(0o600)
    return found


def main() -> None:
    """Serve until ended."""
    warnings.filterwarnings("ignore")
    import eventlet
    import eventlet.wsgi
    from swift.common import utils

    eventlet.hubs.use_hub(utils.get_hub())
    utils.monkey_patch()
    folder = Path(sys.argv[1]).absolute()
    sockets: dict[str, Any] = {name: eventlet.listen(("127.0.0.1", 0), backlog=256) for name in (*BACKENDS, "proxy")}
    ports = {name: one.getsockname()[1] for name, one in sockets.items()}
    account, user, password = (os.environ[f"FSCONFORM_{name}"] for name in ("ACCOUNT", "USER", "PASSWORD"))
    files = lay_out(folder, ports, account, user, password)
    utils.set_swift_dir(str(folder))
    from swift.common import constraints, http_protocol, storage_policy, wsgi

    utils.validate_hash_conf()
    storage_policy.reload_storage_policies()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    serving = []
    # A connection of the client is for one request, and never closed: kept alive, 1,024 of them would fill the proxy.
    for name, one in sockets.items():
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        application = wsgi.loadapp(str(files[name]), global_conf={"log_name": name})
        settings = {
            "protocol": http_protocol.SwiftHttpProtocol,
            "capitalize_response_headers": False,
            "url_length_limit": constraints.MAX_REQUEST_LINE,
            "socket_timeout": 60.0,
            "log_output": False,
            "keepalive": name != "proxy",
        }
        serving.append(eventlet.spawn(eventlet.wsgi.server, one, application, **settings))
    print(f"listening on port {ports['proxy']}", flush=True)
    for one in serving:
        one.wait()


if __name__ == "__main__":
    main()
