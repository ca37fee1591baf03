"""The commands on directory markers. They re-create Hadoop's own, so they have its options and its exit codes."""
