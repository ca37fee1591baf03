"""An object store in memory that proves the harness: it is told of nothing, and can be given faults."""
