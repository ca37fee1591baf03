"""The store ``s3``."""
