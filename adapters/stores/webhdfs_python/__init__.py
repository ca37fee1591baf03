"""The store ``webhdfs-python``."""
