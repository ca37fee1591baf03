"""The network between a client and a store, of which the harness has a part: proxies that fail on demand."""
