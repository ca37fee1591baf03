"""Judging under pytest: what the plugin does in a session in which one of its options was given."""

PIECE, REPLAY = "fsconform_piece", "fsconform_replay"
"""The fixtures of the suites' tests, and of pytest files that replay a divergence."""

RACES = "races"
"""The area of the suites of races, which are tried only where it is asked for."""

CONTROLLER = "fsconform-controller"
"""The name under which the controller is registered as a plugin."""
