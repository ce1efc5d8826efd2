"""Vendored templates: the file that `promptuary vendor` writes, read without a network."""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from promptuary import bundles
from promptuary.bundles import Bundle
from promptuary.errors import BadAnswer, ConfigurationError, DigestMismatch
from promptuary.renderer.files import save_file
from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import gzip
else:
    gzip = Deferred("gzip")

__all__ = ["Vendored", "write_vendored"]

FORM = 1  # of the file
FOLDER = "promptuary.vocabularies"  # folder next to the file, with the vocabularies of its templates


class Vendored:
    """A file of vendored templates. A template's digest is recomputed when it is read from it."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """Raises ConfigurationError for a missing or malformed file."""
        self.path = path
        try:
            value = json.loads(Path(path).read_text("utf-8"))
            form, entries = value["form"], value["templates"]
            self._entries = {(str(entry["name"]), ref): entry for entry in entries for ref in _list_refs(entry)}
            self.vocabularies = {str(digest): str(file) for digest, file in value.get("vocabularies", {}).items()}
        except OSError as error:
            raise ConfigurationError(f"the vendored templates cannot be read: {error}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ConfigurationError(f"{path} isn't a file of vendored templates") from None
        if form != FORM:
            raise ConfigurationError(f"{path} is of form {form}; this package reads form {FORM}: vendor again")

    def find(self, name: str, ref: str) -> Bundle | None:
        """Return the template that the ref pointed to when the file was written. Raises DigestMismatch if altered."""
        entry = self._entries.get((name, ref))
        if entry is None:
            return None
        try:
            return bundles.build_bundle(entry, name, ref, where=str(self.path))
        except BadAnswer as error:
            raise ConfigurationError(str(error)) from None

    def read_vocabulary(self, digest: str) -> bytes | None:
        """Return the vendored vocabulary, or None. Raises DigestMismatch for altered content."""
        file = self.vocabularies.get(digest)
        if file is None:
            return None
        path = Path(self.path).parent / file
        try:
            packed = path.read_bytes()
        except OSError:
            return None
        try:
            data = gzip.decompress(packed)
        except (OSError, EOFError, zlib.error):
            data = packed
        actual = "sha256:" + hashlib.sha256(data).hexdigest()
        if actual != digest:
            raise DigestMismatch(str(path), expected=digest, actual=actual)
        return data


def write_vendored(
    path: str | PathLike[str], entries: Sequence[Mapping[str, Any]], vocabularies: Mapping[str, bytes] | None = None
) -> None:
    """Write fetches, each with the `ref` it was fetched by, in a fixed order, and the vocabularies next to the file.

    vocabularies: content by digest.
    """
    file = Path(path)
    value: dict[str, Any] = {
        "form": FORM,
        "templates": sorted(entries, key=lambda entry: (entry["name"], entry["ref"])),
    }
    if vocabularies:
        value["vocabularies"] = {digest: f"{FOLDER}/{digest.partition(':')[2]}.gz" for digest in sorted(vocabularies)}
        (file.parent / FOLDER).mkdir(exist_ok=True)
        for digest, name in value["vocabularies"].items():
            save_file(file.parent / name, gzip.compress(vocabularies[digest], mtime=0))
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    save_file(file, (text + "\n").encode("utf-8"))


def _list_refs(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(entry["ref"]), str(entry["version"]), str(entry["digest"])
