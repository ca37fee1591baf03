"""The store ``proving``."""
