"""The store ``spark-file``."""
