"""Folders of this machine in which programs play: what the adapters share that drive a local filesystem."""
