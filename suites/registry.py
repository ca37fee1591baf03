"""All suites, in the order in which they are listed."""

from __future__ import annotations

from fsconform.engine.grammar import Suite
from fsconform.suites.attributes import ATTRIBUTES
from fsconform.suites.changes import CHANGES
from fsconform.suites.content import CONTENT
from fsconform.suites.delete import DELETE
from fsconform.suites.full import FULL
from fsconform.suites.input_streams import INPUT_STREAMS
from fsconform.suites.large import LARGE
from fsconform.suites.limits import LIMITS
from fsconform.suites.listing import LISTING
from fsconform.suites.lookups import LOOKUPS
from fsconform.suites.metadata import METADATA
from fsconform.suites.namespace import NAMESPACE
from fsconform.suites.output_streams import CAPABILITIES, LEASES, OUTPUT_STREAMS, SYNCABLE, VISIBILITY
from fsconform.suites.paths import PATHS
from fsconform.suites.permissions import PERMISSIONS
from fsconform.suites.protocols import PROTOCOLS
from fsconform.suites.quotas import QUOTAS
from fsconform.suites.rename import RENAME
from fsconform.suites.root import ROOT
from fsconform.suites.safemode import SAFEMODE
from fsconform.suites.snapshots import SNAPSHOTS

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        NAMESPACE,
        PATHS,
        CONTENT,
        LISTING,
        RENAME,
        DELETE,
        PROTOCOLS,
        LOOKUPS,
        METADATA,
        CHANGES,
        ATTRIBUTES,
        INPUT_STREAMS,
        OUTPUT_STREAMS,
        VISIBILITY,
        SYNCABLE,
        LEASES,
        CAPABILITIES,
        LARGE,
        LIMITS,
        FULL,
        ROOT,
        SAFEMODE,
        PERMISSIONS,
        QUOTAS,
        SNAPSHOTS,
    )
}

DEFAULT: tuple[str, ...] = tuple(name for name, suite in SUITES.items() if suite.default)
