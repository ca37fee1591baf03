"""The groups of commands whose commands stand in several modules, put together; ``capability`` adds bucket-info."""

from __future__ import annotations

from fsconform.app.clause import show
from fsconform.app.formal import commands, traces
from fsconform.app.markers import capability
from fsconform.app.markers.commands import markers
from fsconform.app.markers.compatibility import compatibility
from fsconform.app.markers.judging import judge
from fsconform.app.spec import spec

for marking in (judge, compatibility):
    markers.add_command(marking)

for command in (show, commands.check, commands.doctor, traces.trace_files, commands.fetch_apalache):
    spec.add_command(command)

__all__ = ["capability", "markers", "spec"]
