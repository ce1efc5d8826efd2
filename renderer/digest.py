"""The digest: one hash over everything that a rendering depends on besides data."""

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785

from promptuary.renderer.errors import DocumentError, EngineError

__all__ = ["ENGINE", "digest", "encode_canonical_json"]

ENGINE = 1
"""The version of the rendering rules. A released engine never changes what a document renders to."""

_FIELDS = ("engine", "document", "fragments", "profile")


def encode_canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON value."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, RecursionError, UnicodeEncodeError) as error:
        raise DocumentError(f"this cannot be written as canonical JSON: {error}", code="PT107") from error


def digest(bundle: Mapping[str, Any]) -> str:
    """Return `sha256:<hex>` of a bundle, a mapping with engine, document, fragments and profile; ignores other keys."""
    missing = [name for name in _FIELDS if name not in bundle]
    if missing:
        raise DocumentError(f"a bundle needs {', '.join(missing)}", code="PT107")
    if bundle["engine"] != ENGINE:
        raise EngineError(f"this bundle needs engine {bundle['engine']}, the newest known here is engine {ENGINE}")
    return "sha256:" + hashlib.sha256(encode_canonical_json({name: bundle[name] for name in _FIELDS})).hexdigest()
