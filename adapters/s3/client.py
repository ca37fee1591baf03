"""A boto3 client for judging: it asks once, and never tries again of itself. boto3 loads here alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsconform.engine.secrecy import KNOWN


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an object store is, and who asks. ``url`` is empty for Amazon's own.

    Without keys boto3 looks for credentials where it always does: the environment, its files, the machine's role.
    """

    url: str
    access_key: str = ""
    secret_key: str = ""
    region: str = "us-east-1"


def client_of(endpoint: Endpoint, timeout: float) -> Any:
    """A client; a request that takes longer than ``timeout`` seconds has an unknown outcome."""
    import boto3
    from botocore.config import Config

    # A session of its own: the shared one keeps the credentials that it found first.
    session = boto3.session.Session()
    credentials_known(session)
    return session.client(
        "s3",
        endpoint_url=endpoint.url or None,
        aws_access_key_id=endpoint.access_key or None,
        aws_secret_access_key=endpoint.secret_key or None,
        region_name=endpoint.region,
        config=Config(
            s3={"addressing_style": "path"},
            retries={"total_max_attempts": 1},
            connect_timeout=timeout,
            read_timeout=timeout,
            proxies={},
            parameter_validation=False,
        ),
    )


def credentials_known(session: Any) -> None:
    """Note the secrets that boto3 finds by itself, in files and the environment: an error may repeat them."""
    found = session.get_credentials()
    if found is not None:
        frozen = found.get_frozen_credentials()
        KNOWN.learn(filter(None, (frozen.secret_key, frozen.token)))


def refusals() -> type[Exception]:
    """The class of the errors by which a client tells that a request was refused."""
    from botocore.exceptions import ClientError

    return ClientError
