"""Objects: what is asked of a session that speaks to an object store, and how its programs are judged and shrunk."""
