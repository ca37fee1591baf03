"""The store ``s3-proving``."""
