"""Volumes that lose power: a filesystem of ours, mounted by FUSE, that keeps what was written and not synced apart."""
