"""The store ``hdfs-encrypted``."""
