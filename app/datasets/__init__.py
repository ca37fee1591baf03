"""Spark's writers under judgement: their stores, and the run of their suites."""
