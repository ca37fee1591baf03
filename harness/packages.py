"""How a workflow installs fsconform: from a wheel in the project, from an index, or from a repository."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from fsconform.engine.secrecy import in_uri
from fsconform.harness.problems import Problem

NAME = "fsconform"
MOST_BYTES = 100 << 20
"""Of a wheel; ours has some three million."""
_REQUIREMENT = re.compile(rf"{NAME}(\[[a-z0-9,_-]+\])?((==|>=|~=|<=|<|>|!=)[A-Za-z0-9.*+!]+,?)*")
_URL = re.compile(r"(git\+)?https://[A-Za-z0-9.-]+(:\d+)?/[A-Za-z0-9._~/@+%#&=-]+")
_WHEEL = re.compile(rf"{NAME}-[A-Za-z0-9.+!_-]+\.whl")


@dataclass(frozen=True, slots=True)
class Package:
    """What pip is given, the index it asks (empty for its own), files that go into the project, a note for the user."""

    source: str
    index: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    note: str = ""

    @property
    def expression(self) -> str:
        """The source as a workflow has it: a variable of the repository comes first."""
        return json.dumps(f"${{{{ vars.FSCONFORM || '{self.source}' }}}}")


def package_of(source: str, index: str, folder: str) -> Package:
    """How to install what a user names; an empty ``source`` stands for where this fsconform came from.

    A wheel is copied into ``folder`` of the project. Raises Problem.
    """
    if index and (in_uri(index) or not _URL.fullmatch(index)):
        raise Problem(
            "--index-url: write it as https://HOST/PATH, without a password: a workflow is for all to read; give pip "
            "an index that asks for one by PIP_INDEX_URL from CI's secrets"
        )
    if source.endswith(".whl") and "://" not in source:
        wheel = Path(source)
        return Package(f"./{folder}/{wheel.name}", index, {f"{folder}/{wheel.name}": _wheel(wheel)})
    if not source:
        return _as_installed(index)
    if in_uri(source) or not (_REQUIREMENT.fullmatch(source) or _URL.fullmatch(source)):
        raise Problem(
            f"--install {source!r}: name a wheel, a requirement such as {NAME}==1.0, or a repository as "
            "git+https://HOST/PATH@TAG, without a password"
        )
    return Package(f"{NAME} @ {source}" if _URL.fullmatch(source) else source, index)


def _wheel(path: Path) -> bytes:
    """The bytes of a wheel of ours. Raises Problem."""
    try:
        if not _WHEEL.fullmatch(path.name) or not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise Problem(f"--install {path}: is no wheel of {NAME}: build one with `python -m build --wheel`")
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(f"{NAME}/app/main.py")
        return path.read_bytes()
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise Problem(f"--install {path}: is no wheel of {NAME}: {error}") from error


def _as_installed(index: str) -> Package:
    """Where this fsconform was installed from, as pip noted it (PEP 610), if CI can reach that; else an index."""
    try:
        noted = json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "{}")
        url, commit = f"git+{noted['url']}", noted["vcs_info"]["commit_id"]
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError):
        url = commit = ""
    if commit and _URL.fullmatch(f"{url}@{commit}") and not in_uri(url):
        return Package(f"{NAME} @ {url}@{commit}", index)
    version = metadata.version(NAME)
    note = (
        f"the workflow installs {NAME}=={version} from {'that' if index else 'an'} index: give --install WHEEL, or "
        "git+https://... where the index has no such release"
    )
    return Package(f"{NAME}=={version}", index, note=note)
