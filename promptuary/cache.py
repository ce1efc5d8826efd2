"""What a client remembers: in memory for the process, on disk for a cold start without a network."""

import json
import logging
import os
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from promptuary import bundles
from promptuary.bundles import Bundle
from promptuary.errors import BadAnswer, PromptuaryError, Unavailable

__all__ = ["DiskCache", "Entry", "Flights", "MemoryCache"]

Result = TypeVar("Result")
_log = logging.getLogger("promptuary")


@dataclass(frozen=True)
class Entry:
    """A bundle with how the registry named this state of the ref, and until when it may be served unasked.

    `confirmed` and `fresh_until` are seconds of the client's clock; `error` is why it could not be confirmed since.
    """

    bundle: Bundle
    etag: str
    confirmed: float
    fresh_until: float
    error: PromptuaryError | None = None


class MemoryCache:
    """The most recently used entries, at most `size`. Each step is atomic, so threads need no lock."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()

    def find(self, name: str, ref: str) -> Entry | None:
        """The entry, its digest computed anew from its bytes, or None."""
        entry = self._entries.get((name, ref))
        if entry is not None:
            entry.bundle.verify()
        return entry

    def keep(self, name: str, ref: str, entry: Entry) -> None:
        """Keep the entry and drop the oldest beyond the size."""
        self._entries[name, ref] = entry
        while len(self._entries) > self._size:
            try:
                self._entries.popitem(last=False)
            except KeyError:  # another thread made the room
                return

    def drop(self, name: str, ref: str) -> None:
        """Forget one entry."""
        self._entries.pop((name, ref), None)


class DiskCache:
    """One file for each template and ref below `folder`, apart for each registry address."""

    def __init__(self, folder: str | os.PathLike[str], url: str) -> None:
        self.folder = Path(folder) / sha256(url.encode()).hexdigest()[:16]

    def find(self, name: str, ref: str) -> tuple[Bundle, str] | None:
        """The bundle and its entity tag. Content that fails its digest raises `DigestMismatch` naming the file."""
        path = self._path(name, ref)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            etag = str(json.loads(head)["etag"])
            return bundles.read(body, name, ref, where=str(path)), etag
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, BadAnswer) as error:
            _log.warning("%s cannot be used as a cached template, asking the registry instead: %s", path, error)
            return None

    def keep(self, name: str, ref: str, body: bytes, etag: str) -> None:
        """Write whole or not at all. A full or read-only disk costs the copy, never the answer."""
        path = self._path(name, ref)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps({"etag": etag}).encode() + b"\n" + body)
            Path(temporary).replace(path)
        except OSError as error:
            _log.warning("%s cannot be written: %s", path, error)

    def drop(self, name: str, ref: str) -> None:
        """Forget one file."""
        try:
            self._path(name, ref).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("a cached template cannot be removed: %s", error)

    def _path(self, name: str, ref: str) -> Path:
        # Both are checked slugs; a colon in a file name would not do on Windows.
        return self.folder / name / f"@{ref.replace(':', '-')}.json"


class Flights:
    """One fetch at a time for each template and ref: a burst asks the registry once and shares what came of it."""

    def __init__(self) -> None:
        self._flights: dict[tuple[str, str], Future[Any]] = {}
        self._pid = os.getpid()

    def join(self, key: tuple[str, str], fetch: Callable[[], Result], timeout: float) -> Result:
        """Run `fetch`, or wait for the one under way; its error is everybody's."""
        if self._pid != os.getpid():
            # A flight of the parent's threads never lands in a forked child.
            self._flights, self._pid = {}, os.getpid()
        own: Future[Result] = Future()
        flight = self._flights.setdefault(key, own)
        if flight is not own:
            try:
                result: Result = flight.result(timeout)
            except TimeoutError:
                raise Unavailable(f"{key[0]}@{key[1]} did not arrive within {timeout:g} s") from None
            return result
        try:
            own.set_result(fetch())
        except Exception as error:
            own.set_exception(error)
            raise
        except BaseException:
            # An interrupt is for this thread alone.
            own.set_exception(Unavailable(f"the fetch of {key[0]}@{key[1]} was interrupted"))
            raise
        finally:
            del self._flights[key]
        return own.result()
