"""Campaigns on Spark: units of work, traces and verdicts as Parquet, exactly once. Here alone is pyspark imported."""
