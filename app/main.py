"""The ``fsconform`` command: a group, to which each command comes from a module of its own."""

from __future__ import annotations

import click

from fsconform.app.campaign import campaign
from fsconform.app.clean import clean
from fsconform.app.compare import compare_runs
from fsconform.app.contract import contract
from fsconform.app.copycheck import copycheck
from fsconform.app.doctor import doctor
from fsconform.app.formal import commands, fetching, tracing
from fsconform.app.initialise import init
from fsconform.app.jars import jars
from fsconform.app.markers.capability import pathcapability
from fsconform.app.markers.commands import markers
from fsconform.app.markers.compatibility import compatibility
from fsconform.app.markers.judging import judge
from fsconform.app.process import collect_seldom
from fsconform.app.recheck import recheck
from fsconform.app.replay import replay
from fsconform.app.run import run
from fsconform.app.spec import spec
from fsconform.app.stores import stores


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fsconform")
def main() -> None:
    """Find where a Hadoop-compatible store departs from the Hadoop FileSystem specification."""
    collect_seldom()


for command in (
    run,
    campaign,
    contract,
    init,
    recheck,
    replay,
    stores,
    doctor,
    jars,
    spec,
    clean,
    markers,
    pathcapability,
    compare_runs,
    copycheck,
):
    main.add_command(command)

for command in (judge, compatibility):
    markers.add_command(command)

for command in (commands.check, commands.doctor, tracing.trace_files, fetching.fetch_apalache):
    spec.add_command(command)

if __name__ == "__main__":
    main()
