"""The store ``har``."""
