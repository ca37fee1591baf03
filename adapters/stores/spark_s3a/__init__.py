"""The store ``spark-s3a``."""
