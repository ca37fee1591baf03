"""The reference model: what the Hadoop FileSystem specification allows.

Pure: no I/O, no clock, no randomness, and no other room of the project is imported.
"""
