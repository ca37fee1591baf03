"""The proving ground: an independent in-memory store, faults that can be seeded into it, and its session."""
