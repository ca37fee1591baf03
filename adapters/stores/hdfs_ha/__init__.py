"""The store ``hdfs-ha``."""
