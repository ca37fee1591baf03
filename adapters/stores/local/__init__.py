"""The store ``local``."""
