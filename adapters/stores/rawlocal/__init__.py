"""The store ``rawlocal``."""
