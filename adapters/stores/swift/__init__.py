"""The store ``swift``."""
