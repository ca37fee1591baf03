"""The meaning of the operations beyond the core, a module for each family."""
