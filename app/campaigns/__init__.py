"""Campaigns: many programs on many cores through Spark, exactly once, as units judged where they are executed."""
