"""The store ``sftp``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_transfer_server, without_transfer_server
from fsconform.engine.injection import SFTP

STORE = Preset(
    "sftp",
    "Hadoop's SFTPFileSystem on an SFTP server",
    "sftp",
    partial(on_transfer_server, "sftp"),
    default=False,
    missing=partial(without_transfer_server, "sftp"),
    links=(SFTP,),
    pace="slow",
)
