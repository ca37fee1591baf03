"""Blocks and their replicas on the nodes of a cluster: what files are made of below the filesystem's model. Pure."""
