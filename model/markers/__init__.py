"""Directory markers of S3A: what they are, which of them a policy keeps, and what a bucket holds after each call."""
