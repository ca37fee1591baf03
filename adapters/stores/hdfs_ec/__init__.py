"""The store ``hdfs-ec``."""
