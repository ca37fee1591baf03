"""Iterators walked in every manner, and the trash."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed, RenameTimed
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, RenameToTrash
from fsconform.model.filesystem.protocols.trash import MoveToTrash, TrashCheckpoint
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.transfer.local_copies import CopyWithin

PROTOCOLS = Suite(
    "protocols",
    "protocols",
    "iterators walked in every manner, the trash, etags and times over changes, calls of other users",
    witnesses=("protocols",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Delete, 1),
            (Rename, 1),
            (Iterate, 3),
            (MoveToTrash, 1),
            (TrashCheckpoint, 1),
            (CompareEtags, 1),
            (CopyWithin, 1),
            (RenameTimed, 1),
            (ReadTimed, 1),
            (CallAsAnother, 1),
            (RenameToTrash, 1),
        )
    ),
)
