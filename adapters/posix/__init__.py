"""Drives this machine's own filesystem by Python's os calls, without Java: what is judged is the mapping of errno."""
