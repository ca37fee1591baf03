"""The store ``ftp``."""
