"""Spark's writers as a way to drive a store: a driver in a process of its own, with its private protocol."""
