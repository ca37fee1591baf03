"""The store ``sftp``."""
