"""Validation of template names and refs before they become part of a path."""

import re

from promptuary.errors import ConfigurationError

__all__ = ["check_name", "check_namespace", "check_ref", "is_pin", "split_target"]

_SEGMENT = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"
_NAME = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT}){{1,7}}")
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_LABEL = re.compile(r"[a-z][a-z0-9._-]{0,35}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check_name(name: str) -> str:
    """The name itself, or `ConfigurationError`: `<namespace>/<name>` in lower-case slugs."""
    if not _NAME.fullmatch(str(name)):
        raise ConfigurationError(f"{name!r} is not a template name: lower-case slugs joined by '/', namespace first")
    return name


def check_namespace(namespace: str) -> str:
    """The namespace itself, or `ConfigurationError`: one lower-case slug."""
    if not re.fullmatch(_SEGMENT, str(namespace)):
        raise ConfigurationError(f"{namespace!r} is not a namespace: one lower-case slug")
    return namespace


def check_ref(ref: str | int) -> str:
    """The ref as text, or `ConfigurationError`: a version number, a label or a digest."""
    text = "" if isinstance(ref, bool) else str(ref)
    if not (_NUMBER.fullmatch(text) or _LABEL.fullmatch(text) or _DIGEST.fullmatch(text)):
        raise ConfigurationError(f"{ref!r} is not a ref: a version number, a label or sha256:<64 hex digits>")
    return text


def is_pin(ref: str) -> bool:
    """Whether the ref names the same content for ever: a number or a digest."""
    return ref[0].isdigit() or ref.startswith("sha256:")


def split_target(target: str, default: str = "production") -> tuple[str, str]:
    """`support/refunds/reply@3` as name and ref."""
    name, _, ref = target.partition("@")
    return check_name(name), check_ref(ref or default)
