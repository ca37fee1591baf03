"""Contract options, a module for each family of operations."""
