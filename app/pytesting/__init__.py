"""Judging under pytest: what the plugin does in a session in which one of its options was given."""
