"""Histories: calls of several clients at once, each with the times at which it began and returned."""
