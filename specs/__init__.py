"""The specification as data: clauses, contracts and witnesses; and small loaders."""
