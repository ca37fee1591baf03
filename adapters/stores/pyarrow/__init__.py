"""The store ``pyarrow``."""
