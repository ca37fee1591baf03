"""What holds for all tests of the project: how long an example takes is no property of what is tested."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
