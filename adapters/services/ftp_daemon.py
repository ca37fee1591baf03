"""An FTP server over one folder: ``python -m fsconform.adapters.services.ftp_daemon FOLDER``, on loopback.

The one user and the password come by the environment, as FSCONFORM_USER and FSCONFORM_PASSWORD.
"""

from __future__ import annotations

import os
import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

EVERYTHING = "elradfmwMT"
"""All permissions that there are: read, write, delete, rename, make, and change modes and times."""


def main() -> None:
    """Serve until ended."""
    authorizer = DummyAuthorizer()
    authorizer.add_user(os.environ["FSCONFORM_USER"], os.environ["FSCONFORM_PASSWORD"], sys.argv[1], perm=EVERYTHING)

    class Handler(FTPHandler):  # type: ignore[misc]
        """What serves one connection. Its attributes are how the library is told."""

        timeout = 0  # a program under test may hold a stream open for as long as it likes

    Handler.authorizer = authorizer
    server = FTPServer(("127.0.0.1", 0), Handler)
    print(f"listening on port {server.address[1]}", flush=True)
    server.serve_forever(handle_exit=False)


if __name__ == "__main__":
    main()
