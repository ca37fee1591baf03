"""The store ``fsspec-s3``."""
