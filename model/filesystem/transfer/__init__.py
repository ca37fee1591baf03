"""Many bytes or many paths at once: local copies, uploads in parts, bulk deletion."""
