"""The memory and disk caches of a client."""

import json
import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from promptuary import bundles
from promptuary.bundles import Bundle
from promptuary.errors import BadAnswer
from promptuary.renderer.files import close_folder, make_private_folder, write_atomically
from promptuary.renderer.names import is_pin

__all__ = ["DiskCache", "Entry", "MemoryCache"]

_log = logging.getLogger("promptuary")


@dataclass(slots=True)
class Entry:
    """A bundle with its ETag, and until when it may be served without a request.

    `confirmed`, `fresh_until` and `used` (the last use by a caller) are seconds of the client's clock; `error` is why
    it could not be confirmed since. Only `used` changes in place.
    """

    bundle: Bundle
    etag: str
    confirmed: float
    fresh_until: float
    error: Exception | None = None
    used: float = 0.0


class MemoryCache:
    """At most `size` entries, the oldest dropped first. Each operation is atomic, so threads need no lock."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        # Called on every use of a template: the dictionary's own method saves a Python call.
        self.get: Callable[[tuple[str, str]], Entry | None] = self._entries.get

    def keep(self, name: str, ref: str, entry: Entry) -> None:
        """Store the entry and drop the oldest beyond the size."""
        self._entries[name, ref] = entry
        while len(self._entries) > self._size:
            try:
                self._entries.popitem(last=False)
            except KeyError:  # another thread made room
                return

    def drop(self, name: str, ref: str) -> None:
        """Drop one entry."""
        self._entries.pop((name, ref), None)

    def labels(self) -> list[tuple[str, str, Entry]]:
        """The entries that may change: name, label, entry."""
        return [(name, ref, entry) for (name, ref), entry in list(self._entries.items()) if not is_pin(ref)]

    def expire(self) -> None:
        """Mark every label as expired, so that its next fetch asks the registry."""
        for name, ref, entry in self.labels():
            self._entries[name, ref] = replace(entry, fresh_until=0.0)


class DiskCache:
    """One file per template and ref below `folder`, separate for each registry address."""

    def __init__(self, folder: str | os.PathLike[str], url: str) -> None:
        self.folder = Path(folder) / sha256(url.encode()).hexdigest()[:16]
        self._is_writable = True

    def find(self, name: str, ref: str) -> tuple[Bundle, str] | None:
        """Return the bundle and its ETag. Raises `DigestMismatch`, naming the file, if the content fails its digest."""
        path = self._path(name, ref)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            etag = str(json.loads(head)["etag"])
            return bundles.parse_bundle(body, name, ref, where=str(path)), etag
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, BadAnswer) as error:
            _log.warning("%s cannot be used as a cached template, asking the registry instead: %s", path, error)
            return None

    def keep(self, name: str, ref: str, body: bytes, etag: str) -> None:
        """Write the file atomically. On a full or read-only disk nothing is cached, and the fetch still succeeds."""
        path = self._path(name, ref)
        try:
            make_private_folder(path.parent)
            close_folder(self.folder)  # earlier versions created it readable by everybody
            write_atomically(path, json.dumps({"etag": etag}).encode() + b"\n" + body, mode=0o600)
        except OSError as error:
            if self._is_writable:
                _log.warning("templates cannot be kept in %s (said once): %s", self.folder, error)
            self._is_writable = False

    def drop(self, name: str, ref: str) -> None:
        """Delete one file."""
        try:
            self._path(name, ref).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("a cached template cannot be removed: %s", error)

    def _path(self, name: str, ref: str) -> Path:
        # Both are validated slugs. A colon in a file name would not work on Windows.
        return self.folder / name / f"@{ref.replace(':', '-')}.json"
