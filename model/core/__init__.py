"""What every model here has: paths, content, outcomes, errors, options, and what an operation is."""
