"""Drives any Hadoop FileSystem from a worker process with a JVM of its own."""
