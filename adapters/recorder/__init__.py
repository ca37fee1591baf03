"""A Hadoop FileSystem that records its calls: a subclass of a connector's own class, in a jar made for it."""
