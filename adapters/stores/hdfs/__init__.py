"""The store ``hdfs``."""
