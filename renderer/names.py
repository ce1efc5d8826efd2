"""Syntax of the names of namespaces, templates, labels and versions, for the server and the client alike."""

import re

__all__ = ["DIGEST", "LABEL", "MOST_SEGMENTS", "NUMBER", "SEGMENT", "is_pin"]

SEGMENT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
"""A slug: a namespace, or one segment of a template's name."""
LABEL = re.compile(r"[a-z][a-z0-9._-]{0,35}")
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""The number of a version."""
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
MOST_SEGMENTS = 8
"""The most segments of a template's name, the namespace included."""


def is_pin(ref: str) -> bool:
    """Whether a ref as the caller wrote it, a number or a digest, names the same bytes for ever."""
    return ref[:1].isdigit() or ref.startswith("sha256:")
