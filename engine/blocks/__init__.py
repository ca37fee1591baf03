"""Blocks and replicas as a subject of the harness."""
