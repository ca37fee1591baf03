"""What is the same for every layer beside the filesystem's own: findings, shrinking and replaying, and records."""
