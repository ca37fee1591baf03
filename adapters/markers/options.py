"""Options of S3A, as the command line and Hadoop's XML files give them, and the connection to S3 that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, ParseError

from fsconform.model.markers.policy import for_bucket
from fsconform.records.given import GivenError, read_bytes

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PAGE = 250
"""How many keys S3A deletes in one request by default."""
MOST = 1000
"""How many S3 allows."""

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_ANONYMOUS = "AnonymousAWSCredentialsProvider"


class OptionError(ValueError):
    """Options that describe no connection. The text says which, and the mend; it holds no secret."""


@dataclass(frozen=True, slots=True)
class Place:
    """A bucket and a directory in it: ``prefix`` is the key of the directory's marker, empty for the root."""

    bucket: str
    prefix: str

    @property
    def uri(self) -> str:
        """The URI of the directory."""
        return f"s3a://{self.bucket}/{self.prefix}"

    def of(self, key: str) -> str:
        """The URI of an object of the bucket."""
        return f"s3a://{self.bucket}/{key}"


@dataclass(frozen=True, slots=True)
class Connection:
    """How S3 is reached. An empty string leaves a matter to boto3, which looks into the environment. Secrets inside."""

    endpoint: str = ""
    region: str = ""
    path_style: bool = False
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    anonymous: bool = False
    page: int = PAGE


def place(uri: str) -> Place:
    """The bucket and directory that a URI names. Raises OptionError."""
    url = urlsplit(uri, allow_fragments=False)
    if url.scheme not in ("s3a", "s3"):
        raise OptionError(f"{uri!r}: write it as s3a://BUCKET/PATH")
    # As in Hadoop's Path, a question mark is a character like any other.
    path = url.path + (f"?{url.query}" if url.query or uri.endswith("?") else "")
    bucket = url.netloc
    if not _BUCKET.fullmatch(bucket):
        raise OptionError(f"{uri!r}: {bucket!r} is no name of a bucket")
    parts = [part for part in path.split("/") if part]
    if any(part in (".", "..") for part in parts):
        raise OptionError(f"{uri!r}: write the path without . and ..")
    return Place(bucket, "".join(f"{part}/" for part in parts))


MOST_BYTES = 16 << 20


def load_xml(path: Path) -> dict[str, str]:
    """The properties in a Hadoop configuration file. Raises OptionError, naming the file."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(read_bytes(path, MOST_BYTES))
    except GivenError as error:
        raise OptionError(f"{error}: name a Hadoop configuration file") from error
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise OptionError(f"{path}: no XML that can be read: {error}") from error
    if root.tag != "configuration":
        raise OptionError(f"{path}: the root element is <{root.tag}>, not <configuration>")
    found = {}
    for one in root.iter("property"):
        twice = next((tag for tag in ("name", "value") if len(one.findall(tag)) > 1), "")
        if twice:
            raise OptionError(f"{path}: a <property> has more than one <{twice}>: leave all but one out")
        name, value = (one.findtext("name") or "").strip(), one.findtext("value")
        if not name:
            raise OptionError(f"{path}: a <property> without a <name>")
        if value is not None:
            found[name] = value.strip()
    return found


def merged(files: Iterable[Path], given: Mapping[str, str]) -> dict[str, str]:
    """The properties of all files, in their order, and then those given one by one. Raises OptionError."""
    properties: dict[str, str] = {}
    for path in files:
        properties |= load_xml(path)
    return properties | dict(given)


def connection(properties: Mapping[str, str], bucket: str) -> Connection:
    """The connection that options describe for a bucket. Raises OptionError."""
    options = for_bucket(properties, bucket)

    def text(name: str) -> str:
        value = options.get(f"fs.s3a.{name}", "").strip()
        if "${" in value:
            raise OptionError(f"fs.s3a.{name} names a variable: write out what it stands for")
        return value

    endpoint = text("endpoint")
    if endpoint and "://" not in endpoint:
        secure = _flag("connection.ssl.enabled", text("connection.ssl.enabled"), True)
        endpoint = f"{'https' if secure else 'http'}://{endpoint}"
    access, secret = text("access.key"), text("secret.key")
    if bool(access) != bool(secret):
        raise OptionError(f"fs.s3a.{'secret' if access else 'access'}.key is missing: give both keys or none")
    if properties.get("hadoop.security.credential.provider.path") and not access:
        raise OptionError(
            "hadoop.security.credential.provider.path is read by Hadoop alone: give fs.s3a.access.key and "
            "fs.s3a.secret.key in a file with --conf-file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    return Connection(
        endpoint,
        text("endpoint.region"),
        _flag("path.style.access", text("path.style.access"), False),
        access,
        secret,
        text("session.token"),
        not access and text("aws.credentials.provider").endswith(_ANONYMOUS),
        1 if text("multiobjectdelete.enable").lower() == "false" else _page(text("bulk.delete.page.size")),
    )


def _flag(name: str, value: str, default: bool) -> bool:
    if value.lower() not in ("", "true", "false"):
        raise OptionError(f"fs.s3a.{name} is {value!r}, not true or false")
    return value.lower() == "true" if value else default


def _page(value: str) -> int:
    if not value:
        return PAGE
    if not value.isdecimal() or not 1 <= int(value) <= MOST:
        raise OptionError(f"fs.s3a.bulk.delete.page.size is {value!r}, not a number from 1 to {MOST}")
    return int(value)


def client(to: Connection) -> S3Client:
    """A client of S3. Raises OptionError for what boto3 can't use."""
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    config = Config(
        s3={"addressing_style": "path" if to.path_style else "auto"},
        retries={"max_attempts": 5, "mode": "standard"},
        connect_timeout=20,
    )
    if to.anonymous:
        config = config.merge(Config(signature_version=UNSIGNED))
    try:
        if urlsplit(to.endpoint).hostname in ("127.0.0.1", "localhost", "::1"):
            config = config.merge(Config(proxies={}))
        return boto3.client(
            "s3",
            endpoint_url=to.endpoint or None,
            region_name=to.region or None,
            aws_access_key_id=to.access_key or None,
            aws_secret_access_key=to.secret_key or None,
            aws_session_token=to.session_token or None,
            config=config,
        )
    except (BotoCoreError, ValueError) as error:
        raise OptionError(f"no connection to S3 can be made of these options: {error}") from error
