"""The typed records of a run: what the engine writes and the reports read. A leaf: it imports no other room."""
