"""The store ``adl``."""
