"""The cluster in memory, and the faults that are seeded into it."""
