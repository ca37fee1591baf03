"""Recordings of applications, judged by the oracle: calls on a store of which only a part is known."""
