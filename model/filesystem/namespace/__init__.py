"""Calls that make, move, join and remove what paths name."""
