"""Fetched bundles: parsing a response, checking the digest and building the template."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptuary import renderer
from promptuary.errors import BadAnswer, DigestMismatch
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.names import DIGEST
from promptuary.renderer.rollouts import is_on_candidate_side
from promptuary.renderer.template import build_template
from promptuary.template import Template

__all__ = ["FIELDS", "Bundle", "Rollout", "build_bundle", "decode_object", "parse_bundle"]

FIELDS = ("engine", "document", "fragments", "profile")  # the fields that the digest covers


@dataclass(frozen=True)
class Rollout:
    """A gradual publication: a share of a label's callers, in ten-thousandths, gets the candidate with this digest."""

    salt: str
    share: int
    digest: str

    def gets_candidate(self, bucket: str) -> bool:
        """Whether callers in this bucket get the candidate."""
        return is_on_candidate_side(self.salt, bucket, self.share)


@dataclass(frozen=True)
class Bundle:
    """A fetched version. Its digest was computed from its content when it was read, from network, disk or file.

    rollout: of the label that it was fetched by, if there is one.
    """

    name: str
    version: int
    digest: str
    template: Template
    rollout: Rollout | None = None


def parse_bundle(body: bytes, name: str, ref: str, *, where: str) -> Bundle:
    """Check that `body` is `name` at `ref`, recompute its digest, and build the template.

    Raises `BadAnswer`, `DigestMismatch`, or `renderer.RenderError` for an engine newer than this package.
    """
    return build_bundle(decode_object(body, where), name, ref, where=where)


def build_bundle(fields: Mapping[str, Any], name: str, ref: str, *, where: str) -> Bundle:
    """As `parse_bundle`, from parsed JSON."""
    version, digest = fields.get("version"), fields.get("digest")
    if fields.get("name") != name or type(version) is not int or not isinstance(digest, str):
        raise BadAnswer(f"{where}: this is not a version of {name}")
    if ref.isdigit() and version != int(ref):
        raise BadAnswer(f"{where}: asked for {name}@{ref}, got version {version}")
    covered = {field: fields.get(field) for field in FIELDS}
    try:
        text = encode_canonical_json(covered)
    except renderer.DocumentError as error:
        raise BadAnswer(f"{where}: {name}@{ref}: {error}") from None
    actual = "sha256:" + hashlib.sha256(text).hexdigest()
    expected = ref if ref.startswith("sha256:") else digest
    if not actual == digest == expected:
        raise DigestMismatch(f"{name}@{ref} from {where}", expected=expected, actual=actual)
    template = build_template(Template, fields)
    template.digest = digest  # verified a line above, so not computed again
    return Bundle(name, version, digest, template, _read_rollout(fields.get("rollout"), where))


def _read_rollout(facts: object, where: str) -> Rollout | None:
    """The rollout of an answer, or None. Raises `BadAnswer`."""
    if facts is None:
        return None
    if isinstance(facts, dict):
        salt, share, digest = (facts.get(name) for name in ("salt", "share", "digest"))
        if isinstance(salt, str) and type(share) is int and isinstance(digest, str) and DIGEST.fullmatch(digest):
            return Rollout(salt, share, digest)
    raise BadAnswer(f"{where}: this is not a rollout")


def decode_object(body: bytes, where: str) -> dict[str, Any]:
    """Parse a JSON object. Raises `BadAnswer`."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise BadAnswer(f"{where}: the answer is not JSON") from None
    if not isinstance(fields, dict):
        raise BadAnswer(f"{where}: the answer is not a JSON object")
    return fields
