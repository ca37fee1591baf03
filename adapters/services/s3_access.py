"""How clients reach an S3 server of the harness's own: by path, without TLS, with secrets made for this one start."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Keys:
    """An access key and its secret, drawn at random; the secret is shown nowhere."""

    access: str = field(default_factory=lambda: f"fsconform{secrets.token_hex(4)}")
    secret: str = field(default_factory=lambda: secrets.token_hex(20), repr=False)


def s3a_configuration(endpoint: str, keys: Keys) -> dict[str, str]:
    """Hadoop settings for an S3A client of the server at a URL."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.endpoint.region": REGION,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.access.key": keys.access,
        "fs.s3a.secret.key": keys.secret,
        "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    }


def client(endpoint: str, keys: Keys) -> Any:
    """A boto3 client of the server at a URL."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=keys.access,
        aws_secret_access_key=keys.secret,
        region_name=REGION,
        config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 5}, proxies={}),
    )
