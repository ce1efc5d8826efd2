"""Vocabularies by digest, for clients that lack them: exactly the bytes that this server counts with, immutable.

They are the data files of installed packages and streamed from there. For clients that accept gzip each file is
compressed once, in the folder of converted vocabularies.
"""

import gzip
import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext

from promptuary.renderer.files import make_private_folder
from promptuary.renderer.tokens import vocabularies, vocabulary_cache
from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.models import Membership
from registry.namespaces.permissions import is_allowed, require_verb
from registry.namespaces.verbs import Verb
from registry.serving.responses import FOREVER, matches_etag

__all__ = ["ServedVocabulary", "find_vocabulary"]

_log = logging.getLogger(__name__)
_CHUNK = 1024 * 1024  # bytes compressed at a time


@dataclass(frozen=True)
class ServedVocabulary:
    """A response: status, headers, and the file to stream, or `body` for small files; both are None for a 304."""

    status: int
    headers: dict[str, str]
    path: Path | None = None
    body: bytes | None = None


def find_vocabulary(
    *, actor: Actor, digest: str, if_none_match: str = "", accept_encoding: str = ""
) -> ServedVocabulary:
    """The vocabulary whose SHA-256 is `sha256:…`. Raises NotFound if the server lacks it, NotAllowed without the right.

    Any key that may fetch or check, and any member of a namespace, may have it, as it contains no private data.
    """
    _require_reader(actor)
    path = vocabularies.find_installed(digest)
    if path is None:
        raise NotFound(
            gettext(
                "This registry has no vocabulary {digest}. Its operator can install those that Promptuary knows: "
                "see requirements-vocabularies.txt."
            ).format(digest=digest[:80])
        )
    packed = _find_packed(path, digest) if _takes_gzip(accept_encoding) else None
    etag = f'"{digest}-gzip"' if packed else f'"{digest}"'
    headers = {"ETag": etag, "Cache-Control": FOREVER, "Vary": "Authorization, Accept-Encoding"}
    if if_none_match and matches_etag(if_none_match, etag):
        return ServedVocabulary(304, headers)
    headers |= {"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff"}
    if packed:
        return ServedVocabulary(200, {**headers, "Content-Encoding": "gzip", **_build_length_header(packed)}, packed)
    if path.suffix == ".gz":
        body = vocabularies.read_installed(digest) or b""
        return ServedVocabulary(200, {**headers, "Content-Length": str(len(body))}, body=body)
    return ServedVocabulary(200, {**headers, **_build_length_header(path)}, path)


def _require_reader(actor: Actor) -> None:
    if actor.key is not None:
        if not is_allowed(actor, Verb.CHECK, actor.key.namespace):
            require_verb(actor, Verb.FETCH, actor.key.namespace)
    elif not Membership.objects.filter(person=actor.person).exists():
        raise NotAllowed(gettext("Vocabularies are for members of a namespace, and for keys that may fetch or check."))


def _build_length_header(path: Path) -> dict[str, str]:
    return {"Content-Length": str(path.stat().st_size)}


def _takes_gzip(accept_encoding: str) -> bool:
    """Whether gzip or `*` is accepted with a weight above 0."""
    weights: dict[str, bool] = {}
    for offer in accept_encoding.lower().split(","):
        coding, _, weight = offer.partition(";")
        weights[coding.strip()] = weight.replace(" ", "").rstrip("0").rstrip(".") not in ("q=", "q")
    return weights.get("gzip", weights.get("*", False))


def _find_packed(path: Path, digest: str) -> Path | None:
    """The file as gzip; None if that can't be stored."""
    if path.suffix == ".gz":
        return path
    packed_path = vocabulary_cache.find_cache_folder() / "packed" / f"{digest.partition(':')[2]}.gz"
    if _is_whole(packed_path, digest):
        return packed_path
    try:
        with vocabulary_cache.lock_vocabulary(packed_path):
            if not _is_whole(packed_path, digest):
                _pack(path, packed_path)
    except OSError as error:
        _log.warning("the vocabulary %s can't be kept packed and is sent as it is: %s", path.name, error)
        return None
    return packed_path if _is_whole(packed_path, digest) else None


def _is_whole(packed_path: Path, digest: str) -> bool:
    """Whether it decompresses to the digest's content; checked again when the file has changed."""
    try:
        return vocabularies.hash_file(packed_path) == digest.partition(":")[2]
    except (OSError, EOFError, ValueError):
        return False


def _pack(path: Path, packed_path: Path) -> None:
    """Write the compressed file atomically, in chunks."""
    make_private_folder(packed_path.parent)
    handle, temporary = tempfile.mkstemp(dir=packed_path.parent, prefix=".new-")
    try:
        with (
            path.open("rb") as source,
            os.fdopen(handle, "wb") as file,
            gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packer,
        ):
            shutil.copyfileobj(source, packer, _CHUNK)
        Path(temporary).replace(packed_path)
    finally:
        Path(temporary).unlink(missing_ok=True)
