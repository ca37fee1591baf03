"""How clients reach an S3 server of the harness's own: by path, without TLS, with secrets made for this one start."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.service import Service

REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Keys:
    """An access key and its secret, drawn at random; the secret is shown nowhere."""

    access: str = field(default_factory=lambda: f"fsconform{secrets.token_hex(4)}")
    secret: str = field(default_factory=lambda: secrets.token_hex(20), repr=False)


class S3Server(Service):
    """A service that is an S3 server with one bucket, for clients that have its ``_keys``."""

    bucket: str
    _keys: Keys

    @property
    def endpoint(self) -> str:
        """The URL of the S3 endpoint. Raises ServiceError before the start."""
        return f"http://{self._host}:{self.port}"

    def s3a_configuration(self) -> dict[str, str]:
        """Hadoop settings for an S3A client of this service. Raises ServiceError before the start."""
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": REGION,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.connection.ssl.enabled": "false",
            "fs.s3a.access.key": self._keys.access,
            "fs.s3a.secret.key": self._keys.secret,
            "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        }

    def client(self) -> Any:
        """A boto3 client of the service. Raises ServiceError before the start."""
        import boto3
        from botocore.config import Config

        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=self._keys.access,
            aws_secret_access_key=self._keys.secret,
            region_name=REGION,
            config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 5}, proxies={}),
        )

    def _make_bucket(self) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self.client().create_bucket(Bucket=self.bucket)
        except (BotoCoreError, ClientError) as error:
            log = self._daemons[0].log
            raise ServiceError(f"{self._what} could not make the bucket {self.bucket}: {error}; see {log}") from error
