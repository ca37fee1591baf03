"""An SFTP server over one folder: ``python -m fsconform.adapters.services.sftp_daemon FOLDER``, on loopback.

The one user and the password come by the environment, as FSCONFORM_USER and FSCONFORM_PASSWORD. The host's key is made
for this one start.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import sys
from typing import Any

import asyncssh


class Login(asyncssh.SSHServer):  # type: ignore[misc]
    """Lets the one user in."""

    def password_auth_supported(self) -> bool:
        """A password is the one way in."""
        return True

    def validate_password(self, username: str, password: str) -> bool:
        """Whether it is the user with the password."""
        user, secret = os.environ["FSCONFORM_USER"], os.environ["FSCONFORM_PASSWORD"]
        return username == user and hmac.compare_digest(password.encode(), secret.encode())


def _files(channel: Any) -> Any:
    return asyncssh.SFTPServer(channel, chroot=sys.argv[1].encode())


async def _serve() -> None:
    key = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    server = await asyncssh.listen("127.0.0.1", 0, server_factory=Login, server_host_keys=[key], sftp_factory=_files)
    print(f"listening on port {server.get_port()}", flush=True)
    await server.wait_closed()


def main() -> None:
    """Serve until ended."""
    asyncio.run(_serve())


if __name__ == "__main__":
    main()
