"""The store ``pyarrow-s3``."""
