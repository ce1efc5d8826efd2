"""Syntax of the names of namespaces, templates, labels and versions, for the server and the client alike."""

import re

__all__ = ["DIGEST", "LABEL", "MAX_SEGMENTS", "NUMBER", "SEGMENT", "is_pin"]

SEGMENT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
"""A slug: a namespace, or one segment of a template's name."""
LABEL = re.compile(r"[a-z][a-z0-9._-]{0,35}")
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""A version number."""
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
MAX_SEGMENTS = 8
"""The maximum number of segments of a template's name, including the namespace."""


def is_pin(ref: str) -> bool:
    """Whether a ref as the caller wrote it, a number or a digest, always refers to the same bytes."""
    return ref[:1].isdigit() or ref.startswith("sha256:")
