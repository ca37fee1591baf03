"""The store ``viewfs``."""
