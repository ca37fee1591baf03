"""The store ``webhdfs``."""
