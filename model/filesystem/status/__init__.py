"""Calls that ask: status, listings, patterns, summaries, locations, capabilities."""
