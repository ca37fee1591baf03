"""An HDFS with one directory of its own kind: erasure coded, over three DataNodes, or an encryption zone.

The keys of the zone are in a keystore, a file that the NameNode and its clients read: Hadoop's JavaKeyStoreProvider,
which needs no server of keys. Its password is Hadoop's default; what it guards is thrown away with the service.
"""

from __future__ import annotations

import getpass
import http.client
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit

from fsconform.adapters.java import find_java
from fsconform.adapters.patience import patient
from fsconform.adapters.services.daemon import START_SECONDS, ServiceError
from fsconform.adapters.services.hdfs import JVM, HdfsService

Kind = Literal["erasure-coded", "encrypted"]

DIRECTORY = "/kept"
"""The directory of the kind that was asked for."""

POLICY = "XOR-2-1-1024k"
"""Two pieces of data and one of parity: the policy that needs the fewest DataNodes."""

DATANODES = 3
KEY = "fsconform"
_KEY_SHELL = "org.apache.hadoop.crypto.key.KeyShell"
_CRYPTO_ADMIN = "org.apache.hadoop.hdfs.tools.CryptoAdmin"
_TOOL_SECONDS = 120.0
_ITERATIONS = "-Djdk.jceks.iterationCount=10000"
"""The fewest that Java allows: with its default each file that is opened takes a tenth of a second for its key."""


class PolicyHdfs(HdfsService):
    """The service."""

    def __init__(
        self,
        kind: Kind,
        work: Path,
        jars: Sequence[Path],
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
    ) -> None:
        """Describe it; nothing is started."""
        keys = f"jceks://file{work.absolute() / 'keys.jceks'}"
        coded = kind == "erasure-coded"
        self._keys = "" if coded else keys
        settings = (
            # Only the policy that the system has by default is enabled from the start.
            {"dfs.namenode.ec.system.default.policy": POLICY} if coded else {"hadoop.security.key.provider.path": keys}
        )
        super().__init__(
            work,
            jars,
            configuration=settings,
            datanodes=DATANODES if coded else 1,
            progress=progress,
            start_timeout=start_timeout,
            heap_megabytes=192,
        )

    @property
    def uri(self) -> str:
        """The URI of the directory. Raises ServiceError before the start."""
        return super().uri + DIRECTORY

    def _bring_up(self) -> None:
        if self._keys:
            self._make_key()
        super()._bring_up()
        self._ask("MKDIRS", DIRECTORY)
        if self._keys:
            self.administer(_CRYPTO_ADMIN, "-createZone", "-keyName", KEY, "-path", DIRECTORY)
        else:
            self._ask("SETECPOLICY", DIRECTORY, ecpolicy=POLICY)

    def _make_key(self) -> None:
        """Make the keystore, before the NameNode reads it."""
        java = find_java()
        path = ":".join(map(str, self._jars))
        command = [str(java.executable), *JVM, _ITERATIONS, "-Xmx128m", "-cp", path, _KEY_SHELL]
        made = subprocess.run(
            [*command, "create", KEY, "-size", "128", "-provider", self._keys],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=patient(_TOOL_SECONDS),
            check=False,
        )
        if made.returncode or not (self._work / "keys.jceks").is_file():
            raise ServiceError(f"no key could be made for the encryption zone:\n{made.stdout}{made.stderr}")

    def _ask(self, operation: str, path: str, **parameters: str) -> None:
        """A call over HTTP as the user who runs the NameNode, who may do everything. Raises ServiceError."""
        address = urlsplit(self.web_uri)
        query = urlencode({"op": operation, "user.name": getpass.getuser(), **parameters})
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=patient(_TOOL_SECONDS))
        try:
            connection.request("PUT", f"/webhdfs/v1{path}?{query}")
            answer = connection.getresponse()
            told = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise ServiceError(f"{operation} of {path} was not answered: {error}") from error
        finally:
            connection.close()
        if answer.status != http.client.OK:
            raise ServiceError(f"{operation} of {path} was refused with status {answer.status}: {told}")
