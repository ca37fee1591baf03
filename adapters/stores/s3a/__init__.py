"""The store ``s3a``."""
