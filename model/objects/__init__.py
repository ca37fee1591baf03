"""Objects: what a store that speaks S3's protocol may answer. Buckets are maps from keys to versions."""
