"""Calls whose meaning shows in sequence only: handles, leases, iterators, trash, safe mode."""
