"""Directory markers in a real bucket: the connection that options of S3A describe, listing it, and deleting from it."""
