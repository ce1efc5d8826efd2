"""From the bytes of a fetch to a template that is proven to be what it says it is."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import renderer
from promptuary.errors import BadAnswer, DigestMismatch
from renderer.digest import canonical

__all__ = ["FIELDS", "Bundle", "read"]

FIELDS = ("engine", "document", "fragments", "profile")  # what the digest covers, and nothing else


@dataclass(frozen=True)
class Bundle:
    """A version as fetched. `canonical` are the bytes that the digest is the SHA-256 of."""

    name: str
    version: int
    digest: str
    canonical: bytes
    template: renderer.Template

    def verify(self) -> None:
        """Hash the kept bytes again; `DigestMismatch` when they are not what was fetched."""
        actual = _digest_of(self.canonical)
        if actual != self.digest:
            raise DigestMismatch(f"{self.name}@{self.version} in memory", expected=self.digest, actual=actual)


def read(body: bytes, name: str, ref: str, *, where: str) -> Bundle:
    """Check that `body` is `name` at `ref`, recompute its digest, and build the template.

    Raises `BadAnswer`, `DigestMismatch`, or `renderer.RenderError` for an engine newer than this package.
    """
    fields = _decode(body, where)
    version, digest = fields.get("version"), fields.get("digest")
    if fields.get("name") != name or not isinstance(version, int) or not isinstance(digest, str):
        raise BadAnswer(f"{where}: this is not a version of {name}")
    if ref.isdigit() and version != int(ref):
        raise BadAnswer(f"{where}: asked for {name}@{ref}, got version {version}")
    covered = {field: fields.get(field) for field in FIELDS}
    try:
        hashed = canonical(covered)
    except renderer.DocumentError as error:
        raise BadAnswer(f"{where}: {name}@{ref}: {error}") from None
    actual = _digest_of(hashed)
    expected = ref if ref.startswith("sha256:") else digest
    if not actual == digest == expected:
        raise DigestMismatch(f"{name}@{ref} from {where}", expected=expected, actual=actual)
    return Bundle(name, version, digest, hashed, renderer.from_bundle(fields))


def _digest_of(hashed: bytes) -> str:
    return "sha256:" + hashlib.sha256(hashed).hexdigest()


def _decode(body: bytes, where: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise BadAnswer(f"{where}: the answer is not JSON") from None
    if not isinstance(fields, dict):
        raise BadAnswer(f"{where}: the answer is not a JSON object")
    return fields
