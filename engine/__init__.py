"""The engine: runs programs, judges traces by the model, minimises and confirms what departs.

It owns the session protocol that adapters fulfil.
"""
