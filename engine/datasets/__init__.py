"""Datasets: what is asked of a session that writes them, and how its programs are judged, shrunk and recorded."""
