"""The store ``fsspec``."""
