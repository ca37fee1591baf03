"""The store ``ftp``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_transfer_server, without_transfer_server
from fsconform.engine.injection import FTP

STORE = Preset(
    "ftp",
    "Hadoop's FTPFileSystem on an FTP server",
    "ftp",
    partial(on_transfer_server, "ftp"),
    default=False,
    missing=partial(without_transfer_server, "ftp"),
    links=(FTP,),
    pace="slow",
)
