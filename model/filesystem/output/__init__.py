"""One output stream's life, and what others see of its file meanwhile."""
