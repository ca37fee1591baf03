"""The store ``s3proxy``."""
