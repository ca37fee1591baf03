"""Sessions of stores that Python drives, each in a process of its own: clients that are to be under way at once."""
