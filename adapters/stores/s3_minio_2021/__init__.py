"""The store ``s3-minio-2021``."""
