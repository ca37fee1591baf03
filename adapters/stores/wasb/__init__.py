"""The store ``wasb``."""
