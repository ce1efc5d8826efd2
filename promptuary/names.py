"""Validation of template names and refs before they become part of a path."""

import re

from promptuary.errors import ConfigurationError
from promptuary.renderer.names import DIGEST, LABEL, MAX_SEGMENTS, NUMBER, SEGMENT
from promptuary.renderer.rollouts import MAX_BUCKET_LENGTH

__all__ = ["check_bucket", "check_name", "check_namespace", "check_ref", "is_name", "split_target"]

_NAME = re.compile(rf"{SEGMENT.pattern}(?:/{SEGMENT.pattern}){{1,{MAX_SEGMENTS - 1}}}")


def check_bucket(bucket: object) -> str | None:
    """Return the bucket, a text or None. Raises `ConfigurationError` for anything else."""
    if bucket is None or (isinstance(bucket, str) and 1 <= len(bucket) <= MAX_BUCKET_LENGTH):
        return bucket
    raise ConfigurationError(f"{bucket!r} is not a bucket: a text of 1 to {MAX_BUCKET_LENGTH} characters")


def is_name(name: object) -> bool:
    """Whether this is `<namespace>/<name>` in lower-case slugs, the form of template and dataset names."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def check_name(name: str) -> str:
    """Return the name. Raises `ConfigurationError` unless it is `<namespace>/<name>` in lower-case slugs."""
    if not _NAME.fullmatch(str(name)):
        raise ConfigurationError(f"{name!r} is not a template name: lower-case slugs joined by '/', namespace first")
    return name


def check_namespace(namespace: str) -> str:
    """Return the namespace. Raises `ConfigurationError` unless it is one lower-case slug."""
    if not SEGMENT.fullmatch(str(namespace)):
        raise ConfigurationError(f"{namespace!r} is not a namespace: one lower-case slug")
    return namespace


def check_ref(ref: str | int) -> str:
    """Return the ref as text. Raises `ConfigurationError` unless it is a version number, a label or a digest."""
    text = "" if isinstance(ref, bool) else str(ref)
    if not (NUMBER.fullmatch(text) or LABEL.fullmatch(text) or DIGEST.fullmatch(text)):
        raise ConfigurationError(f"{ref!r} is not a ref: a version number, a label or sha256:<64 hex digits>")
    return text


def split_target(target: str, default: str = "production") -> tuple[str, str]:
    """Split `support/refunds/reply@3` into name and ref."""
    name, _, ref = target.partition("@")
    return check_name(name), check_ref(ref or default)
