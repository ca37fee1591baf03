"""The store ``file``."""
