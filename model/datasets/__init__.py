"""What Spark's writers promise: a dataset directory, the commit protocol of a job, and what may be seen. Pure."""
